"""Pages from templates: all values are inserted as text, never as markup (Jinja2 escapes them)."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from gamut.evaluation.defining.measures import words_of
from gamut.project.plain_text import decimals, signed_decimals
from gamut.report.site.folder import Folder
from gamut.report.site.texts import address, cut


@cache
def templates() -> Environment:
    found = Environment(
        loader=PackageLoader(__package__, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"address": address, "cut": cut, "decimals": decimals, "signed": signed_decimals}
    found.filters["in_words"] = words_of
    return found


def write_page(folder: Folder, path: str, template: str, title: str, here: str = "", **values: Any) -> None:
    """Write a page. The template also gets `root`, the path to its product's folder; `here` is its navigation link."""
    root = "../" * path.count("/")
    folder.write(path, templates().get_template(template).render(root=root, title=title, here=here, **values))


def script_of(name: str, value: Any) -> str:
    """Return a script that sets a property of `window`: pages that open from disk may load nothing else."""
    return f"window[{json.dumps(name)}] = {in_script(value)};\n"


def in_script(value: Any) -> Markup:
    """Return a value as JSON in which nothing can end a script."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)
