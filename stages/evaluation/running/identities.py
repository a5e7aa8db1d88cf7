"""Who answered, beside the answers: what of a model, or of both of a pair, decides what it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from stages.project.errors import UserError
from stages.project.files import write_json

IDENTITY = "_contestant.json"
"""Its file in the folder of a contestant's answers; readers of tables pass over names that begin with `_`."""
TOLD = ("id", "revision", "numerics", "sampling", "adapter", "extra_body")
"""What metrics say of it; the rest says how it is asked, not what it is."""


def write_identity(answers: Path, identity: Mapping[str, Any]) -> None:
    """Note in the folder of a contestant's answers who gave them."""
    write_json(answers / IDENTITY, identity)


def identity_metrics(answers: Path) -> dict[str, str | float]:
    """Return who gave the answers in a folder, under flat keys `contestant.<name>`, those of a pair's models under
    `contestant.text` and `contestant.image`; nothing where that was not noted, as it was not in earlier answers.
    """
    path = answers / IDENTITY
    if not path.exists():
        return {}
    try:
        identity = orjson.loads(path.read_bytes())
        models = {"contestant": identity} | {
            f"contestant.{half}": identity[half] for half in ("text", "image") if half in identity
        }
        told = ((f"{who}.{name}", model.get(name)) for who, model in models.items() for name in TOLD)
        return {key: value for name, values in told for key, value in flat(name, values)}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UserError(f"{path} is damaged ({error}): run `dvc checkout {answers} --force`") from None


def flat(name: str, value: Any) -> Iterator[tuple[str, str | float]]:
    """Yield the values below a name under dotted names; what is empty is not said, and a list is its JSON text."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from flat(f"{name}.{key}", one)
    elif isinstance(value, list):
        yield name, orjson.dumps(value).decode()
    elif value is not None and value != "":
        yield name, value
