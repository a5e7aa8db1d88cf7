"""Care of the store: what the tables use stays, and comes back from them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from gamut.asking.failed_rows import Failure, note_failed
from gamut.asking.models.world.sandbox import sights_in
from gamut.asking.outcomes import Outcome, Status
from gamut.asking.parts import Created, bundle
from gamut.asking.requests import Reply
from gamut.asking.visiting import Answer
from gamut.command import reply_store
from gamut.evaluation.running.answers import SCHEMA as ANSWERS
from gamut.evaluation.running.answers import answer_row
from gamut.project import pipeline
from gamut.project.errors import UserError
from gamut.project.places import store_root
from gamut.tables.columns import Row, make_id
from gamut.tables.writing import TableWriter
from tests import fakes
from tests.asking.slices import PICTURES, S0, S1, paint, rounds
from tests.fakes import Fake, ask_all, contents, echo, jpeg, records

REPEATED, PAINTED = Path("datasets/repeated"), Path("datasets/painted")
PIPELINE = """
stages:
  repeat: {cmd: x, outs: [datasets/repeated]}
  paint: {cmd: x, outs: [datasets/painted]}
  decide: {cmd: x, outs: [datasets/decided]}
  answer: {cmd: x, outs: [datasets/answers]}
"""
SLICES = [(S0, 0, records(3)), (S0, 1, records(2, start=100)), (S1, 0, records(2, start=5000))]


@pytest.fixture(autouse=True)
def two_stages(project: Path) -> Path:
    """A pipeline whose stages `repeat` and `paint` have run; dvc.lock is committed."""
    (project / "dvc.yaml").write_text(PIPELINE)
    (project / "datasets").mkdir()
    ask_all(Fake(echo), SLICES, REPEATED, rounds)
    ask_all(Fake(lambda request: Reply(jpeg())), SLICES, PAINTED, paint, PICTURES, stage="paint")
    return project


def commit_lock() -> None:
    """Record the tables as dvc does, and commit the record."""
    outs = {}
    for stage, table in (("repeat", REPEATED), ("paint", PAINTED)):
        sizes = [path.stat().st_size for path in table.iterdir()]
        outs[stage] = {"outs": [{"path": str(table), "size": sum(sizes), "nfiles": len(sizes)}]}
    Path("dvc.lock").write_text(json.dumps({"schema": "2.0", "stages": outs}))
    settings = ("user.name=n", "user.email=e", "commit.gpgsign=false", "init.defaultBranch=main")
    git = ["git", *(word for setting in settings for word in ("-c", setting))]
    for command in (["init", "-q"], ["add", "dvc.lock"], ["commit", "-q", "-m", "lock"]):
        subprocess.run([*git, *command], check=True)


def asked(stage: str = "repeat") -> list[Any]:
    """Run a stage again; return what it asked."""
    model = Fake(echo) if stage == "repeat" else Fake(lambda request: Reply(jpeg()))
    if stage == "repeat":
        ask_all(model, SLICES, REPEATED, rounds)
    else:
        ask_all(model, SLICES, PAINTED, paint, PICTURES, stage="paint")
    return model.asked


def replies(stage: str) -> int:
    work_slices = [(S0, 0), (S0, 1), (S1, 0)]
    return sum(len(fakes.store(stage).slice(*work_slice).replies) for work_slice in work_slices)


def test_nothing_is_asked_after_pruning() -> None:
    before = contents(REPEATED)
    assert (replies("repeat"), replies("paint")) == (21, 7)  # 7 records: three questions each; a picture each
    lines = list(reply_store.prune(images=False))
    assert lines[0].startswith("paint: 7 replies kept, 0 deleted, ")
    assert lines[1].startswith("repeat: 21 replies kept, 0 deleted, ")
    assert asked() == [] and asked("paint") == []
    assert contents(REPEATED) == before


def test_what_no_table_uses_is_dropped() -> None:
    work_slice = fakes.store().slice(S0, 1)
    work_slice.add("of other parameters", Reply(b"old"))
    work_slice.close()
    gone = fakes.store().slice("gone-part01-00000", 0)
    gone.add("of a wave that is gone", Reply(b"old"))
    gone.close()
    assert list(reply_store.prune(images=False))[1].startswith("repeat: 21 replies kept, 2 deleted, ")
    assert fakes.store().shards() == [S0, S1]
    assert asked() == []


def test_what_earlier_worlds_saw_is_dropped() -> None:
    seen = sights_in(store_root())
    for folder in (seen, seen.with_name("0" * 16)):
        (folder / "ab").mkdir(parents=True)
        (folder / "ab/abc.json").write_text("{}")
    dropped = "detections by earlier versions of the embedded world are deleted"
    assert [list(reply_store.prune(images=False))[-1] == dropped for _ in range(2)] == [True, False]
    assert list(seen.parent.iterdir()) == [seen] and (seen / "ab/abc.json").exists()


def test_replies_of_an_unfinished_table_are_left_alone() -> None:
    (REPEATED / "_manifest.json").unlink()
    assert (
        list(reply_store.prune(images=False))[1]
        == f"repeat: {REPEATED} is not finished or has no rows, so its replies stay"
    )
    assert replies("repeat") == 21


def test_a_table_is_looked_at_when_the_stages_turn_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def waiting(stage: str) -> Iterator[None]:
        shutil.rmtree(pipeline.table_of(stage))  # a run of it has ended badly meanwhile
        yield

    monkeypatch.setattr(reply_store, "writer_in_turn", waiting)
    assert [line.partition(": ")[2] for line in reply_store.prune(images=False)] == [
        f"{folder} is not finished or has no rows, so its replies stay" for folder in (PAINTED, REPEATED)
    ]
    assert (replies("repeat"), replies("paint")) == (21, 7)


def test_images_go_only_when_they_can_be_had_again() -> None:
    with pytest.raises(UserError, match=r"^dvc\.lock is not committed"):
        list(reply_store.prune(images=True))
    assert replies("paint") == 7


def test_images_go_and_come_back() -> None:
    commit_lock()
    before = contents(PAINTED)
    lines = list(reply_store.prune(images=True))
    assert lines[0].startswith("paint: 0 replies kept, 7 deleted, ")
    assert lines[1].startswith("repeat: 21 replies kept, 0 deleted, ")
    assert replies("paint") == 0
    with pytest.raises(UserError, match=r"were pruned .* `dvc checkout datasets/painted && gamut store seed"):
        asked("paint")
    assert reply_store.seed(PAINTED) == f"paint: 7 replies restored from {PAINTED}"
    assert asked("paint") == [] and contents(PAINTED) == before


def test_stale_texts_go_without_locking_their_stage() -> None:
    """Only a stage whose images went has to have them back; one that lost what no table uses runs on."""
    ask_all(Fake(echo), [(S0, 0, records(1, start=50))], REPEATED, rounds)
    ask_all(Fake(echo), SLICES, REPEATED, rounds)
    commit_lock()
    lines = list(reply_store.prune(images=True))
    assert lines[1].startswith("repeat: 21 replies kept, 3 deleted, ")
    assert asked("repeat") == []


def test_an_unusable_image_that_no_row_holds_is_kept() -> None:
    painter = Fake(lambda request: Reply(b"\xff no picture"))
    ask_all(painter, [(S0, 0, records(1, start=60))], PAINTED, paint, PICTURES, stage="paint", max_failures=1)
    commit_lock()
    assert next(reply_store.prune(images=True)).startswith("paint: 1 reply kept, ")


@pytest.mark.parametrize("folder", [REPEATED, PAINTED])
def test_a_colleague_starts_from_pulled_tables(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    before = contents(folder)
    monkeypatch.setenv("GAMUT_STORE", str(tmp_path_factory.mktemp("store")))
    stage = "repeat" if folder == REPEATED else "paint"
    assert replies(stage) == 0
    reply_store.seed(folder)
    assert asked(stage) == [] and contents(folder) == before
    there = {"repeat": 21, "paint": 7}[stage]
    assert reply_store.seed(folder) == f"{stage}: 0 replies restored from {folder}, {there} were in the store"


def test_seeding_changes_no_reply_that_is_there() -> None:
    work_slice = fakes.store("paint").slice(S0, 0)
    mark = next(iter(work_slice.replies))
    work_slice.add(mark, Reply(b"\xff\xd8another", "stop", 5, 5))
    work_slice.close()
    assert reply_store.seed(PAINTED).startswith("paint: 0 replies")
    assert fakes.store("paint").slice(S0, 0).replies[mark].input_tokens == 5


# Answers of several parts

ANSWERED = Path("datasets/answers")
BAD = b"\xff no picture"


def answered(number: int, made: Created | None, *replies: bytes, status: Status = "ok") -> Row:
    """An answer of texts and pictures, and the replies that it came from, with fingerprints such as r0-1."""
    record = {"id": make_id("en-0", number), "item": str(number), "setting": "en", "sample": 0}
    trace = tuple((f"r{number}-{n}", Reply(content)) for n, content in enumerate(replies))
    return answer_row(record, made, Answer(Outcome("parse_error" if made is None else status), "painter", trace))


def put_answers(*rows: Row) -> None:
    with TableWriter(ANSWERED, ANSWERS) as table:
        table.write("en-0-00000", rows)


def seeded() -> dict[str, bytes]:
    reply_store.seed(ANSWERED)
    return {mark: reply.content for mark, reply in fakes.store("answer").slice("en-0-00000", 0).replies.items()}


def test_an_answer_of_one_two_or_seven_parts_goes_back_to_its_reply() -> None:
    red, blue = jpeg("red"), jpeg("blue")
    answers = [
        Created((red,)),
        Created(("first", red)),
        Created(("a", red, "b", blue, "c", red, "d")),
        Created(("only words",)),
        Created((blue,), "I think."),
    ]
    made = [bundle(one.parts, one.thinking) for one in answers]
    put_answers(*(answered(n, one, made[n]) for n, one in enumerate(answers)))
    assert seeded() == {f"r{n}-0": content for n, content in enumerate(made)}
    assert made[0] == red and made[3] == b"only words"  # as replies of before several parts were


def test_pictures_that_cannot_be_told_apart_are_asked_for_again() -> None:
    red, blue = jpeg("red"), jpeg("blue")
    put_answers(
        answered(0, Created((red, blue)), red, blue),
        answered(1, Created((red,)), b"a plan", BAD, red),
        answered(2, None, BAD),
        answered(3, Created((blue,)), b"a plan", blue),
    )
    assert seeded() == {"r1-0": b"a plan", "r3-0": b"a plan", "r3-1": blue}


def test_only_pictures_that_come_back_are_pruned() -> None:
    red, both = jpeg(), Created(("text", jpeg()))
    put_answers(
        answered(0, Created((red,)), red),
        answered(1, Created((red,)), BAD, red),
        answered(2, both, b"a plan", bundle(both.parts)),
        answered(3, None, BAD),
    )
    everything, held = reply_store.table_replies(ANSWERED, "en-0-00000")
    assert everything == {"r0-0", "r1-0", "r1-1", "r2-0", "r2-1", "r3-0"}
    assert held == {"r0-0", "r2-1"}


def test_failed_and_repaired_replies_come_back_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    model = Fake(lambda r: Reply(b"?", "stop", 3, 4) if fakes.word_of(r) == "word1" else Reply(b"", "refused", 1, 0))
    ask_all(model, [(S0, 0, records(2))], REPEATED, max_failures=1)
    monkeypatch.setenv("GAMUT_STORE", str(tmp_path_factory.mktemp("store")))
    assert reply_store.seed(REPEATED).startswith("repeat: 3 replies")
    assert sorted((r.content, r.finish, r.input_tokens) for r in fakes.store().slice(S0, 0).replies.values()) == [
        (b"", "refused", 1),
        (b"?", "stop", 3),
        (b"?", "stop", 3),
    ]


def test_what_cannot_be_seeded() -> None:
    with pytest.raises(UserError, match=r"no stage makes datasets/paintd; did you mean 'datasets/painted'"):
        reply_store.seed(Path("datasets/paintd"))
    decided = Path("datasets/decided")
    with pytest.raises(UserError, match="there is no finished table here"):
        reply_store.seed(decided)
    with TableWriter(decided, pa.schema([pa.field("id", pa.string())])) as table:
        table.write(S0, [])
    with pytest.raises(UserError, match=r"^datasets/decided: its stage 'decide' asks no model"):
        reply_store.seed(decided)


def test_every_table_that_is_here_is_seeded(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("GAMUT_STORE", str(tmp_path_factory.mktemp("store")))
    with TableWriter(Path("datasets/decided"), pa.schema([pa.field("id", pa.string())])) as table:
        table.write(S0, [{"id": "a"}])
    then = "stored replies are not asked for again: go on with `dvc repro`"
    # 7 records: three questions each; a picture each
    first = [f"repeat: 21 replies restored from {REPEATED}", f"paint: 7 replies restored from {PAINTED}"]
    absent = "these tables are not here (`dvc pull` fetches what was pushed): answer"
    assert list(reply_store.seed_all()) == [*first, absent, then]
    assert asked() == [] and asked("paint") == []
    again = [
        f"repeat: 0 replies restored from {REPEATED}, 21 were in the store",
        f"paint: 0 replies restored from {PAINTED}, 7 were in the store",
    ]
    assert list(reply_store.seed_all()) == [*again, absent, then], "again changes nothing"
    for table in REPEATED, PAINTED:
        (table / f"{S1}.parquet").write_bytes(b"torn")
    lines: list[str] = []
    with pytest.raises(UserError, match=r"^2 tables not seeded \(see above\): fix this and run it again$"):
        for line in reply_store.seed_all():
            lines.append(line)
    assert lines[0].startswith(f"repeat: not seeded: {REPEATED}/{S1}.parquet: not a readable Parquet file")
    assert lines[1].startswith(f"paint: not seeded: {PAINTED}/{S1}.parquet") and lines[2:] == [absent]


def test_forgetting() -> None:
    marks = list(fakes.store().slice(S0, 0).replies)[:2]
    failed: Failure = {"id": "w-1", "status": "parse_error", "reason": None, "fingerprints": [*marks, "never kept"]}
    note_failed("repeat", [failed])
    assert reply_store.forget_failed("repeat") == 3, "as many as were noted, kept or not"
    assert reply_store.forget_failed("repeat") == 3, "the note stays until the next run of the stage"
    assert len(asked()) == 2
    assert reply_store.forget_failed("repeat") == 0
    with pytest.raises(UserError, match="there is no stage 'repet'"):
        reply_store.forget_failed("repet")


def test_images_stay_when_another_table_is_recorded() -> None:
    commit_lock()
    (PAINTED / "more.txt").write_text("not what was recorded")
    lines = list(reply_store.prune(images=True))
    assert lines[0] == "paint: datasets/painted is not what dvc.lock records, so its replies stay"
    assert replies("paint") == 7
