"""Keys of finished shards: what changes them, and what does not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from gamut.asking.run import note_shard
from gamut.pipeline import adoption, keys, shards
from gamut.pipeline.keys import dvc_digest, keys_of, state_here
from gamut.pipeline.shards import ByShard, is_forcing, values_of_shards
from gamut.pipeline.steps import Makes, Step
from gamut.tables.columns import ASKED, Row, table_schema
from gamut.tables.pool import Notes
from gamut.tables.reading import manifest, read_rows, shard_names
from gamut.tables.writing import TableWriter, shards_in

SCHEMA = table_schema("id word")
PIPELINE = """\
stages:
  double: {cmd: python -m stages.dataset.double, params: [seed, times], outs: [datasets/double],
    deps: [gamut/tool, stages/dataset/double.py, datasets/routes/imagine.json, datasets/seeds, datasets/notes.txt,
      datasets/given, datasets/more]}
"""


def write_table(name: str, **words: str) -> None:
    """A table with a row a shard."""
    with TableWriter(Path("datasets", name), SCHEMA) as table:
        for wave, word in words.items():
            table.write(f"{wave}-00000", [{"id": f"{wave}-00000000", "word": word}])


def write_route(*waves: str) -> None:
    entries = [{"name": f"{wave}-00000.parquet", "rows": 1, "sha256": "", "rows_sha256": wave} for wave in waves]
    Path("datasets/routes").mkdir(exist_ok=True)
    Path("datasets/routes/imagine.json").write_text(json.dumps(entries))


@pytest.fixture(autouse=True)
def folder(project: Path) -> Path:
    for path, text in (
        ("dvc.yaml", PIPELINE),
        ("params.yaml", "seed: 1\ntimes: 2\nother: 3\n"),
        ("gamut/tool/one.py", "one"),
        ("stages/dataset/double.py", "double"),
        ("datasets/notes.txt", "a note"),
    ):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text)
    write_table("given", a="red", b="blue")
    write_table("more", a="cube")
    write_table("seeds", s="seed")
    write_route("a", "b")
    return project


def step(made: list[str], parameters: Callable[[str], Any] | None = None) -> Step:
    """A step that notes which shards it makes."""

    def by_shard(params: Any) -> ByShard:
        def make(shard: str) -> Iterator[Sequence[Sequence[Row]]]:
            made.append(shard)
            yield [
                [
                    row | {"word": row["word"] * 2}
                    for row in read_rows(Path("datasets/given"))
                    if shard[0] == row["id"][0]
                ]
            ]

        return ByShard(shard_names(Path("datasets/given")), make, parameters)

    return Makes(
        "double",
        reads="given more datasets/routes/imagine.json datasets/seeds datasets/notes.txt",
        by_shard=by_shard,
        tables={"double": SCHEMA},
    )


def keys_now(parameters: Callable[[str], Any] | None = None, model: Any = None) -> dict[str, str]:
    state = state_here(step([]))
    assert state is not None
    return keys_of(step([]), state, ["a-00000", "b-00000"], parameters, model)


def append_to(path: str) -> Callable[[], object]:
    return lambda: Path(path).write_text(Path(path).read_text() + "\n# more")


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        (append_to("gamut/tool/one.py"), "ab"),
        (append_to("stages/dataset/double.py"), "ab"),
        (append_to("datasets/notes.txt"), "ab"),
        (lambda: Path("params.yaml").write_text("seed: 1\ntimes: 3\nother: 3\n"), "ab"),
        (lambda: write_table("seeds", s="another"), "ab"),
        (lambda: write_table("given", a="red", b="green"), "b"),
        (lambda: write_table("more", a="cube", b="ball"), "b"),
        (lambda: write_table("more", c="cube"), "a"),
        (lambda: write_route("a"), "b"),
        # what changes nothing of these shards
        (lambda: write_table("given", a="red", b="blue", c="a new wave"), ""),
        (lambda: write_route("a", "b", "c"), ""),
        (lambda: Path("params.yaml").write_text("seed: 1\ntimes: 2\nother: 4\n"), ""),
    ],
)
def test_what_a_key_depends_on(change: Callable[[], object], changed: str) -> None:
    before = keys_now()
    change()
    after = keys_now()
    assert "".join(shard[0] for shard in before if before[shard] != after[shard]) == changed


def test_other_ingredients(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, of_a = keys_now(), keys_now(lambda shard: shard.startswith("a"))
    assert keys_now(model={"id": "judge"}) != plain and keys_now(model={"id": "judge"}) == keys_now(
        model={"id": "judge"}
    )
    Path("params.yaml").write_text("seed: 1\ntimes: 5\n")
    assert keys_now(lambda shard: shard.startswith("a")) == of_a, "only what it says counts"
    now = keys_now(lambda shard: shard.startswith("b"))
    assert now["a-00000"] != of_a["a-00000"] and now["b-00000"] != of_a["b-00000"]
    monkeypatch.setitem(keys.WRITERS, "pyarrow", "0")  # type: ignore[arg-type]
    assert keys_now(lambda shard: shard.startswith("a")) != of_a


def test_only_what_is_new_is_made(capsys: pytest.CaptureFixture[str]) -> None:
    made: list[str] = []
    step(made).carry_out(None)
    inodes = {path.name: path.stat().st_ino for path in Path("datasets/double").glob("*.parquet")}
    assert made == ["a-00000", "b-00000"] and capsys.readouterr().out == ""
    write_table("given", a="red", b="blue", c="green")
    made.clear()
    step(made).carry_out(None)
    assert made == ["c-00000"] and capsys.readouterr().out == "double: 2 rows in 2 shards kept\n"
    assert [row["word"] for row in read_rows(Path("datasets/double"))] == ["redred", "blueblue", "greengreen"]
    assert all((Path("datasets/double") / name).stat().st_ino == inode for name, inode in inodes.items())
    write_table("given", b="blue", c="green")
    made.clear()
    step(made).carry_out(None)
    assert made == [] and shard_names(Path("datasets/double")) == ["b-00000", "c-00000"]
    assert not [*Path("datasets").glob("*.new")] and not [*Path("datasets").glob(".*.new")]


def test_a_run_that_stops_goes_on_from_its_finished_shards() -> None:
    made: list[str] = []

    def stopping(params: Any) -> ByShard:
        work = step(made).by_shard(params)  # type: ignore[misc]

        def make(shard: str) -> Iterator[Any]:
            if shard == "b-00000":
                raise KeyboardInterrupt
            yield from work.make(shard)

        return work._replace(make=make)

    stopped = Makes("double", reads=step([]).reads, by_shard=stopping, tables={"double": SCHEMA})
    with pytest.raises(KeyboardInterrupt):
        stopped.carry_out(None)
    assert not Path("datasets/double").exists()
    step(made).carry_out(None)
    assert made == ["a-00000", "b-00000"] and manifest(Path("datasets/double"))["rows"] == 2


def test_a_shard_of_which_rows_failed_is_finished_when_its_stage_ends_well() -> None:
    """A server that went away for two shards' time is asked again, and what failed then counts again."""
    folder, statuses = Path("asked"), {"a": "ok", "b": "transport_error"}
    with TableWriter(folder, table_schema("id", *ASKED)) as table:
        for wave, status in statuses.items():
            table.write(f"{wave}-00000", [{"id": f"{wave}-00000000", "status": status, "replies": []}])
    notes = Notes(Path("pool").absolute(), "double", {"a-00000": "1", "b-00000": "2"})
    for shard in shards_in(folder):
        note_shard(notes, shard)
    kept = shards.find_notes(notes, notes.keys)
    assert [*kept] == ["a-00000"]
    for shard in shards_in(folder):
        note_shard(notes, shard, failed=True)
    kept |= shards.find_notes(notes, notes.keys)
    assert {shard: of.files[0].statuses for shard, of in kept.items()} == {
        "a-00000": {"ok": 1},
        "b-00000": {"transport_error": 1},
    }


