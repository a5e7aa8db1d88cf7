"""What the system refuses is told in one line, and a mistake of ours never is."""

from __future__ import annotations

import errno
import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gamut.project.errors import UserError, one_line_errors, system_refusal
from tests.paths import ROOT


def told(act: Callable[[], object]) -> str | None:
    """What is told of the error that an act raises."""
    with pytest.raises(OSError) as error:
        act()
    return system_refusal(error.value)


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("act", "line"),
    [
        (lambda: io.FileIO("gone"), "gone: no such file or folder: put it there"),
        (lambda: io.FileIO("folder"), "folder: there is a folder where a file is expected: move it away"),
        (lambda: io.FileIO("file/a/b"), "file: there is a file where a folder is expected: move it away"),
        (lambda: Path("file").mkdir(exist_ok=True), "file: there is a file where a folder is expected: move it away"),
        (lambda: Path("new").rename("full"), "full: its content cannot be removed: fix the owner or mode"),
        (lambda: io.FileIO("circle"), "circle: links lead in a circle: remove them"),
        (lambda: io.FileIO(b"caf\xe9"), "'caf\\udce9': no such file or folder: put it there"),
    ],
)
def test_what_the_system_refuses(act: Callable[[], object], line: str) -> None:
    for folder in ("folder", "new", "full/a"):
        Path(folder).mkdir(parents=True)
    Path("file").touch()
    Path("circle").symlink_to("circle")
    assert told(act) == line


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (PermissionError(errno.EACCES, "no", "x/y"), "x/y: no permission: fix its owner or mode"),
        (PermissionError(errno.EPERM, "no", "a", None, "b"), "b: no permission: fix its owner or mode"),
        (OSError(errno.ENOSPC, "full", "x"), "the disk is full while writing x: make room"),
        (OSError(errno.EMFILE, "many", "x"), "too many files are open: raise the limit (`ulimit -n`)"),
        (PermissionError(errno.EACCES, "no"), None),
        (FileNotFoundError(errno.ENOENT, "no", 3), None),
        (OSError(errno.EINVAL, "no", "x"), None),
    ],
)
def test_what_a_person_can_mend(error: OSError, line: str | None) -> None:
    assert system_refusal(error) == line


def ended(error: BaseException) -> object:
    """The exit that a command which raises this error ends with."""

    def command() -> None:
        raise error

    with pytest.raises(SystemExit) as end:
        one_line_errors(command)()
    return end.value.code


def test_ends_of_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(UserError("one\ntwo")) == "one\ntwo"
    assert ended(UserError("\x1b[2Ja\u202eb.png: twice")) == " a b.png: twice"  # a file's name obeys nobody
    assert ended(PermissionError(errno.EACCES, "no", "x")) == "x: no permission: fix its owner or mode"
    assert (ended(KeyboardInterrupt()), capsys.readouterr()) == (130, ("", "stopped\n"))
    assert ended(SystemExit(7)) == 7


@pytest.mark.parametrize(
    "error", [OSError(errno.EACCES, "no"), BrokenPipeError(errno.EPIPE, "a socket's"), KeyError("x")]
)
def test_a_mistake_of_ours_is_not_hidden(error: Exception) -> None:
    with pytest.raises(type(error)) as found:
        ended(error)
    assert found.value is error


COMMAND = """
import sys
from gamut.project.errors import UserError, one_line_errors
@one_line_errors
def command():
    print("caf\\u00e9 \\u2192 1")
    print("x\\n" * 100_000 if "long" in sys.argv else "x")
    if "wrong" in sys.argv:
        raise UserError("wrong")
command()
"""


def run(*words: str, stdout: int, **environment: str) -> subprocess.CompletedProcess[bytes]:
    environment = (
        os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "PYTHONUNBUFFERED": ""} | environment
    )
    return subprocess.run([sys.executable, "-c", COMMAND, *words], stdout=stdout, stderr=-1, env=environment)


@pytest.mark.parametrize(
    ("word", "code", "said"),
    [("short", 128 + signal.SIGPIPE, b""), ("long", 128 + signal.SIGPIPE, b""), ("wrong", 1, b"wrong\n")],
)
def test_who_stops_reading_hears_nothing_more(word: str, code: int, said: bytes) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = run(word, stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (code, said)


def test_a_terminal_that_cannot_show_a_sign_shows_its_number() -> None:
    done = run("short", stdout=-1, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stdout) == (0, b"caf\\xe9 \\u2192 1\nx\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_a_full_disk_behind_the_output_is_said() -> None:
    with open("/dev/full", "wb") as full:
        done = run("short", stdout=full.fileno())
    assert (done.returncode, done.stderr) == (1, b"the disk is full: make room\n")
