"""`gamut publish`: make a version on the Hub from the local files, and write its receipt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gamut.dataset.shared.source_blocks import Foreign
from gamut.project.errors import UserError
from gamut.project.files import require_inside
from gamut.project.locks import only_writer
from gamut.project.plain_text import amount
from gamut.publish import hub, products, protocol, readiness, receipts, troubles
from gamut.publish.content import version_files
from gamut.publish.files import MANIFEST, File, Say, size_words
from gamut.publish.hub import Remote, State
from gamut.publish.parameters import DATASET, Everything, load_everything
from gamut.publish.products import Product
from gamut.publish.protocol import Change, Plan, plan_changes
from gamut.publish.receipts import Receipt

SHOWN = 12
"""How many files a summary names at most."""


@dataclass(frozen=True)
class Origin:
    """A git revision, and DVC's hash of the release in it; None for an edition, which is in git."""

    git_revision: str
    dvc_hash: str | None


def publish_version(name: str, dry_run: bool, private: bool, say: Say) -> dict[str, Any]:
    """Publish a version on the Hub; an existing one is left alone. With `dry_run` nothing is written. `private` applies
    to a new repository. Return what is, or would be, in the repository, and what changes for that.
    """
    params = load_everything()
    products.require_known(name)
    publication = params.publication(name)
    repo, licence = readiness.require_named(name, publication)
    product = products.find_product(name, params)
    files = version_files(product, params)
    sha256 = find_file(files, MANIFEST).sha256
    there, version = hub.open_remote(repo), {"tag": publication.tag, "rows": product.rows}
    with only_writer(f"publish.{name}"):
        path = receipts.receipt_path(there.repo, publication.tag)
        require_inside([path])
        receipt = receipts.read_receipt(path)
        if receipt is not None and receipt.manifest_sha256 != sha256:
            raise UserError(
                f"{publication.tag} was published with other content ({path}): bump `version` in params.yaml"
            )
        if dry_run and hub.is_offline():
            what, unknown = (f"{name} {publication.tag}", amount(product.rows, "row")), State("", {})
            for line in (*announcement(*what, there, files, unknown), *unlicensed_sources(product, params)):
                say(line)
            say("the Hub was not asked (HF_HUB_OFFLINE): what is there already is not known")
            return version | change_values(name, there, files, plan_changes(files, {}))
        present = hub.repo_exists(there)
        commit = protocol.tagged_commit(there, publication.tag, files) if present else None
        if commit is not None:
            say(f"{there.repo} has {publication.tag} already, with this content: nothing to do")
            if not dry_run:
                keep_receipt(product, there, files, commit, receipt, say)
            return version | change_values(name, there, files, Plan((), ()))
        readme, where = find_file(files, "README.md"), f"publish.{name}.license"
        hub.require_valid_card(there, readme.read().decode(), licence, where)
        title, description = f"{publication.title} {publication.tag}", commit_message(local_origin(product), sha256)
        change = Change(name, publication.version, files, title, description)
        state = protocol.branch_head(there) if present else None
        if state is not None:
            protocol.require_own(there, state, change)
        if state is not None and private:
            require_private(there)
        what = f"{name} {publication.tag}", amount(product.rows, "row")
        for line in (*announcement(*what, there, files, state), *unlicensed_sources(product, params)):
            say(line)
        hub.require_writer(there)
        found = version | change_values(name, there, files, plan_changes(files, state.files if state else {}))
        if dry_run:
            say(f"nothing was written: `gamut publish {name}{' --private' * private}` publishes it")
            return found
        if not present:
            protocol.create_repo(there, private)
        # Where only the tag is gone, the receipt's commit still holds the version.
        still = receipt is not None and not protocol.missing_changes(there, receipt.commit, files)
        commit = receipt.commit if receipt and still else protocol.push_version(there, change, say)
        protocol.tag_commit(there, publication.tag, commit)
        keep_receipt(product, there, files, commit, receipt, say)
        return found


def change_values(name: str, there: Remote, files: Sequence[File], plan: Plan) -> dict[str, Any]:
    """Return what `--json` prints: what is, or would be, in a repository, and what changes for that."""
    changes = {"to_add": [file.path for file in plan.add], "to_delete": [*plan.delete]}
    return {"product": name, "repo": there.repo, "files": {file.path: file.size for file in files}, **changes}


def require_private(there: Remote) -> None:
    with troubles.explained_errors(there.repo):
        found = hub.repo_info(there)
    if found.private is not True:
        raise UserError(f"{there.repo} is public already: make it private in its settings, or leave --private out")


