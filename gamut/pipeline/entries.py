"""A stage of a dvc.yaml as a record, and the text of the file that `gamut pipeline` writes from such records.

The text is plain DVC that people read: a comment and a few short lines a stage.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

WIDTH = 132
HEADER = "# Written by `gamut pipeline` from "
UNCACHED = {"cache": False}
"""Options of an output that is kept in git."""
PERSISTED = {"persist": True}
"""Options of an output that DVC does not delete before its stage runs."""
Out = str | Mapping[str, Mapping[str, bool]]


class Entry(NamedTuple):
    """One stage, or the cells of its `matrix` (each axis a list, or `${key}` of params.yaml).

    `command` follows `python -m`. `code` and `data` are its dependencies. `params`: keys of params.yaml, or of another
    file as {file: [keys]}. `remark`: the comment above it.
    """

    name: str
    command: str
    code: Sequence[str] = ()
    data: Sequence[str] = ()
    params: Sequence[str | Mapping[str, Sequence[str]]] = ()
    outs: Sequence[Out] = ()
    metrics: Sequence[Out] = ()
    matrix: Mapping[str, str | Sequence[str]] | None = None
    remark: str = ""

    def values(self, file: Path) -> dict[str, Any]:
        """Return the entry as DVC reads it from `file`, a path from the project's root."""
        whole: dict[str, Any] = {}
        if above := len(file.parts) - 1:
            whole["wdir"] = str(PurePosixPath(*[".."] * above))
        if self.matrix is not None:
            whole["matrix"] = {axis: plain_values(values) for axis, values in self.matrix.items()}
        whole["cmd"] = f"python -m {self.command}"
        whole["deps"] = [*self.code, *self.data]
        for key in ("params", "outs", "metrics"):
            if listed := getattr(self, key):
                whole[key] = [plain_values(one) for one in listed]
        return whole


def plain_values(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: plain_values(one) for key, one in value.items()}
    return value if isinstance(value, str) or not isinstance(value, Sequence) else [plain_values(one) for one in value]


def uncached_output(path: str) -> Out:
    return {path: UNCACHED}


def dvc_yaml_text(
    file: Path,
    source: str,
    introduction: str,
    entries: Iterable[Entry],
    plots: Sequence[Mapping[str, Any]] = (),
    values: Sequence[str] = (),
) -> str:
    """Return a dvc.yaml. `introduction` begins it; `${…}` may also name keys of the files `values` in its folder."""
    lines = [f"{HEADER}{source}: edit that, and run it again.", *(f"# {line}" for line in introduction.splitlines())]
    if above := len(file.parts) - 1:
        named = [str(PurePosixPath(*[".."] * above, "params.yaml")), *values]
        lines.append(f"vars: [{', '.join(named)}]")
    lines.append("stages:")
    for entry in entries:
        lines += [f"  # {line}" for line in entry.remark.splitlines()]
        lines += stage_lines(entry.name, entry.values(file))
    if plots:
        lines += ["plots:", *(line for plot in plots for line in flow_lines("", "-", plot))]
    text = "\n".join(lines) + "\n"
    wanted = {entry.name: entry.values(file) for entry in entries}
    assert dict(read_dvc_yaml(text)["stages"]) == wanted, f"{file} would not read as its records say"
    return text


def stage_lines(name: str, whole: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a stage; dependencies come last, one to a line."""
    *lines, last = flow_lines("  ", f"{name}:", {key: value for key, value in whole.items() if key != "deps"})
    *deps, end = flow_lines("    ", "deps:", whole["deps"])
    yield from [*lines, f"{last.removesuffix('}')},", *deps, f"{end}}}"]


def read_dvc_yaml(text: str) -> Any:
    """Read a dvc.yaml. Raise ValueError if it is not YAML."""
    try:
        return YAML(typ="safe").load(io.StringIO(text))
    except YAMLError as error:
        raise ValueError(str(error)) from None


def flow_lines(indent: str, start: str, value: Any) -> Iterator[str]:
    """Yield the lines of one value in brackets, broken between its elements where one line is too short."""
    line = f"{indent}{start}"
    for token in tokens(value):
        if len(line) + 1 + len(token) > WIDTH and line.strip() != start:
            yield line
            line = f"{indent}  {token}"
        else:
            line += f" {token}"
    yield line


def tokens(value: Any, before: str = "", after: str = "") -> Iterator[str]:
    """Yield the pieces between which a line may be broken."""
    if isinstance(value, Mapping):
        pairs = list(value.items())
        for number, (key, one) in enumerate(pairs):
            first, last = before + "{" if number == 0 else "", "}" + after if number == len(pairs) - 1 else ","
            yield from tokens(one, f"{first}{scalar(key)}: ", last)
        if not pairs:
            yield before + "{}" + after
    elif isinstance(value, list | tuple):
        for number, one in enumerate(value):
            first, last = before + "[" if number == 0 else "", "]" + after if number == len(value) - 1 else ","
            yield from tokens(one, first, last)
        if not value:
            yield f"{before}[]{after}"
    else:
        yield f"{before}{scalar(value)}{after}"


PLAIN_SCALAR = re.compile(r"[A-Za-z_./][\w./@ -]*[\w./@-]|[A-Za-z_./]")
WORDS = {"true", "false", "null", "yes", "no", "on", "off"}


def scalar(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    if not isinstance(value, str) or (PLAIN_SCALAR.fullmatch(text) and text.lower() not in WORDS):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
