"""Models that outlive a stage, in processes of their own: found again, let go, and gone when nobody wants them."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from stages.asking.models import frames, kept, model_process, opening
from stages.asking.requests import Embed, Picture, Reply
from stages.project.errors import ModelDied, UserError
from stages.project.model_kinds import PixelsModel, TransformersModel
from stages.project.roles import RoleModel
from stages.project.settings import Endpoint, Settings
from tests import fakes
from tests.paths import ROOT

PIXELS = RoleModel("image_embedder", "pixels", PixelsModel(kind="pixels"))
"""A model that needs neither weights nor torch."""
NO_TORCH = "from stages.asking.models import model_process, starter; starter.IMPORTED = (); "
SEEN = Embed(Picture(fakes.jpeg("red", (50, 40))))


@pytest.fixture(autouse=True)
def here(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project as working folder, and a folder for sockets that no other test uses; torch is not imported."""
    folder = tmp_path_factory.mktemp("k")
    monkeypatch.setattr(kept.tempfile, "gettempdir", lambda: str(folder))
    monkeypatch.setattr(kept, "STARTER", (sys.executable, "-c", f"{NO_TORCH}starter.main()"))
    monkeypatch.chdir(ROOT)
    return folder / f"gamut-{os.getuid()}"


@pytest.fixture
def dvc() -> Iterator[psutil.Process]:
    """What stands for `dvc repro`; when it ends, what was started for it does."""
    started = subprocess.Popen(["sleep", "600"])
    yield psutil.Process(started.pid)
    started.kill()
    started.wait()


def opened(dvc: psutil.Process, role_model: RoleModel = PIXELS, **endpoint: Any) -> kept.KeptModel:
    return kept.open_kept(role_model, Endpoint(**endpoint), {"id": "x"}, dvc)


def asked(model: kept.KeptModel) -> Reply:
    async def ask() -> Reply:
        first, second = await asyncio.gather(model.answer(SEEN), model.answer(SEEN))
        assert first == second
        await model.close()
        return first

    return asyncio.run(ask())


def gone(*processes: int) -> bool:
    """Whether these processes end within some seconds."""
    alive = [psutil.Process(number) for number in processes if psutil.pid_exists(number)]
    return not psutil.wait_procs(alive, timeout=20)[1]


def test_the_next_stage_finds_the_model_and_gets_the_same_answers(dvc: psutil.Process, here: Path) -> None:
    async def directly() -> Reply:
        model = opening.open_here(PIXELS, Endpoint())
        try:
            return await model.answer(SEEN)
        finally:
            await model.close()

    first = opened(dvc)
    starter = psutil.Process(first.process).ppid()
    assert asked(first) == asyncio.run(directly())
    second = opened(dvc)
    assert second.process == first.process and second.concurrency == first.concurrency
    assert here.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in here.iterdir() if path.is_socket()} == {0o600}
    other = opened(dvc, batch=3)  # two at once, as a pair of models is
    assert other.process != second.process and psutil.pid_exists(second.process)
    assert psutil.Process(other.process).ppid() == starter
    asked(second)
    asked(other)
    again = opened(dvc, batch=4)
    assert gone(second.process, other.process), "who opens a model lets go of those that nobody is connected to"
    dvc.kill()
    assert gone(again.process, starter), "nothing outlives dvc, connected or not"
    assert not list(here.glob("*.s*"))
    with pytest.raises(ModelDied, match=r"^image_embedder \(pixels\): the process of its model ended"):
        asked(again)


def test_a_process_that_is_killed_is_a_model_that_died(dvc: psutil.Process) -> None:
    async def ask(model: kept.KeptModel) -> None:
        await model.answer(SEEN)
        os.kill(model.process, signal.SIGKILL)
        await model.answer(SEEN)

    first = opened(dvc)
    with pytest.raises(ModelDied, match=r"ended \(out of memory\?\): run it again to go on$"):
        asyncio.run(ask(first))
    second = opened(dvc)
    assert second.process != first.process
    asked(second)
    kept.let_go()
    assert gone(second.process), "somebody wants the card"


def test_a_mistake_is_told_as_if_the_model_were_here(dvc: psutil.Process, tmp_path: Path, here: Path) -> None:
    pytest.importorskip("torch")  # what is missing is told first
    model = TransformersModel(kind="transformers", id="org/small", revision=40 * "a")
    for role in ("judge", "captioner"):
        with pytest.raises(UserError) as error:
            opened(dvc, RoleModel(role, "small", model), weights=str(tmp_path / "none"))
        assert str(error.value) == (
            f"{role} (small): there is no folder {tmp_path / 'none'}: mend run.toml, `[models.small] weights`"
        )
        assert not list(here.glob("*.sock")), "who comes next finds no process that has failed"
    said = {"error": "ModelDied", "name": "judge (small)", "text": "judge (small): the GPU failed"}
    told = kept.error_of("captioner (small)", said)
    assert isinstance(told, ModelDied) and str(told) == "captioner (small): the GPU failed"
    assert type(kept.error_of("x", said | {"error": "", "text": "Traceback …"})) is RuntimeError


