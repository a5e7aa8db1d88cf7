"""A function of a Python file as a model: what it is given, what it may return, how it fails, and ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from gamut.asking.models.opening import identity, open_model, open_when_asked
from gamut.asking.models.python.process import PythonModel
from gamut.asking.models.weights import digest
from gamut.asking.outcomes import Conversation, Outcome
from gamut.asking.parts import Created, unbundle
from gamut.asking.requests import Chat, Create, Detect, Embed, Message, Paint, Picture, Rate, Read, Reply, fingerprint
from gamut.asking.seeing import Detecting, Detection, Embedding, Line, Rating, Reading
from gamut.project.errors import UserError
from gamut.project.model_kinds import PythonModel as Parameters
from gamut.project.roles import RoleModel
from gamut.project.settings import Endpoint, Settings
from gamut.tables.images import picture_size
from tests import fakes
from tests.paths import ROOT

FILE = "stages/mine/models/my_model.py"
MODEL = """\
import os
import signal
import sys
import time

from PIL import Image

print("is opened")
COUNTED = []
PICTURE = Image.new("RGB", (64, 64))
RETURNS = {
    "none": None,
    "number": ["a", 3],
    "empty": [],
    "word": "a",
    "thinking": "<think>hm</think>b",
    "both": ["a", PICTURE],
    "picture": PICTURE,
}


def answer(parts, wants, size, seed):
    COUNTED.append(seed)
    first = parts[0]
    if first == "raise":
        found = {}
        return found["nothing"]
    if first == "exit":
        sys.exit(3)
    if first == "leave":
        told, tells = os.pipe()
        if os.fork() == 0:
            os.setsid()  # nobody ends it
            os.write(tells, b".")
            time.sleep(40)
            os._exit(0)
        os.read(told, 1)
        os._exit(4)
    if first == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if first in RETURNS:
        return RETURNS[first]
    said = f"{[part if isinstance(part, str) else part.getpixel((0, 0)) for part in parts]} {wants} {size} {seed}"
    print("loud", end="\\0" * 99)
    painted = Image.new("CMYK", size)
    return [{"text": f"{said} {len(COUNTED)}", "image": painted}[want] for want in wants]
