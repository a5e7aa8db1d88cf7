"""Tables of agreement.json: every key has its place, and what is not understood is handed on."""

from __future__ import annotations

from stages.report.benchmarks.agreement import tables_of

MEASURES = ("met", "style")


def test_keys_are_told_apart_by_where_the_measure_stands() -> None:
    found = tables_of(
        {
            "en.met.judges.n": 9,
            "en.met.judges.alpha": 0.5,
            "en.met.judges.alpha_lo": 0.25,
            "en.met.judges.alpha_hi": 0.75,
            "en.met.judges.a.b.n": 7,
            "en.words.met.repeats.a.identical": 1.0,
            "en.style.style.people.a.mae": 2.0,
            "en.met.people.n": 3,
        },
        MEASURES,
    )
    assert [(one.measure, one.who, one.n) for one in found.overall] == [
        ("met", "all judges", 9),
        ("met", "a and b", 7),
        ("met", "people with each other", 3),
    ]
    assert found.overall[0].found["alpha"] == ("en.met.judges.alpha", 0.5, 0.25, 0.75, None)
    assert [(one.group, one.measure, one.who) for one in found.by_group] == [
        ("words", "met", "a with itself"),
        ("style", "style", "a with people"),
    ]
    assert found.statistics == ["alpha", "identical", "mae"] and not found.others


def test_what_is_not_understood_is_handed_on() -> None:
    odd = {
        "judges.n": 1,
        "en.other.judges.n": 2,
        "en.met.jury.n": 3,
        "en.met.judges": 4,
        "en.met.variance.items.share": 5,
        "en.met.to_halve.items": 6,
        "en.met.judges.alpha": "none",
    }
    found = tables_of(odd, MEASURES)
    assert found.others == odd and not (found.overall or found.by_group)
