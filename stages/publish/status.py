"""`gamut publish --status`: what lies here, what was published last, what the Hub has, side by side."""

from __future__ import annotations

import re

from rich.console import Console
from rich.table import Table
from rich.text import Text

from stages.project.errors import UserError
from stages.project.plain_text import amount
from stages.publish import hub, products, protocol, readiness, receipts
from stages.publish.content import content
from stages.publish.hub import Remote
from stages.publish.parameters import PRODUCTS, Everything, load_everything
from stages.publish.publication import VERSION, precedence


def show() -> None:
    """Print a row for every product that params.yaml names; what cannot be told says why. Then what is to be done."""
    params = load_everything()
    waiting = []
    table = Table(title="Versions")
    for head in ("product", "here", "last receipt", "on the Hub"):
        table.add_column(head, overflow="fold")
    for name in filter(params.publish.__contains__, PRODUCTS):
        found, published = there(name, params)
        if not published and params.publication(name).repo is not None:
            waiting.append(f"`gamut publish {name} --dry-run` says what would go up")
        table.add_row(*map(Text, (name, here(name, params), last(name), found)))  # not markup: others wrote some of it
    Console().print(table)
    print(*(waiting or ["nothing waits: name a repository, or another version, in params.yaml"]), sep="\n")


def here(name: str, params: Everything) -> str:
    """Return what params.yaml wants to be published, and how many rows lie here."""
    tag = params.publication(name).tag
    try:
        return f"{tag}, {amount(products.product(name, params).rows, 'row')}"
    except UserError as error:
        return f"{tag}; {error}"


def last(name: str) -> str:
    """Return the last version that was published from here."""
    try:
        own = [receipt for receipt in receipts.every() if receipt.product == name]
    except UserError as error:
        return str(error)
    if not own:
        return "none"
    one = own[-1]
    return f"{one.tag}, {amount(one.rows, 'row')}, commit {one.commit[:8]} of {one.repo}"


def there(name: str, params: Everything) -> tuple[str, bool]:
    """Return what the Hub has of it, and whether this version is there and is what lies here."""
    publication = params.publication(name)
    if publication.repo is None:
        return f"no repository named: publish.{name}.repo in params.yaml", False
    try:
        remote = hub.remote(publication.repo)
        if not hub.exists(remote):
            return f"{publication.repo}: not there, or private", False
        tags = sorted(filter(is_version, hub.tags(remote)), key=lambda tag: precedence(tag[1:]))
    except UserError as error:
        return str(error), False
    found = f"{publication.repo}: {', '.join(tags) or 'no version'}"
    if publication.tag not in tags:
        return found, False
    said, published = compared(name, params, remote)
    return f"{found}; {publication.tag} {said}", published


def compared(name: str, params: Everything, remote: Remote) -> tuple[str, bool]:
    """Return of a version on the Hub how it compares with what lies here, in words, and whether it is that."""
    publication = params.publication(name)
    try:
        readiness.require_named(name, publication)
        commit = protocol.tagged(remote, publication.tag, content(products.product(name, params), params))
    except protocol.Taken:
        return "is taken by other content: bump the version", False
    except UserError as error:
        return f"cannot be compared: {error}", False
    return ("is what lies here", True) if commit else ("is gone again", False)


def is_version(tag: str) -> bool:
    """Return whether a tag is one of a version."""
    return re.fullmatch(f"v{VERSION}", tag) is not None
