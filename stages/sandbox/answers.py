"""The embedded world as a model: pictures for prompts, and answers to questions about pictures, by rule.

It knows nothing of servers or of other rooms: fields and image bytes come in, plain values go out. What lies outside
its vocabulary raises Unsupported, so that no made-up score can pass for an answer.
"""

from __future__ import annotations

import hashlib
import io
import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from PIL import Image

from . import vocabulary as v
from .painting import draw_faults, paint
from .reading import read, translate
from .scene import Scene, complete, random_scene
from .seeing import Sight, see
from .writing import write

_CAPTIONS = {f"caption_{form}": form for form in ("composition", "entity", "text", "imaginative", "style", "abstract")}


class Unsupported(Exception):
    """What was asked lies outside the embedded world; the message says what."""


def answer(question: str, fields: Mapping[str, str], images: Sequence[bytes]) -> dict[str, object]:
    """Answer a question by its name: examine, score, proofread, caption_*, generation_chain_of_thought, translate.

    Scores are whole numbers 0..10. Raises Unsupported for another question, an unreadable picture or text.
    """
    if question == "translate":
        return {"translation": _translated(fields)}
    if question in _CAPTIONS:
        return {"caption": write(_scene(_look(question, images)), form=_CAPTIONS[question])}
    match question:
        case "generation_chain_of_thought":
            return {"caption": write(_scene(_look(question, images)), form="detail")}
        case "examine":
            return _examine(_look(question, images))
        case "score":
            return _score(_look(question, images))
        case "proofread":
            return _proofread(_look(question, images))
    raise Unsupported(f"the embedded world does not know the question {question!r}")


def paint_prompt(prompt: str, width: int, height: int, seed: int, faults: Mapping[str, float]) -> bytes:
    """Paint a prompt: JPEG bytes, the same for the same arguments. `faults` maps names of faults to rates 0..1.

    Raises Unsupported where the prompt cannot be read whole or its lettering cannot be painted.
    """
    scene, rng = _asked(prompt, seed)
    drawn = draw_faults(scene, faults, rng)
    try:
        image = paint(scene, width, height, rng, drawn)
    except ValueError as error:
        raise Unsupported(str(error)) from error
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=95, subsampling=0, optimize=False, progressive=False)
    return buffer.getvalue()


def injected_faults(prompt: str, seed: int, faults: Mapping[str, float]) -> frozenset[str]:
    """The faults that paint_prompt puts into its picture for the same arguments, known without looking."""
    scene, rng = _asked(prompt, seed)
    return draw_faults(scene, faults, rng)


def asked_scene(prompt: str, seed: int) -> Scene:
    """The complete scene that paint_prompt paints when it injects no fault."""
    return _asked(prompt, seed)[0]


def captions(count: int, seed: int) -> list[str]:
    """`count` different English prompts of random scenes."""
    rng = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        found.setdefault(write(random_scene(rng)))
    return list(found)


@lru_cache(maxsize=1)
def revision() -> str:
    """What version of the world this is: sha256 over its files in name order, 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _asked(prompt: str, seed: int) -> tuple[Scene, random.Random]:
    scene = read(prompt)
    if scene is None:
        raise Unsupported(f"the embedded world cannot read the whole of the prompt {prompt[:120]!r}")
    rng = random.Random(f"{seed} {prompt}")
    return complete(scene, rng), rng


@lru_cache(maxsize=64)
def _see(picture: _Bytes) -> Sight:
    try:
        image = Image.open(io.BytesIO(picture.content))
        return see(image)
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise Unsupported(f"the picture cannot be decoded: {error}") from error


class _Bytes:
    """Image bytes that are compared by their digest, so that the cache of sights does not hash megabytes twice."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.digest = hashlib.sha256(content).digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Bytes) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


def sight_of(picture: bytes) -> Sight:
    """What is seen on a picture's bytes, looked at once however often it is asked. Unsupported: not an image."""
    return _see(_Bytes(bytes(picture)))


