"""Asks about records on a Ray cluster.

Workers fill the reply store, then the local engine writes each shard from it, with the same bytes as a local run. A
unit of work is a few slices of one shard, named by their numbers: no record and no picture passes through Ray.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import socket
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import Any

import orjson

from gamut.asking.engine.local import keep_failures
from gamut.asking.engine.unit_locks import locks_folder
from gamut.asking.engine.workers import IN_WORKERS, SharedJob, Worker, read_failures, write_shard
from gamut.asking.failed_rows import note_failed
from gamut.asking.limits import MOST_NAMED, Limits
from gamut.asking.models.extras import first_line, install_command
from gamut.asking.replies import StageReplies
from gamut.project.code import LIBRARY, PROJECT
from gamut.project.errors import UserError
from gamut.tables.columns import ROWS_PER_SHARD, ROWS_PER_SLICE, grouped
from gamut.tables.writing import begin_table, end_table, shards_in

SLICES_A_UNIT = {"painter": 1, "editor": 1}
"""For other roles 10: 100 pictures or 1,000 records are minutes of a GPU's work."""
OVERLAPPING = 2  # units at once in a worker: while one waits for its last answers, the next keeps the model busy
MOST_BLOCKS = 10_000
CONNECT_SECONDS = 10.0
FailuresByShard = dict[str, list[Any]]  # requests without an answer, as `read_failures` takes them


def ask_on_cluster(job: SharedJob, limits: Limits) -> None:
    store = StageReplies(job.store, job.stage)
    store.require_unpruned(job.shards)
    ray = connect(job)
    locks_folder(job.store, job.stage).mkdir(parents=True, exist_ok=True)
    try:
        require_gpus(ray, job)
        shutil.rmtree(job.parts, ignore_errors=True)
        failed = ask_units(ray, job, limits)
        write_shards(ray, job, failed, limits)
        begin_table(job.folder)
        end_table(job.folder, [one for shard in job.shards for one in shards_in(job.part(shard))])
        shutil.rmtree(job.parts)
        keep_failures(read_failures([failure for of_shard in failed.values() for failure in of_shard]), store)
        shutil.rmtree(locks_folder(job.store, job.stage))
    except ray.exceptions.RayTaskError:
        raise  # an error in our own code: its traceback tells where
    except ray.exceptions.RayError as error:
        raise UserError(
            f"Ray failed: {first_line(error)}; what was answered is kept: fix the cause and run `dvc repro` again"
        ) from None
    finally:
        ray.shutdown()
        note_failed(job.stage, limits.failed)


def ask_units(ray: Any, job: SharedJob, limits: Limits) -> FailuresByShard:
    todo = units(job.shards, job.role_model.role)
    reports = ray.data.from_items(todo, override_num_blocks=min(len(todo), MOST_BLOCKS)).map(
        Worker,
        fn_constructor_args=(job,),
        compute=ray.data.ActorPoolStrategy(
            size=job.endpoint.workers,
            max_tasks_in_flight_per_actor=OVERLAPPING,
            max_concurrent_calls_per_actor=OVERLAPPING,
        ),
        num_cpus=1,
        num_gpus=job.endpoint.gpus or 0,
    )
    failures: list[Any] = []
    for counts in read_reports(reports):
        limits.tally.add(counts)
        limits.first += counts["first"][: MOST_NAMED - len(limits.first)]
        limits.first_unusable += counts["first_unusable"][: MOST_NAMED - len(limits.first_unusable)]
        limits.failed += counts["noted"]
        failures += counts["failures"]
        limits.check_failures()
    return grouped((failure[0], failure) for failure in failures)


def write_shards(ray: Any, job: SharedJob, failed: FailuresByShard, limits: Limits) -> None:
    todo = [{"shard": orjson.dumps([shard, failed.get(shard, [])])} for shard in job.shards]
    done = ray.data.from_items(todo, override_num_blocks=min(len(todo), MOST_BLOCKS))
    for counts in read_reports(done.map(write_shard, fn_kwargs={"job": job}, num_cpus=1)):
        limits.statuses.update(counts["statuses"])
        for status, example in counts["examples"].items():
            limits.examples[status] = min(example, limits.examples.get(status, example))


def require_gpus(ray: Any, job: SharedJob) -> None:
    gpus_wanted, gpus_there = job.endpoint.gpus or 0, ray.cluster_resources().get("GPU", 0)
    for player in job.role_model.players:
        unsaid = isinstance(player.model, IN_WORKERS) and job.settings.endpoint(player.slug).gpus is None
        if unsaid and (gpus_there or ray_address(job) != "local"):
            raise UserError(
                f"{player}: run.toml does not say how many GPUs a Ray worker takes: under [models.{player.slug}] write "
                "`gpus = 1`, or a share such as `gpus = 0.5` where workers share a GPU, or `gpus = 0` to use the CPU"
            )
    if gpus_wanted > gpus_there and ray_address(job) == "local":
        raise UserError(f"run.toml gives a worker {gpus_wanted:g} GPUs, but this machine has {gpus_there:g}")
    if gpus_wanted > gpus_there:
        print(f"{job.stage}: waiting until the cluster has a node with {gpus_wanted:g} GPUs", flush=True)


def ray_address(job: SharedJob) -> str:
    return job.settings.ray_address or os.environ.get("RAY_ADDRESS") or "local"


def read_reports(rows: Any) -> Iterable[dict[str, Any]]:
    """Yield the reports of workers as they come. Raise UserError for a problem that every unit would have."""
    for row in rows.iter_rows():
        report: dict[str, Any] = orjson.loads(row["report"])
        if report["problem"]:
            raise UserError(report["problem"])
        yield report


def units(shards: Sequence[str], role: str) -> list[dict[str, Any]]:
    step = SLICES_A_UNIT.get(role, 10)
    starts = range(0, ROWS_PER_SHARD // ROWS_PER_SLICE, step)
    return [{"shard": shard, "first": first, "last": first + step} for shard in shards for first in starts]


def connect(job: SharedJob) -> Any:
    try:
        import ray
        import ray.data
    except ImportError:
        raise UserError(f"engine = 'ray': the package ray is missing: {install_command('ray')}") from None
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    address = ray_address(job)
    if address == "local":
        # Inherited; a runtime_env of their own would cost its workers another start.
        paths = [str(job.project), *filter(None, [os.environ.get("PYTHONPATH")])]
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)
        # Else Ray leaves a token in the home folder: a later `ray start --head` asks for it, other nodes send none.
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex())
        options: dict[str, Any] = {"include_dashboard": False, "object_store_memory": 100_000_000}
    else:
        # as here, before NumPy is loaded
        threads = {"OPENBLAS_NUM_THREADS": os.environ.get("OPENBLAS_NUM_THREADS", "1")}
        options = {"runtime_env": {"py_modules": code_folders(), "excludes": ["__pycache__"], "env_vars": threads}}
    try:
        require_listener(address)
        ray.init(address=address, logging_level="ERROR", log_to_driver=True, **options)
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        raise UserError(
            f"no Ray cluster answers at {address} ({first_line(error)}): start it; if its nodes need a token, export "
            "RAY_AUTH_MODE=token here too (docs/cluster.md)"
        ) from None
    return ray


def code_folders() -> list[str]:
    """Return the folders of the library and of the project.

    On a worker, Ray puts them before installed packages and after the driver's own folder.
    """
    packages = filter(None, (find_spec(name) for name in (LIBRARY, PROJECT)))
    return [folder for package in packages for folder in package.submodule_search_locations or ()]


def require_listener(address: str) -> None:
    """Raise OSError when nothing listens at HOST:PORT: Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS).close()
