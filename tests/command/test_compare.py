"""`gamut compare`: contestants, revisions and experiments; what is unlike is never compared, mistakes are one line."""

from __future__ import annotations

import json
import logging
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from gamut.command import compare
from gamut.command.cli import app
from gamut.command.comparison_shown import LEGEND, VERDICT_LEGEND, BenchmarkVerdict, print_refusals, print_verdicts
from gamut.command.terminal import wrapped_text
from gamut.evaluation.curating.benchmarks import curation_of
from gamut.evaluation.defining.measures import Linear, Metric, Resampled, Scale, averages
from gamut.evaluation.scoring.scores import NOT_ASKED, SCHEMA
from gamut.evaluation.scoring.specs import write_metric_specs
from gamut.evaluation.scoring.verdicts import Verdict
from gamut.project.validation import read_yaml
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from gamut.tables.writing import TableWriter
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import AXES, TRACKS
from tests import fakes
from tests.in_command import gamut

ITEMS = [(f"{track}/{number}", track) for track in TRACKS for number in range(2)]


call = partial(gamut, "compare")


def compared(*arguments: str) -> Any:
    code, said = call(*arguments, "--json")
    assert code == 0, said
    return json.loads(said)


def params(*contestants: str, **changes: object) -> None:
    """Parameters with these contestants; keyword arguments replace keys of the block `prism`."""
    entrants = {name: {"class": "generation", "model": {"kind": "sandbox"}} for name in contestants}
    block = fakes.values()["prism"] | {"edition": "v1", "judges": ["world"]} | changes
    Path("params.yaml").write_text(json.dumps(fakes.values(seed=0, contestants=entrants, prism=block)))


def scored(contestant: str, gain: float, specs: Mapping[tuple[str, str], str], without: str = "") -> None:
    """A contestant's scores: 5 and 6 by turns, and so much more; of one track nothing could be asked."""
    rows: list[Row] = [
        {
            "item": item,
            "stratum": track,
            "groups": [track],
            "setting": setting,
            "judge": judge,
            "measure": axis,
            "spec": spec,
        }
        | dict.fromkeys(("value", "low", "high"), None if track == without else 5 + number % 2 + gain)
        | {"scored": int(track != without), "left_out": [NOT_ASKED] * (track == without)}
        for (setting, judge), spec in specs.items()
        for number, (item, track) in enumerate(ITEMS)
        for axis in AXES
    ]
    write(contestant, rows)


def write(contestant: str, rows: list[Row]) -> None:
    """A table of scores as the stage writes it."""
    with TableWriter(PRISM.scores / contestant, SCHEMA) as table:
        table.write("scores", rows)
    write_metric_specs(PRISM.scores / contestant, METRICS)


METRICS = [averages(setting, TRACKS, PRISM.measures) for setting in ("en", "zh")]


BOTH = {("en", "world"): "question=aa seed=0", ("zh", "world"): "question=bb seed=0"}


OTHER = "question=cc seed=0"
UNLIKE = "question differs in item 'imagination/0', alignment: bb of careful, cc of hasty"