def test_force_makes_all(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    step(made).carry_out(None)
    monkeypatch.setattr(shards, "is_forced", lambda: True)
    step(made).carry_out(None)
    assert made == ["a-00000", "b-00000"] * 2


@pytest.mark.parametrize(
    ("command", "forced"),
    [
        ("python -m dvc repro -f", True),
        ("/usr/bin/python3 /env/bin/dvc repro --force --single-item examine", True),
        ("/env/bin/dvc exp run -sf examine", True),
        ("/env/bin/dvc repro --force-downstream", False),
        ("/env/bin/dvc exp run -S a.f=1 -n fast", False),
        ("/env/bin/dvc repro", False),
        ("tail -f dvc.log", False),
    ],
)
def test_how_a_dvc_is_told_to_force(command: str, forced: bool) -> None:
    shell = ["/bin/sh", "-c", "python -m stages.dataset.examine"]
    assert is_forcing([shell, command.split(), ["bash"]]) is forced
    retry = ["/env/bin/python", "/env/bin/gamut", "retry", "examine"]
    assert not is_forcing([shell, command.split(), retry]), "it says itself what is made anew"


def test_without_a_pipeline_nothing_is_kept(folder: Path) -> None:
    (folder / "dvc.yaml").unlink()
    made: list[str] = []
    for _ in range(2):
        step(made).carry_out(None)
    assert made == ["a-00000", "b-00000"] * 2 and not Path(".store").exists()


def test_values_of_shards() -> None:
    asked: list[str] = []

    def value(shard: str) -> dict[str, int]:
        asked.append(shard)
        return {"length": len(shard)}

    for _ in range(2):
        assert values_of_shards(step([]), ["a-00000", "b-00000"], value) == [{"length": 7}] * 2
    assert asked == ["a-00000", "b-00000"]
    values_of_shards(step([]), ["a-00000"], value, of="another")
    assert asked == ["a-00000", "b-00000", "a-00000"]


def put_into_cache(path: Path) -> str:
    """What DVC keeps of a file or folder, and its digest."""
    if path.is_dir():
        listed = [{"md5": put_into_cache(one), "relpath": one.name} for one in sorted(path.iterdir())]
        content, end = json.dumps(listed).encode(), ".dir"
        digest = dvc_digest(path) if not (path / "_manifest.json").exists() else keys.digest(listed)[:32] + end
    else:
        content, digest = path.read_bytes(), dvc_digest(path)
    assert digest
    kept = adoption.cached(digest)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(content)
    return digest


@pytest.mark.parametrize(("change", "anew"), [("", "c"), ("params", "abc"), ("a file is gone", "bc")])
def test_shards_that_dvc_has_are_adopted(folder: Path, change: str, anew: str) -> None:
    """As in a clone that only pulled: dvc.lock, the tables and DVC's cache are there, the store is not."""
    Path(".dvc").mkdir()
    Path(".dvc/config").touch()
    write_table("double", a="redred", b="blueblue")
    deps = ["gamut/tool", "stages/dataset/double.py", "datasets/notes.txt"]
    cached = ["datasets/routes/imagine.json", "datasets/seeds", "datasets/given", "datasets/more"]
    recorded = [{"path": dep, "md5": dvc_digest(Path(dep))} for dep in deps]
    recorded += [{"path": dep, "md5": put_into_cache(Path(dep))} for dep in cached]
    entry = {
        "cmd": "",
        "deps": recorded,
        "params": {"params.yaml": {"seed": 1, "times": 2}},
        "outs": [{"path": "datasets/double", "md5": put_into_cache(Path("datasets/double"))}],
    }
    Path("dvc.lock").write_text(json.dumps({"schema": "2.0", "stages": {"double": entry}}))
    write_table("given", a="red", b="blue", c="green")
    if change == "params":
        Path("params.yaml").write_text("seed: 2\ntimes: 2\n")
    elif change:  # as where a damaged one was dropped
        adoption.cached(dvc_digest(Path("datasets/double/b-00000.parquet")) or "").unlink()
    made: list[str] = []
    step(made).carry_out(None)
    assert made == [f"{wave}-00000" for wave in anew]
    assert [row["word"] for row in read_rows(Path("datasets/double"))] == ["redred", "blueblue", "greengreen"]
