"""Cards and their page as HTML: served, or in one file with all that it needs."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import Markup

from stages.deciding.cards import REWRITING, Card, Task
from stages.project.decisions import Decision
from stages.report.site import pages

LONGEST = 200_000
"""Characters of one text that a card shows."""
SERVED = (
    "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The policy of a served page: nothing from elsewhere, no script or style but its files."""


class Kept(NamedTuple):
    """A card as a page that is one file has it."""

    id: str
    round: int
    html: Markup


@cache
def templates() -> Environment:
    ours = PackageLoader("stages.deciding.page")
    return pages.templates().overlay(loader=ChoiceLoader([ours, PackageLoader("stages.report.site")]))


@cache
def assets() -> Mapping[str, tuple[str, bytes]]:
    ours = resources.files("stages.deciding.page").joinpath("assets")
    return {
        "style.css": ("text/css", resources.files("stages.report.site").joinpath("assets/style.css").read_bytes()),
        "deciding.css": ("text/css", ours.joinpath("deciding.css").read_bytes()),
        "deciding.js": ("text/javascript", ours.joinpath("deciding.js").read_bytes()),
    }


def fragment(card: Card, address: Callable[[int], str], said: Decision | None) -> Markup:
    """Return a card as a piece of HTML; `address`: where its pictures are, by their number."""
    template = templates().get_template("card.html")
    return Markup(template.render(card=card, address=address, said=said, most=LONGEST, rewriting=REWRITING))


def page(task: Task, reviewer: str, said: Mapping[int, Decision]) -> str:
    kept = {
        str(number): one.model_dump(include={"decision", "texts", "remark", "about"}) for number, one in said.items()
    }
    return rendered(task, reviewer, json.dumps(kept), afterwards=task.afterwards)


def page_in_one_file(task: Task, reviewer: str, cards: Sequence[Kept], where: str, file: str) -> str:
    """Return the page of a task with its cards, styles and script, which keeps what is said in the browser.

    Its policy names script and styles by their digests: nothing else is run or loaded. `where`: what to do with the
    `file` that it gives.
    """
    styles = (assets()["style.css"][1] + assets()["deciding.css"][1]).decode()
    script = assets()["deciding.js"][1].decode()
    policy = (
        f"default-src 'none'; img-src data:; style-src '{digest(styles)}'; script-src '{digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    one_file = {"styles": Markup(styles), "script": Markup(script), "policy": policy, "where": where, "file": file}
    return rendered(
        task, reviewer, "{}", ["Now download it."], count=len(cards), cards=list(enumerate(cards)), **one_file
    )


def rendered(task: Task, reviewer: str, said: str, afterwards: Sequence[str], **values: Any) -> str:
    usual = {"count": len(task.places), "cards": [], "styles": "", "script": "", "policy": "", "where": "", "file": ""}
    own = {"title": task.title, "task": task.name, "reviewer": reviewer, "said": said, "afterwards": afterwards}
    return templates().get_template("deciding.html").render(usual | own | values)


def digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