@pytest.fixture
def contestants(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two contestants in two languages, the second half a point worse."""
    monkeypatch.setenv("COLUMNS", "100")
    params("careful", "hasty")
    scored("careful", 0.5, BOTH)
    scored("hasty", 0, BOTH)
    return project


@pytest.mark.usefixtures("contestants")
def test_two_contestants() -> None:
    # Each item of hasty has half a point less on both axes, in tens: 5. Of 14 items only the two vectors of one sign
    # are as far from 0, 2 of 16,384; of a track's two items 2 of 4.
    found = compared("careful", "hasty")
    assert [(c["first"], c["second"], c["metric"], c["judge"]) for c in found["compared"]] == [
        ("careful", "hasty", "en", "world"),
        ("careful", "hasty", "zh", "world"),
    ]
    names = [one["name"] for one in found["compared"][0]["differences"]]
    assert names == ["overall", *AXES, *TRACKS] and found["not_compared"] == []
    overall, *_, track = found["compared"][0]["differences"]
    assert (overall["first"], overall["second"], overall["n"]) == (60, 55, 14)
    assert overall["difference"] == -5 and overall["low"] < -5 < overall["high"] < 0
    assert overall["p"] == 2 / 2**14 and track["p"] == 0.5 and track["n"] == 2
    # Where nothing varies nothing moves by chance: what is looked at together takes nothing from it.
    assert overall["p"] <= overall["p_adjusted"] < 0.001 and track["p_adjusted"] == 0.5


@pytest.mark.usefixtures("contestants")
def test_it_begins_with_a_verdict_a_benchmark() -> None:
    """Nothing varies, so boards move together by nothing, and each interval is that of its board alone: of 14 items a
    share of 1 - .025 ** (1/14) = .23163 may be otherwise, by 10 points: -5 - 2.3163 and -5 + 2.3163.
    """
    code, said = call("careful", "hasty")
    assert code == 0 and said.splitlines()[:3] == [
        "hasty against careful:",
        "PRISM-Bench  behind  -5.0 [-7.3, -2.7]  overall, en by world, 14 items",
        "             behind on 1 of 1 other board: zh",
    ]
    assert said.count("\n") == 5 and said.splitlines()[3].startswith("ahead, behind: ")
    [verdict] = compared("careful", "hasty")["verdicts"]
    assert [verdict[name] for name in ("benchmark", "second", "verdict", "metric", "judge", "low", "high")] == [
        *("prism", "hasty", "behind", "en", "world", -7.316, -2.684),
    ]
    assert [(one["metric"], one["verdict"]) for one in verdict["others"]] == [("zh", "behind")]
    assert call("hasty", "careful")[1].splitlines()[1].startswith("PRISM-Bench  ahead  +5.0 [")
    assert call("careful", "careful")[1].splitlines()[1].startswith("PRISM-Bench  level  0.0 [")


@pytest.mark.usefixtures("contestants")
def test_what_only_one_is_measured_in_is_said() -> None:
    params("careful", "hasty", contestants=["careful"])
    assert call("careful", "hasty") == (1, "PRISM-Bench: not compared: hasty is not measured in it\n")


@pytest.mark.usefixtures("contestants")
def test_the_table_is_for_a_person() -> None:
    code, said = call("careful", "hasty", "--of", "prism")
    assert code == 0 and said.startswith("hasty against careful:\nPRISM-Bench  behind  -5.0 [")
    assert all(f"careful and hasty: PRISM-Bench, {setting}, judged by world" in said for setting in ("en", "zh"))
    [line] = [line for line in said.splitlines() if line.startswith("overall")][:1]
    assert line.split() == ["overall", "60.0", "55.0", "-5.0", "[-7.3,", "-2.7]", "<.001", "14", "-"]
    assert "All values of one table are tested together" in said


@pytest.mark.usefixtures("contestants")
def test_scores_of_other_parameters_are_said_beside_the_numbers() -> None:
    """Both were scored with repeats 1, of which the judge is asked 3 now; that a third was added concerns neither."""
    params("careful", "hasty", "new", repeats=3)
    known = read_yaml(Path("params.yaml"))["contestants"]
    of_two = {name: known[name] for name in ("careful", "hasty")}
    board = {"board": {"params": {"params.yaml": {"contestants": of_two, "prism.repeats": 1}}}}
    declared = {"board": {}, "judge": {"matrix": {"judge": "${prism.judges}"}}}
    Path("stages/prism").mkdir(parents=True)
    Path("stages/prism/dvc.yaml").write_text(json.dumps({"stages": declared}))
    Path("stages/prism/dvc.lock").write_text(json.dumps({"stages": board}))
    done = CliRunner().invoke(app, ["compare", "careful", "hasty", "--json"])
    assert done.exit_code == 0 and json.loads(done.stdout)["compared"]
    assert done.stderr == (
        "PRISM-Bench at workspace: not built with these parameters (prism.repeats changed since): "
        "`dvc repro stages/prism/dvc.yaml:board` builds it again\n"
    )


@pytest.mark.usefixtures("contestants")
def test_what_is_resampled_stands_beside_what_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores are 6 on average and 5.5, so 40 and 45 % are lost."""

    def draws(scores: np.ndarray, weights: np.ndarray, chance: np.random.Generator) -> np.ndarray:
        each = 100 - 10 * np.nanmean(scores, axis=1)
        return np.stack([each @ weights / weights.sum(axis=0)] * 2)

    metric = METRICS[0]._replace(shown=("overall", "lost"), profile=())
    counted = np.ones(len(metric.columns), np.bool_)
    lost = Resampled(counted, lambda scores: float(100 - 10 * np.nanmean(scores)), draws, Scale(0, 100))
    metric = metric._replace(reported=metric.reported | {"lost": lost})
    benchmark = replace(PRISM, metrics=lambda block: [metric])
    monkeypatch.setattr(compare, "curation_of", lambda name: replace(curation_of(name), benchmark=benchmark))
    for contestant in ("careful", "hasty"):
        write_metric_specs(PRISM.scores / contestant, [metric])
    code, said = call("careful", "hasty", "--of", "prism")
    [line] = [line for line in said.splitlines() if line.startswith("lost ")]
    assert code == 0 and line.split()[:3] == ["lost", "40.0", "45.0"] and "+5.0" in line
    overall, one = compared("careful", "hasty")["compared"][0]["differences"]
    assert one["difference"] == 5 and one["p"] == 2 / 10_001 and overall["difference"] == -5


@pytest.mark.usefixtures("contestants")
@pytest.mark.parametrize(
    ("board", "said"), [('{"en.world.validation.passed": 0, "zh.world.validation.passed": 1}', 1), ("{", 0)]
)
def test_of_a_judge_that_failed_its_validation_it_is_said(board: str, said: int) -> None:
    Path("metrics/prism/v1").mkdir(parents=True)
    Path("metrics/prism/v1/board.json").write_text(board)
    assert call("careful", "hasty", "--of", "prism:en")[1].count("world failed its validation as a judge") == 2 * said
    assert [one["trusted"] for one in compared("careful", "hasty")["compared"]] == [not said, True]


@pytest.mark.usefixtures("contestants")
def test_unlike_specs_are_never_compared() -> None:
    scored("hasty", 0, BOTH | {("zh", "world"): OTHER, ("zh", "other"): "dd=0"})
    found = compared("careful", "hasty")
    assert [(c["metric"], c["judge"]) for c in found["compared"]] == [("en", "world")]
    refused = [
        f"PRISM-Bench, zh, judged by world: not compared: {UNLIKE}",
        "PRISM-Bench, zh, judged by other: not compared: hasty is the only one with scores there",
    ]
    assert found["not_compared"] == refused
    assert all(line in call("careful", "hasty")[1] for line in refused)
    scored("hasty", 0, {("zh", "world"): OTHER})
    code, said = call("careful", "hasty")
    assert code == 1 and said.splitlines() == [
        "PRISM-Bench, en, judged by world: not compared: careful is the only one with scores there",
        refused[0],
    ]


@pytest.mark.usefixtures("contestants")
def test_only_items_with_scores_of_both_count() -> None:
    scored("hasty", 0, BOTH, without="style")
    [names] = {tuple(one["name"] for one in c["differences"]) for c in compared("careful", "hasty")["compared"]}
    assert names == tuple(track for track in TRACKS if track != "style")  # averages over all tracks lack one


@pytest.mark.usefixtures("contestants")
def test_who_is_judged_too_little_is_not_compared() -> None:
    rows = list(read_rows(PRISM.scores / "hasty"))
    for row in rows[::10]:
        row |= {"value": None, "low": 0.0, "high": 10.0, "scored": 0, "left_out": ["judged.refused_judge"]}
    write("hasty", rows)
    code, said = call("careful", "hasty")
    assert code == 1 and said.splitlines() == [
        f"PRISM-Bench, {setting}, judged by world: not compared: hasty has 10.7 % unjudged: 3 refused_judge"
        for setting in ("en", "zh")
    ]


@pytest.mark.usefixtures("contestants")
def test_a_setting_that_is_not_measured_any_more_is_told() -> None:
    params("careful", "hasty", languages=["en"])
    found = compared("careful", "hasty")
    assert [c["metric"] for c in found["compared"]] == ["en"] and found["not_compared"] == [
        "PRISM-Bench, zh, judged by world: not compared: no metric reports this setting with the present params.yaml"
    ]


def across(block: object) -> list[Metric]:
    """English, and how far it is ahead of Chinese."""
    en, zh = (averages(setting, TRACKS, PRISM.measures) for setting in ("en", "zh"))
    factors = [metric.reported["overall"].factors for metric in (en, zh)]  # type: ignore[union-attr]
    reported = {
        "both": Linear(np.concatenate(factors) / 2),
        "gap": Linear(np.concatenate([factors[0], -factors[1]])),
    }
    return [en, Metric("across", ("en", "zh"), [*en.columns, *zh.columns], reported, ("both", "gap"))]


@pytest.mark.usefixtures("contestants")
def test_a_metric_across_settings_is_compared_where_the_specs_of_all_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        compare, "curation_of", lambda name: replace(curation_of(name), benchmark=replace(PRISM, metrics=across))
    )
    scored("hasty", 0, {("en", "world"): BOTH["en", "world"]})
    more = [row | {"setting": "zh", "spec": BOTH["zh", "world"]} for row in read_rows(PRISM.scores / "hasty")]
    for row in more:
        row |= {name: row[name] + 1 for name in ("value", "low", "high")}
    english = list(read_rows(PRISM.scores / "hasty"))

    def write_more(spec: str) -> None:
        write("hasty", [*english, *(row | {"spec": spec} for row in more)])

    write_more(BOTH["zh", "world"])
    [_, both] = compared("careful", "hasty")["compared"]
    # careful has 60 in both; hasty 55 in English and 65 in Chinese
    assert both["metric"] == "across"
    assert [(one["name"], one["first"], one["second"]) for one in both["differences"]] == [
        ("both", 60, 60),
        ("gap", 0, -10),
    ]
    write_more(OTHER)
    found = compared("careful", "hasty")
    assert [c["metric"] for c in found["compared"]] == ["en"] and found["not_compared"] == [
        f"PRISM-Bench, zh, judged by world: not compared: {UNLIKE}",
        "PRISM-Bench, across, judged by world: not compared: zh cannot be",
    ]


