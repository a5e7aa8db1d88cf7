"""What is believed of the Hub's answers: what becomes a path, a card or a line is of its kind, or is refused."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from stages.project.errors import UserError
from stages.publish.secrets import host
from stages.publish.troubles import said

Commit = Annotated[str, StringConstraints(pattern="^[0-9a-f]{40}$")]
"""What git calls a commit, or the content of a file."""
Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
Size = Annotated[int, Field(ge=0, le=2**53)]
Path = Annotated[str, StringConstraints(min_length=1, max_length=4096)]
STRICT = ConfigDict(strict=True)


def checked(kind: Any, value: Any, repo: str, what: str) -> Any:
    """Return the value, if it is of its kind; UserError that names what else the Hub gave in the place of `what`."""
    try:
        return TypeAdapter(kind, config=STRICT).validate_python(value)
    except ValidationError as error:
        wrong = said(repr(error.errors(include_url=False)[0]["input"]), 60)
        raise UserError(
            f"{repo}: what answers at {host()} gives {wrong} for {what}: mend HF_ENDPOINT, or a proxy stands between"
        ) from None
