"""A fork with a step and a benchmark of its own takes over a later upstream: nothing conflicts, and all of it runs."""

from __future__ import annotations

from tests.dataset.new_filter import FILE, NAME, add_filter
from tests.end_to_end.project import Project
from tests.end_to_end.test_leaderboard import running
from tests.end_to_end.test_new_filter import WRITE
from tests.end_to_end.test_second_benchmark import MEASURING, put_toy

THEIRS = "oddness"
"""A filter that upstream has later."""


def add_upstream(project: Project) -> None:
    """What a later upstream brings: a filter in the shipped list, other words of a question, a new key, documents."""
    shipped = FILE.replace(NAME, THEIRS).replace(NAME.title(), THEIRS.title()).replace(NAME.upper(), THEIRS.upper())
    (project.folder / f"stages/dataset/{THEIRS}.py").write_text(shipped)
    filters = "stages/dataset/filters.py"
    project.replace(filters, "proofread, score\n", f"{THEIRS}, proofread, score\n")
    project.replace(filters, "proofread)), *OWN)", f"proofread, {THEIRS})), *OWN)")
    project.replace("README.md", "# gamut\n", "# gamut\n\nA later version.\n")
    project.edit(lambda params: params["select"].update({THEIRS: 8}))
    project.run("python", "-c", WRITE)


def test_a_fork_takes_over_a_later_upstream(built: Project) -> None:
    branch = built.run("git", "rev-parse", "--abbrev-ref", "HEAD").stdout.strip()
    built.run("git", "checkout", "--quiet", "-b", "upstream")
    add_upstream(built)
    built.commit()
    built.run("git", "checkout", "--quiet", branch)
    add_filter(built.folder)
    put_toy(built)
    built.run("python", "-c", WRITE)
    built.commit()

    built.run("git", "merge", "--quiet", "--no-edit", "upstream", check=False)
    conflicts = built.run("git", "diff", "--name-only", "--diff-filter=U").stdout.split()
    assert set(conflicts) <= {"params.yaml"}
    if conflicts:
        built.run("git", "checkout", "--ours", "params.yaml")
    built.run("python", "-c", WRITE)
    built.commit()

    ran = running(built.run("dvc", "repro", "select", "leaderboard").stdout)
    assert {NAME, THEIRS, "select"} <= ran and ran >= MEASURING
    admitted = [row["id"] for row in built.rows("admit") if row["admitted"]]
    assert [row["id"] for row in built.rows(NAME)] == [row["id"] for row in built.rows(THEIRS)] == admitted
    assert built.metrics("leaderboard")["toy.v1.as_is.world.careful.overall"] == 100
