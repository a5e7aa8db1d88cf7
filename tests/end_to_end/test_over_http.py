"""The straight path with every role over HTTP: the same tables, and runs that survive being killed anywhere."""

from __future__ import annotations

import signal
from collections import Counter
from functools import partial

import pytest
from ruamel.yaml import YAML

from gamut.asking.replies import StageReplies
from gamut.project.roles import SCORERS
from tests.embedded_world import reply as world
from tests.end_to_end.kills import Gate, killed_writing, run_until
from tests.end_to_end.project import ROOT, ROWS_PER_SHARD, ROWS_PER_SLICE, Project, answer_over_http, clone, outputs
from tests.stub_server import Call, stub_server

REPRO = ("dvc", "repro", "release")
ASKED = (
    "brainstorm",
    "imagine",
    "rewrite",
    "find_text",
    "mine_text",
    "align",
    "synthesize",
    "examine",
    "score",
    "proofread",
    "follow",
    "annotate",
    "translate",
)
OF_ITEMS = ("hashed_pictures", "picture_hashes", "embed_items", "resemble", "suspect", "same_test", "hold_out")
"""Tables that say which editions are held out: those of the embedded world only where that paints."""
IN_PROCESS = (
    *("embed_prompts", "embed_pictures", "embed_items", "compare_pictures", "resemble"),
    *(f"score_{one}" for one in SCORERS),
)
"""Stages whose embedder answers in this process in both, or that have none."""
CONCURRENCY = 4
AIMED_SEED = 20
"""When 0.9 of dvc.lock is written: DVC refuses to start after that."""
FAULTS = YAML(typ="safe").load((ROOT / "params.yaml").read_text())["models"]["world_painter"]["faults"]


def asked_for_release(project: Project) -> dict[str, int]:
    """How many requests the stages up to the release have sent to somebody else."""
    return {
        stage: count
        for stage, count in project.asked().items()
        if not stage.startswith("prism.") and stage not in IN_PROCESS
    }


@pytest.fixture(scope="module")
def killed(original: Project, tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, list[Call]]:
    """A clone whose release is built over HTTP, killed on the way with all processes: first in the middle of DVC's own
    writes, which takes `gamut check` to go on, then while something is asked; and all that came.
    """
    requests = sum(asked_for_release(original).values())
    moments = [requests // 4, requests * 2 // 3]
    project, gate = clone(tmp_path_factory.mktemp("http")), Gate(partial(world, faults=FAULTS))
    with stub_server(answer=gate, workers=2 * CONCURRENCY) as stub:
        answer_over_http(project, stub.url, CONCURRENCY)
        assert run_until(project, killed_writing(AIMED_SEED), "release").returncode == -signal.SIGKILL
        project.run("gamut", "check", "--quiet")
        for moment in moments:
            gate.kill_at(moment, project, *REPRO)
        project.run(*REPRO)
        return project, stub.log


def test_the_same_tables_as_in_process_and_undisturbed(killed: tuple[Project, list[Call]], original: Project) -> None:
    for table in ASKED:
        assert killed[0].rows(table) == original.rows(table), table


def test_where_no_model_is_named_two_clones_have_the_same_bytes(
    killed: tuple[Project, list[Call]], original: Project
) -> None:
    theirs, ours = (outputs(project) for project in (killed[0], original))
    unlike = {path for path in theirs if theirs[path] != ours[path]}
    named = {"datasets/world", *(f"datasets/{table}" for table in ASKED)}
    held_out = {"datasets/compares.json", "metrics/hold_out.json", *(f"datasets/{table}" for table in OF_ITEMS)}
    assert unlike == named | held_out, "the world's version, who spoke, and which editions are held out"
    assert killed[0].files("datasets/release") == original.files("datasets/release")


def test_only_what_was_in_flight_is_asked_again(killed: tuple[Project, list[Call]], original: Project) -> None:
    project, asked = killed[0], Counter(call.digest for call in killed[1])
    asked_in_process = asked_for_release(original)
    of_items, of_items_in_process = replies(project, "same_test"), asked_in_process.pop("same_test")
    kept = sum(replies(project, stage) for stage in asked_in_process)
    assert kept == sum(asked_in_process.values()), "every question has its answer, and no other was asked"
    assert 0 < of_items < of_items_in_process
    assert 1 <= asked.total() - kept - of_items <= 2 * CONCURRENCY, "of either kill"


def test_every_record_is_asked_with_a_seed_of_its_own(killed: tuple[Project, list[Call]]) -> None:
    for name in {call.name for call in killed[1]}:
        calls = [call for call in killed[1] if call.name == name]
        assert len({call.seed for call in calls}) == len({call.digest for call in calls}) > 1, name


def replies(project: Project, stage: str) -> int:
    """How many replies of a stage are kept."""
    store = StageReplies(project.folder / ".store", stage)
    slices = range(ROWS_PER_SHARD // ROWS_PER_SLICE)
    return sum(len(store.slice(shard, number).replies) for shard in store.shards() for number in slices)
