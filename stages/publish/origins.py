"""Which state of the project a version is of: told in its commit on the Hub, and read from there again."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stages.publish import readiness, troubles
from stages.publish.answers import checked
from stages.publish.hub import Remote
from stages.publish.parameters import DATASET, Everything
from stages.publish.products import Product


@dataclass(frozen=True)
class Origin:
    """A git revision, and the hash by which DVC knows the release there; None for an edition, which git holds."""

    git_revision: str
    dvc_hash: str | None


def origin(product: Product, params: Everything) -> Origin:
    revision = readiness.require_committed(product)
    if product.name == DATASET:
        readiness.require_up_to_date()
        readiness.require_within_budgets(params)
    return Origin(revision, readiness.dvc_hash(product.name))


def message(of: Origin, manifest_sha256: str) -> str:
    lines = [f"git revision {of.git_revision}", names(manifest_sha256)]
    return "\n".join([*lines, *([f"DVC hash {of.dvc_hash}"] if of.dvc_hash else []), "Published with gamut."])


def names(manifest_sha256: str) -> str:
    """Return the line by which a commit's message names the version that it brought."""
    return f"manifest.json sha256 {manifest_sha256}"


def traced(there: Remote, commit: str, manifest_sha256: str) -> Origin | None:
    """Return what the commit that brought this manifest says of it; None when none names it, as after a merge."""
    with troubles.explained(there.repo):
        known = troubles.with_retries(
            lambda: there.api.list_repo_commits(there.repo, repo_type="dataset", revision=commit)
        )
    messages = [checked(str, one.message, there.repo, "a commit's message") for one in known]
    said = next((message for message in messages if names(manifest_sha256) in message), "")
    revision = re.search(r"^git revision ([0-9a-f]{40,64})$", said, re.MULTILINE)
    if revision is None:
        return None
    dvc_hash = re.search(r"^DVC hash ([0-9a-f]{32}\.dir)$", said, re.MULTILINE)
    return Origin(revision[1], dvc_hash[1] if dvc_hash else None)
