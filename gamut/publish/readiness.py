"""What must be in order before anything is published: a licence, a committed tree, an up-to-date build."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gamut.dataset.reporting.outputs import CARD, CONTACT_SHEET
from gamut.dataset.shared.joins import table_of
from gamut.project import git, pipeline
from gamut.project.errors import UserError
from gamut.project.plain_text import name_first
from gamut.publish.files import File
from gamut.publish.parameters import DATASET, Publication
from gamut.publish.products import Product
from gamut.publish.receipts import RECEIPTS

STAGES = ("release", "statistics")
"""The stages whose outputs a version of the dataset holds."""
NAMED = 3
"""How many files or stages a refusal names."""


def require_named(name: str, publication: Publication) -> tuple[str, str]:
    where = f"params.yaml: publish.{name}"
    if publication.repo is None:
        raise UserError(f"{where}.repo is missing: name the repository on the Hub, such as org/name")
    if publication.license is None:
        raise UserError(
            f"{where}.license is missing: name the licence to publish under, such as cc-by-4.0, or `other` with "
            "`license_name` and `license_link`"
        )
    return publication.repo, publication.license


def require_committed(sources: Sequence[Path]) -> str:
    """Return the git revision; UserError for uncommitted files, also `sources` whose changes git was told to ignore."""
    try:
        head, paths = git.revision(), git.uncommitted_files(RECEIPTS)
    except FileNotFoundError:
        raise UserError("git is not installed, but a version needs a git revision: install git") from None
    except subprocess.CalledProcessError as error:
        first = (error.stderr.strip() or "git failed").splitlines()[0]
        raise UserError(f"a version needs a git revision, but there is none here ({first}): commit first") from None
    paths = paths or [str(path) for path in sources if not git.is_committed(path)]
    if paths:
        raise UserError(f"not committed: {name_first(paths, NAMED)}: `git add` and `git commit` what you publish")
    return head


def source_files(product: Product) -> list[Path]:
    if product.name == DATASET:
        return [pipeline.PARAMS, pipeline.lock_of("release"), CARD, CONTACT_SHEET]
    beside = [product.origin] if product.origin else []
    return [pipeline.PARAMS, *(file.local for file in (*product.files, *beside)), *files_in_git(product.images)]


def files_in_git(images: Sequence[File]) -> list[Path]:
    """Return an edition's pictures, or the file with which DVC tracks them."""
    by_dvc = {file.local.parent.with_name(f"{file.local.parent.name}.dvc") for file in images}
    tracked = [path for path in by_dvc if path.exists()]
    return tracked or [file.local for file in images]


def require_up_to_date(stages: Sequence[str] = STAGES) -> None:
    changes = dvc_status(stages)
    if changes:
        raise UserError(
            f"the build is not up to date ({name_first(list(changes), NAMED)}): run `dvc repro` and commit what it "
            f"wrote; `dvc status --with-deps {stages[0]}` shows what changed"
        )


def dvc_status(stages: Sequence[str]) -> dict[str, Any]:
    """Run `dvc status` in a session of its own: if DVC were killed with us, it could leave a damaged lock file."""
    done = subprocess.run(
        [sys.executable, "-m", "dvc", "status", "--json", "--with-deps", *stages],
        capture_output=True,
        encoding="utf-8",
        start_new_session=True,
    )
    if done.returncode == 0:
        changes: dict[str, Any] = json.loads(done.stdout)
        return changes
    message = next((line for line in done.stderr.splitlines() if line.startswith("ERROR: ")), "ERROR: it failed")
    if "RWLock-file" in message:
        raise UserError("DVC's lock file is damaged after a killed run: `gamut check` repairs it")
    if "lock" in message:
        raise UserError("a build is running here: wait for it to end")
    raise UserError(f"dvc status: {message.removeprefix('ERROR: ')}")


def dvc_hash(name: str) -> str | None:
    outs = pipeline.recorded_outs("release") if name == DATASET else []
    return next((out.get("md5") for out in outs if out["path"] == str(table_of("release"))), None)
