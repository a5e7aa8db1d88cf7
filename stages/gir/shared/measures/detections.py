"""What a detector said of a picture, and how many things of each kind the released scripts take that for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from stages.asking.seeing import Found, require_a_count


@dataclass(frozen=True)
class Detections:
    """What was found, and what the detector said beside the boxes, if it was asked: how many of each label there are
    (`stated`), and what is not there (`missing`). ValueError for too many boxes, and for a count below 0.

    That boxes are numbers, upright and in the picture is seen to by whoever reads a reply (`asking.models`).
    """

    found: Sequence[Found]
    stated: Mapping[str, int] = field(default_factory=dict)
    missing: Collection[str] = ()

    def __post_init__(self) -> None:
        """See the class."""
        require_a_count(self.found)
        if below := [label for label, count in self.stated.items() if count < 0]:
            raise ValueError(f"a count below 0 is stated: {', '.join(below)}")

    @property
    def counts(self) -> Counter[str]:
        """Return how many boxes each label has."""
        return Counter(one.label for one in self.found)


def released_counts(labels: Iterable[str], seen: Detections) -> dict[str, int]:
    """Return how many there are of each label: as many as stated, or boxes where these are more; none of what was
    reported missing.
    """
    boxes = seen.counts
    return {label: 0 if label in seen.missing else max(seen.stated.get(label, 0), boxes[label]) for label in labels}


def nothing_missing(counts: Mapping[str, int], seen: Detections) -> bool:
    """Return whether the released scripts miss nothing: nothing is reported missing, and there is one of everything."""
    return not seen.missing and all(counts.values())
