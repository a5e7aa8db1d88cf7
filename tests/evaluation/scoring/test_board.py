"""Boards: order, ranks that may be, ties, controls; whoever lacks a column stands last without a rank."""

from __future__ import annotations

import numpy as np
import pytest

from stages.evaluation.scoring.board import (
    Layout,
    flat_standings,
    gaps,
    over_base,
    rank_in_words,
    ranked,
    standing,
    table,
    with_interval,
)
from stages.evaluation.scoring.estimates import Estimate, estimates, shared_weights
from stages.evaluation.scoring.scores import score_matrix
from stages.tables.columns import Row

ITEMS = [f"style/{n}" for n in range(60)]
COLUMNS = (("style", "alignment"),)
STRATA = np.zeros(60, np.int64)
LAYOUT = Layout(ITEMS, STRATA, COLUMNS, {"overall": np.array([10.0])}, shared_weights(STRATA, 0))


def scored(level: float, missing: int = 0, spread: float = 1.0, seed: int = 0) -> list[Row]:
    """Scores around a level, all or all but the first `missing`; the same luck for everybody."""
    luck = np.random.default_rng(seed).uniform(-spread, spread, len(ITEMS))
    return [
        {
            "item": item,
            "stratum": "style",
            "measure": "alignment",
            "value": level + luck[number] if number >= missing else None,
            "scored": int(number >= missing),
            "left_out": [] if number >= missing else ["answered.refused_generation"],
        }
        for number, item in enumerate(ITEMS)
    ]


def test_the_best_comes_first_and_sure_ranks_are_single() -> None:
    rows = ranked({"poor": scored(3), "good": scored(8), "fair": scored(5)}, LAYOUT, by="overall")
    assert [row.name for row in rows] == ["good", "fair", "poor"]
    assert [rank_in_words(row) for row in rows] == ["1", "2", "3"]
    assert [row.tie_group for row in rows] == [1, 2, 3]


def test_who_cannot_be_told_apart_shares_ranks_and_group() -> None:
    rows = ranked({"a": scored(5, seed=1), "b": scored(5.01, seed=2), "c": scored(9)}, LAYOUT, by="overall")
    assert rows[0].name == "c" and rank_in_words(rows[0]) == "1"
    assert {rank_in_words(row) for row in rows[1:]} == {"2-3"} and {row.tie_group for row in rows[1:]} == {2}


def test_equal_contestants_stand_in_the_order_of_their_names() -> None:
    rows = ranked({"b": scored(5), "a": scored(5)}, LAYOUT, by="overall")
    assert [row.name for row in rows] == ["a", "b"] and rows[0].rank == rows[1].rank


def test_without_any_score_there_is_no_rank_and_nobody_elses_changes() -> None:
    rows = ranked({"mute": scored(5, missing=60), "good": scored(8)}, LAYOUT, by="overall")
    assert [(row.name, rank_in_words(row), row.coverage) for row in rows] == [("good", "1", 1.0), ("mute", "", 0.0)]
    assert ranked({"mute": scored(5, missing=60)}, LAYOUT, by="overall")[0].rank is None
    assert ranked({}, LAYOUT, by="overall") == []


def test_who_has_a_single_score_has_no_rank_and_nobody_elses_changes() -> None:
    both = {"good": scored(8), "poor": scored(3)}
    rows = ranked(both | {"mute": scored(9, missing=59)}, LAYOUT, by="overall")
    assert [(row.name, rank_in_words(row), row.tie_group) for row in rows] == [
        ("good", "1", 1),
        ("poor", "2", 2),
        ("mute", "", None),
    ]
    assert rows[:2] == ranked(both, LAYOUT, by="overall") and rows[2].estimates["overall"].n == 1


def test_few_items_of_one_leave_others_ranks_alone() -> None:
    """Two have all of sixty items, a third but the last three: it is hard to tell from anybody, they are not."""
    rows = ranked(
        {"good": scored(5.8, seed=1), "poor": scored(5, seed=2), "few": scored(5.4, missing=57, seed=3)},
        LAYOUT,
        "overall",
    )
    better, worse = (next(row for row in rows if row.name == name) for name in ("good", "poor"))
    assert better.tie_group == 1 and worse.tie_group == 2


def test_who_refuses_the_hard_half_gains_nothing_in_rank() -> None:
    """Half a point worse on every item, but silent on the hard half: its own average is higher, its rank is not."""
    chance = np.random.default_rng(0)
    ease = np.where(np.arange(60) < 30, -2.0, 2.0)  # the first half is hard
    quality = 6 + ease + chance.normal(0, 0.3, 60)
    scores = {"honest": scored(0), "refuser": scored(0, missing=30), "poor": scored(0)}
    for name, worse in (("honest", 0), ("refuser", 0.5), ("poor", 3)):
        for number, row in enumerate(scores[name]):
            if row["scored"]:
                row["value"] = quality[number] - worse + chance.normal(0, 0.3)
    rows = ranked(scores, LAYOUT, by="overall")
    # the refuser's own average is about 6 + 2 - 0.5, the honest one's 6
    assert [(row.name, rank_in_words(row), row.tie_group) for row in rows] == [
        ("refuser", "2", 2),
        ("honest", "1", 1),
        ("poor", "3", 3),
    ]