@pytest.mark.usefixtures("contestants")
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["carefull", "hasty"],
            "'carefull' is neither a revision (you are not inside of a DVC repository (checked up to mount point '/')) "
            "nor a contestant; did you mean 'careful'?",
        ),
        (
            ["carefull@workspace", "hasty"],
            "carefull@workspace: workspace has no contestant 'carefull'; did you mean 'careful'?",
        ),
        (
            ["careful", "workspace"],
            "a contestant cannot be compared with a revision: name two contestants, as NAME or NAME@REVISION, or two "
            "revisions",
        ),
    ],
)
def test_a_mistake_is_one_line(arguments: list[str], line: str) -> None:
    mount = next(folder for folder in Path.cwd().parents if folder.is_mount())
    assert call(*arguments) == (1, line.replace("point '/'", f"point '{mount}'") + "\n")


@pytest.mark.usefixtures("contestants")
def test_of_one_benchmark() -> None:
    assert compared("careful", "hasty", "--of", "prism") == compared("careful", "hasty")
    assert call("careful", "hasty", "--of", "prsm")[1] == "there is no benchmark 'prsm'; did you mean 'prism'?\n"


# Revisions


def git(*arguments: str) -> None:
    subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e@x", *arguments], check=True, capture_output=True)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """v1 with careful and hasty; v2 where hasty has become better and newer has joined; the experiment `bold`."""
    from dvc.repo import Repo

    folder = tmp_path_factory.mktemp("history")
    logging.disable(logging.INFO)  # DVC would write to the stream that was there when it was imported
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        git("init", "-q", "-b", "main")
        git("config", "user.name", "n")
        git("config", "user.email", "e@x")
        Repo.init().close()
        tables = [str(PRISM.scores / name) for name in ("careful", "hasty")]
        params("careful", "hasty")
        scored("careful", 0.5, BOTH)
        scored("hasty", 0, BOTH)
        with Repo() as repo:
            repo.add(tables)
            git("add", ".")
            git("commit", "-qm", "one")
            git("tag", "v1")
            params("careful", "hasty", "newer")
            scored("hasty", 1, BOTH)
            scored("newer", 0, BOTH)
            repo.add([*tables, str(PRISM.scores / "newer")])
            git("add", ".")
            git("commit", "-qm", "two")
            git("tag", "v2")
            scored("newer", 2, BOTH)
            repo.add([str(PRISM.scores / "newer")])
            repo.experiments.save(name="bold")
        git("reset", "-q", "--hard")
    logging.disable(logging.NOTSET)
    return folder


@pytest.fixture
def clone(history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the history, as working directory."""
    folder = tmp_path / "clone"
    shutil.copytree(history, folder)
    monkeypatch.chdir(folder)
    return folder


