"""Small boards of GapEval, and the contestants on them."""

from __future__ import annotations

from collections.abc import Mapping

from stages.evaluation.defining.parameters import Contestant
from stages.gapeval.shared.items import CATEGORIES

ORDER = ("succ", "und", "gen", "gap")


def contestant(class_: str = "unified", id: str | None = None, **own: object) -> Contestant:
    model = {"kind": "sandbox"} if id is None else {"kind": "openai", "id": id}
    return Contestant.model_validate({"class": class_, "model": model, **own})


def unified(
    name: str, *categories: tuple[float, ...], gap: float | None = None, judge: str = "gpt"
) -> dict[str, float]:
    """What a board has of a contestant with both sides: succ, und, gen and gap of each category, then the whole gap;
    its success over all is that of the first category.
    """
    start = f"both_sides.{judge}.{name}."
    found = {
        f"{start}{category}.{score}": value
        for category, values in zip(CATEGORIES, categories, strict=False)
        for score, value in zip(ORDER, values, strict=False)
    }
    return found if gap is None else found | {f"{start}succ": categories[0][0]} | of_gap(judge, {name: gap})


def of_gap(judge: str, gaps: Mapping[str, float]) -> dict[str, float]:
    """The gaps of contestants by a judge, each with an interval of 2 to either side, over 40 items."""
    ends = {"": 0.0, "_lo": -2.0, "_hi": 2.0}
    found = {f"both_sides.{judge}.{name}.gap{end}": gap + by for name, gap in gaps.items() for end, by in ends.items()}
    return found | {f"both_sides.{judge}.{name}.gap_n": 40 for name in gaps}


def one_sided(side: str, name: str, overall: float, judge: str = "gpt", **categories: float) -> dict[str, float]:
    """What a board has of a contestant with one side alone."""
    return {f"{side}.{judge}.{name}.{place}": value for place, value in (categories | {"overall": overall}).items()}
