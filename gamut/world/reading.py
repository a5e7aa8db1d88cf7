"""Text into scenes: prompts that are understood to the last word, and translation sentence by sentence.

A text with anything that is not understood gives None; half a reading is no reading.
"""

from __future__ import annotations

import re
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
    return _consume(_split_opening(_tidy(text, language), language)[1], language)


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


Rule = tuple[re.Pattern[str], bool]
"""What may stand in a prompt, and whether it must come before all but style."""


def _consume(text: str, language: str) -> Fields | None:
    """Apply the rules from left to right until nothing is left; a field said twice or no core is no reading."""
    fields: Fields = {}
    separators = ", " if language == "en" else "， ,"
    while text:
        for pattern, first in _rules(language):
            match = pattern.match(text)
            if match is None or (first and fields.keys() - {"style"}):
                continue
            found = _meaning(match, language)
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
    group = r"[^，。的“”]{1,12}?的?[^，。的“”]{1,12}?" if language == "zh" else r"[a-z][a-z -]*?"
    relation = _any_of(_relation_words(language))
    one, two = f"(?P<a>{group})", f"(?P<b>{group})"
    pairs = (
        (rf"{one} (?:is |are )?(?P<r>{relation}) {two}", rf"{one} and {two}(?! {relation}\b)", rf"{one}")
        if language == "en"
        else (rf"{one}在{two}的?(?P<r>{relation})", rf"{one}(?:和|与){two}", rf"{one}")
    )
    end = r"(?=$|,| (?:at|seen|under|beneath|with|in|and|made)\b)" if language == "en" else r"(?=$|，|,)"
    rules: list[Rule] = [(re.compile(pattern + end), True) for pattern in pairs]
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
    rules += [(re.compile(pattern), True) for pattern in (says if language == "en" else says_zh)]
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
    return re.compile(pattern.replace(r"\ ", " ") + boundary), template.endswith(" ")


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


def _meaning(match: re.Match[str], language: str) -> Fields | None:
    slots = {slot: text for slot, text in match.groupdict().items() if text}
    read_group = _group_en if language == "en" else _group_zh
    groups = [read_group(slots.pop(name)) for name in ("a", "b") if name in slots]
    if None in groups:
        return None
    found: Fields = {"groups": tuple(groups)} if groups else {}
    for slot, text in slots.items():
        if slot == "r":
            found["relation"] = _relation_words(language)[text]
        else:
            found[slot] = text[1:-1] if slot == "lettering" else _names(v.LOOKS[slot], language)[text]
    return found


_LEADS = (
    *(("a ", 1), ("an ", 1), ("one ", 1), ("the ", 1), ("two ", 2), ("three ", 3), ("four ", 4), ("five ", 5), ("", 1)),
    *(("a single ", 1), ("a pair of ", 2), ("the two ", 2), ("the three ", 3), ("the four ", 4), ("the five ", 5)),
)
"""What a noun phrase begins with, and the number that it says. Short ones go first: "a pair of scissors" is one."""


def _group_en(text: str) -> Group | None:
    """Read a noun phrase: a number or article, perhaps a colour, a noun of the vocabulary, and nothing else."""
    colours = _names(v.COLOURS, "en")
    for lead, count in _LEADS:
        if text.startswith(lead):
            noun = text.removeprefix(lead)
            first, _, rest = noun.partition(" ")
            colour = colours.get(first) if rest else None
            if kind := _nouns(count > 1).get(rest if colour else noun):
                return Group(kind, colour, count)
    return None


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
