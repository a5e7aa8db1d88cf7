"""Logs of people's decisions, one line each: `datasets/decisions/<reviewer>/<task>.jsonl`, in git.

Lines are only appended, and a line is on the disk before the page reports it as saved. The last line about a thing
counts; an empty decision takes back the one before. A process killed in the middle of a line loses only that line.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import re
import subprocess
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field, ValidationError

from gamut.project.csv_forms import refuse_lines
from gamut.project.errors import UserError, in_one_line
from gamut.project.git import git_output
from gamut.project.inputs import repeated_keys
from gamut.project.validation import Strict

FOLDER = Path("datasets/decisions")
LONGEST_NAME = 64
"""Characters of a reviewer's name."""
Choice = TypeVar("Choice", bound=Hashable)


class Decision(Strict):
    """One person's decision about one thing. Its `round` is 1 if it was shown again, `about` is a digest of what
    was shown. The `decision` is such as `accept` or a score; empty takes it back. A rewrite has `texts` by name.
    """

    id: Annotated[str, Field(min_length=1)]
    round: Annotated[int, Field(ge=0)] = 0
    about: str = ""
    decision: str
    texts: dict[str, str] = Field(default_factory=dict)
    remark: str = ""

    @property
    def key(self) -> tuple[str, int]:
        return self.id, self.round


Decisions = Mapping[tuple[str, int], Decision]
"""One person's last decisions, by thing and round."""


def reviewer_name(name: str | None) -> str:
    """Return the folder name of a person (None: git's `user.name`): small letters and digits, `-` for other signs."""
    if name is None:
        try:
            name = git_output("config", "user.name")
        except (subprocess.CalledProcessError, FileNotFoundError):
            raise UserError("git has no user.name: give your name as --reviewer NAME") from None
    plain = re.sub(r"\W+", "-", unicodedata.normalize("NFKC", name).casefold()).strip("-_")
    if not plain or len(plain) > LONGEST_NAME:
        raise UserError(
            f"--reviewer {in_one_line(name)!r}: a name of 1 to {LONGEST_NAME} letters or digits is expected"
        )
    return plain


def digest_of(shown: Any) -> str:
    """Return 16 hexadecimal digits for `about`; `shown` has to be JSON values."""
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:16]


def path_of(reviewer: str, task: str) -> Path:
    return FOLDER / reviewer / f"{task}.jsonl"


def read_decisions(task: str) -> dict[str, Decisions]:
    logs = {path.parent.name: last_decisions(read_log(path)) for path in sorted(FOLDER.glob(f"*/{task}.jsonl"))}
    return {reviewer: found for reviewer, found in logs.items() if found}


def last_decisions(decisions: Iterable[Decision]) -> Decisions:
    """Return the last decision about each thing and round, without those taken back, in order of first decisions."""
    found = {one.key: one for one in decisions}
    return {key: one for key, one in found.items() if one.decision}


def refuse_decisions(path: Path, mistakes: Mapping[tuple[str, int], str]) -> None:
    if mistakes:
        lines = {one.key: number for number, one in enumerate(read_log(path), start=1)}
        refuse_lines(path, sorted((lines[key], words) for key, words in mistakes.items()))


def majority(choices: Iterable[Choice]) -> Choice | None:
    """Return the most frequent choice; None if there is no choice, or a tie."""
    counts = Counter(choices).most_common(2)
    divided = len(counts) == 2 and counts[0][1] == counts[1][1]
    return counts[0][0] if counts and not divided else None


def read_log(path: Path) -> list[Decision]:
    found, mistakes = [], []
    for number, line in enumerate(whole_lines(require_log_file(path).read_bytes()).splitlines(), start=1):
        try:
            if twice := repeated_keys(line):
                raise ValueError(f"{twice[0]!r} occurs twice")
            found.append(Decision.model_validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            mistakes.append((number, f"not a decision: {where + ': ' if where else ''}{in_one_line(first['msg'])}"))
        except ValueError as mistake:
            mistakes.append((number, str(mistake)))
    refuse_lines(path, mistakes)
    return found


def require_log_file(path: Path) -> Path:
    """Raise UserError if it is a link, with which one person could decide twice, or not a file."""
    for one in (path.parent, path):
        if one.is_symlink():
            raise UserError(f"{in_one_line(one)}: is a link: put the file or folder itself there")
    if not path.is_file() and path.exists():
        raise UserError(f"{in_one_line(path)} is a folder or pipe, but a log is expected")
    return path


def leads_to(path: Path, file: int) -> bool:
    """Return whether a path leads to this open file, and not to one that replaced it."""
    try:
        return os.path.samestat(os.lstat(path), os.fstat(file))
    except FileNotFoundError:
        return False


def whole_lines(data: bytes) -> bytes:
    """Return a log without the half of a line that a killed run left at its end. A complete last line is ended."""
    end = data.rfind(b"\n") + 1
    try:
        json.loads(data[end:])  # half of an object is not JSON
    except (ValueError, RecursionError):
        return data[:end]
    return data + b"\n"


class Log:
    """The open log of one person's decisions in one task. `said` are the last decisions."""

    def __init__(self, path: Path, file: int) -> None:
        self.path, self.file = path, file
        data = path.read_bytes()
        whole = whole_lines(data)
        self.size = len(whole)
        os.ftruncate(file, min(self.size, len(data)))
        os.write(file, whole[len(data) :])
        self.said = dict(last_decisions(read_log(path)))

    def add(self, decision: Decision) -> None:
        """Write a decision to the disk. On OSError the log stays as it was. Raise UserError if others changed it."""
        if not leads_to(self.path, self.file) or os.fstat(self.file).st_size != self.size:
            raise UserError(f"{self.path} was changed meanwhile, perhaps by git or an editor: end this and start again")
        line = f"{decision.model_dump_json(exclude_defaults=True)}\n".encode()
        try:
            if os.write(self.file, line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
            os.fsync(self.file)
        except OSError:
            os.ftruncate(self.file, self.size)
            raise
        self.size += len(line)
        if decision.decision:
            self.said[decision.key] = decision
        else:
            self.said.pop(decision.key, None)


@contextmanager
def open_log(reviewer: str, task: str) -> Iterator[Log]:
    """Open a log exclusively. Raise UserError if another process has it open, or for mistakes in it."""
    path = require_log_file(path_of(reviewer, task))
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not leads_to(path, file):  # another process has just removed it, because it was empty
                raise BlockingIOError
        except BlockingIOError:
            raise UserError(f"{path} is open in another run: end that run first, or use another --reviewer") from None
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # or the file itself may be gone when the power fails
        finally:
            os.close(folder)
        yield Log(path, file)
        if leads_to(path, file) and not os.fstat(file).st_size:
            path.unlink()
    finally:
        os.close(file)