def _look(question: str, images: Sequence[bytes]) -> Sight:
    if len(images) != 1:
        raise Unsupported(f"{question} is asked about one picture, not {len(images)}")
    sight = sight_of(images[0])
    if not sight.familiar:
        raise Unsupported("the picture does not show the embedded world")
    return sight


def _scene(sight: Sight, lettering_known: bool = True) -> Scene:
    if sight.scene is None:
        raise Unsupported("the picture is of the embedded world, but what it shows cannot be named")
    if lettering_known and sight.transcription is not None and sight.scene.lettering is None:
        raise Unsupported(f"the sign reads {sight.transcription!r}, which is no lettering of the embedded world")
    return sight.scene


def _translated(fields: Mapping[str, str]) -> str:
    text = fields.get("caption", "")
    found = translate(text) if text else None
    if found is None:
        raise Unsupported(f"the embedded world cannot read the whole of the text {text[:120]!r}")
    return found


def _grade(value: float, bad: float, good: float) -> int:
    """0..10: 3 at `bad`, 9 at `good`, linear between and beyond."""
    return int(min(10, max(0, round(3 + 6 * (value - bad) / (good - bad)))))


def _examine(sight: Sight) -> dict[str, object]:
    """Clarity from sharpness and noise; structure from how much the least whole pictogram is like a whole one."""
    sharp, clean = _grade(sight.sharpness, 0.2, 0.42), _grade(-sight.noise, -10, -1.5)
    clarity = min(sharp, clean)
    clear = clarity >= 7
    # In an unclear picture shapes cannot be judged; what hides them is clarity's matter, not structure's.
    structure = _grade(sight.structure, 0.68, 0.90) if clear else 8
    unclear = "the picture is blurred" if sharp < clean else "the picture is noisy"
    reason = "edges are crisp and surfaces clean" if clear else unclear
    if clear:
        reason += ", and all shapes are whole" if structure >= 6 else ", but shapes are broken"
    return {"reason": reason, "clarity": clarity, "structure": structure}


def _score(sight: Sight) -> dict[str, object]:
    """Six characteristics; 7 and more says that a characteristic is clearly there."""
    scene = _scene(sight, lettering_known=False)
    total = sum(group.count for group in scene.groups)
    lettered = sight.transcription is not None
    plain_style, plain_mood = next(iter(v.STYLES)), next(iter(v.MOODS))
    scores = {
        "composition": (9 if total >= 3 else 8) if scene.relation else 6 if total >= 4 else 4,
        "entity": (3 if not total else 9 if sight.largest > 0.28 else 8 if sight.largest > 0.2 else 5),
        "text": (9 if scene.lettering else 7) if lettered else 0,
        "imaginative": (9 if scene.surreal in ("giant moon", "floating islands") else 8) if scene.surreal else 2,
        "style": 8 if scene.style != plain_style else 4,
        "abstract": (9 if scene.light != "noon" else 8) if scene.mood != plain_mood else 4,
    }
    marked = [name for name, score in scores.items() if score >= 7]
    return {"reason": "clearly there: " + (", ".join(marked) or "nothing"), **scores}


def _proofread(sight: Sight) -> dict[str, object]:
    """Lettering: contrast of ink and ground, even letterforms, and whether the words make sense (are known ones)."""
    if sight.transcription is None:
        raise Unsupported("the picture has no sign to proofread")
    contrast = _grade(sight.contrast, 20, 90)
    legible = contrast >= 6
    known = sight.transcription in v.LETTERING or sight.transcription in v.LETTERING_ZH
    # Faint lettering may be misread; that fault is contrast's, so sense is doubted only where the words are legible.
    sense = 9 if known else 8 if not legible else 2
    reason = f"the sign reads {sight.transcription!r}" if sight.transcription else "nothing can be read on the sign"
    if not legible:
        reason += "; ink and ground are nearly alike"
    if sense < 6:
        reason += "; that is no known word"
    return {
        "reason": reason,
        "transcription": sight.transcription,
        "contrast": contrast,
        "letterforms": 9 if legible and sight.transcription else 5,
        "sense": sense,
    }