"""


def written(text: str = MODEL, file: str = FILE) -> None:
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    Path(file).write_text(text)


def opened(
    function: str = "answer", role: str = "creator", revision: str | None = None, **endpoint: Any
) -> PythonModel:
    played = RoleModel(role, "mine", Parameters(kind="python", file=FILE, function=function, revision=revision))
    model = open_model(played, Settings(models={"mine": Endpoint(**endpoint)}))
    assert isinstance(model, PythonModel)
    return model


def create(*parts: str | Picture, wants: tuple[Any, ...] = ("text",), seed: int = 5, sample: int = 2) -> Create:
    return Create(parts, wants, 80, 70, seed, sample)


def replied(model: PythonModel, *requests: Any) -> list[tuple[bytes, str]]:
    return [(reply.content, reply.finish) for reply in fakes.answers(model, *requests)]


RED = Picture(fakes.encoded(Image.new("RGB", (9, 8), (255, 0, 0)), "PNG"), "image/png")


def test_a_function_is_given_parts_and_answers_with_texts_and_pictures_opened_once(project: Path) -> None:
    written()
    chat = Chat("yes", (Message("user", ("Is it?", RED)),), {"type": "object"}, seed=1)
    requests = create("What?", RED), create("Both", wants=("text", "image")), Paint("a sun", 90, 64, 3, 1), chat
    first, both, painted, judged = fakes.answers(opened(), *requests)
    # seed 5 + sample 2 = 7; one more call each
    assert first == Reply(b"['What?', (255, 0, 0)] ('text',) (80, 70) 7 1")
    text, picture = unbundle(both.content).parts
    assert text == "['Both'] ('text', 'image') (80, 70) 7 2" and picture_size(picture) == (80, 70)
    assert picture_size(painted.content) == (90, 64) and painted.content.startswith(b"\x89PNG")
    assert judged.content.startswith(
        b"['Is it?', (255, 0, 0), 'Answer with only a JSON object that fits this JSON schema"
    )
    assert judged.content.endswith(b"('text',) (0, 0) 1 4")
    assert (project / ".store/python/mine.log").read_text() == "is opened\n" + ("loud" + "\0" * 99) * 4


def test_an_exception_is_that_requests_failure_with_its_line_and_is_told_once(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    written(f"{MODEL}\nimport os\nos.chdir('/')  # wherever it goes\n")
    line = MODEL.splitlines().index('        return found["nothing"]') + 1
    raised, again, right = replied(opened(), create("raise"), create("raise", seed=6), create("go on"))
    assert raised == again == (f"{FILE}, line {line}: KeyError: 'nothing'".encode(), "transport_error")
    assert right[0].endswith(b"7 3") and right[1] == "stop", "the third call of one process"
    log = project / ".store/python/mine.log"
    assert capfd.readouterr().err == f"creator (mine): its output and tracebacks are in {log}\n"
    assert log.read_text().count("KeyError: 'nothing'") == 2


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("kill", "was ended by SIGKILL"),
        ("exit", "ended with exit status 3"),
        pytest.param("leave", "ended with exit status 4", marks=pytest.mark.timeout(15)),
    ],
)
def test_a_process_that_ends_fails_what_it_was_asked_and_is_started_again(project: Path, how: str, why: str) -> None:
    written()
    before, ended, after = replied(opened(), create("one"), create(how), create("two"))
    assert ended == (f"{FILE}: its process {why}".encode(), "transport_error")
    assert before[0].endswith(b"7 1") and after[0].endswith(b"7 1"), "each the first call of its process"
    assert (project / ".store/python/mine.log").read_text().count("is opened") == 2


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("none", "it returned NoneType; texts (str) and pictures (PIL.Image.Image) are expected"),
        ("number", "it returned int; texts (str) and pictures (PIL.Image.Image) are expected"),
        ("empty", "it returned an empty list; texts (str) and pictures (PIL.Image.Image) are expected"),
    ],
)
def test_what_is_no_text_and_no_picture_is_missing_in_words(project: Path, value: str, why: str) -> None:
    written()
    assert replied(opened(), create(value)) == [(why.encode(), "missing")]


def test_one_picture_is_wanted_where_words_are_to_be_painted_and_one_text_where_one_is_asked(project: Path) -> None:
    written()
    chat = Chat("yes", (Message("user", ("picture",)),), {}, seed=1)
    requests = Paint("word", 64, 64, 1), Paint("both", 64, 64, 1), chat, create("thinking")
    *wrong, thought = replied(opened(), *requests)
    assert unbundle(thought[0]) == Created(("b",), "hm")
    assert wrong == [
        (b"it returned a text; expected one picture", "missing"),
        (b"it returned a text and a picture; expected one picture", "missing"),
        (b"it returned a picture; expected one text", "missing"),
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import no_such_module\n", f"{FILE}, line 1: ModuleNotFoundError: No module named 'no_such_module'"),
        ("\ndef answer(:\n", f"{FILE}, line 2: SyntaxError: invalid syntax"),
        ("def anwser(parts): ...\n", f"{FILE} has no function 'answer'; did you mean 'anwser'? (docs/models.md)"),
        (
            "\n\ndef answer(prompt):\n    return prompt\n",
            f"{FILE}, line 3: answer(prompt) cannot be called as answer(parts, wants, size, seed)",
        ),
        ("import sys\nsys.exit('no')\n", f"{FILE}, line 2: SystemExit: no"),
        ("import os\nos._exit(4)\n", f"{FILE}: its process ended with exit status 4 while it was opened"),
    ],
)
def test_a_file_that_cannot_be_opened_is_a_mistake_with_its_line(project: Path, text: str, why: str) -> None:
    written(text)
    with pytest.raises(UserError) as error:
        opened()
    assert str(error.value) == f"creator (mine): {why}: fix it (its output: {project}/.store/python/mine.log)"


def test_weights_are_found_by_a_variable_and_are_what_is_pinned(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMUT_WEIGHTS", "somebody's")
    written("import os\n\ndef answer(parts, wants, size, seed):\n    return os.environ.get('GAMUT_WEIGHTS', 'none')\n")
    (project / "w.pt").write_bytes(b"1")
    pin = digest(project / "w.pt")
    assert replied(opened(), create("x")) == [(b"none", "stop")]
    assert replied(opened(revision=pin, weights="w.pt"), create("x")) == [(f"{project}/w.pt".encode(), "stop")]
    (project / "w.pt").write_bytes(b"2")
    now, zero = digest(project / "w.pt"), f"sha256-{'0' * 64}"
    for arguments, there, pinned in (
        ({"revision": pin, "weights": "w.pt"}, now, pin),
        ({"weights": "w.pt"}, now, "left out"),
        ({"revision": zero}, "not there", zero),
        ({"weights": "gone"}, "not there", "left out"),
    ):
        with pytest.raises(UserError) as error:
            opened(**arguments)
        assert str(error.value) == (
            f"creator (mine): the digest of `[models.mine] weights` in run.toml is {there}, its `revision` in "
            f"params.yaml is {pinned}: fix one of the two, by `gamut pin mine` if both exist"
        )


def outcome(model: PythonModel, conversation: Conversation) -> Outcome:
    request = conversation.next([])
    assert not isinstance(request, Outcome)
    end = conversation.next(fakes.answers(model, request))
    assert isinstance(end, Outcome)
    return end


OBSERVER = """\
import numpy as np

