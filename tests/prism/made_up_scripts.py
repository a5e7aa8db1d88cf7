"""Scripts with made-up instructions, laid out as the released ones: turns of a chat, or a text."""

from __future__ import annotations

import hashlib

from stages.prism.shared.items import TRACKS

CHAT = """
import nothing_that_is_there

def get_message_templates() -> dict:
    "Words of a test."
    fit = [
        {"role": "system", "content": "Be fair."},
        {"role": "user", "content": [{"type": "text", "text": 'Fit? {{"score": …}} \\n"{text_prompt}"'}]},
    ]
    looks = [{"role": "user", "content": [{"type": "text", "text": "Looks of {text_prompt}?"}]}]
    return {"alignment": {TRACKS}, "aesthetic": looks}

raise SystemExit("it is not to be run")
""".replace("{TRACKS}", "{" + ", ".join(f"{track!r}: fit" for track in TRACKS) + "}")
PLAIN = f"""
def get_message_templates():
    fit = "Fit" " of {{text_prompt}}?"
    return {{"alignment": {dict.fromkeys(TRACKS, "FIT")}, "aesthetic": "Looks of {{text_prompt}}?"}}
""".replace("'FIT'", "fit")


def digest(text: str) -> str:
    return f"sha256-{hashlib.sha256(text.encode()).hexdigest()}"
