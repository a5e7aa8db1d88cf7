"""What truly holds of the pictures that the world paints, known from prompt, seed and fault rates without looking.

The judge's answers are measured against it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from . import vocabulary as v
from .agreement import disagreements
from .captions import understand
from .faults import visible_faults
from .layout import LARGE, plan_layout
from .painting import commission, painted_scene
from .scene import Scene


def picture_truth(
    prompt: str, seed: int, faults: Mapping[str, float], width: int = 512, height: int = 512
) -> dict[str, bool]:
    """What holds of the picture that paint_prompt makes for these arguments. A fault counts beyond its limit of
    visibility.

    `clarity`: neither blurred nor noisy. `structure`: no pictogram is broken. `follows`: all that the prompt asks for
    is painted. Of a lettered picture also `contrast`:
    its ink is not faint, and `sense`: it is not misspelt.

    The six characteristics, True where the picture would serve as an example. `composition`: two groups stand in a
    definite relation, whichever. `entity`: some pictogram is laid out at least as large as layout.LARGE. `text`: a sign
    carries lettering, well set or not (faint and misspelt lettering is for the typographic inspection). `imaginative`:
    something surreal is painted. `style`: the style is a marked one, not flat illustration. `abstract`: the mood is a
    marked one, not calm.
    """
    scene, drawn, rng = _painted(prompt, seed, faults)
    seen = visible_faults(drawn)
    truth = {"clarity": not seen & {"blur", "noise"}, "structure": "distortion" not in seen}
    truth["follows"] = bool(agrees(prompt, scene, drawn))
    if scene.lettering:
        truth |= {"contrast": "low_contrast" not in seen, "sense": "misspelt_lettering" not in seen}
    return truth | {
        "composition": scene.relation is not None,
        "entity": plan_layout(scene, width, height, rng).largest >= LARGE,
        "text": scene.lettering is not None,
        "imaginative": scene.surreal is not None,
        "style": scene.style != next(iter(v.STYLES)),
        "abstract": scene.mood != next(iter(v.MOODS)),
    }


def alignment_truth(caption: str, prompt: str, seed: int, faults: Mapping[str, float]) -> bool | None:
    """Whether all that the caption says holds in the picture that paint_prompt makes for these arguments; None where it
    cannot be read. Counts, places and lettering are those truly painted; faint lettering is there all the same, and
    what is misspelt below the limit of visibility counts as right.
    """
    scene, drawn, _ = _painted(prompt, seed, faults)
    return agrees(caption, scene, drawn)


def agrees(text: str, scene: Scene, drawn: Mapping[str, float]) -> bool | None:
    if (said := understand(text)) is None:
        return None
    lettering = (
        "" if "misspelt_lettering" in visible_faults(drawn) else scene.lettering
    )  # no text asks for a misspelling
    return not disagreements(said, scene, lettering)


def _painted(prompt: str, seed: int, faults: Mapping[str, float]) -> tuple[Scene, Mapping[str, float], random.Random]:
    scene, drawn, rng = commission(prompt, seed, faults)
    return painted_scene(scene, drawn, rng), drawn, rng
