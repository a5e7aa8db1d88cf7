"""Files that this process opens and folders that it lists, and the modules that it imports.

Python tells of its own (audit events). Arrow, OpenCV and FreeType open files in C++: here the functions are wrapped by
which they are told of one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

from records import ROOT, change_module, mark_as_check, record

WRAPPED = {
    "pyarrow": ("memory_map", "OSFile", "input_stream"),
    "pyarrow.parquet.core": ("ParquetFile", "ParquetDataset"),
    "pyarrow.dataset": ("dataset",),
    "pyarrow.csv": ("read_csv", "open_csv"),
    "cv2": ("imread", "imreadmulti", "VideoCapture", "FileStorage"),
    "PIL.ImageFont": ("FreeTypeFont",),
    "onnxruntime": ("InferenceSession",),
}
"""What opens files in C++, by module: the first argument is a path, or something that is open already."""


def trace() -> None:
    for module, names in WRAPPED.items():
        change_module(module, wrap_names(names))
    change_module("gamut.project.stage", at_start_and_end)
    sys.addaudithook(hear_event)


def hear_event(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, _, flags = arguments
        removed = sys._getframe(1).f_code.co_name.startswith("_rmtree")  # opens a folder by its name in the one above
        if flags & os.O_ACCMODE != os.O_WRONLY and not flags & os.O_TRUNC and not removed:
            record_file(path)
    elif event in ("os.listdir", "os.scandir"):
        record_path("folder", "." if arguments[0] is None else arguments[0])
    elif event == "sqlite3.connect":
        record_file(arguments[0])
    elif event == "import" and arguments[0].startswith(("gamut.", "stages.")):
        record("code", arguments[0])


def record_file(path: Any) -> None:
    if not isinstance(path, int):
        record_path("file", path)


def record_path(kind: str, path: Any) -> None:
    """Record what lies in the project, as a path from there."""
    try:
        whole = os.path.normpath(os.path.join(ROOT, os.fsdecode(path)))
    except TypeError:
        if not isinstance(path, int):
            return
        whole = os.readlink(f"/proc/self/fd/{path}")
    if not whole.startswith(f"{ROOT}/") or whole.endswith((".pyc", "/__pycache__")):
        return
    if "datasets/edition" in whole and is_of_the_world():
        kind = f"world's {kind}"
    flushed = kind == "file" and os.path.isdir(whole)  # as a folder is opened for nothing else
    record("flushed folder" if flushed else kind, whole[len(ROOT) + 1 :])


def is_of_the_world() -> bool:
    """Whether it is the embedded world that reads: it knows what is right of the items of frozen editions."""
    frame = sys._getframe()
    while frame and not frame.f_globals.get("__name__", "").startswith("gamut.world"):
        frame = frame.f_back  # type: ignore[assignment]
    return frame is not None


def wrap_names(names: tuple[str, ...]) -> Callable[[Any], None]:
    def wrap(module: Any) -> None:
        for name in names:
            original = getattr(module, name)
            setattr(module, name, (wrap_class if isinstance(original, type) else wrap_function)(original))

    return wrap


def wrap_function(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def told(*given: Any, **named: Any) -> Any:
        record_source(*given, **named)
        return function(*given, **named)

    return told


def wrap_class(kind: type) -> type:
    """A class of the same name that tells of what it is made with."""

    def __init__(self: Any, *given: Any, **named: Any) -> None:
        record_source(*given, **named)
        if kind.__init__ is not object.__init__:  # type: ignore[misc]  # as classes of Cython have it
            kind.__init__(self, *given, **named)  # type: ignore[misc]

    return type(kind.__name__, (kind,), {"__init__": __init__, "__module__": kind.__module__})


def record_source(*given: Any, **named: Any) -> None:
    source, *rest = [*given, *named.values()] or [None]
    writes = any(isinstance(one, str) and one in ("w", "wb") for one in rest)
    if isinstance(source, str | bytes | os.PathLike) and not writes:
        record_file(source)


def at_start_and_end(stage: Any) -> None:
    """A stage looks at all that it declares when it starts and when it ends: that is no reading of it."""
    inputs = stage.inputs

    def of_all(declared: Any) -> Any:
        with mark_as_check():
            return inputs(declared)

    stage.inputs = of_all
