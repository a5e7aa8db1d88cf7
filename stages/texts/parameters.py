"""What makes two texts near-duplicates, as params.yaml says."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from stages.project.validation import Strict


class NearDuplicates(Strict):
    """Lowest similarity, 0.7..1, that makes two texts near-duplicates (near_duplicates.similarity)."""

    similarity: Annotated[float, Field(ge=0.7, le=1)]