def gains(*arguments: str) -> dict[str, float]:
    """The overall difference in English by the name of the second."""
    return {
        c["second"]: c["differences"][0]["difference"] for c in compared(*arguments)["compared"] if c["metric"] == "en"
    }


@pytest.mark.usefixtures("clone")
def test_two_revisions_compare_every_contestant_that_both_have() -> None:
    assert gains("v1", "v2") == {"careful@v2": 0, "hasty@v2": 10}  # newer was not there yet
    heading, hasty, others, level, new, *_ = call("v1", "v2")[1].splitlines()
    assert heading == "v2 against v1:"
    assert (
        hasty.split()[:3] == ["hasty", "PRISM-Bench", "ahead"] and others.strip() == "ahead on 1 of 1 other board: zh"
    )
    assert level == "level on the only benchmark: careful" and new == f"newer: not compared: {OLD}"
    assert compared("v1", "v2")["not_both"] == [f"newer: not compared: {OLD}"]
    assert f"newer: not compared: {OLD}\n" in call("v1", "v2", "--of", "prism")[1]


OLD = "v1 does not have this contestant"


def verdict_of(title: str, second: str, word: str, others: int = 0) -> BenchmarkVerdict:
    told = [Verdict(f"m{number}", "world", word) for number in range(others)]
    benchmark = SimpleNamespace(title=title, name=title)
    return BenchmarkVerdict(benchmark, "first", second, Verdict("en", "world", word), told)  # type: ignore[arg-type]