def detect(picture, labels):
    return [(labels[-1], 0.5, (1, 2, *picture.size))]

def read(picture):
    return [("GAMUT", 0.9, [(0, 0), (9, 0), (9, 8), (0, 8)])]

def embed(picture):
    return np.array(picture, np.float64)[0, 0] / 255

def odd(picture, *labels):
    return [("dog", 2.0)]

def other(picture, labels):
    return [("dog", 0.5, (1, 2, 3, 4))]

def rate(picture, text):
    return np.float32(picture.width / 10) if text == "wide" else float(text)
"""


def test_a_detector_a_reader_and_an_embedder_observe(project: Path) -> None:
    written(OBSERVER)
    detect, read, embed = Detect(RED, ("cat", "car")), Read(RED), Embed(RED)
    seen = outcome(opened("detect", "detector"), Detecting(detect))
    assert seen.value == [Detection("car", 0.5, (1, 2, 9, 8))]
    seen = outcome(opened("read", "reader"), Reading(read))
    assert seen.value == [Line("GAMUT", 0.9, ((0, 0), (9, 0), (9, 8), (0, 8)))]
    seen = outcome(opened("embed", "image_embedder"), Embedding(embed))
    assert seen.value.tolist() == [1, 0, 0]
    for role, conversation, why in (
        ("detector", Detecting(detect), "a list of at most 200 (label asked about, score, (left, top, right, bottom))"),
        ("reader", Reading(read), "a list of (text, confidence, ((x, y), …))"),
        ("image_embedder", Embedding(embed), "a list of numbers"),
    ):
        end = outcome(opened("odd", role), conversation)
        assert (end.status, end.reason) == ("missing_output", f'it returned [["dog",2.0]]; expected {why}')
    end = outcome(opened("other", "detector"), Detecting(detect))
    assert end.reason and end.reason.startswith(
        'it returned [["dog",0.5,[1,2,3,4]]]; expected a list of at most 200 (label asked'
    )


def test_a_function_gives_scores(project: Path) -> None:
    written(OBSERVER)

    def rated(text: str, function: str = "rate", role: str = "preference_scorer") -> Outcome:
        return outcome(opened(function, role), Rating(Rate("preference", RED, text)))

    assert rated("1.33333") == Outcome("ok", 1.333)
    assert rated("wide") == Outcome("ok", 0.9) and rated("-7", role="alignment_scorer") == Outcome("ok", -7)
    for text in ("nan", "inf"):  # numbers that are none
        assert rated(text) == Outcome("missing_output", reason="it returned null; expected a number")
    assert rated("x").status == "transport_error"
    assert rated("", "other").reason == 'it returned [["dog",0.5,[1,2,3,4]]]; expected a number'


def test_code_and_function_and_weights_are_who_it_is_and_where_they_lie_is_not(project: Path) -> None:
    def mark(**changes: Any) -> str:
        fields = {"kind": "python", "file": FILE, "function": "answer"} | changes
        return fingerprint(create("x"), identity(Parameters(**fields), "creator"))

    written("import beside\n")
    written("", "stages/mine/models/beside.py")
    first = mark()
    assert first == mark() != mark(function="other") and first != mark(revision=f"sha256-{'0' * 64}")
    written("import beside\n", "stages/mine/models/deeper/my_model.py")
    written("", "stages/mine/models/deeper/beside.py")
    assert mark(file="stages/mine/models/deeper/my_model.py") == first
    written("a = 1\n", "stages/mine/models/beside.py")
    assert mark() != first
    written("from stages.mine.models.beside import a\n")
    by_whole_name = mark()
    written("a = 2\n", "stages/mine/models/beside.py")
    assert mark() != by_whole_name
    with pytest.raises(UserError, match=f"^the file {FILE[:-3]}s.py does not exist: put it there$"):
        mark(file=f"{FILE[:-3]}s.py")
    Path("stages/mine/models/led.py").symlink_to("/etc/hostname")
    with pytest.raises(UserError, match=r"led\.py: this link leads out of the project"):
        mark(file="stages/mine/models/led.py")
    for file in ("my_model.py", "/tmp/a.py", "stages/mine/models/../../../a.py", "stages/mine/models/a.pyc"):
        with pytest.raises(ValueError, match="a Python file below stages/mine/models is expected"):
            mark(file=file)


def test_a_file_that_is_edited_while_it_is_asked_is_not_asked_under_its_old_name(project: Path) -> None:
    written()
    model = opened()
    written(f"{MODEL}# better\n")
    with pytest.raises(UserError, match="was edited during the run: run `dvc repro` again to use it"):
        fakes.answers(model, create("kill"), create("x"))


ECHO = """\
import json, pathlib, re