def test_pairs_without_a_common_item_are_ties() -> None:
    first, second = scored(8), scored(3, missing=30)
    for row in first[30:]:
        row |= {"value": None, "scored": 0, "left_out": ["judged.parse_error"]}
    rows = ranked({"first": first, "second": second}, LAYOUT, by="overall")
    assert [(row.name, rank_in_words(row), row.tie_group) for row in rows] == [
        ("first", "1-2", 1),
        ("second", "1-2", 1),
    ]


def test_refusals_show_in_the_coverage() -> None:
    [row] = ranked({"shy": scored(8, missing=15)}, LAYOUT, by="overall")
    assert row.coverage == 0.75 and row.estimates["overall"].n == 45


def test_a_variant_is_compared_with_its_base_on_the_items_of_both() -> None:
    scores = {"bagel": scored(5), "bagel_thinking": scored(6, missing=20)}
    found = over_base({"bagel_thinking": "bagel", "other": "bagel"}, scores, LAYOUT, "overall", seed=0)
    one = found["bagel_thinking"]
    # the same luck for both: every one of the 40 common items is 1 better, ten times that is 10
    assert list(found) == ["bagel_thinking"] and one.n == 40
    assert [one.difference, one.low, one.high] == pytest.approx([10, 10, 10], abs=1e-4)


def test_flat_keys() -> None:
    rows = ranked({"good": scored(8), "poor": scored(3)}, LAYOUT, by="overall")
    control = standing("control_blank", scored(0, spread=0), LAYOUT)
    found = flat_standings("en.gpt.", [*rows, control], ["overall"])
    assert found["en.gpt.good.rank_best"] == found["en.gpt.good.rank_worst"] == 1
    assert found["en.gpt.poor.tie_group"] == 2 and found["en.gpt.poor.coverage"] == 1
    assert found["en.gpt.control_blank.overall"] == found["en.gpt.control_blank.overall_hi"] == 0
    assert "en.gpt.control_blank.rank_best" not in found
    assert all(isinstance(value, int | float) and value == value for value in found.values())


@pytest.mark.parametrize(
    ("estimate", "words"),
    [(None, "-"), (Estimate(81.26, 79.0, 83.0, 9), "81.3 79.0–83.0"), (Estimate(80.0, None, None, 1), "80.0")],
)
def test_values_in_words(estimate: Estimate | None, words: str) -> None:
    assert with_interval(estimate) == words


def test_a_table_for_a_person() -> None:
    shown = table("a board", ranked({"good": scored(8, spread=0)}, LAYOUT, by="overall"), ["overall"])
    assert [list(column.cells) for column in shown.columns] == [["1"], ["good"], ["80.0 80.0–80.0"], ["100.0%"]]
    assert shown.caption is None


def test_who_was_not_scored_in_full_is_marked() -> None:
    rows = ranked({"good": scored(8), "shy": scored(3, missing=15)}, LAYOUT, by="overall")
    shown = table("a board", rows, ["overall"])
    assert list(shown.columns[1].cells) == ["good", "shy*"] and list(shown.columns[-1].cells) == ["100.0%", "75.0%"]
    assert shown.caption == "* not all scored: its average is over fewer items (or repeats)"


STRATA_OF_TWO = np.repeat([0, 1], [6, 54])
TWO_TRACKS = Layout(
    ITEMS,
    STRATA_OF_TWO,
    (("one", "alignment"), ("other", "alignment")),
    {"overall": np.array([5.0, 5.0])},
    shared_weights(STRATA_OF_TWO, 0),
)


def two_tracks(level: float, seed: int) -> list[Row]:
    """Six items of one track, and 54 of another that vary three times as much: so both move the average alike."""
    luck = np.random.default_rng(seed).normal(level, np.where(STRATA_OF_TWO, 3, 1))
    tracks = np.where(STRATA_OF_TWO, "other", "one").tolist()
    return [row | {"stratum": t, "value": v} for row, t, v in zip(scored(0), tracks, luck, strict=True)]


def test_a_board_knows_its_tracks() -> None:
    """Equal variances of 6 and of 54 items have about (1.2 + 1.02)² / (1.2² / 5 + 1.02² / 53) = 16 degrees of freedom.
    Were all one stratum it would have the five of the column with the fewest items."""
    scores = {"good": two_tracks(8, 1), "poor": two_tracks(5, 2)}
    matrices = [score_matrix(rows, ITEMS, TWO_TRACKS.columns) for rows in scores.values()]
    [gap] = gaps(matrices, TWO_TRACKS, "overall")
    assert gap is not None and 10 < gap.freedom.degrees < 40
    [row, _] = ranked(scores, TWO_TRACKS, by="overall")
    found = row.estimates["overall"]
    [expected] = estimates(matrices[0], STRATA_OF_TWO, TWO_TRACKS.weights, TWO_TRACKS.reported).values()
    [alike] = estimates(matrices[0], STRATA_OF_TWO * 0, TWO_TRACKS.weights, TWO_TRACKS.reported).values()
    assert found == expected and found.low and alike.low and found.low > alike.low