def test_what_the_system_refuses_is_told_in_one_line(tmp_path: Path) -> None:
    with kept.listening_at(tmp_path / "here.sock") as listening:
        serving = model_process.Serving(PIXELS, Endpoint(), listening)
        full = serving.told(OSError(errno.ENOSPC, "No space left on device"))
        assert full["error"] == "UserError"
        assert full["text"] == "the disk is full: make room and run `dvc repro` again, what was answered is kept"
        ours = serving.told(OSError("a mistake of ours"))
        assert ours["error"] == "" and ours["text"].startswith("OSError: a mistake of ours")


def test_nobody_for_a_while_is_an_end(dvc: psutil.Process, monkeypatch: pytest.MonkeyPatch) -> None:
    impatient = f"{NO_TORCH}model_process.IDLE_SECONDS = 0.1; starter.main()"
    monkeypatch.setattr(kept, "STARTER", (sys.executable, "-c", impatient))
    model = opened(dvc)
    asked(model)
    assert gone(model.process)


def test_a_folder_that_others_can_write_to_is_refused(dvc: psutil.Process, here: Path) -> None:
    here.mkdir()
    here.chmod(0o770)
    with pytest.raises(UserError, match="is not yours alone: remove it, or let TMPDIR name another folder"):
        opened(dvc)


def test_a_folder_of_others_is_not_touched_when_models_are_let_go(here: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    here.symlink_to(tmp_path)
    kept.let_go()
    assert not list(tmp_path.iterdir()), "neither a lock nor a word to whoever listens there"


def test_code_that_has_changed_is_not_run_by_what_imported_it_before(
    dvc: psutil.Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = opened(dvc)
    starter = psutil.Process(first.process).ppid()
    monkeypatch.setattr(kept, "CODE", ROOT / "stages/asking")
    second = opened(dvc)
    assert psutil.Process(second.process).ppid() not in (starter, first.process)
    asked(first)
    asked(second)


def test_a_message_that_nobody_can_read_holds_neither_process_nor_stage(dvc: psutil.Process) -> None:
    async def wait(model: kept.KeptModel) -> None:
        connecting = asyncio.create_task(model.answer(SEEN))
        await asyncio.sleep(0)
        model.connection.sendall(b"\0\0\0\0\0\0\0\2[]")  # two bytes: JSON, and no request
        await connecting

    first = opened(dvc)
    with pytest.raises(ModelDied, match="the process of its model ended"):
        asyncio.run(wait(first))
    second = opened(dvc)
    assert second.process == first.process
    asked(second)
    kept.let_go()
    assert gone(first.process)


def test_a_stage_does_not_wait_for_what_it_could_not_read() -> None:
    async def ask(there: socket.socket, model: kept.KeptModel) -> None:
        answering = asyncio.create_task(model.answer(SEEN))
        await asyncio.to_thread(there.recv, 1)
        there.sendall(frames.framed([0, {"unknown": 1}]))
        with pytest.raises(ModelDied, match=r"^judge"), there:
            await asyncio.wait_for(answering, 20)

    here, there = socket.socketpair()
    asyncio.run(ask(there, kept.KeptModel("judge (small)", {}, 1, 0, here)))


def test_only_what_dvc_runs_keeps_models(monkeypatch: pytest.MonkeyPatch, dvc: psutil.Process) -> None:
    monkeypatch.delenv("DVC_STAGE", raising=False)
    assert kept.dvc_above() is None
    monkeypatch.setenv("DVC_STAGE", "examine")
    monkeypatch.setattr(psutil.Process, "parents", lambda self: [psutil.Process(), dvc])
    monkeypatch.setattr(
        psutil.Process, "cmdline", lambda self: ["python", "/bin/dvc", "repro"] if self == dvc else ["sh"]
    )
    assert kept.dvc_above() == dvc
    monkeypatch.setattr(kept.tempfile, "gettempdir", lambda: "/" + 80 * "x")
    assert kept.dvc_above() is None, "a socket has room for 107 bytes of its path"


@pytest.mark.parametrize(("engine", "found"), [("local", ["kept"]), ("ray", ["let go", "here"])])
def test_workers_of_a_cluster_open_models_themselves(
    monkeypatch: pytest.MonkeyPatch, engine: str, found: list[str]
) -> None:
    calls: list[str] = []
    monkeypatch.setattr(kept, "dvc_above", psutil.Process)
    for name, call in (("open_kept", "kept"), ("let_go", "let go")):
        monkeypatch.setattr(kept, name, lambda *_, call=call: calls.append(call))
    monkeypatch.setattr(opening, "open_here", lambda *_: calls.append("here"))
    model = TransformersModel(kind="transformers", id="org/small", revision=40 * "a")
    opening.open_model(RoleModel("judge", "small", model), Settings.model_validate({"engine": engine}))
    assert calls == found
