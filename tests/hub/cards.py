"""What the Hub says of a card's metadata, before and while it is committed."""

from __future__ import annotations

import json
import re

from tests.hub.answers import Call, Response

LICENSES = re.findall(
    r"\S+",
    """
    apache-2.0 mit openrail bigscience-openrail-m creativeml-openrail-m bigscience-bloom-rail-1.0
    bigcode-openrail-m afl-3.0 artistic-2.0 bsl-1.0 bsd bsd-2-clause bsd-3-clause bsd-3-clause-clear c-uda cc
    cc0-1.0 cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc-by-nc-2.0 cc-by-nc-3.0
    cc-by-nc-4.0 cc-by-nd-4.0 cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0
    cdla-sharing-1.0 cdla-permissive-1.0 cdla-permissive-2.0 wtfpl ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1
    eupl-1.2 agpl-3.0 gfdl gpl gpl-2.0 gpl-3.0 lgpl lgpl-2.1 lgpl-3.0 isc h-research intel-research lppl-1.3c
    ms-pl apple-ascl apple-amlr mpl-2.0 odc-by odbl openmdw-1.0 openrail++ osl-3.0 postgresql ofl-1.1 ncsa
    unlicense zlib pddl lgpl-lr deepfloyd-if-license fair-noncommercial-research-license llama2 llama3 llama3.1
    llama3.2 llama3.3 llama4 grok2-community gemma unknown other
    """,
)
"""The identifiers that the Hub took in May 2026."""


def validate(call: Call) -> Response:
    content = json.loads(call.body)["content"]
    if front_matter(content) is None:
        return Response(body={"errors": [], "warnings": [{"message": "empty or missing yaml metadata in repo card"}]})
    errors = [{"message": error} for error in errors_of(content)]
    said = {"errors": errors, "warnings": []}
    return Response(400, said | {"error": errors[0]["message"]}) if errors else Response(body=said)


def errors_of(content: str) -> list[str]:
    """What is wrong with a card's licence. A card without one is refused here, which the real Hub would let pass."""
    lines = front_matter(content)
    if lines is None:
        return []
    found = re.search(r"^license:[ \t]*(.*)((?:\n[ \t]*- .*)*)", lines, re.MULTILINE)
    named = re.findall(r"[^\s\"'\[\],]+", found[1] + found[2].replace("- ", " ")) if found else []
    if not named:
        return ['"license" is required']
    return [f'"license" must be one of [{", ".join(LICENSES)}]' for name in named if name not in LICENSES]


def front_matter(content: str) -> str | None:
    found = re.match(r"\s*---[\n\r]+([\S\s]*?)[\n\r]+---([\n\r]|$)", content)
    return found[1] if found else None
