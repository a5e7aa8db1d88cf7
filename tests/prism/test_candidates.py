"""Candidates: the highest scores of each track, ties by lot and never by order, equal texts once."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.evaluation.curating.ranking import Best
from stages.prism.construction.candidates import candidates
from stages.prism.construction.proposals import CANDIDATES, DESCRIPTION_OF
from stages.prism.shared.items import TRACKS
from stages.tables.reading import manifest, read_rows, shard_names
from tests import fakes
from tests.prism.small_dataset import EDITION, Picture, write_dataset

TEXTS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 99), st.sampled_from("abcdefgh")), max_size=60)


def found(**changes: object) -> dict[str, list[tuple[str, str, int]]]:
    """The candidates of a run: row, text and score by track, in order."""
    values = fakes.values()["prism"]
    candidates(fakes.params(prism=values | {"propose": values["propose"] | changes}), EDITION)
    rows = list(read_rows(CANDIDATES / EDITION))
    return {track: [(r["row"], r["text"], r["score"]) for r in rows if r["track"] == track] for track in TRACKS}


def ranked(rows: list[tuple[int, int, str]], count: int) -> list[tuple[int, str, str]]:
    best = Best(count, seed=0, name="style")
    for score, number, text in rows:
        best.add(score, f"w-{number:08d}", text)
    return [(r.score, r.row, r.text) for r in best.ranked()]


def test_every_track_has_its_characteristic() -> None:
    assert DESCRIPTION_OF == {
        "imagination": "imaginative",
        "entity": "entity",
        "text_rendering": "text",
        "style": "style",
        "affection": "abstract",
        "composition": "composition",
        "long_text": "detail",
    }


def test_the_highest_scores_come_first(project: Path) -> None:
    write_dataset(
        Picture(0, {"style": "a cubist cat", "entity": "a cat", "detail": "long a"}, {"style": 7, "entity": 9}, (6, 9)),
        Picture(1, {"style": "a cubist dog", "detail": "long b"}, {"style": 9}, (8, 7)),
        Picture(2, {"style": "a cubist cow", "detail": "long c"}, {"style": 10}, kept=False),
        Picture(3, {"style": "a cubist owl"}, {"style": 10}, status="parse_error"),
        Picture(4, {"abstract": "a sad cat"}, {"abstract": 8}, wave="x"),
    )
    tracks = found()
    assert tracks["style"] == [("w-00000001", "a cubist dog", 9), ("w-00000000", "a cubist cat", 7)]
    assert tracks["long_text"] == [("w-00000001", "long b", 7), ("w-00000000", "long a", 6)], "the lower of the two"
    assert tracks["affection"] == [("x-00000004", "a sad cat", 8)]
    assert tracks["composition"] == []
    ids = [row["id"] for row in read_rows(CANDIDATES / EDITION)]
    assert ids[-2:] == ["long-text-00000000", "long-text-00000001"], "the rank is in the id"
    shards = shard_names(CANDIDATES / EDITION)
    assert shards[2] == "text-rendering-00000", "a track without candidates has its shard too"
    assert [name for name in shards if not name.endswith("-00000")] == []


def test_only_so_many_and_equal_texts_once(project: Path) -> None:
    pictures = [Picture(n, {"style": f"text {n % 20}"}, {"style": 5 + (n % 20 == 7)}) for n in range(60)]
    write_dataset(*pictures)
    style = found(candidates=3)["style"]
    assert style[0][1:] == ("text 7", 6) and len({text for _, text, _ in style}) == 3
    first = manifest(CANDIDATES / EDITION)
    write_dataset(*pictures)
    found(candidates=3)
    assert manifest(CANDIDATES / EDITION) == first


@given(TEXTS, st.integers(0, 6), st.randoms())
def test_order_has_no_say_and_little_is_in_memory(
    rows: list[tuple[int, int, str]], count: int, chance: random.Random
) -> None:
    mixed = rows.copy()
    chance.shuffle(mixed)
    assert ranked(rows, count) == ranked(mixed, count) == ranked(rows, len(rows))[:count]
    best = Best(count, 0, "style")
    for score, number, text in rows:
        best.add(score, f"w-{number:08d}", text)
        assert len(best.pool) <= max(2 * count, 1)


def test_the_seed_breaks_ties() -> None:
    # 40 equal scores: that two seeds draw the same 5 of them has a chance of 1 in 658,008 (40 over 5)
    drawn = []
    for seed in (0, 1):
        best = Best(5, seed, "style")
        for number in range(40):
            best.add(9, f"w-{number:08d}", f"text {number}")
        drawn.append({r.row for r in best.ranked()})
    assert drawn[0] != drawn[1]


def test_a_tie_is_not_broken_by_position() -> None:
    # Of 1,000 equals 100 are drawn; the mean position of a fair draw is 499.5 with a deviation of 27 (hypergeometric)
    best = Best(100, 0, "style")
    for number in range(1000):
        best.add(9, f"w-{number:08d}", f"text {number}")
    mean = sum(int(r.row[2:]) for r in best.ranked()) / 100
    assert mean == pytest.approx(499.5, abs=4 * 27.4)
