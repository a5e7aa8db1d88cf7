"""What a checkpoint of kind unified can do, read from its config.json before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gamut.asking.models.torch.networks import model_type
from gamut.evaluation.defining.parameters import Contestant, members
from gamut.project.errors import UserError
from gamut.project.model_kinds import UnifiedModel
from gamut.project.places import path_on_disk
from gamut.project.roles import Task
from gamut.project.settings import Settings


class Family(NamedTuple):
    """The tasks of one checkpoint, and its authors' values for painting."""

    tasks: tuple[Task, ...]
    painting: Mapping[str, Any]


FAMILIES = {
    "janus": Family(("understanding", "generation"), {"guidance_scale": 5.0}),
    "emu3": Family(("understanding", "generation", "editing"), {"guidance_scale": 3.0, "top_k": 2048}),
}


def family_of(name: str, id: str, revision: str, weights: str | None, fetch: bool = False) -> str | None:
    """Return the model_type of local weights, or of a commit of the Hub from the cache; `fetch` also asks the Hub. None
    if it is not known.
    """
    from huggingface_hub import errors, hf_hub_download

    try:
        if weights is not None:
            return model_type(name, path_on_disk(weights))
        config = hf_hub_download(id, "config.json", revision=revision, local_files_only=not fetch)
        return model_type(name, Path(config).parent)
    except (errors.HfHubHTTPError, OSError, ValueError, UserError):
        return None


def require_family(name: str, id: str, revision: str, weights: str | None) -> str:
    family = family_of(name, id, revision, weights, fetch=True)
    if family is None:
        raise UserError(f"{name}: config.json of {id}, which says what it does, cannot be fetched: give --weights DIR")
    if family not in FAMILIES:
        raise UserError(
            f"{name}: {id} is a {family!r}, but kind unified runs only {' and '.join(FAMILIES)}: name another --kind"
        )
    return family


def known_abilities(
    name: str, id: str, family: str, class_: str | None
) -> tuple[str, tuple[Task, ...] | None, dict[str, Any]]:
    """Return the class of one checkpoint that answers alone, its tasks (None: all of its class), and its values for
    painting.
    """
    if family == "emu3" and class_ is None:
        raise UserError(
            f"{name}: Emu3 is published as one checkpoint that chats and one that paints: give the other as --paints "
            f"DIR|ID@COMMIT, or say with --class what {id} does"
        )
    class_, known = class_ or "unified", FAMILIES[family]
    if class_ == "editing" and "editing" not in known.tasks:
        raise UserError(f"--class editing: {family} does only {' and '.join(known.tasks)}: leave it out")
    painting = {} if class_ == "understanding" else {"painting": dict(known.painting)}
    return class_, known.tasks if class_ == "unified" else None, painting


def beyond_families(contestants: Mapping[str, Contestant], settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield contestants that are asked to edit but whose checkpoints cannot, and how to fix them."""
    for slug, contestant in contestants.items():
        for member in members(slug, contestant):
            if not isinstance(member.model, UnifiedModel) or "editor" not in member.roles:
                continue
            weights = settings.endpoint(member.slug).weights
            family = family_of(slug, member.model.id, member.model.revision, weights)
            if family in FAMILIES and "editing" not in FAMILIES[family].tasks:
                tasks = [
                    task for task in ("understanding", "generation", "interleaved") if task in contestant.abilities
                ]
                yield slug, f"a {family} cannot edit, so edits would fail: write `tasks: [{', '.join(tasks)}]`"