def answer(parts, wants, size, seed):
    [word] = re.findall(r"<word>\\n(\\w+)\\n", "".join(parts))
    with open("asked", "a") as file:
        file.write(".")
    if word == "word7" and not pathlib.Path("fixed").exists():
        raise RuntimeError("no memory\\nleft")
    return json.dumps({"word": word})
"""


def test_what_failed_is_asked_again_by_the_next_run_and_nothing_else(
    project: Path,
) -> None:
    """Of 20 records one raises, and none may: the run stops; once its cause is gone it is asked once more."""
    written(ECHO)

    def run() -> Any:
        played = RoleModel("judge", "mine", Parameters(kind="python", file=FILE, function="answer"))
        slices = [("w-part01", 0, fakes.records(20))]
        return fakes.ask_all(open_when_asked(played, Settings()), iter(slices), Path("table"), total=20)

    with pytest.raises(
        UserError, match=rf"1 of .* failed.*transport_error: {FILE}, line 8: RuntimeError: no memory left"
    ):
        run()
    Path("fixed").touch()
    assert run().statuses == {"ok": 20}
    assert len(Path("asked").read_text()) == 21, "20 records, and the one that failed once more"


def test_nothing_is_left_when_this_process_is_killed(project: Path) -> None:
    os.mkfifo("alive")
    alive = os.open("alive", os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(alive, True)
    written(
        "import os, subprocess\n"
        "alive = os.open('alive', os.O_WRONLY)\nos.write(alive, b'opened')\n"
        "subprocess.Popen(['sleep', '600'], pass_fds=[alive])\n\n"
        "def answer(parts, wants, size, seed):\n    return 'x'\n"
    )
    code = (
        "from tests.asking.models.python.test_python_file import opened\nmodel = opened()\n"
        "print('ready', flush=True); input()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert parent.stdout is not None and parent.stdout.readline() == b"ready\n"
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    with os.fdopen(alive, "rb") as held:
        assert held.read() == b"opened", "its end comes when nobody holds it any more"
