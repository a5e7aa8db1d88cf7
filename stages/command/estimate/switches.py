"""What each switch would make of a build's time: the same arithmetic, one switch after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from stages.command.estimate import figures
from stages.command.estimate.asks import Ask, gpu_hours, model_of
from stages.dataset.shared.parameters import Params

ADVISED = "advised"
UNMEASURED = "not advised until measured"


@dataclass(frozen=True)
class Step:
    """What a build takes with this switch and all before it, in hours of one H200; `advice`: whether to take it."""

    name: str
    advice: str
    painting: float
    asking: float

    @property
    def hours(self) -> float:
        """Return both."""
        return self.painting + self.asking


class Change(NamedTuple):
    """A switch: what it is called, whether it is advised, what has to be on for it in params.yaml, of the painter or of
    the others, and what it makes of the requests.
    """

    name: str
    advice: str
    painter: str | None = None
    others: str | None = None
    of_requests: Callable[[Ask, Params], Ask] = lambda ask, params: ask


def without_reuse(ask: Ask, params: Params) -> Ask:
    """Return a request of which nothing was read before."""
    return replace(ask, reused=0)


def smaller(ask: Ask, params: Params) -> Ask:
    """Return a request that shows a smaller picture; `examine` and `proofread` look for faults and show it whole."""
    if ask.stage not in ("score", "annotate", "align") or not ask.picture:
        return ask
    model_id = getattr(model_of(params, ask.role), "id", "")
    less = max(0, ask.picture - figures.picture_tokens(model_id, figures.SMALLER, figures.SMALLER))
    reused = max(0, ask.reused - less) if ask.reused else 0
    return replace(ask, read=ask.read - less, picture=ask.picture - less, reused=reused)


def shared(ask: Ask, params: Params) -> Ask:
    """Return a request whose picture an earlier stage's question has shown just before."""
    known = ask.stage in ("score", "proofread", "annotate", "align")
    return replace(ask, reused=max(ask.reused, ask.picture)) if known else ask


CHANGES = (
    Change("prefixes reused in annotate", "counted above: servers do it"),
    Change("compile", ADVISED, painter="compile"),
    Change("flash_3", ADVISED, painter="flash_3"),
    Change("fp8 (32B models)", ADVISED, others="fp8"),
    Change("fp8 (painter)", "compare pictures first", painter="fp8"),
    Change("cache_dit", "compare pictures first", painter="cache_dit"),
    Change(f"{figures.SMALLER} px pictures for scoring", UNMEASURED, of_requests=smaller),
    Change("a picture read once for all", UNMEASURED, of_requests=shared),
)


def steps(params: Params, asked: Sequence[Ask]) -> list[Step]:
    """Return what a build takes as params.yaml has it, then with each switch that makes a difference."""
    on: dict[str, set[str]] = {"painter": set(), "others": set()}
    taken = [step_of("no prefix reused", "", params, [without_reuse(ask, params) for ask in asked], on)]
    for change in CHANGES:
        asked = [change.of_requests(ask, params) for ask in asked]
        on["painter"] |= {change.painter} if change.painter else set()
        on["others"] |= {change.others} if change.others else set()
        step = step_of(change.name, change.advice, params, asked, on)
        if (step.painting, step.asking) != (taken[-1].painting, taken[-1].asking):
            taken.append(step)
    return taken


def step_of(name: str, advice: str, params: Params, asked: Sequence[Ask], on: Mapping[str, set[str]]) -> Step:
    """Return what these requests take with these switches on, of the painter and of the others."""
    hours = dict.fromkeys(on, 0.0)
    for ask in asked:
        part = "painter" if ask.role == "painter" else "others"
        hours[part] = math.fsum([hours[part], gpu_hours(ask, params, on[part]) or 0])
    return Step(name, advice, hours["painter"], hours["others"])
