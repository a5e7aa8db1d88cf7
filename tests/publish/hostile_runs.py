"""Commands that speak to a hostile Hub, and what must hold whatever it answers: one line, or the right thing."""

from __future__ import annotations

import contextlib
import copy
import functools
import io
import json
import os
import shutil
import ssl
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pyarrow as pa

from stages.dataset.shared.joins import PROVENANCE, RELEASE
from stages.project.files import sha256_of
from stages.publish import client, commands, content, products, protocol, publishing, troubles
from stages.publish.parameters import load_everything
from stages.tables.writing import TableWriter
from tests import fakes
from tests.hub import state
from tests.hub.answers import Response
from tests.hub.client import client_here
from tests.hub.hostile import Case, HostileHub, cases
from tests.hub.server import WRITER, Hub
from tests.publish import edition_project, small_version
from tests.publish.bare_version import REPO
from tests.publish.edition_project import REPO as BENCH

SECRET = "what nobody may read"
LONGEST_WAIT, LONGEST_LINE, LONGEST_RUN = 1_000, 1_500, 20
MOST_TAKEN = 2**24
"""Of the bytes behind an answer's end: what the system takes in before anybody reads it is among them."""
SCHEMA = pa.schema([("id", pa.string()), ("score", pa.int64())])
UNTRACKED = (".store/", ".dvc/tmp/", ".git/")
MAY_CHANGE = (
    "datasets/release/",
    "datasets/provenance/",
    "datasets/published/",
    "datasets/editions/prism/other.jsonl",
    *UNTRACKED,
)


@dataclass(frozen=True)
class Command:
    """What somebody types: the Hub's state before it, and what it may have left in the project."""

    state: str
    run: Callable[[], None]


COMMANDS = {
    "fetch": Command("published", lambda: commands.fetch(f"{REPO}@v0.1.0")),
    "fetch an edition": Command("published", lambda: commands.fetch("somebody/other@v0.1.0")),
    "diff": Command("published", lambda: commands.diff("v0.1.0", "v0.2.0", "dataset", False)),
    "dry run": Command("empty", lambda: commands.publish("prism", dry_run=True)),
    "publish": Command("empty", lambda: commands.publish("prism")),
    "publish the next": Command("before", lambda: commands.publish("prism")),
    "publish again": Command("published", lambda: commands.publish("prism")),
}


class Harm(AssertionError):
    """Something that must not be, whatever the Hub answers."""


