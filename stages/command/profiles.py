"""Profiles: complete params files, put in place by `gamut use`."""

from __future__ import annotations

from pathlib import Path

from stages.project.errors import UserError, nearest
from stages.project.files import write_whole
from stages.project.git import is_committed
from stages.project.inputs import regular
from stages.project.pipeline import PARAMS
from stages.publish.parameters import load_everything

PROFILES = Path("profiles")


def names() -> list[str]:
    return sorted(path.stem for path in PROFILES.glob("*.yaml"))


def use(name: str) -> None:
    """Copy a profile over params.yaml; a UserError when edits there would be lost or the profile is wrong."""
    profile = PROFILES / f"{name}.yaml"
    if not profile.exists():
        raise UserError(f"there is no profile {name!r}{nearest(name, names())}")
    load_everything(profile)
    if PARAMS.exists():
        require_safe()
    write_whole(PARAMS, profile.read_bytes())


def require_safe() -> None:
    """Raise UserError unless what params.yaml holds can be had again: it is some profile, or committed."""
    content = regular(PARAMS).read_bytes()
    others = (path for path in PROFILES.glob("*.yaml") if not path.samefile(PARAMS))  # params.yaml may be a link to one
    if not any(path.read_bytes() == content for path in others) and not is_committed(PARAMS):
        raise UserError(
            f"{PARAMS} has edits that are in no commit: commit them or `git checkout {PARAMS}` first, or keep them as "
            f"{PROFILES}/NAME.yaml"
        )
