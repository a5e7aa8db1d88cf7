"""What the dataset's steps call their characteristics and captions, and bounds of their parameters."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

CHARACTERISTICS = ("composition", "entity", "text", "imaginative", "style", "abstract")
"""The six characteristics (FLUX-Reason-6M, section 2.1) by their published column names: `imaginative` is the
paper's Imagination, `abstract` its Affection, `text` its Text rendering. So they are called in params.yaml, tables and
figures."""
ASKED_AS = {name: name for name in CHARACTERISTICS} | {"abstract": "affection"}
"""How models read their names: what is called abstract they would take for abstract art."""
DETAIL = "detail"
"""The published name of the generation chain-of-thought."""
ORIGINAL = "original"
"""The published name of the source's own caption."""

Score = Annotated[int, Field(ge=0, le=10)]
Cosine = Annotated[float, Field(ge=-1, le=1)]
