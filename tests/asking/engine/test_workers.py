"""What a Ray worker does, without Ray: units of slices asked about, reports, and shards written from the store."""

from __future__ import annotations

import os
import pickle
import threading
import tomllib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
from pydantic import TypeAdapter

from gamut.asking.engine import cluster, unit_locks
from gamut.asking.engine.cluster import require_gpus, units
from gamut.asking.engine.unit_locks import locks_folder, unit_lock, wait_for_workers
from gamut.asking.engine.workers import SharedJob, Worker, write_shard
from gamut.asking.models import opening
from gamut.asking.requests import Reply, Request
from gamut.project import model_kinds
from gamut.project.errors import ModelDied, UserError
from gamut.project.places import store_root
from gamut.project.roles import RoleModel, RolePair
from gamut.project.settings import Endpoint, Settings
from gamut.tables.reading import manifest, read_rows
from gamut.tables.writing import begin_table, end_table, shards_in
from tests import fakes
from tests.fakes import SCHEMA, Fake, ask_job, contents, echo, failing, records, repeat
from tests.paths import ROOT

SHARDS = ["w-part01-00000", "w-part01-00001"]
RECORDS = {SHARDS[0]: records(230), SHARDS[1]: records(20, start=5000)}
FIRST_TWO = {"shard": SHARDS[0], "first": 0, "last": 2}
REST = {"shard": SHARDS[0], "first": 2, "last": 4}


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SharedJob:
    monkeypatch.chdir(tmp_path)
    job = SharedJob(
        stage="repeat",
        role_model=fakes.params().role_model("judge"),
        shards=SHARDS,
        records=lambda shard: iter(RECORDS[shard]),
        total=250,
        visit=repeat,
        schema=SCHEMA,
        folder=Path("table"),
        max_failures=0,
        settings=Settings(),
        project=tmp_path,
        store=store_root().absolute(),
    )
    locks_folder(job.store, job.stage).mkdir(parents=True)
    return job


def worker(job: SharedJob, model: Fake | Exception, monkeypatch: pytest.MonkeyPatch) -> Worker:
    def open_it(*_: object) -> Fake:
        if isinstance(model, Exception):
            raise model
        return model

    monkeypatch.setattr(opening, "open_model", open_it)
    monkeypatch.setattr(opening, "identity", lambda *_: fakes.IDENTITY)
    return Worker(job)


def said(report: dict[str, bytes]) -> Any:
    return orjson.loads(report["report"])


def resources(gpus: float) -> Any:
    return SimpleNamespace(cluster_resources=lambda: {"CPU": 4, "GPU": gpus} if gpus else {"CPU": 4})


def playing(job: SharedJob, kind: str, endpoint: str, address: str | None = None) -> SharedJob:
    """The job with a painter of a kind, and one line about it in run.toml."""
    values = {"kind": kind, "id": "org/flux"} | ({} if kind == "openai" else {"revision": 40 * "a"})
    painter = RoleModel("painter", "flux", TypeAdapter(model_kinds.Model).validate_python(values))
    settings = Settings.model_validate({"ray_address": address, "models": {"flux": tomllib.loads(endpoint)}})
    return replace(job, role_model=painter, settings=settings)


@pytest.mark.parametrize("kind", ["diffusers", "vllm"])
def test_a_model_in_workers_says_how_many_gpus_each_takes(job: SharedJob, kind: str) -> None:
    with pytest.raises(UserError) as error:
        require_gpus(resources(2), playing(job, kind, "workers = 2"))
    assert str(error.value) == (
        "painter (flux): run.toml does not say how many GPUs a Ray worker takes: under [models.flux] write "
        "`gpus = 1`, or a share such as `gpus = 0.5` where workers share a GPU, or `gpus = 0` to use the CPU"
    )
    with pytest.raises(UserError, match="does not say how many GPUs"):
        require_gpus(resources(0), playing(job, kind, "workers = 2", "head:6379"))  # nodes with cards may still come
    for said in ("gpus = 0", "gpus = 0.5", "gpus = 2"):
        require_gpus(resources(2), playing(job, kind, said))
    require_gpus(resources(0), playing(job, kind, "workers = 2"))  # this machine has none
    with pytest.raises(UserError, match="gives a worker 4 GPUs, but this machine has 2"):
        require_gpus(resources(2), playing(job, kind, "gpus = 4"))


