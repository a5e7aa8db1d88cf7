"""A fork with a step and a benchmark of its own takes over a later upstream: nothing conflicts, and all of it runs."""

from __future__ import annotations

from tests.diffs import FILTER, add_block, added, apply_diff
from tests.end_to_end.project import Project
from tests.end_to_end.test_leaderboard import CONTESTANTS, running
from tests.end_to_end.test_new_filter import WRITE

THEIRS = "oddness"
"""A filter that upstream has later."""
WRITE_BENCHMARK = """
from gamut.evaluation.defining.benchmark import benchmark_of
from gamut.evaluation.defining.cells import text_of
open("stages/shapes/dvc.yaml", "w").write(text_of(benchmark_of("shapes")))
"""
MEASURING = {"shapes/dvc.yaml:board"} | {
    f"shapes/dvc.yaml:{cell}@{one}{end}" for one in CONTESTANTS for cell, end in (("answer", ""), ("judge", "-world"))
}


def add_upstream(project: Project) -> None:
    """What a later upstream brings: a filter in the shipped list, a key of params.yaml, documents."""
    shipped = added("filter", f"stages/mine/{FILTER}.py")
    for case in (str.lower, str.title, str.upper):
        shipped = shipped.replace(case(FILTER), case(THEIRS))
    (project.folder / f"stages/dataset/{THEIRS}.py").write_text(shipped)
    filters = "stages/dataset/filters.py"
    project.replace(filters, "dataset import admit,", f"dataset import {THEIRS}, admit,")
    project.replace(filters, ")), *own_steps())", f", {THEIRS})), *own_steps())")
    project.replace("README.md", "# gamut\n", "# gamut\n\nA later version.\n")
    project.edit(lambda params: params["select"].update({THEIRS: 8}))
    project.run("python", "-c", WRITE)


def test_a_fork_takes_over_a_later_upstream(built: Project) -> None:
    branch = built.run("git", "rev-parse", "--abbrev-ref", "HEAD").stdout.strip()
    built.run("git", "checkout", "--quiet", "-b", "upstream")
    add_upstream(built)
    built.commit()
    built.run("git", "checkout", "--quiet", branch)
    apply_diff("filter", built.folder)
    apply_diff("benchmark", built.folder, "params.yaml")
    built.edit(add_block)
    built.run("python", "-c", WRITE + WRITE_BENCHMARK)
    built.commit()

    built.run("git", "merge", "--quiet", "--no-edit", "upstream", check=False)
    conflicts = built.run("git", "diff", "--name-only", "--diff-filter=U").stdout.split()
    assert set(conflicts) <= {"params.yaml"}
    if conflicts:
        built.run("git", "checkout", "--ours", "params.yaml")
    built.run("python", "-c", WRITE + WRITE_BENCHMARK)
    built.commit()

    built.run("gamut", "check", "--quiet")
    ran = running(built.run("dvc", "repro", "select", "leaderboard").stdout)
    assert {FILTER, THEIRS, "select"} <= ran and ran >= MEASURING
    admitted = [row["id"] for row in built.rows("admit") if row["admitted"]]
    assert [row["id"] for row in built.rows(FILTER)] == [row["id"] for row in built.rows(THEIRS)] == admitted
    found = built.metrics("leaderboard")
    assert found["shapes.v1.as_is.world.careful.overall"] > found["shapes.v1.as_is.world.hasty.overall"]
