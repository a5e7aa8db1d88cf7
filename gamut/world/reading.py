"""Text into scenes: prompts that are understood to the last word, and translation sentence by sentence.

A text with anything that is not understood gives None; half a reading is no reading.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from . import vocabulary as v
from .phrases import find_sentence, group_table, render
from .scene import Group, Scene
from .writing import HEADS, TAILS, write

_PREFIX_WORDS = {"next to": "left", "beside": "left"}
Fields = dict[str, object]


def read(text: str) -> Scene | None:
    """Return the scene that a prompt asks for, in English or Chinese; None unless every word of it is understood."""
    if len(text) > 600:
        return None
    fields = _fields(text, language_of(text))
    if not fields:
        return None
    try:
        return Scene(**fields)  # type: ignore[arg-type]
    except ValueError:
        return None


def language_of(text: str) -> str:
    """`zh` or `en`, by what stands outside quotation marks."""
    return "zh" if re.search(r"[\u4e00-\u9fff]", re.sub(r'["“][^"”]*["”]', "", text)) else "en"


def translate(text: str, source: str = "en", target: str = "zh") -> str | None:
    """Translate what `write` makes in any form, and prompts that `read` understands, else None; lettering stays."""
    if {source, target} - {"en", "zh"}:
        raise ValueError(f"the world translates between en and zh, not {source!r} and {target!r}")
    if source == target:
        return text
    translated = []
    for sentence in split_sentences(text, source):
        other = _translate_sentence(sentence, source, target) or _translate_prompt(sentence, source, target)
        if other is None:
            return None
        translated.append(other)
    return (" " if target == "en" else "").join(translated) or None


def split_sentences(text: str, language: str) -> list[str]:
    """Sentences keep their full stops; stops within quotation marks do not count."""
    mark, quote = (r"\.", '"') if language == "en" else ("。", "“”")
    pattern = rf'(?:"[^"]*"|“[^”]*”|[^{quote}{mark}])+(?:{mark}|$)'
    return [sentence.strip() for sentence in re.findall(pattern, text.strip()) if sentence.strip()]


def _translate_sentence(sentence: str, source: str, target: str) -> str | None:
    if found := find_sentence(sentence, source):
        twin, slots = found
        return render(twin.zh if target == "zh" else twin.en, slots, target)
    return None


def _translate_prompt(sentence: str, source: str, target: str) -> str | None:
    scene = read(sentence)
    if scene is None:
        return None
    opening, written = _split_opening(_tidy(sentence, source), source)[0], write(scene, target)
    if opening is None:
        return written
    if target == "zh":
        return v.OPENINGS[opening].zh + written
    many = opening == "there is" and scene.groups and scene.groups[0].count > 1
    words = "there are" if many else v.OPENINGS[opening].en
    return f"{words[0].upper()}{words[1:]} {written[0].lower()}{written[1:]}"


def _fields(text: str, language: str) -> Fields | None:
    return _consume(
        _split_opening(_tidy(text, language), language)[1], _rules(language), ", " if language == "en" else "， ,"
    )


def _split_opening(text: str, language: str) -> tuple[str | None, str]:
    """Return the key of a text's opening, or None, and what comes after it."""
    names = _names(v.OPENINGS, language)
    match = re.match(f"({_any_of(names)})" + (" " if language == "en" else ""), text)
    return (names[match[1]], text[match.end() :]) if match else (None, text)


def _tidy(text: str, language: str) -> str:
    """Without marks at the end; in English also lower case outside quotation marks and single spaces."""
    if language == "zh":
        return text.strip(" 。.")
    return re.sub(r"\s+", " ", _lower(text)).strip(" .!,")


def _lower(text: str) -> str:
    """Lower case outside quotation marks; single quotation marks around capitals become double ones."""
    text = re.sub(r"(?<!\w)['‘]([A-Z][A-Z ]*)['’](?!\w)", r'"\1"', text).replace("“", '"').replace("”", '"')
    return "".join(part if part.startswith('"') else part.lower() for part in re.split(r'("[^"]*")', text))


Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], Fields | None], bool]


def _consume(text: str, rules: tuple[Rule, ...], separators: str) -> Fields | None:
    """Apply the rules from left to right until nothing is left; a field said twice or no core is no reading."""
    fields: Fields = {}
    while text:
        for pattern, meaning, first in rules:
            match = pattern.match(text)
            if match is None or (first and fields.keys() - {"style"}):
                continue
            found = meaning(match)
            if found and not fields.keys() & found.keys():
                fields |= found
                text = text[match.end() :].lstrip(separators)
                break
        else:
            return None
    if "groups" not in fields and "lettering" in fields:
        fields["groups"] = ()
    return fields if "groups" in fields else None


