"""`gamut publish --status`: what lies here, what was published last, what the Hub has, side by side."""

from __future__ import annotations

import re

from rich.console import Console
from rich.table import Table

from stages import params as parameters
from stages.errors import UserError
from stages.params import Params
from stages.publication import VERSION
from stages.publish import hub, products, protocol, receipts
from stages.publish.content import content
from stages.publish.products import PRODUCTS
from stages.publish.receipts import Receipt


def show() -> None:
    """Print a row for every product; what cannot be told says why."""
    params = parameters.load()
    known = receipts.every()
    table = Table(title="Versions")
    for head in ("product", "here", "last receipt", "on the Hub"):
        table.add_column(head, overflow="fold")
    for name in PRODUCTS:
        own = [receipt for receipt in known if receipt.product == name]
        table.add_row(name, here(name, params), last(own), there(name, params))
    Console().print(table)


def here(name: str, params: Params) -> str:
    """What params.yaml wants to be published, and how many rows lie here."""
    tag = getattr(params.publish, name).tag
    try:
        return f"{tag}, {products.product(name, params).rows:,} rows"
    except UserError as error:
        return f"{tag}; {error}"


def last(own: list[Receipt]) -> str:
    """The last version that was published from here."""
    if not own:
        return "none"
    return f"{own[-1].tag}, {own[-1].rows:,} rows, commit {own[-1].commit[:8]} of {own[-1].repo}"


def there(name: str, params: Params) -> str:
    """What the Hub has of it, and whether this version is what lies here."""
    publication = getattr(params.publish, name)
    if publication.repo is None:
        return "no repository named: publish." + name + ".repo in params.yaml"
    try:
        remote = hub.remote(publication.repo)
        if not hub.exists(remote):
            return f"{publication.repo}: not there, or private"
        tags = ", ".join(sorted(filter(is_version, hub.tags(remote)), key=receipts.order)) or "no version"
        files = content(products.product(name, params), params)
        try:
            same = protocol.tagged(remote, publication.tag, files)
        except UserError:
            return f"{publication.repo}: {tags}; {publication.tag} is taken by other content: bump the version"
        return f"{publication.repo}: {tags}" + (f"; {publication.tag} is what lies here" if same else "")
    except UserError as error:
        return str(error)


def is_version(tag: str) -> bool:
    """Whether a tag is one of a version."""
    return re.fullmatch(f"v{VERSION}", tag) is not None