def test_of_many_contestants_the_first_lines_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """Two lines each of those who are ahead: 7 times 2 are 14. Whom one board of 2 tells apart is not level."""
    ahead = [verdict_of("A", f"c{number}@v2", "ahead", 1) for number in range(9)]
    level = [verdict_of(title, f"{name}@v2", "level") for name in ("d", "e") for title in ("A", "B")]
    odd = verdict_of("A", "f@v2", "level")._replace(others=[Verdict("m", "world", "ahead")])
    print_verdicts("v1", "v2", [*level, *ahead, odd])
    _, *lines, more, last = capsys.readouterr().out.splitlines()
    assert len(lines) == 14 and more == "and 3 more: `--json` has all" and last == "level on all 2 benchmarks: d, e"
    print_refusals([f"A, {n}: not compared: x" for n in range(5)] + [f"B: not compared: {n}" for n in range(4)], 3)
    assert capsys.readouterr().out.splitlines() == [
        "not compared: x: A, 0; A, 1; A, 2 and 2 more",
        *(f"B: not compared: {number}" for number in range(2)),
        "and 2 more not compared: `--json` says why",
    ]


@pytest.mark.parametrize("columns", [40, 140])
def test_the_legends_flow(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    for legend in (LEGEND, VERDICT_LEGEND):
        *lines, _ = wrapped_text(legend).splitlines()
        assert all(columns - 14 < len(line) <= columns for line in lines)


@pytest.mark.usefixtures("clone")
def test_who_is_taken_out_is_not_compared() -> None:
    assert compared("v2", "v1")["not_compared"] == ["newer: not compared: v1 does not have this contestant"]
    code, said = call("v2", "v1", "--margin", "99")
    assert code == 4 and "newer: not compared: v1 does not have this contestant" in said
    assert call("v1", "v2", "--margin", "99")[0] == 0
    values = json.loads(Path("params.yaml").read_text())
    values["gir"] = {"edition": "v1"}
    Path("params.yaml").write_text(json.dumps(values))
    git("commit", "-qam", "three")
    git("tag", "v3")
    git("reset", "-q", "--hard", "HEAD~1")
    code, said = call("v2", "v3", "--margin", "99", "--of", "prism")
    assert code == 0, said
    code, said = call("v2", "v3", "--margin", "99")
    assert code == 4 and "not compared: params.yaml here has no block 'gir'" in said


@pytest.mark.usefixtures("clone")
def test_a_contestant_of_a_revision_against_one_that_lies_here() -> None:
    params("careful", "hasty")
    scored("hasty", 3, BOTH)
    assert gains("hasty@v1", "hasty") == {"hasty": 30}
    assert gains("careful@v1", "hasty@HEAD~1") == {"hasty@HEAD~1": -5}
    assert gains("HEAD~1", "workspace") == {"careful": 0, "hasty": 30}


@pytest.mark.usefixtures("clone")
def test_a_mistake_about_a_revision_is_one_line() -> None:
    assert call("v1", "v3") == (
        1,
        "'v3' is neither a revision (unknown Git revision 'v3') nor a contestant; known are: careful, hasty, newer, "
        "workspace\n",
    )
    assert call("hasty@v3", "hasty") == (1, "'v3' is not a revision (unknown Git revision 'v3')\n")
    assert call("newer@v1", "hasty") == (1, "newer@v1: v1 has no contestant 'newer'; known are: careful, hasty\n")


def test_scores_that_were_not_pulled_are_told(clone: Path) -> None:
    shutil.rmtree(clone / ".dvc/cache")
    code, said = call("v1", "v2")
    assert (
        code == 1
        and said
        == "".join(
            f"PRISM-Bench: not compared: datasets/prism/scores/{name}: its content at v1 is not in DVC's local cache: "
            f"`dvc fetch --all-commits datasets/prism/scores/{name}` gets it, or `dvc exp pull` for an experiment\n"
            for name in ("careful", "hasty")
        )
        + f"newer: not compared: {OLD}\n"
    )


@pytest.mark.usefixtures("clone")
def test_an_experiment_is_a_revision() -> None:
    assert gains("v2", "bold") == {"careful@bold": 0, "hasty@bold": 0, "newer@bold": 20}
