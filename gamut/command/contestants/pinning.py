"""Update digests in params.yaml to the folders and weights that they pin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gamut.asking.models.folder.paths import digest_of
from gamut.asking.models.weights import digest
from gamut.command.contestants.adding import dvc_file
from gamut.command.yaml_text import Place, replace_params, with_values
from gamut.evaluation.defining.parameters import members
from gamut.project import settings
from gamut.project.errors import UserError, nearest_choice
from gamut.project.inputs import regular_file
from gamut.project.model_kinds import BUILT, FolderModel, InceptionModel, Model, PaddleOCRModel, PythonModel, Weights
from gamut.project.pipeline import PARAMS
from gamut.project.places import path_on_disk
from gamut.project.settings import Settings
from gamut.project.validation import parse_yaml
from gamut.publish.parameters import Everything, check_everything, load_everything


class Pin(NamedTuple):
    """A digest in params.yaml: its model, its keys, its value, and the file or folder that it pins; with `of` only what
    is in subfolders of that name.
    """

    slug: str
    place: Place
    revision: str
    path: str
    of: str | None = None


def pin_digests(names: Sequence[str], write: bool) -> tuple[list[str], int]:
    """Return a line about every digest, of `names` or all, and how many differ; `write` puts them into params.yaml.
    UserError for a name that does not exist or has no digest.
    """
    models, run_settings = [*models_of(load_everything())], settings.load()
    pins = [pin for slug, place, model in models for pin in pins_of(slug, place, model, run_settings)]
    known, pinning = {slug for slug, *_ in models}, {pin.slug for pin in pins}
    for name in names:
        if name not in known:
            raise UserError(f"there is no model or contestant {name!r}{nearest_choice(name, known)}")
        if name not in pinning:
            raise UserError(
                f"{name!r} has no folder, adapter or weights that a digest pins{nearest_choice(name, pinning)}"
            )
    lines, changes = [], {}
    for pin in pins:
        if pin.slug not in names if names else not pin.revision.startswith("sha256-"):
            continue
        where, now = ".".join(pin.place), digest_at(pin)
        if now is None and names:
            raise UserError(f"{where}: {pin.path} does not exist: put it there, or fix its path")
        if now is None:
            lines.append(f"{where}: {pin.path} is not on this machine; its digest stays")
        elif now == pin.revision:
            lines.append(f"{where}: {pin.path} is unchanged")
        else:
            changes[pin.place] = now
            lines.append(f"{where}: {pin.path} is now {now}, it was {pin.revision}")
    if not lines:
        lines.append(f"{PARAMS} pins nothing by a digest")
    elif not changes:
        lines.append(f"{PARAMS} is up to date: no model is asked again")
    if changes and write:
        text = regular_file(PARAMS).read_bytes().decode()
        new_text = with_values(PARAMS, text, changes)
        check_everything(parse_yaml(new_text), PARAMS)
        replace_params(text, new_text)
        lines += [
            f"{pin.path} is tracked by DVC: run `dvc add {pin.path}`"
            for pin in pins
            if pin.place in changes and dvc_file(path_on_disk(pin.path)).exists()
        ]
        build = "dvc repro" if any(place[0] == "models" for place in changes) else "dvc repro leaderboard"
        lines.append(f"`{build}` asks the changed models again, and no others")
    return lines, len(changes)


def models_of(everything: Everything) -> Iterator[tuple[str, Place, Model]]:
    for slug, model in everything.dataset.models.items():
        yield slug, ("models", slug), model
    contestants = {slug: one for params in everything.benchmarks.values() for slug, one in params.contestants.items()}
    for slug, contestant in contestants.items():
        for member in members(slug, contestant):
            yield member.slug, ("contestants", slug, *member.place.split(".")), member.model


def pins_of(slug: str, place: Place, model: Model, run_settings: Settings) -> Iterator[Pin]:
    weights = run_settings.endpoint(slug).weights if getattr(model, "revision", "") != BUILT else None
    if isinstance(model, FolderModel):
        yield Pin(slug, (*place, "revision"), model.revision, model.path, model.of)
    elif isinstance(model, Weights | PaddleOCRModel | InceptionModel | PythonModel) and weights and model.revision:
        yield Pin(slug, (*place, "revision"), model.revision, weights)
    adapter = getattr(model, "adapter", None)
    if adapter is not None and adapter.path and adapter.revision != BUILT:
        yield Pin(slug, (*place, "adapter", "revision"), adapter.revision, adapter.path)


def digest_at(pin: Pin) -> str | None:
    path = path_on_disk(pin.path)
    try:
        if path.is_dir():
            return digest_of(path, pin.of)
        return digest(path) if path.is_file() else None
    except OSError as error:
        raise UserError(f"{error.filename or path} cannot be read ({error.strerror})") from None