def test_a_cluster_that_does_not_let_gamut_in_may_want_a_token(job: SharedJob, monkeypatch: pytest.MonkeyPatch) -> None:
    def init(runtime_env: dict[str, Any], **_: object) -> None:
        assert runtime_env["py_modules"] == [str(ROOT / "gamut"), str(ROOT / "stages")]
        raise ConnectionError("Failed to connect to Ray cluster at head:6379")

    monkeypatch.setattr(pytest.importorskip("ray"), "init", init)
    monkeypatch.setattr(cluster, "require_listener", lambda _: None)
    with pytest.raises(UserError) as error:
        cluster.connect(playing(job, "openai", "workers = 2", "head:6379"))
    assert str(error.value) == (
        "no Ray cluster answers at head:6379 (Failed to connect to Ray cluster at head:6379): start it; if its nodes "
        "need a token, export RAY_AUTH_MODE=token here too (docs/cluster.md)"
    )


@pytest.mark.parametrize(("said", "seen"), [("gpus = 0", ""), ("gpus = 1", "0,1")])
def test_without_gpus_a_worker_computes_on_processors(
    job: SharedJob, monkeypatch: pytest.MonkeyPatch, said: str, seen: str
) -> None:
    """Ray leaves the cards of a node to be seen by a worker that asked for none."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    worker(playing(job, "diffusers", said), Fake(echo), monkeypatch)
    assert os.environ["CUDA_VISIBLE_DEVICES"] == seen


def test_units_cover_every_slice_of_every_shard_once() -> None:
    for role, each in (("painter", 1), ("judge", 10)):
        todo = units(SHARDS, role)
        found = [(unit["shard"], number) for unit in todo for number in range(unit["first"], unit["last"])]
        assert found == [(shard, number) for shard in SHARDS for number in range(50)]  # 5,000 ids in slices of 100
        assert all(unit["last"] - unit["first"] == each for unit in todo)


def test_a_table_from_workers_has_the_bytes_of_a_local_one(job: SharedJob, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Fake(failing("word7"))
    ask = worker(job, model, monkeypatch)
    reports = [said(ask(unit)) for unit in (*units(SHARDS, "judge"),)]
    assert sum(report["asked"] for report in reports) == len(model.asked) == 250
    failures = [failure for report in reports for failure in report["failures"]]
    assert [(shard, number, cause) for shard, number, _, cause, *_ in failures] == [(SHARDS[0], 0, "no route")]
    assert [len(report["noted"]) for report in reports if report["failed"]] == [1]
    for shard in SHARDS:
        mine = [failure for failure in failures if failure[0] == shard]
        told = said(write_shard({"shard": orjson.dumps([shard, mine])}, job))
        assert told["problem"] == ""
    begin_table(job.folder)
    end_table(job.folder, [one for shard in SHARDS for one in shards_in(job.part(shard))])
    assert len(model.asked) == 250
    assert manifest(job.folder)["statuses"] == {"ok": 249, "transport_error": 1}

    monkeypatch.setenv("GAMUT_STORE", "other")
    ask_job(Fake(failing("word7")), replace(job, folder=Path("local"), max_failures=1))
    assert contents(job.folder) == contents(Path("local"))


def test_a_job_reaches_other_processes_whole(job: SharedJob) -> None:
    cloudpickle = pytest.importorskip("ray.cloudpickle")
    arrived = pickle.loads(cloudpickle.dumps(replace(job, open=lambda *of: Fake(echo, identity={"of": of}))))
    assert list(arrived.records(SHARDS[0])) == RECORDS[SHARDS[0]] and arrived.open(1, 2).identity == {"of": (1, 2)}
    by_value = [name for name in vars(job) if name not in ("records", "visit", "open")]
    assert [getattr(arrived, name) for name in by_value] == [getattr(job, name) for name in by_value]


def test_what_was_asked_is_not_asked_again(job: SharedJob, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Fake(echo), Fake(echo)
    worker(job, first, monkeypatch)(FIRST_TWO)
    again = worker(job, second, monkeypatch)
    assert (said(again(FIRST_TWO))["asked"], said(again(REST))["asked"]) == (0, 30)
    assert (len(first.asked), len(second.asked)) == (200, 30)


def test_workers_keep_to_one_max_cost(job: SharedJob, monkeypatch: pytest.MonkeyPatch) -> None:
    # 1 a request, 25 in all: 25 requests, whichever worker is asked, and 5 more where 30 may be spent
    def priced(max_cost: float) -> SharedJob:
        endpoint = {job.role_model.slug: Endpoint(input_price=1.0)}
        return replace(job, settings=Settings(max_cost=max_cost, models=endpoint))

    model = Fake(lambda request: replace(echo(request), input_tokens=1_000_000), 4)
    for unit in (FIRST_TWO, REST):
        assert "25.0000 spent" in said(worker(priced(25.0), model, monkeypatch)(unit))["problem"]
    assert len(model.asked) == 25
    assert "30.0000 spent" in said(worker(priced(30.0), model, monkeypatch)(FIRST_TWO))["problem"]
    assert len(model.asked) == 30


def test_a_model_that_cannot_be_opened_is_told_by_every_unit(job: SharedJob, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = worker(job, UserError("judge (gpt): no address"), monkeypatch)
    assert said(ask(FIRST_TWO)) == said(ask(REST)) == {"problem": "judge (gpt): no address"}


def test_a_run_waits_for_workers_that_outlive_the_last_one(job: SharedJob, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_locks, "LOCK_SECONDS", 0.1)
    begun = locks_folder(job.store, job.stage) / f"{SHARDS[0]}-00.tries"
    begun.write_bytes(b"...")
    held, opened = threading.Event(), threading.Event()

    def outlive() -> None:
        with unit_lock(job.store, job.stage, f"{SHARDS[0]}-00"):
            held.set()
            opened.wait(10)

    other = threading.Thread(target=outlive)
    other.start()
    assert held.wait(10)
    with pytest.raises(UserError, match=r"a Ray worker of an earlier run still works on w-part01-00000-00: end it"):
        wait_for_workers(job.store, job.stage)
    assert begun.exists()
    opened.set()
    other.join()
    wait_for_workers(job.store, job.stage)
    assert not locks_folder(job.store, job.stage).exists()
    wait_for_workers(job.store, job.stage)  # nor is there anything to wait for at first


def test_a_dead_model_ends_its_process_and_keeps_what_it_had_answered(
    job: SharedJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(request: Request) -> Reply:
        if fakes.word_of(request) == "word150":
            raise ModelDied("judge (gpt): the GPU failed")
        return echo(request)

    class Exited(BaseException):
        pass

    def leave(code: int) -> None:
        raise Exited(code)

    monkeypatch.setattr(os, "_exit", leave)
    with pytest.raises(Exited, match="1"):
        worker(job, Fake(dies, concurrency=1), monkeypatch)(FIRST_TWO)
    successor = Fake(echo)
    assert said(worker(job, successor, monkeypatch)(FIRST_TWO))["done"] == 200
    assert len(successor.asked) == 50, "word150 to word199"


def test_a_unit_whose_workers_die_again_and_again_is_given_up(job: SharedJob, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = worker(job, Fake(echo), monkeypatch)
    (locks_folder(job.store, job.stage) / f"{SHARDS[0]}-00.tries").write_bytes(b"." * 9)
    assert said(ask(FIRST_TWO))["problem"] == ""
    assert said(ask(FIRST_TWO))["problem"].startswith(f"{SHARDS[0]}-00: 10 workers died")


def test_a_shard_with_an_unasked_request_is_not_written(job: SharedJob, monkeypatch: pytest.MonkeyPatch) -> None:
    worker(job, Fake(echo), monkeypatch)(FIRST_TWO)
    told = said(write_shard({"shard": orjson.dumps([SHARDS[0], []])}, job))
    assert "workers left a request out" in told["problem"]
    assert not (job.part(SHARDS[0])).exists()


def test_a_pair_is_asked_by_workers_as_one_model_is(job: SharedJob, monkeypatch: pytest.MonkeyPatch) -> None:
    [alone] = job.role_model.players
    writer, painter = (RoleModel("creator", f"duo_{half}", alone.model) for half in ("text", "image"))
    duo = pickle.loads(pickle.dumps(RolePair("creator", "duo", writer, painter)))
    opened = {"duo_text": Fake(failing("word7"))}  # nothing is painted, so nobody who paints is opened
    monkeypatch.setattr(opening, "open_model", lambda role_model, *_: opened[role_model.slug])
    job = replace(job, role_model=duo)
    asked = said(Worker(job)(FIRST_TWO))
    assert (asked["asked"], asked["problem"]) == (200, "")
    [(shard, *_, cause, finish, read, written)] = asked["failures"]
    assert (shard, cause) == (SHARDS[0], "the writer, org/model: no route")
    assert (finish, read, written) == ("transport_error", 0, 0)
    assert said(Worker(job)(REST))["asked"] == 30
    told = said(write_shard({"shard": orjson.dumps([SHARDS[0], asked["failures"]])}, job))
    assert told["statuses"] == {"ok": 229, "transport_error": 1}
    assert {row["model"] for row in read_rows(job.part(SHARDS[0]))} == {"org/model+org/model"}
