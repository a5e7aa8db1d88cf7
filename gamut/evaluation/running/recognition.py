"""What an answer in free words decides for: a thing by its name, or one of several options by its letter or words.

No paper says how such replies are read: these rules are our own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from gamut.evaluation.running.statements import ARTICLE, LETTER, LETTER_MARK, MARK, NAME, NAME_MARK, decided_numbers

LETTERS = "ABCDEFGH"
UNSPACED_SIGNS = (
    "\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese and Japanese
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
)
"""Characters of scripts that do not put spaces between words."""
IN_WORD = rf"[^\W_{UNSPACED_SIGNS}\uac00-\ud7a3]"
"""A letter or digit of a script that puts spaces between words. Korean does, and adds particles to nouns."""
FORMS = (
    ("", "s"), ("", "es"), ("y", "ies"), ("f", "ves"), ("fe", "ves"), ("man", "men"), ("us", "i"), ("us", "uses"),
    ("is", "es"), ("um", "a"), ("oose", "eese"), ("ouse", "ice"), ("oot", "eet"), ("ooth", "eeth"), ("ox", "oxen"),
)  # fmt: skip
"""Endings of words in singular and plural."""
SPELLINGS = ({"mount", "mt"}, {"saint", "st"}, {"gray", "grey"})
SHORT_WORD, LONGEST_ROW = 3, 24
"""So many longer words in a row, with only list separators between them, are not a sentence."""
JOINING_WORDS = re.compile(r"(?:an?|and|or)$")
LONGEST_LIST, LONGEST_NAME, LONGEST_UNSPACED = 8, 3, 28
"""A list has more than so many things of at most so many words each. In a script without spaces it has so many
characters without one of SENTENCE_SIGNS."""
SENTENCE_SIGNS = "是为的在了这那有和与不被很也都就像中于原产以称因此"
SENTENCE_ENDS = re.compile(r"[.。!?\n;；]")
THING_ENDS = re.compile(r"[,，、/|()\[\]]|\b(?:or|and|is|are|it|also)\b")
"""Where sentences end, and things of a list."""
BESIDE_A_THING = re.compile(
    r"\b(?:an?|the|this|that|these|could|may|might|be|maybe|perhaps|possibly|option|answer)\b|[\d'\"*#-]"
)
"""Words that may stand next to a thing of a list."""


def name_score(answer: str, accepted: Collection[str], others: Collection[str]) -> float:
    """Return 1 if an answer decides for something with an accepted name and for none of the others, else 0.

    Names are found in singular and plural, ignoring accents and case, however their words are joined. "Red panda" does
    not name a panda, if both are names. Unknown words do not count as names, except next to "or". A long list of words
    names nothing.
    """
    text = mark_names(plain_text(answer), (tuple(accepted), *((other,) for other in others)))
    return float(decided_numbers(text) == {0} and not has_row(text) and not lists_names(text))


def chosen_option(answer: str, options: Sequence[str]) -> int | None:
    """Return the number, from 0, of the option that an answer decides for, by letter (which counts first) or words.
    None if it decides for none, or several.
    """
    text = mark_names(plain_text(answer), tuple((option,) for option in options))
    decided = decided_numbers(mark_letters(text, LETTERS[: len(options)]))
    return next((number for number in range(len(options)) if decided == {number}), None)


def plain_text(answer: str) -> str:
    """Return a text without thoughts in tags, markup, accents, compatibility forms, and repeated spaces."""
    spoken = unicodedata.normalize("NFKC", answer.rpartition("</think>")[2].partition("<think>")[0])
    folded = re.sub(r"[^\x00-\x7f]+", lambda found: found[0].casefold(), spoken)
    bare = re.sub("[\u0300-\u036f\ue000-\uf8ff*_`#]", "", unicodedata.normalize("NFD", folded)).replace("’", "'")
    lines = (" ".join(line.split()) for line in unicodedata.normalize("NFC", bare).splitlines())
    return re.sub(r":\n", ": ", "\n".join(filter(None, lines)))


def mark_names(text: str, entities: Sequence[Collection[str]]) -> str:
    """Return a text with a mark in place of each name of an entity. Of overlapping names the longest counts."""
    pattern, numbers = pattern_of(tuple(map(tuple, entities)))
    return pattern.sub(lambda found: chr(NAME + numbers[found.lastindex or 0]), text)


@lru_cache(maxsize=256)
def pattern_of(entities: tuple[tuple[str, ...], ...]) -> tuple[re.Pattern[str], dict[int, int]]:
    names = [(name_words(name), sorted({*name} & {*",()/"}), n) for n, own in enumerate(entities) for name in own]
    names.sort(key=lambda one: -len("".join(one[0])))
    groups = (f"({spelling(words, signs)})" for words, signs, _ in names)
    return re.compile("|".join(groups), re.IGNORECASE), {group: number for group, (*_, number) in enumerate(names, 1)}


def name_words(name: str) -> list[str]:
    """Return the words of a name, in lower case, without an article before them."""
    words = [word for word in re.split(r"[\s\-'.,()·/]+", plain_text(name).lower()) if word] or [name]
    return words[1:] if len(words) > 1 and words[0] in ("a", "an", "the") else words


def spelling(words: Sequence[str], signs: Sequence[str]) -> str:
    """Return a pattern for a name in these words. `signs`: what may be between them in this name."""
    forms = ("|".join(r"[ -]?".join(map(re.escape, form)) for form in forms_of(word)) for word in words)
    joined = rf"[\s\-'.·{''.join(signs)}]{{0,3}}".join(f"(?:{one})" for one in forms)
    before = rf"(?<!{IN_WORD})" if re.match(IN_WORD, words[0][0]) else ""
    after = rf"(?!{IN_WORD})" if re.match(IN_WORD, words[-1][-1]) else ""
    return f"{before}{joined}{after}"


def forms_of(word: str) -> list[str]:
    """Return a word's possible singular and plural forms, the longest first. Forms that do not exist do no harm."""
    found = {word}
    if len(word) >= SHORT_WORD:
        for own, others in (*FORMS, *(pair[::-1] for pair in FORMS)):
            if word.endswith(own):
                found.add(word[: len(word) - len(own)] + others)
    found |= {one for alike in SPELLINGS if word in alike for one in alike}
    return sorted(found, key=lambda one: (-len(one), one))