@cache
def _rules(language: str) -> tuple[Rule, ...]:
    """What may stand in a prompt: a pattern, what it means, and whether it must come before all but style."""
    group = _group_pattern(language)
    relation = _any_of(_relation_words(language))
    one, two = f"(?P<a>{group})", f"(?P<b>{group})"
    pairs = (
        (rf"{one} (?:is |are )?(?P<r>{relation}) {two}", rf"{one} and {two}(?! {relation}\b)", rf"{one}")
        if language == "en"
        else (rf"{one}在{two}的?(?P<r>{relation})", rf"{one}(?:和|与){two}", rf"{one}")
    )
    end = r"(?=$|,| (?:at|seen|under|beneath|with|in|and|made)\b)" if language == "en" else r"(?=$|，|,)"
    rules: list[Rule] = [(re.compile(pattern + end), _groups_meaning(language), True) for pattern in pairs]
    for twin in (*HEADS, *(twin for twins in TAILS.values() for twin in twins)):
        rules.append(_clause_rule(twin.en if language == "en" else twin.zh, language))
    says = (
        rf"(?P<sign>{_any_of(_names(v.SIGNS, 'en'))}) (?:that says|saying|reading|that reads|with the words?|with)"
        r" (?P<lettering>\"[^\"]+\")(?: written)?(?: on it)?",
        r"(?:the )?words? (?P<lettering>\"[^\"]+\")",
    )
    says_zh = (
        rf"写着(?P<lettering>[“\"][^”\"]+[”\"])的(?P<sign>{_any_of(_names(v.SIGNS, 'zh'))})",
        r"文字(?P<lettering>[“\"][^”\"]+[”\"])",
    )
    for pattern in says if language == "en" else says_zh:
        rules.append((re.compile(pattern), _closed_meaning(language), True))
    return tuple(rules)


def _clause_rule(template: str, language: str) -> Rule:
    """Slots of a clause's template become groups that match every name of a value."""
    pattern = re.escape(template).replace(r"\{lettering:word\|words\}", "words?")
    quoted = r"\"[^\"]+\"" if language == "en" else r"[“\"][^”\"]+[”\"]"
    pattern = pattern.replace(r"\{lettering\}", f"(?P<lettering>{quoted})")
    for slot, table in v.LOOKS.items():
        names = _any_of(_names(table, language))
        article = "(?:a |an )?" if slot == "style" and language == "en" else ""
        pattern = pattern.replace(rf"\{{{slot}\}}", f"{article}(?P<{slot}>{names})")
    boundary = r"(?=$|[\s,])" if language == "en" and not template.endswith(" ") else ""
    return re.compile(pattern.replace(r"\ ", " ") + boundary), _closed_meaning(language), template.endswith(" ")


def _names(table: dict[str, v.Word], language: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, word in table.items():
        for name in (word.en if language == "en" else word.zh, *word.also):
            if name.isascii() == (language == "en"):
                found[name] = key
    return found


def _relation_words(language: str) -> dict[str, str]:
    return _names(v.RELATIONS, language) | (_PREFIX_WORDS if language == "en" else {})


def _any_of(names: dict[str, str]) -> str:
    return "|".join(re.escape(name).replace(r"\ ", " ") for name in sorted(names, key=len, reverse=True))


def _closed_meaning(language: str) -> Callable[[re.Match[str]], Fields | None]:
    def meaning(match: re.Match[str]) -> Fields | None:
        found: Fields = {}
        for slot, text in match.groupdict().items():
            if slot == "lettering":
                found[slot] = text[1:-1]
            else:
                found[slot] = _names(v.LOOKS[slot], language)[text]
        return found

    return meaning


def _groups_meaning(language: str) -> Callable[[re.Match[str]], Fields | None]:
    def meaning(match: re.Match[str]) -> Fields | None:
        named = match.groupdict()
        groups = [_group(named[name], language) for name in ("a", "b") if named.get(name)]
        if None in groups:
            return None
        found: Fields = {"groups": tuple(groups)}
        if named.get("r"):
            found["relation"] = _relation_words(language)[named["r"]]
        return found

    return meaning


@cache
def _group_pattern(language: str) -> str:
    if language == "zh":
        return r"[^，。的“”]{1,12}?的?[^，。的“”]{1,12}?"
    return r"[a-z][a-z -]*?"


def _group(text: str, language: str) -> Group | None:
    """Read a noun phrase: a number or article, perhaps a colour, a noun of the vocabulary, and nothing else."""
    return _group_zh(text) if language == "zh" else _group_en(text, 1) or _group_en(text, 2)


def _group_en(text: str, lead: int) -> Group | None:
    """Read with the number in the first `lead` words ("a", "the two", "a pair of"), or none for a bare singular."""
    count: int | None = None
    for number, names in _NUMBERS.items():
        for name in names:
            if text.startswith(name + " ") and (lead == 2) == (" " in name):
                count, rest = number, text[len(name) + 1 :]
                break
        if count:
            break
    if count is None:
        if lead == 2:
            return None
        count, rest = 1, text
    colour = None
    first, _, remainder = rest.partition(" ")
    colours = _names(v.COLOURS, "en")
    if first in colours and remainder:
        colour, rest = colours[first], remainder
    kind = _nouns(count > 1).get(rest)
    return Group(kind, colour, count) if kind else None


_NUMBERS: dict[int, tuple[str, ...]] = {
    1: ("a", "an", "one", "the", "a single"),
    2: ("two", "a pair of", "the two", "2"),
    3: ("three", "the three", "3"),
    4: ("four", "the four", "4"),
    5: ("five", "the five", "5"),
}


@cache
def _nouns(many: bool) -> dict[str, str]:
    """English nouns in the singular or plural, lower case → kind."""
    found: dict[str, str] = {}
    for kind in v.KINDS.values():
        for pair in (*kind.synonyms, (kind.name, kind.plural)):
            found[pair[many].lower()] = kind.name
    return found


def _group_zh(text: str) -> Group | None:
    known = group_table("zh").get(text)
    if known:
        return known
    for colour, word in v.COLOURS.items():
        for name in (word.zh, *(also for also in word.also if not also.isascii())):
            text = text.replace(name + "的", v.COLOURS[colour].zh + "的").replace("二", "两")
    return group_table("zh").get(text)
