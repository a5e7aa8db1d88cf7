"""The process of a Python file: this module, run as a program. It opens the file once, then answers the messages of a
pipe until the pipe closes. A message is a bundle (`asking.parts`) whose first part is JSON.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import orjson
from PIL import Image

from gamut.asking.parts import bundle, unbundle
from gamut.project.errors import UserError, nearest_choice
from gamut.project.plain_text import shorten_to_line
from gamut.tables.images import as_png, upright_rgb

MOST_SAID = 300  # characters of an exception's message
START = Path.cwd()  # a file may change the folder
Head = dict[str, Any]
Parts = Sequence[str | bytes]


def send(pipe: Connection, head: Head, parts: Parts = ()) -> None:
    pipe.send_bytes(bundle([json.dumps(head), *parts]))


def receive(pipe: Connection) -> tuple[Head, Parts]:
    """Receive a message. Raise EOFError or OSError if the other process has ended."""
    head, *parts = unbundle(pipe.recv_bytes()).parts
    return json.loads(head), parts


def load(file: Path, name: str, takes: Sequence[str]) -> Callable[..., Any]:
    """Return a function of a file, which is imported under its own name, with its folder first on the path."""
    sys.path.insert(0, str(file.parent.absolute()))
    spec = importlib.util.spec_from_file_location(file.stem, file.absolute())
    assert spec is not None and spec.loader is not None
    sys.modules[file.stem] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = getattr(module, name, None)
    if not callable(found):
        functions = [one for one, value in vars(module).items() if inspect.isfunction(value)]
        raise UserError(f"{file} has no function {name!r}{nearest_choice(name, functions)} (docs/models.md)")
    try:
        inspect.signature(found).bind(*takes)
    except TypeError:
        line = getattr(getattr(inspect.unwrap(found), "__code__", None), "co_firstlineno", 1)
        raise UserError(
            f"{file}, line {line}: {name}{inspect.signature(found)} cannot be called as {name}({', '.join(takes)})"
        ) from None
    return found


def failure_words(error: BaseException, file: Path) -> str:
    """Return the origin of an exception, its last line in the file or its folder, and its message."""
    if isinstance(error, UserError):
        return str(error)
    frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    frames += [(error.filename or "", error.lineno)] if isinstance(error, SyntaxError) else []
    own = [(path, line) for path, line in frames if Path(path).is_relative_to(START / file.parent)]
    where = f"{os.path.relpath(own[-1][0], START)}, line {own[-1][1]}" if own else file
    message = shorten_to_line(error.msg if isinstance(error, SyntaxError) else str(error), MOST_SAID)
    return f"{where}: {type(error).__name__}{f': {message}' if message else ''}"


def answer_call(function: Callable[..., Any], file: Path, head: Head, parts: Parts) -> tuple[Head, Parts]:
    """Call the function for one request. The head is empty if it answered, else it says how the reply ends and why."""
    try:
        given = [part if isinstance(part, str) else upright_rgb(part) for part in parts]
    except ValueError as error:
        return {"finish": "invalid", "why": f"the picture {error}"}, ()
    answers = "wants" in head
    try:
        if answers:
            value = function(given, tuple(head["wants"]), tuple(head["size"]), head["seed"])
        else:
            value = function(*given, *head.values())
    except Exception as error:  # the item's own failure; the file goes on
        traceback.print_exc()
        return {"finish": "transport_error", "why": failure_words(error, file)}, ()
    try:
        return {}, returned_parts(value) if answers else [returned_json(value)]
    except (TypeError, ValueError, OSError) as error:
        return {"finish": "missing", "why": f"it returned {shorten_to_line(str(error), MOST_SAID)}"}, ()


def returned_parts(value: Any) -> list[str | bytes]:
    """Return texts and pictures in order, pictures as PNG. Raise TypeError for other values, or an empty list."""
    parts = list(value) if isinstance(value, list | tuple) else [value]
    odd = [type(part).__name__ for part in parts if not isinstance(part, str | Image.Image)]
    if odd or not parts:
        what = odd[0] if odd else "an empty list"
        raise TypeError(f"{what}; texts (str) and pictures (PIL.Image.Image) are expected")
    return [
        part.encode(errors="replace").decode()
        if isinstance(part, str)
        else as_png(part.convert("RGBA" if part.has_transparency_data else "RGB"))
        for part in parts
    ]


def returned_json(value: Any) -> str:
    """Return JSON in which arrays, tensors and named tuples are lists."""

    def as_list(odd: Any) -> Any:
        return odd.tolist() if hasattr(odd, "tolist") else list(odd)

    return orjson.dumps(value, default=as_list, option=orjson.OPT_SERIALIZE_NUMPY).decode()


def serve(pipe: Connection, file: Path, name: str, takes: Sequence[str]) -> None:
    """Report that the file is open, or why it is not, then answer. Processes that it starts do not get the pipe."""
    os.set_inheritable(pipe.fileno(), False)
    os.register_at_fork(after_in_child=pipe.close)  # otherwise the pipe stays open until that process ends
    try:
        function = load(file, name, takes)
    except (Exception, SystemExit) as error:
        traceback.print_exc()
        return send(pipe, {"why": failure_words(error, file)})
    send(pipe, {})
    while True:
        try:
            head, parts = receive(pipe)
        except (EOFError, OSError):
            return
        send(pipe, *answer_call(function, file, head, parts))


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])), Path(sys.argv[2]), sys.argv[3], sys.argv[4:])