def mark_letters(text: str, letters: str) -> str:
    """Return a text in which options' letters are marked too: single capitals or labels, but not the article "A"."""
    small = letters.lower()
    words = ("answer is", "answer", "answer -", "option", "option is", "letter is", "choice is", "it's", "it is")
    before = (*words, "pick", "choose", "select", "think", "go with", "it's clearly")
    behind = rf"(?:{'|'.join(f'(?<={one} )' for one in before)}|(?<=\"answer\": \"))"
    label = rf"(?<=\()[{small}](?=\))|^[^\w\n]*[{small}](?=[).:]|\W*$)|{behind}[{small[1:]}](?!{IN_WORD})"
    text = re.sub(rf"(?im){label}|(?<=answer: )[{small}]$", lambda found: found[0].upper(), text)
    article = rf"A (?:{NAME_MARK}|(?!(?:is|was|or|and|as|because|since|but|seems|looks|matches|fits|shows|has)\b)[a-z])"
    letter = rf"(?<!{IN_WORD})(?<!\w[-'.&])(?!{article})[{letters}](?!{IN_WORD}|['.&-]\w)"
    text = re.sub(letter, lambda found: chr(LETTER + letters.index(found[0])), text)
    text = re.sub(rf"(?m)(^[^\w\n]*{LETTER_MARK})\.(?= (?:\w|{NAME_MARK}))", r"\1:", text)
    text = re.sub(rf"({LETTER_MARK})[ ):\-–—]{{0,4}}{ARTICLE}{NAME_MARK}", r"\1", text)
    return re.sub(rf"{NAME_MARK} ?[(\[]({LETTER_MARK})[)\]]", r"\1", text)


def has_row(text: str) -> bool:
    """Return whether more words or characters follow each other than in any sentence."""
    if re.search(rf"(?:{MARK}|(?![{SENTENCE_SIGNS}])[{UNSPACED_SIGNS}]){{{LONGEST_UNSPACED},}}", text):
        return True
    listed = 0
    for word in re.findall(rf"{MARK}|\w+", text.lower()):
        if len(word) > SHORT_WORD or re.match(MARK, word):
            listed += 1
        elif not JOINING_WORDS.match(word):
            listed = 0
        if listed > LONGEST_ROW:
            return True
    return False


def lists_names(text: str) -> bool:
    """Return whether a marked text lists many things, one of which is marked."""
    for things in lists_in(text):
        marked = any(re.match(MARK, word) for thing in things[1:-1] for word in thing)
        if marked and len({*things}) > LONGEST_LIST:
            return True
    return False


def lists_in(text: str) -> Iterator[list[tuple[str, ...]]]:
    """Yield lists of short things, each in its words. Text after a colon does not belong to the things before it."""
    listed, alone = list[tuple[str, ...]](), False
    for sentence in SENTENCE_ENDS.split(text.lower()):
        before, _, last = BESIDE_A_THING.sub(" ", sentence).rpartition(":")
        things = [words for one in THING_ENDS.split(last) if (words := re.findall(rf"{MARK}|\w+", one))]
        if not things:
            continue
        if (len(things) == 1) != alone or re.search(rf"{MARK}|\w", before):
            yield listed
            listed, alone = [], len(things) == 1
        for words in things:
            if len(words) <= LONGEST_NAME:
                listed.append(tuple(words))
            else:
                yield listed
                listed = []
    yield listed
