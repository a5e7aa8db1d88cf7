"""The process of a Python file, this module run as a program: opens the file once, then answers what comes through a
socket until that ends.

A frame is the length of a bundle (`asking.parts`) in 8 bytes, and the bundle, whose first part is JSON.
"""

from __future__ import annotations

import importlib.util
import inspect
import io
import json
import os
import socket
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson
from PIL import Image

from gamut.asking.parts import bundle, unbundle
from gamut.project.errors import UserError, nearest_choice
from gamut.project.plain_text import shorten_to_line
from gamut.tables.images import as_png, upright_rgb

LENGTH = 8  # bytes of a frame's length, little-endian
MOST_SAID = 300  # characters of an exception's message
AS_PNG = ("1", "L", "LA", "P", "RGB", "RGBA")
"""Modes of Pillow's pictures that a PNG keeps as they are."""
Stream = io.BufferedRWPair
Head = dict[str, Any]
Parts = Sequence[str | bytes]


def send(stream: Stream, head: Head, parts: Parts = ()) -> None:
    content = bundle([json.dumps(head), *parts])
    stream.write(len(content).to_bytes(LENGTH, "little") + content)
    stream.flush()


def receive(stream: Stream) -> tuple[Head, Parts] | None:
    """Return the next frame; None where the other side has ended."""
    try:
        size = stream.read(LENGTH)
        content = stream.read(int.from_bytes(size, "little"))
    except ConnectionResetError:
        return None
    if len(size) < LENGTH or len(content) < int.from_bytes(size, "little"):
        return None
    head, *parts = unbundle(content).parts
    return json.loads(head), parts


def load(file: Path, name: str, takes: Sequence[str]) -> Callable[..., Any]:
    """Return a function of a file, which is imported as a module of its name, its folder before others on the path."""
    sys.path.insert(0, str(file.parent.absolute()))
    spec = importlib.util.spec_from_file_location(file.stem, file.absolute())
    assert spec is not None and spec.loader is not None
    sys.modules[file.stem] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = getattr(module, name, None)
    if not callable(found):
        functions = [one for one, value in vars(module).items() if inspect.isfunction(value)]
        raise UserError(f"{file} has no function {name!r}{nearest_choice(name, functions)}")
    try:
        inspect.signature(found).bind(*takes)
    except TypeError:
        line = getattr(getattr(inspect.unwrap(found), "__code__", None), "co_firstlineno", 1)
        raise UserError(
            f"{file}, line {line}: {name}{inspect.signature(found)} cannot be called as {name}({', '.join(takes)})"
        ) from None
    function: Callable[..., Any] = found
    return function


def failure_words(error: BaseException, file: Path) -> str:
    """Return where an exception comes from, the last line in the file or beside it, and what it says."""
    if isinstance(error, UserError):
        return str(error)
    frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    frames += [(error.filename or "", error.lineno)] if isinstance(error, SyntaxError) else []
    own = [(path, line) for path, line in frames if Path(path).is_relative_to(file.parent.absolute())]
    path, line = own[-1] if own else (file, None)
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    said = f": {shorten_to_line(message, MOST_SAID)}" if message.strip() else ""
    return f"{os.path.relpath(path)}{f', line {line}' if line else ''}: {type(error).__name__}{said}"


def answer_call(function: Callable[..., Any], file: Path, head: Head, parts: Parts) -> tuple[Head, Parts]:
    """Call a function about one request. The head of what it returned is empty; else it says under `failed` that it
    raised an exception, under `unfit` what it returned that is no answer, under `invalid` which picture is none.
    """
    try:
        given = [part if isinstance(part, str) else upright_rgb(part) for part in parts]
    except ValueError as error:
        return {"invalid": f"the picture {error}"}, ()
    answers = "wants" in head
    try:
        if answers:
            value = function(given, tuple(head["wants"]), tuple(head["size"]), head["seed"])
        else:
            value = function(*given, *head.values())
    except Exception as error:  # the item's own failure; the file goes on
        traceback.print_exc()
        return {"failed": clean_text(failure_words(error, file))}, ()
    try:
        return {}, returned_parts(value) if answers else [returned_json(value)]
    except (TypeError, ValueError, OSError) as error:
        return {"unfit": clean_text(shorten_to_line(str(error), MOST_SAID))}, ()


def returned_parts(value: Any) -> list[str | bytes]:
    """Return texts and pictures in order, pictures as PNG; TypeError for what is neither, and for none."""
    parts = list(value) if isinstance(value, list | tuple) else [value]
    if odd := [type(part).__name__ for part in parts if not isinstance(part, str | Image.Image)]:
        raise TypeError(f"it returned {odd[0]}; texts (str) and pictures (PIL.Image.Image) are wanted")
    if not parts:
        raise TypeError("it returned an empty list; texts and pictures are wanted")
    return [
        clean_text(part) if isinstance(part, str) else as_png(part if part.mode in AS_PNG else part.convert("RGB"))
        for part in parts
    ]


def returned_json(value: Any) -> str:
    return orjson.dumps(value, default=plain_value, option=orjson.OPT_SERIALIZE_NUMPY).decode()


def plain_value(value: Any) -> Any:
    """Return numbers of a tensor, or the fields of a named tuple."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, tuple):
        return list(value)
    raise TypeError


def clean_text(text: str) -> str:
    return text.encode(errors="replace").decode()


def serve(channel: int, file: Path, name: str, takes: Sequence[str]) -> None:
    """Say that the file is open, or why it cannot be, then answer; what it starts itself does not get the socket."""
    os.set_inheritable(channel, False)
    stream = socket.socket(fileno=channel).makefile("rwb")
    try:
        function = load(file, name, takes)
    except (Exception, SystemExit) as error:
        traceback.print_exc()
        return send(stream, {"failed": clean_text(failure_words(error, file))})
    send(stream, {})
    while (call := receive(stream)) is not None:
        send(stream, *answer_call(function, file, *call))


if __name__ == "__main__":
    serve(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4:])
