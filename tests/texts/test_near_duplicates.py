"""Near-duplicates: the arithmetic of a pair, the search against a plain loop, planted duplicates, and PartiPrompts."""

from __future__ import annotations

import csv
import hashlib
import random
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamut.texts.near_duplicate_search import find_near_duplicates, search_wave
from gamut.texts.near_duplicates import ROWS, Index, Reading, count_bands, near_duplicate_similarity, similarity
from gamut.texts.searched_waves import NearDuplicates, Wave, open_wave
from tests.embedded_world import captions
from tests.paths import PARTI

LEAST = 0.845
PINNED = "7803079bcf7c8296235420571322127d986d9b5602e7e509307bf3aa65015201"

SHORT = st.lists(st.sampled_from(["a", "red", "cat", "dog", "runs", ",", "!", "A", " ", "2"]), max_size=8).map(" ".join)
"""Few different texts, so that duplicates are drawn often."""
LONG = st.lists(st.sampled_from("abcdefghijklmno"), min_size=10, max_size=16).map(" ".join)
ANY = st.text(st.sampled_from("aAbé5 ,.!?\"'-猫😀\t"), max_size=40) | SHORT | LONG


def are_near_duplicates(one: str, other: str, least_similarity: float) -> bool:
    return near_duplicate_similarity(Reading(one), Reading(other), least_similarity) > 0


def find(waves: Sequence[Sequence[str]], folder: Path) -> NearDuplicates:
    """Search waves one after the other; positions run on."""
    searched: list[Wave] = []
    for number, texts in enumerate(waves):
        searched.append(search_wave(enumerate(texts), searched, LEAST, folder / str(number)))
    return NearDuplicates(*map(np.concatenate, zip(*(wave.found() for wave in searched), strict=True)))


def near(waves: Sequence[Sequence[str]], folder: Path) -> list[int]:
    return find(waves, folder).of.tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A red-brown Dog's tail...", ["a", "red", "brown", "dogs", "tail"]),
        ("ＦＵＬＬ ﬁne STRASSE straße", ["full", "fine", "strasse", "strasse"]),
        ("1,000 balloons, 3D", ["1000", "balloons", "3d"]),
        ("一只猫, neko ネコ", ["一", "只", "猫", "neko", "ネ", "コ"]),
        ("हिन्दी", ["हिन्दी"]),
        ("a 😀👩‍🚀❤️!", ["a", "😀", "👩", "🚀", "❤"]),
        ("?! — ...", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert Reading(text).words == expected


TWELVE = "An old man in a long coat feeds the birds at dawn"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (TWELVE, TWELVE.upper().replace(" ", "  ") + "!!", 1.0),
        # 11 of 12 words in order: 11 / (12 + 12 - 11).
        (TWELVE, TWELVE.replace("coat", "robe"), 11 / 13),
        # One word more: 12 / (12 + 13 - 12).
        (TWELVE, TWELVE.replace("birds", "hungry birds"), 12 / 13),
        # Whole clauses in another order; also when one text has lost the commas.
        ("a dog, on a beach, at noon", "At noon. A dog. On a beach.", 1.0),
        ("a dog, on a beach, at noon", "at noon a dog on a beach", 1.0),
        # "a ... to the left of a ..." agrees in order, 6 of 8, or 5 with one animal: 6 / (8 + 8 - 6).
        ("a cat to the left of a dog", "a dog to the left of a cat", 6 / 10),
        # "a" and "a b", each clause of one in the other: 3, but they have only "a" and "b" in common: 2 / (3 + 2 - 2).
        ("a, a b", "a b", 2 / 3),
        ("a top hat", "a tophat", 1.0),
        ("nothing in common", "at all", 0.0),
        ("?!", "? !", 0.0),  # no words: compared as they stand
        ("?!", "?!", 1.0),
        ("😀", "😢", 0.0),
        # What is to be seen as it stands.
        (TWELVE + " in 1950", TWELVE + " in 1960", 0.0),
        ("3 cats", "3 cats 4", 0.0),
        (TWELVE + ' by "Joe\'s Café"', TWELVE + ' by "Jim\'s Café"', 0.0),
        (TWELVE + " by 'JOE'", TWELVE + " by Joe", 1.0),  # the marks alone are gone
        (TWELVE + " by 'JOE'", TWELVE + " by Jim", 0.0),
        ('the sign "?"', 'the sign "!"', 0.0),
        (TWELVE + " on the left", TWELVE + " on the right", 0.0),
        (TWELVE.replace("old", "two"), TWELVE.replace("old", "three"), 0.0),
        (TWELVE.replace("long", "red"), TWELVE.replace("long", "blue"), 0.0),
        (TWELVE.replace("long", "red"), TWELVE, 11 / 13),  # a detail, not another colour
        ("a photo of a rat in a gym", "a photo of a hen in a gym", 0.0),
        ("a photo of a rat in a gym", "a photo of the rat in a gym", 7 / 9),
    ],
)
def test_similarity(one: str, other: str, expected: float) -> None:
    assert similarity(one, other) == similarity(other, one) == pytest.approx(expected)


