"""Pages from templates: whatever is put into one is text, never markup (Jinja2, which escapes it)."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from gamut.project.plain_text import decimals, signed
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
    found.filters |= {"address": address, "cut": cut, "decimals": decimals, "signed": signed}
    return found


def page(template: str, **values: Any) -> str:
    """Every template wants `root`, the way to the folder of its product; `title`; `here`, which link of the
    navigation it is.
    """
    return templates().get_template(template).render(**values)


def script_of(name: str, value: Any) -> str:
    """Return a script that sets a property of `window`: pages that open from disk may load nothing else."""
    return f"window[{json.dumps(name)}] = {in_script(value)};\n"


def in_script(value: Any) -> Markup:
    """Return a value as JSON in which nothing can end a script."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)
