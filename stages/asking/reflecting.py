"""A picture that whoever made it looks at, criticises in words, and makes again, as often as it is to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from stages.asking.as_shown import picture_as_shown
from stages.asking.making import Creating
from stages.asking.material import as_written, enclosed, named_in
from stages.asking.outcomes import Outcome
from stages.asking.parts import Created
from stages.asking.requests import Create, Part, Reply, Request, seed_of


@dataclass(frozen=True)
class Reflecting:
    """A picture asked for, then, in each of `rounds`, a critique of it in words and another picture by that; its value
    is what came last, as that of `making.Creating`, with `convert` as there.

    Before the words of `critique` stand what was given and the picture, before those of `again` the critique as well;
    of earlier rounds nothing. Each request has a seed of its own.

    What fails in any round fails the answer, with its status: who kept its earlier picture by saying nothing could
    choose between the two. Nothing that came in the place of a critique is an answer.
    """

    request: Create
    critique: str
    again: str
    rounds: int
    convert: Callable[[bytes], bytes]

    def next(self, replies: Sequence[Reply]) -> Request | Outcome:
        step = Creating(self.request, self.convert).next(replies[:1])
        for number in range(1, self.rounds + 1):
            if not isinstance(step, Outcome) or step.status != "ok":
                break
            said, made = replies[2 * number - 1 : 2 * number], replies[2 * number : 2 * number + 1]
            before = (*self.request.parts, *shown(step.value))
            step = failed_in(f"the critique of round {number}", self.criticised(before, number).next(said))
            if not isinstance(step, Outcome) or step.status != "ok":
                return replace(step, value=None) if isinstance(step, Outcome) else step
            step = failed_in(f"the picture of round {number}", self.made_again(before, step.value, number).next(made))
        return step

    def criticised(self, before: tuple[Part, ...], number: int) -> Creating:
        parts, seed = (*before, f"{self.critique}\n"), seed_of(f"critique {number}", self.request.seed)
        return Creating(Create(parts, ("text",), 0, 0, seed, self.request.sample), self.convert)

    def made_again(self, before: tuple[Part, ...], said: Created, number: int) -> Creating:
        critique = as_written(enclosed("critique", ["\n".join(said.texts)]), {"picture", *named_in(self.again)})
        parts = (*before, *critique, f"{self.again}\n")
        seed = seed_of(f"picture {number}", self.request.seed)
        return Creating(replace(self.request, parts=parts, seed=seed), self.convert)


def shown(made: Created) -> tuple[Part, ...]:
    """Return the picture that counts of an answer as everybody sees it, in a block that begins on a line of its own."""
    opening, *rest = enclosed("picture", [picture_as_shown(made.pictures[0])])
    return (f"\n{opening}", *rest)


def failed_in(where: str, step: Request | Outcome) -> Request | Outcome:
    if isinstance(step, Outcome) and step.status != "ok":
        return replace(step, reason=f"{where}: {step.reason}")
    return step