def test_no_word_of_a_short_text_may_differ() -> None:
    eleven = TWELVE.removesuffix(" at dawn") + " today"
    assert (len(Reading(eleven).words), len(Reading(TWELVE).words)) == (11, 12)
    assert are_near_duplicates(TWELVE, TWELVE.replace("coat", "robe"), LEAST)
    assert not are_near_duplicates(TWELVE, TWELVE.replace("coat", "robe"), 0.85)  # 11/13 = 0.846
    assert not are_near_duplicates(eleven, eleven.replace("coat", "robe"), 0.7)  # 10/12 = 0.833
    assert not are_near_duplicates(TWELVE, eleven, 0.7)  # 10/13 = 0.769, and one of them is short
    assert are_near_duplicates("a dog, at noon", "At noon, a dog!", LEAST)


@given(ANY, ANY)
def test_similarity_is_symmetric_and_between_0_and_1(one: str, other: str) -> None:
    assert 0 <= similarity(one, other) == similarity(other, one) <= 1
    assert similarity(one, one) == 1


@given(LONG | SHORT)
def test_case_space_and_end_do_not_count(text: str) -> None:
    if Reading(text).words:
        assert similarity(text, f"  {text.upper()} ".replace(" ", "\t ") + ".") == 1


@pytest.mark.parametrize(("least", "bands"), [(0.7, 161), (0.845, 23), (0.9, 11), (1.0, 1)])
def test_bands_find_99_of_100_pairs_and_few_of_unlike_texts(least: float, bands: int) -> None:
    """P(found) = 1 - (1 - J^10)^bands. At 0.845: J = 0.845 gives 0.991, J = 0.5 gives 1 - (1 - 1/1024)^23 = 0.022."""
    assert count_bands(least) == pytest.approx(bands, abs=1)
    assert 1 - (1 - least**ROWS) ** count_bands(least) >= 0.99
    assert 1 - (1 - 0.5**ROWS) ** count_bands(0.845) < 0.025


@pytest.mark.parametrize("least", [0.69, 1.01, float("nan")])
def test_other_least_similarities_are_refused(least: float, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"between 0\.7 and 1"):
        find_near_duplicates([], least, tmp_path)
    with pytest.raises(ValueError, match=r"between 0\.7 and 1"):
        Index([], least)


@pytest.mark.parametrize(
    ("waves", "of", "similar", "exact"),
    [
        ([[]], [], [], []),
        ([[], []], [], [], []),
        ([["a"]], [-1], [0], [False]),
        ([["?", "!", "", " ", "?"]], [-1, -1, -1, 2, 0], [0, 0, 0, 1, 1], [False, False, False, True, True]),
        # Exact, near, and exact copies of a near one: the kept text is named, and whether it is exactly that one.
        ([["a cat"], ["A  Cat", "a cat!", "A CAT!"]], [-1, 0, 0, 0], [0, 1, 1, 1], [False, True, False, False]),
        ([[TWELVE, TWELVE.replace("coat", "robe")]], [-1, 0], [0, 11 / 13], [False, False]),
    ],
)
def test_small_cases(
    waves: list[list[str]], of: list[int], similar: list[float], exact: list[bool], tmp_path: Path
) -> None:
    found = find(waves, tmp_path)
    assert (found.of.dtype, found.similarity.dtype, found.exact.dtype) == (np.int64, np.float32, np.bool_)
    assert (found.of.tolist(), found.exact.tolist()) == (of, exact)
    assert found.similarity.tolist() == pytest.approx(similar)
    folder = tmp_path / "new" / "scratch"
    alone = find_near_duplicates(waves[0], LEAST, folder).of.tolist()
    assert (alone, list(folder.iterdir())) == (of[: len(waves[0])], [])