@dataclass
class World:
    """A project, what lies beside it, and the Hub."""

    folder: Path
    hub: HostileHub
    elsewhere: HostileHub
    states: dict[str, Any] = field(default_factory=dict)
    replies: dict[str, dict[str, Response]] = field(default_factory=dict)
    right: dict[str, dict[str, bytes]] = field(default_factory=dict)
    slept: list[float] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    edition: str = ""
    running: bool = False

    @property
    def project(self) -> Path:
        """The project's folder."""
        return self.folder / "project"

    def baseline(self, name: str) -> list[Case]:
        """Run a command undisturbed, once; return every alteration of every reply to it."""
        if name not in self.replies:
            self.hub.replies = self.replies[name] = {}
            _, error = self.run(name, None)
            if error is not None:
                raise Harm(f"{name} fails undisturbed: {error}")
        self.hub.replies = self.replies[name]
        return list(unlike(cases(self.hub.replies)))

    def run(self, name: str, case: Case | None) -> tuple[str, str | None]:
        """Run a command with an altered reply; return what it printed, and its last line if it failed.

        Raises Harm when anything does not hold.
        """
        command = COMMANDS[name]
        self.hub.state.repos = copy.deepcopy(self.states[command.state])
        self.hub.state.content(self.edition).unlink(missing_ok=True)  # so that it goes up
        self.hub.heard, self.elsewhere.heard, self.hub.case, self.slept[:] = [], [], case, []
        self.hub.sent = 0
        before, outside = contents(self.project), self.outside()
        self.opened.clear()
        out, error, start = io.StringIO(), None, time.monotonic()
        try:
            self.running = True
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                command.run()
        except SystemExit as ended:
            error = str(ended.code)
        except BaseException as raised:
            raise Harm(f"{type(raised).__name__} escapes: {str(raised)[:200]}") from raised
        finally:
            self.running, self.hub.case = False, None
            after, seconds = contents(self.project), time.monotonic() - start
            left = {path: data for path, data in after.items() if not path.startswith(UNTRACKED)}
            changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
            restore(self.project, before, changed)
        self.judge(name, out.getvalue(), error, changed, left)
        if self.outside() != outside or self.opened:
            raise Harm(f"something outside the project was changed or opened {self.opened}")
        if self.hub.sent > MOST_TAKEN:
            raise Harm(f"it took {self.hub.sent:,} bytes that belong to nothing")
        if seconds > LONGEST_RUN or max(self.slept, default=0) > LONGEST_WAIT:
            raise Harm(f"it took {seconds:.0f} s, and would have waited {max(self.slept, default=0):.0f} s")
        return out.getvalue(), error

    def outside(self) -> dict[str, bytes]:
        """Everything beside the project."""
        return contents(self.folder, {self.project, self.folder / "servers"})

    def watch(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note what a command opens that it must not: for `sys.addaudithook`."""
        if self.running and event == "open" and "canary" in str(arguments[0]):
            self.opened.append(str(arguments[0]))

    def judge(self, name: str, said: str, error: str | None, changed: set[str], left: dict[str, bytes]) -> None:
        """Hold a run against what must be."""
        for line in [*said.splitlines(), *([] if error is None else [error])]:
            if not line.isprintable() or len(line) > LONGEST_LINE:
                raise Harm(f"a line that a terminal may obey, or too long a one: {line[:200]!r}")
        if error == "" or "Traceback" in said:
            raise Harm("it ends without a word, or with a traceback")
        if strange := sorted(path for path in changed if not path.startswith(MAY_CHANGE)):
            raise Harm(f"changed in the project: {strange}")
        explained = [path for path in changed if not path.startswith(UNTRACKED)]
        if error is not None and explained:
            raise Harm(f"it failed, and left {sorted(explained)}")
        if error is None and left != self.right.setdefault(name, left):
            right = self.right[name]
            raise Harm(f"it ended well, with {sorted(p for p in {*left, *right} if left.get(p) != right.get(p))}")
        for heard in self.hub.heard + self.elsewhere.heard:
            if SECRET in f"{heard.target}{heard.headers}" or SECRET.encode() in heard.body:
                raise Harm(f"{heard.target} was told what stands outside the project")
        for heard in self.elsewhere.heard:
            if WRITER in f"{heard.target}{heard.headers}" or WRITER.encode() in heard.body:
                raise Harm(f"{heard.target} elsewhere was told the token")


@contextmanager
def world(folder: Path) -> Iterator[World]:
    """A project with an edition, a Hub with versions, another server, and a folder and a home that nobody may touch."""
    for place in ("home", "beside/v0.1.0", "servers/hub", "servers/elsewhere"):
        (folder / place).mkdir(parents=True)
    for path in ("canary.txt", "beside/canary.txt", "beside/v0.1.0/canary.txt", "home/canary.txt"):
        (folder / path).write_text(SECRET)
    (folder / "project").mkdir()
    with ExitStack() as stack:
        hub, elsewhere = HostileHub(folder / "servers/hub"), HostileHub(folder / "servers/elsewhere")
        for server in (hub, elsewhere):
            server.start()
            stack.callback(server.stop)
        hub.elsewhere = elsewhere.url
        here = World(folder, hub, elsewhere)
        stack.enter_context(contextlib.chdir(here.project))
        stack.enter_context(patch.dict(os.environ, {"HOME": str(folder / "home"), "COLUMNS": "200"}))
        for setting in ("GAMUT_STORE", "GAMUT_RUN"):
            os.environ.pop(setting, None)
        stack.enter_context(client_here(hub, folder / "home/huggingface"))
        no_waiting(stack, here.slept)
        stack.enter_context(patch.object(client, "MOST_PAGES", 20))
        stack.enter_context(patch.object(client, "MOST_BYTES", 2**20))
        stack.enter_context(patch.object(state, "LARGE_SUFFIXES", (".jsonl", ".parquet")))  # for the calls of Git LFS
        prepare(here)
        for module, name in ((ssl, "create_default_context"), (publishing, "load_everything")):  # the same in every run
            stack.enter_context(patch.object(module, name, functools.cache(getattr(module, name))))
        yield here


def no_waiting(stack: ExitStack, slept: list[float]) -> None:
    """Have neither gamut nor the client wait; note how long they would have."""
    from huggingface_hub.utils import _http

    clock = SimpleNamespace(sleep=slept.append, time=time.time, monotonic=time.monotonic)
    for module in (_http, protocol, troubles):
        stack.enter_context(patch.object(module, "time", clock))


def prepare(here: World) -> None:
    """Two versions of a dataset and one of another edition on the Hub; the project's own in three states."""
    values = fakes.values()["publish"]
    values["dataset"] |= {"repo": REPO, "license": "cc0-1.0"}
    values["prism"] |= {"repo": BENCH, "version": "0.1.0", "title": "Bench", "license": "cc0-1.0"}
    Path(".gitignore").write_text(".store\n.dvc\n")
    Path("params.yaml").write_text(json.dumps(fakes.values(publish=values)))
    small_version.edition()
    other = small_version.ITEMS[:1]
    put(here.hub, "somebody/other", "0.1.0", edition_files(other))
    for number, score in (("0.1.0", 1), ("0.2.0", 2)):
        with TableWriter(RELEASE, SCHEMA) as table:
            table.write("a-00000", [{"id": "a-00000000", "score": 1}])
            table.write("b-00000", [{"id": "b-00000000", "score": score}])
        with TableWriter(PROVENANCE, pa.schema([("id", pa.string())])) as table:
            for wave in "ab":
                table.write(f"{wave}-00000", [{"id": f"{wave}-00000000"}])
        made = products.product("dataset", load_everything())
        files = list(content.data(made))
        put(here.hub, REPO, number, [*files, content.manifest("dataset", number, made.rows, files)])
    for folder in (RELEASE, PROVENANCE):
        shutil.rmtree(folder)
    edition_project.git("init", "--quiet", "--template=")
    edition_project.commit_all()
    here.states["empty"] = copy.deepcopy(here.hub.state.repos)
    put(here.hub, BENCH, "0.0.9", edition_files(other, "0.0.9"))
    here.states["before"] = copy.deepcopy(here.hub.state.repos)
    publishing.publish("prism", False, False, lambda line: None)
    here.states["published"] = copy.deepcopy(here.hub.state.repos)
    shutil.rmtree("datasets/published")
    here.edition = sha256_of(Path("datasets/editions/prism/small.jsonl"))


def edition_files(items: Sequence[Any], number: str = "0.1.0") -> list[Any]:
    """All files of a version of another edition."""
    rows = b"".join(item.model_dump_json(exclude_unset=True).encode() + b"\n" for item in items)
    data = content.in_memory("data/other-00000000.jsonl", rows, "other.jsonl")
    card = content.in_memory("README.md", b"---\nlicense: cc0-1.0\n---\n# Other\n")
    return [data, card, content.manifest("prism", number, len(items), [data, card])]


def put(hub: Hub, repo: str, number: str, files: Sequence[Any]) -> None:
    """A version on the Hub, put there without a client."""
    hub.repo(repo).tags[f"v{number}"] = hub.commit(repo, {file.path: file.read() for file in files})


def unlike(every: Iterator[Case]) -> Iterator[Case]:
    """Those of calls that differ in more than the file or object they are about."""
    seen: dict[str, str] = {}
    for case in every:
        kind = case.call
        if "/resolve/" in kind:
            kind = f"{kind.partition(' ')[0]} {Path(kind).suffix} {Path(kind).name in ('manifest.json', 'README.md')}"
        if "/lfs/" in kind:
            kind = f"{kind.partition(' ')[0]} lfs"
        if seen.setdefault(kind, case.call) == case.call:
            yield case


def contents(folder: Path, without: Collection[Path] = ()) -> dict[str, bytes]:
    """Every file below a folder, as it is, `without` some folders."""
    found = {}
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if Path(place, name) not in without]
        for name in files:
            path = Path(place, name)
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def restore(folder: Path, before: dict[str, bytes], changed: set[str]) -> None:
    """Put back what was changed."""
    for path in changed:
        if path in before:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(before[path])
        else:
            (folder / path).unlink()
    for empty in (RELEASE, PROVENANCE, Path("datasets/published"), Path(".store")):
        shutil.rmtree(folder / empty, ignore_errors=True)
