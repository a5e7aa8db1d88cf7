"""`gamut publish`: from what lies here to a version on the Hub and its receipt."""

from __future__ import annotations

from collections.abc import Sequence

from stages import params as parameters
from stages.errors import UserError
from stages.params import Params
from stages.publish import hub, products, protocol, pull_requests, readiness, receipts, troubles
from stages.publish.content import content
from stages.publish.files import MANIFEST, File
from stages.publish.hub import Remote, State
from stages.publish.meter import Say, in_bytes
from stages.publish.origins import Origin, described, origin, traced
from stages.publish.plan import plan
from stages.publish.products import Product
from stages.publish.receipts import Receipt
from stages.stage import only_writer

SHOWN = 12
"""How many files a summary names."""


def publish(name: str, dry_run: bool, private: bool, pull_request: bool, say: Say) -> None:
    """Bring a product's version to the Hub; UserError with one line for whatever stands against it.

    A version that is there already is left alone. With `dry_run` nothing is written anywhere. A `private` repository
    is made when there is none. A `pull_request` is not tagged: publish again when it is merged.
    """
    params = parameters.load()
    products.demand_known(name)
    publication = getattr(params.publish, name)
    readiness.demand_named(name, publication)
    product = products.product(name, params)
    files = content(product, params)
    there = hub.remote(publication.repo)
    with only_writer(f"publish.{name}"):
        present = hub.exists(there)
        commit = protocol.tagged(there, publication.tag, files) if present else None
        if commit is not None:
            say(f"{there.repo} has {publication.tag} already, with this very content: nothing to do")
            if not dry_run:
                keep_receipt(product, there, files, commit, None, params, say)
            return
        of = origin(name, params)
        held = protocol.head(there) if present else None
        if held is not None:
            protocol.demand_own(there, held, name)
        if held is not None and private:
            demand_private(there)
        hub.demand_valid_card(there, named(files, "README.md").read().decode())
        for line in announced(product, there, files, held):
            say(line)
        if dry_run:
            return
        hub.demand_writer(there)
        if not present:
            protocol.create(there, private)
        title = f"{publication.title} {publication.tag}"
        description = described(of, named(files, MANIFEST).sha256)
        if pull_request:
            number = pull_requests.opened(there, title, description)
            protocol.bring(there, files, pull_requests.revision_of(number), title, description, say)
            say(f"{pull_requests.show(there, number)}: when it is merged, `gamut publish {name}` tags it")
            return
        commit = protocol.bring(there, files, protocol.BRANCH, title, description, say)
        protocol.tag(there, publication.tag, commit)
        keep_receipt(product, there, files, commit, of, params, say)


def demand_private(there: Remote) -> None:
    """Raise UserError for a repository that everybody can see."""
    with troubles.told(there.repo):
        found = troubles.patiently(lambda: there.api.dataset_info(there.repo))
    if not found.private:
        raise UserError(f"{there.repo} is public already: make it private in its settings, or leave --private out")


def announced(product: Product, there: Remote, files: Sequence[File], held: State | None) -> list[str]:
    """What is going to happen to what the Hub holds."""
    todo = plan(files, held.files if held else {})
    lines = [
        f"{product.name} {product.publication.tag} → {there.repo}{'' if held else ' (a new repository)'}: "
        f"{product.rows:,} rows, {len(files):,} files, {in_bytes(sum(file.size for file in files))}; "
        f"{len(todo.add):,} files, {in_bytes(todo.size)} are to go up, {len(todo.delete):,} to be deleted"
    ]
    lines += [f"  + {file.path}  {in_bytes(file.size)}" for file in todo.add[:SHOWN]]
    lines += [f"  and {len(todo.add) - SHOWN:,} more"] if len(todo.add) > SHOWN else []
    lines += [f"  - {path}" for path in todo.delete[:SHOWN]]
    lines += [f"  and {len(todo.delete) - SHOWN:,} more"] if len(todo.delete) > SHOWN else []
    return lines


def named(files: Sequence[File], path: str) -> File:
    """The file of a path."""
    return next(file for file in files if file.path == path)


def keep_receipt(
    product: Product, there: Remote, files: Sequence[File], commit: str, of: Origin | None, params: Params, say: Say
) -> None:
    """Write the receipt, unless it stands there. Of a version that was there already its commit tells the origin."""
    tag = product.publication.tag
    path = receipts.path_of(product.name, tag)
    known = receipts.read(path)
    if known is not None and (known.repo, known.commit) == (there.repo, commit):
        say(f"receipt: {path}")
        return
    manifest_sha256 = named(files, MANIFEST).sha256
    of = of or traced(there, commit, manifest_sha256) or origin(product.name, params)
    receipt = Receipt(
        product=product.name,
        repo=there.repo,
        url=receipts.url_of(there.api.endpoint, there.repo, tag),
        tag=tag,
        commit=commit,
        manifest_sha256=manifest_sha256,
        files=len(files),
        bytes=sum(file.size for file in files),
        rows=product.rows,
        git_revision=of.git_revision,
        dvc_hash=of.dvc_hash,
    )
    receipts.write(receipt)
    say(f"{receipt.url} is published; receipt: {path}")
    say(f"commit it: git add {path} && git commit -m 'Publish {product.name} {tag}'")