def test_nothing_is_left_behind_by_a_source_that_breaks(tmp_path: Path) -> None:
    def breaks() -> object:
        yield "a"
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        find_near_duplicates(breaks(), LEAST, tmp_path)
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=15)
@given(st.lists(SHORT, max_size=20))
def test_short_texts_as_a_plain_loop_decides(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    """Texts of similarity 1.0 always meet, by their letters: the search misses none."""
    expected: list[int] = []
    for position, text in enumerate(texts):
        kept = [earlier for earlier in range(position) if expected[earlier] < 0]
        same = (k for k in kept if are_near_duplicates(texts[k], text, LEAST) or texts[k].split() == text.split())
        expected.append(next(same, -1))
    assert near([texts], tmp_path_factory.getbasetemp() / "short") == expected


@settings(max_examples=15)
@given(st.lists(SHORT | LONG, max_size=20), st.lists(SHORT | LONG, max_size=20))
def test_later_waves_change_nothing(
    tmp_path_factory: pytest.TempPathFactory, first: list[str], second: list[str]
) -> None:
    base = tmp_path_factory.getbasetemp()
    alone, both = find([first], base / "a"), find([first, second], base / "b")
    for column_alone, column_both in zip(alone, both, strict=True):
        assert column_alone.tobytes() == column_both[: len(first)].tobytes()
    of = both.of
    assert all(of[of[position]] == -1 and of[position] < position for position in np.flatnonzero(of >= 0))


def test_slots_of_a_template_are_what_is_asked_for(tmp_path: Path) -> None:
    """Two texts that differ in a word are one picture; five that differ in the same place are five."""
    animals = ["fox", "owl", "hen", "bat", "elk"]
    family = [f"A very tired {animal} in a long coat feeds the birds at dawn today" for animal in animals]
    assert near([family[:2]], tmp_path) == [-1, 0]
    assert near([family], tmp_path) == [-1] * 5
    # Elsewhere the same texts may differ: all others nearby have "tired".
    assert near([family, [family[3].replace("tired", "weary")]], tmp_path)[5:] == [3]
    # What a later wave shows is too late for the earlier one, which keeps its decision: 1 duplicates 0.
    assert near([family[:2], family[2:]], tmp_path) == [-1, 0, -1, -1, -1]


def test_many_alike(tmp_path: Path) -> None:
    """500 copies leave one; 2,000 prompts from one short template all stay."""
    copies = ["a cat " * 8] * 500
    templated = [f"a photo of w{n // 100}x and w{n % 100}y" for n in range(2_000)]
    of = np.array(near([copies, templated], tmp_path))
    assert of[0] == -1
    assert (of[1:500] == 0).all()
    assert (of[500:] == -1).all()


def test_many_near_copies_of_one_text_are_no_template(tmp_path: Path) -> None:
    """250 texts, each with one word of 24 changed to one that no other has: each place is changed in 1 of 24 only."""
    rng = random.Random(1)
    base = [f"w{chr(97 + n)}" for n in range(24)]
    changed = [[*base] for _ in range(250)]
    for n, text in enumerate(changed):
        text[rng.randrange(24)] = "".join(chr(97 + int(digit)) for digit in str(n)) + "x"
    of = np.array(near([[" ".join(text) for text in [base, *changed]]], tmp_path))
    assert (of >= 0).sum() >= 0.99 * 250


class TestIndex:
    items = ("a cat", TWELVE, TWELVE + " in spring", "?!")

    def test_by_hand(self) -> None:
        index = Index(self.items, LEAST)
        assert index.near("A cat.") == [(0, 1.0)]
        assert index.near("a dog") == []
        assert index.near("?!") == [(3, 1.0)]
        # To 1: 11 / 13 = 0.846; to 2, which has two words more: 11 / (12 + 14 - 11) = 0.733.
        assert index.near(TWELVE.replace("coat", "robe")) == [(1, pytest.approx(11 / 13))]
        # To 1: 12 / 14 = 0.857; to 2: all.
        assert index.near((TWELVE + " in spring").upper()) == [(2, 1.0), (1, pytest.approx(12 / 14))]

    def test_of_several_the_earliest_first_and_none_of_none(self) -> None:
        assert Index(["a dog", "a cat", "A cat!"], LEAST).near("a cat?") == [(1, 1.0), (2, 1.0)]
        assert Index([], LEAST).near("a cat") == []


Plant = Callable[[str, random.Random, list[str]], str | None]
QUOTED = re.compile(r'"[^"]*"|(?<!\w)[\'‘].+?[\'’](?!\w)')


def case(text: str, rng: random.Random, vocabulary: list[str]) -> str:
    return rng.choice([str.upper, str.lower, str.title, str.swapcase])(text)


def punctuation(text: str, rng: random.Random, vocabulary: list[str]) -> str:
    gone, space = re.sub(r"[^\w\s]", "", text), re.sub(r"[^\w\s]", " ", text)
    return rng.choice([gone, space, text + "!", text.rstrip(".") + " ...", text.replace(",", ";").replace("'", "’")])


def white_space(text: str, rng: random.Random, vocabulary: list[str]) -> str:
    return "  " + text.replace(" ", rng.choice(["  ", "\t", "\n", "\u00a0"])) + "\n"


def clause_order(text: str, rng: random.Random, vocabulary: list[str]) -> str | None:
    """Split at commas and sentence ends, put together in another order; None where there is one clause only."""
    clauses = [clause.strip() for clause in re.split(r"[,.;]\s+|\.$", text) if clause.strip()]
    turn = rng.randrange(1, len(clauses)) if len(clauses) > 1 else 0
    return ", ".join(clauses[turn:] + clauses[:turn]) if turn else None


def one_word(text: str, rng: random.Random, vocabulary: list[str]) -> str | None:
    """Any word but a number or one that is quoted, replaced by any other of the vocabulary."""
    if len(Reading(text).words) < 12:
        return None
    quoted = [match.span() for match in QUOTED.finditer(text)]
    free = [m for m in re.finditer(r"[\w’'-]+", text) if not any(start <= m.start() < end for start, end in quoted)]
    match = rng.choice([m for m in free if m[0].isalpha()])
    other = rng.choice([word for word in vocabulary if word != match[0].casefold()])
    return text[: match.start()] + other + text[match.end() :]


def parti() -> list[str]:
    with PARTI.open(encoding="utf-8", newline="") as file:
        return [row["Prompt"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


@pytest.fixture(scope="module", params=[parti, lambda: captions(600, seed=5)], ids=["parti", "world"])
def searched(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[int]]:
    """Texts, and the positions of those that are kept."""
    texts = request.param()
    return texts, [n for n, of in enumerate(near([texts], tmp_path_factory.mktemp("search"))) if of < 0]


@pytest.mark.parametrize(
    "plant", [case, punctuation, white_space, clause_order, one_word], ids=lambda plant: plant.__name__
)
def test_planted_duplicates_are_found(searched: tuple[list[str], list[int]], plant: Plant, tmp_path: Path) -> None:
    """Recall of at least 0.95 for each kind: every fourth text that is kept gets a duplicate."""
    texts, kept = searched
    vocabulary = sorted({word for text in texts for word in Reading(text).words if word.isalpha()})
    rng = random.Random(0)
    planted = [(k, text) for k in kept[::4] if (text := plant(texts[k], rng, vocabulary)) not in (None, texts[k])]
    of = near([texts, [text for _, text in planted]], tmp_path)[len(texts) :]
    assert len(planted) > 45
    assert sum(found == k for found, (k, _) in zip(of, planted, strict=True)) >= 0.95 * len(planted)


JUDGED = {
    (205, 235): "same: a pick-up truck, a pickup truck",
    (297, 298): "same: a tophat, a top hat",
    (318, 330): "same: a photograph of ..., ... dslr photograph",
    (320, 333): "same: a full stop at the end",
    (856, 865): "same: a dog gives an apple to a squirrel; to a squirrel, a dog gives an apple",
    (861, 862): "same: a trophy does not fit into a suitcase, as it (the suitcase or the trophy) is too small or large",
    (925, 926): "same: a sloth in 49 words, clothes in another order; a van that is shiny, or rusty and old",
}
"""Every removal among PartiPrompts (positions of the kept and the removed prompt), read and judged: does it ask for the
same picture, give or take a detail of a long text?"""


def test_every_removal_among_partiprompts_is_judged(tmp_path: Path) -> None:
    found = near([parti()], tmp_path)
    assert {(of, position) for position, of in enumerate(found) if of >= 0} == JUDGED.keys()


CHINESE = "这是一幅木版画：细密的刻线横贯天空，宛如木板的纹理。这两顶王冠以粉色衬在其上，纸边清晰。"


@pytest.mark.parametrize(("old", "new"), [("两", "四"), ("粉", "紫"), ("上", "下")])
def test_a_chinese_count_colour_or_place_makes_another_picture(old: str, new: str) -> None:
    assert not are_near_duplicates(CHINESE, CHINESE.replace(old, new), 0.845)


def test_a_chinese_text_in_slightly_other_words_is_a_near_duplicate() -> None:
    # of 39 characters one is another: 38 / (39 + 39 - 38) = 0.95
    assert are_near_duplicates(CHINESE, CHINESE.replace("宛", "好"), 0.845)


class TestWavesThatAreKept:
    """Waves searched one after the other, each opened again from its files, decide as one search of all."""

    @settings(max_examples=8)
    @given(st.integers(0, 10**6), st.lists(st.integers(0, 400), max_size=5))
    def test_equal_to_a_search_from_nothing(
        self, tmp_path_factory: pytest.TempPathFactory, seed: int, cuts: list[int]
    ) -> None:
        folder, texts = tmp_path_factory.mktemp("waves"), texts_of_families(random.Random(seed), 400)
        ends = [0, *sorted(cuts), len(texts)]
        waves = [texts[begin:end] for begin, end in pairwise(ends)]
        expected = find(waves, folder / "scratch")
        assert (expected.of >= 0).any()
        opened: list[Wave] = []
        for number, wave in enumerate(waves):
            search_wave(enumerate(wave), opened, LEAST, folder / str(number))
            opened.append(open_wave(folder / str(number), opened))
        for column, *of_waves in zip(expected, *(wave.found() for wave in opened), strict=True):
            assert np.concatenate(of_waves).tobytes() == column.tobytes()

    def test_what_is_found_of_a_fixed_family_of_texts(self, tmp_path: Path) -> None:
        """As it was found when all waves were searched at once, all hashes of a band side by side."""
        texts = texts_of_families(random.Random(5), 1_000)
        found = find([texts[:300], texts[300:]], tmp_path)
        assert hashlib.sha256(b"".join(column.tobytes() for column in found)).hexdigest() == PINNED

    @pytest.mark.parametrize("name", ["texts", "ends.npy", "keys.npy", "band-000", "band-005", "sketches", "of.npy"])
    def test_a_damaged_wave_is_none(self, tmp_path: Path, name: str) -> None:
        wave = search_wave(enumerate([TWELVE, "a cat"]), [], LEAST, tmp_path / "wave")
        assert open_wave(wave.folder, []) == wave
        content = bytearray((wave.folder / name).read_bytes())
        content[-1] ^= 1
        (wave.folder / name).write_bytes(content)
        assert open_wave(wave.folder, []) is None

    def test_a_wave_that_was_killed_is_none_and_is_searched_again(self, tmp_path: Path) -> None:
        def killed() -> Iterator[tuple[int, str]]:
            yield 0, "a cat"
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            search_wave(killed(), [], LEAST, tmp_path / "wave")
        assert open_wave(tmp_path / "wave", []) is None
        wave = search_wave([(3, "a cat"), (7, "A CAT")], [], LEAST, tmp_path / "wave")
        assert open_wave(tmp_path / "wave", []) == wave
        assert (wave.numbers().tolist(), wave.found().of.tolist()) == ([3, 7], [-1, 0])


def texts_of_families(rng: random.Random, count: int) -> list[str]:
    """Texts of a few words: some alone, some again with a word, a comma or letters changed, some by a template."""
    words = [f"{first}{second}" for first in "bdgklmnprst" for second in ("ara", "elu", "ido", "omi", "upe")]
    texts: list[str] = []
    while len(texts) < count:
        text = rng.choices(words, k=rng.randrange(3, 20))
        place = rng.randrange(len(text))
        match rng.randrange(5):
            case 0 if texts:
                texts.append(rng.choice([str.upper, str.title, "  {}".format, "{}!".format])(rng.choice(texts)))
            case 1 if texts:
                again = rng.choice(texts).split()
                again[rng.randrange(len(again))] = rng.choice(words)
                texts.append(" ".join(again))
            case 2:
                for word in rng.sample(words, rng.randrange(2, 40)):
                    texts.append(" ".join([*text[:place], word, *text[place + 1 :]]))
            case _:
                texts.append(" ".join(text))
    return texts[:count]
