"""`gamut try` in a project that was built: beside it, with its replies, and to the pages."""

from __future__ import annotations

from typing import Any

from tests.end_to_end.project import Project

PLACE = ".dvc/tmp/try"
ASKED_FOR_RECORDS = {"brainstorm", "imagine", "rewrite", "find_text", "synthesize", "examine", "score", "annotate"}


def of_one_contestant(params: Any) -> None:
    params["contestants"] = {"careful": dict(params["contestants"]["careful"])}
    params["prism"]["contestants"] = ["careful"]


def test_a_validation_lies_beside_the_build_and_shares_its_replies(built: Project) -> None:
    built.edit(of_one_contestant)
    built.commit()
    before, locked, released = built.asked(), (built.folder / "dvc.lock").read_bytes(), built.files("datasets/release")
    said = built.run("gamut", "try", "2").stdout
    assert "a trial: at most 2 rows of each source and 2 items of each edition\n" in said
    assert said.endswith(f"look at it: {PLACE}/report/index.html\n")
    assert (built.folder / PLACE / "report/index.html").is_file()
    trial = Project(built.folder / PLACE, built.environment)
    assert {row["wave"] for row in trial.rows("source_rows")} == {
        "aesthetics-part01",
        "imaginative",
        "text",
        "sentences",
    }
    assert (
        len(trial.rows("source_rows")) == 4 * 2 and len(trial.rows("prism/answers/careful")) == 2 * 2
    )  # both languages
    assert not ASKED_FOR_RECORDS & built.asked_since(before).keys(), "what the build asked is not asked again"
    assert (built.folder / "dvc.lock").read_bytes() == locked and built.files("datasets/release") == released
    assert built.run("git", "status", "--porcelain").stdout == ""
