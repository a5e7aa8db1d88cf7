"""Cards and their page as HTML."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources

from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import Markup

from gamut.deciding.cards import REWRITING, SECONDS, Card, Task, headed
from gamut.project.decisions import Decision, path_of
from gamut.report.site import pages

LONGEST = 200_000
"""The most characters of one text that a card shows."""
POLICY = (
    "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The policy of a served page: nothing from elsewhere, no script or style but its files."""


@cache
def templates() -> Environment:
    ours = PackageLoader("gamut.deciding")
    return pages.templates().overlay(loader=ChoiceLoader([ours, PackageLoader("gamut.report.site")]))


@cache
def assets() -> Mapping[str, tuple[str, bytes]]:
    ours = resources.files("gamut.deciding").joinpath("assets")
    return {
        "style.css": ("text/css", resources.files("gamut.report.site").joinpath("assets/style.css").read_bytes()),
        "deciding.css": ("text/css", ours.joinpath("deciding.css").read_bytes()),
        "deciding.js": ("text/javascript", ours.joinpath("deciding.js").read_bytes()),
    }


def card_html(card: Card, address: Callable[[int], str], decision: Decision | None) -> Markup:
    """Return a card as a piece of HTML; `address`: where its pictures are, by their number."""
    template = templates().get_template("card.html")
    shown = {"card": card, "address": address, "said": decision}
    return Markup(template.render(shown, most=LONGEST, rewriting=REWRITING, headed=headed))


def task_html(task: Task, reviewer: str, decisions: Mapping[int, Decision]) -> str:
    kept = {
        str(number): one.model_dump(include={"decision", "texts", "remark", "about"})
        for number, one in decisions.items()
    }
    template = templates().get_template("deciding.html")
    log = path_of(reviewer, task.name)
    return template.render(task=task, reviewer=reviewer, said=json.dumps(kept), seconds=SECONDS, log=log)