def announcement(what: str, extent: str, there: Remote, files: Sequence[File], state: State | None) -> list[str]:
    files_there = state.files if state else {}
    todo, size = plan_changes(files, files_there, there.kind), size_words(sum(file.size for file in files))
    lines = [
        f"{what} → {there.repo}{'' if state else ' (a new repository)'}: "
        f"{extent}, {amount(len(files), 'file')}, {size}; "
        f"{amount(len(todo.add), 'file')}, {size_words(todo.size)} to upload, {len(todo.delete):,} to delete"
    ]
    added = [f"{'~' if file.path in files_there else '+'} {file.path}  {size_words(file.size)}" for file in todo.add]
    for changes in (added, [f"- {path}" for path in todo.delete]):
        places = dict.fromkeys(line.split()[1].partition("/")[0] for line in changes[SHOWN:])
        more = [f"and {len(changes) - SHOWN:,} more: {', '.join(places)}"] if len(changes) > SHOWN else []
        lines += [f"  {line}" for line in (*changes[:SHOWN], *more)]
    return lines


def unlicensed_sources(product: Product, params: Everything) -> Iterator[str]:
    """Yield warnings about the dataset's sources whose texts are published without a licence in params.yaml."""
    for position, source in enumerate(params.dataset.sources if product.name == DATASET else ()):
        if isinstance(source, Foreign) and source.license is None and source.redistributable:
            yield (
                f"sources.{position} ({source.wave}) names no `license`: its captions are published as "
                "caption_original, its prompts in provenance; `redistributable: false` withholds them"
            )


def find_file(files: Sequence[File], path: str) -> File:
    return next(file for file in files if file.path == path)


def keep_receipt(
    product: Product, there: Remote, files: Sequence[File], commit: str, receipt: Receipt | None, say: Say
) -> None:
    """Write the receipt, if missing; its origin comes from the commit on the Hub, perhaps of an earlier run."""
    tag = product.publication.tag
    path = receipts.receipt_path(there.repo, tag)
    if receipt is not None and receipt.commit != commit:
        raise UserError(
            f"{there.repo}: {tag} is at commit {commit[:8]}, but the receipt {path} says {receipt.commit[:8]}: move "
            "the tag back, or delete the receipt if the new commit is right"
        )
    if receipt is not None:
        say(f"receipt: {path}")
        return
    sha256 = find_file(files, MANIFEST).sha256
    of = origin_on_hub(there, commit, sha256)
    if of is None:
        of = local_origin(product)
        say(f"the commit on the Hub does not name the git revision of {tag}: the receipt names the one here")
    receipt = Receipt(
        product=product.name,
        repo=there.repo,
        url=receipts.page_url(there.api.endpoint, f"/datasets/{there.repo}/tree/{tag}"),
        tag=tag,
        commit=commit,
        manifest_sha256=sha256,
        files=len(files),
        bytes=sum(file.size for file in files),
        rows=product.rows,
        git_revision=of.git_revision,
        dvc_hash=of.dvc_hash,
    )
    receipts.write_receipt(receipt)
    say(f"{receipt.url} is published; receipt: {path}")
    say(f"commit it: git add {path} && git commit -m 'Publish {product.name} {tag}'")


def local_origin(product: Product) -> Origin:
    revision = readiness.require_committed(readiness.source_files(product))
    if product.name == DATASET:
        readiness.require_up_to_date()
    return Origin(revision, readiness.dvc_hash(product.name))


def commit_message(of: Origin, manifest_sha256: str) -> str:
    lines = [f"git revision {of.git_revision}", manifest_line(manifest_sha256)]
    return "\n".join([*lines, *([f"DVC hash {of.dvc_hash}"] if of.dvc_hash else []), "Published with gamut."])


def manifest_line(manifest_sha256: str) -> str:
    return f"manifest.json sha256 {manifest_sha256}"


def origin_on_hub(there: Remote, commit: str, manifest_sha256: str) -> Origin | None:
    """Return the origin that the commit with this manifest names; None if no commit does, as after a merge."""
    with troubles.explained_errors(there.repo):
        commits = troubles.with_retries(
            lambda: there.api.list_repo_commits(there.repo, repo_type="dataset", revision=commit)
        )
    message = next((one.message for one in commits if manifest_line(manifest_sha256) in one.message), "")
    revision = re.search(r"^git revision ([0-9a-f]{40,64})$", message, re.MULTILINE)
    if revision is None:
        return None
    dvc_hash = re.search(r"^DVC hash ([0-9a-f]{32}\.dir)$", message, re.MULTILINE)
    return Origin(revision[1], dvc_hash[1] if dvc_hash else None)
