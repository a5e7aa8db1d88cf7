"""Every filter and characteristic that is decided by a threshold: where its score stands, and where its threshold.

FLUX-Reason-6M, sections 2.2 (legible text), 2.3 (quality, characteristics, typography) and 2.5 (original captions).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stages.dataset.shared.joins import ALIGNED, EXAMINED, FOUND_TEXT, PROOFREAD, SCORED, SOURCE_ROWS, SYNTHESIZED
from stages.dataset.shared.parameters import CHARACTERISTICS, Params


@dataclass(frozen=True)
class Filter:
    """A score of 0..10 in `column` of `table`; rows pass whose score reaches `parameter` (a dotted key of params.yaml).

    `pictures` is the table with the images that were judged. A filter is there to reject, so what it finds is what
    stays below the threshold; a characteristic is there to find what belongs.
    """

    name: str
    table: Path
    column: str
    parameter: str
    pictures: Path = SYNTHESIZED

    @property
    def rejects(self) -> bool:
        """Return whether it looks for what should be rejected, not for what belongs."""
        return self.name not in CHARACTERISTICS

    def threshold(self, params: Params) -> int:
        """Return the lowest score that passes."""
        section, _, key = self.parameter.partition(".")
        return int(getattr(getattr(params, section), key))


FILTERS = (
    Filter("legibility", FOUND_TEXT, "score_legibility", "legible.legibility", pictures=SOURCE_ROWS),
    Filter("clarity", EXAMINED, "score_image_clarity", "admit.clarity"),
    Filter("structure", EXAMINED, "score_image_structure", "admit.structure"),
    *(Filter(name, SCORED, f"score_{name}", f"categorize.{name}") for name in CHARACTERISTICS),
    Filter("contrast", PROOFREAD, "score_contrast", "select.contrast"),
    Filter("letterforms", PROOFREAD, "score_letterforms", "select.letterforms"),
    Filter("sense", PROOFREAD, "score_sense", "select.sense"),
    Filter("alignment", ALIGNED, "score_original", "originals.alignment"),
)
"""In the order of the build."""
