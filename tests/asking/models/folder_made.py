"""Answers that were made elsewhere, in the folder `made` of a project, and how they are asked for."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from stages.asking.models.folder import FolderModel
from stages.asking.models.weights import digest
from stages.asking.requests import Create, Modality, Paint, Reply, Request
from stages.project.errors import UserError
from stages.project.model_kinds import FolderModel as Parameters
from tests.fakes import jpeg

RED, BLUE = jpeg("red"), jpeg("blue")
UNPINNED = "sha256-" + "0" * 64


def write(file: str, content: str, **pictures: bytes) -> None:
    """Write a file below `made`, and JPEGs; `__` in a name stands for a slash."""
    contents = {file: content.encode()} | {f"{name.replace('__', '/')}.jpg": data for name, data in pictures.items()}
    for name, data in contents.items():
        path = Path("made", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def parameters(revision: str | None = None) -> Parameters:
    return Parameters(kind="folder", path="made", revision=revision or digest(Path("made")))


def open_it(revision: str | None = None) -> FolderModel:
    return FolderModel("painter (made)", parameters(revision))


def answer(request: Request) -> Reply:
    return asyncio.run(open_it().answer(request))


def painted(prompt: str, record: str, sample: int = 0) -> Reply:
    return answer(Paint(prompt, 64, 64, seed=1, sample=sample, record=record))


def created(record: str, *modalities: Modality, sample: int = 0) -> Reply:
    wanted = modalities or ("text", "image")
    return answer(Create(("Tell and draw.",), wanted, 64, 64, seed=1, sample=sample, record=record))


def reason(reply: Reply) -> str:
    """Why there is no answer."""
    assert reply.finish == "missing"
    return reply.content.decode()


def refused(revision: str = UNPINNED) -> str:
    """The one line with which the folder is refused."""
    with pytest.raises(UserError) as error:
        open_it(revision)
    said = str(error.value)
    assert said.startswith("painter (made): ") and "\n" not in said
    return said
