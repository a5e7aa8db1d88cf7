"""What is handed in: nothing is waited for without end, no link is followed round and round."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from gamut.project.errors import UserError
from gamut.project.inputs import files_below, regular_file, repeated_keys


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("kind", ["fifo", "socket", "device", "link to a fifo"])
def test_what_may_have_no_end_is_not_opened(kind: str) -> None:
    path = Path("x")
    if kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("x")
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        os.mkfifo("pipe" if "link" in kind else "x")
        if "link" in kind:
            path.symlink_to("pipe")
    with pytest.raises(UserError, match=r"^x: is a FIFO, socket or device: put a file there$"):
        regular_file(path)


@pytest.mark.parametrize(
    ("link", "to"),
    [
        ("top/again", "."),
        ("top/a/up", "../.."),
        ("top/a/to_b", "../b"),
        ("top/a/out", "../../outside"),
    ],
)
def test_a_circle_of_links_is_said(project: Path, link: str, to: str) -> None:
    for folder in ("top/a", "top/b", "outside"):
        Path(folder).mkdir(parents=True)
        Path(folder, "file").touch()
    Path("top/b/to_a").symlink_to("../a") if "to_b" in link else None
    Path("outside/back").symlink_to("../top") if "out" in link else None
    Path(link).symlink_to(to)
    for top in (Path("top"), project / "top"):
        with pytest.raises(UserError, match=r"^\S*top/\S+ is a link to a folder that contains it: remove it$"):
            list(files_below(top))


@pytest.mark.usefixtures("project")
def test_links_that_lead_elsewhere_are_followed() -> None:
    Path("top/a").mkdir(parents=True)
    Path("top/a/file").touch()
    Path("top/b").symlink_to("a")
    Path("also").symlink_to("top")
    assert [str(path) for path in files_below(Path("also"))] == ["also/a/file", "also/b/file"]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('{"a": 1, "b": 2}', []),
        ('{"a": 1, "a": 1}', ["a"]),
        ('{"a": 1, "\\u0061": 2}', ["a"]),
        (b'{"x": {"a": 1, "a": 2}, "y": 1, "y": 2}', ["a", "y"]),
        ('{"x": {"a": 1}, "y": {"a": 2}}', []),
        ("no JSON", []),
        ("[" * 100_000, []),
    ],
)
def test_repeated_keys(text: str | bytes, keys: list[str]) -> None:
    assert repeated_keys(text) == keys
