"""The page of judges, of the toy with two judges who roll dice: what stands in tables and metric files
stands there, and nothing else.
"""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest

from gamut.asking.requests import Chat, Reply, Request
from gamut.evaluation.boards import agree, rank, score
from gamut.evaluation.bodies import answer, judge, observe
from gamut.evaluation.defining.benchmark import Benchmark
from gamut.evaluation.labelling.labels import COLUMNS, FINER
from gamut.evaluation.running import controls
from gamut.project.roles import RoleModel
from gamut.report.benchmarks.judges import write_judges
from gamut.report.benchmarks.results import read_results
from gamut.report.board import pages
from gamut.report.site.folder import MARK, Folder
from gamut.tables.reading import read_rows
from tests.evaluation import test_toy
from tests.evaluation.toy_project import ONE, Played, canned, params_of, put_edition
from tests.fakes import numbered
from tests.report.page_tree import Element, tree
from tests.report.reading_back import compared, numbers

toy = test_toy.toy
JUDGES = ("world", "strict")
CONTESTANTS = ("able", "brisk", "shy", "variant")
HOSTILE = "<script>alert(1)</script> \u202e"


def dice(role_model: RoleModel, request: Request) -> Reply:
    """A judge rolls, the kinder the contestant's name says; of `shy` every fourth time it says nothing usable."""
    if not isinstance(request, Chat):
        return canned(role_model, request)
    words = "".join(part for part in request.messages[0].parts if isinstance(part, str))
    chance = random.Random(f"{role_model.slug} {request.name} {request.seed} {WHO[0]} {words}")
    if WHO[0] == "shy" and chance.random() < 0.25:
        return Reply(HOSTILE.encode(), "refused", 3, 1)
    share = 0.9 - 0.15 * CONTESTANTS.index(WHO[0])
    count = words.rpartition("<checklist>")[2].partition("</checklist>")[0].strip().count("\n") + 1
    verdict, *verdicts = (
        {"reason": "so", "verdict": "Y" if chance.random() < share else "N"} for _ in range(count + 1)
    )
    said = verdict | {"verdicts": numbered(verdicts), "score": round(10 * chance.random() ** (1 - share))}
    return Reply(orjson.dumps(said), "stop", 100, 10)


WHO = [CONTESTANTS[0]]
"""Whose answers are looked at."""


class Site(NamedTuple):
    """A project with its pages: its folder, the pages' own, the record and the parameters."""

    project: Path
    pages: Path
    record: Benchmark[Any, Any]
    params: Any

    def metrics(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.project / f"metrics/toy/v1/{name}.json").read_text())
        return found

    def page(self, name: str) -> Element:
        return tree(self.pages / name)

    def rows(self, table: str) -> list[dict[str, Any]]:
        return list(read_rows(self.project / "datasets/toy" / table))


@pytest.fixture(scope="module")
def site(toy: Benchmark[Any, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Four contestants, one a variant of another, judged twice by two judges; of some answers two people's scores."""
    record = replace(toy, agreement_by=lambda item: item.kind)
    models = {"strict": {"kind": "sandbox", "judging": {"noise": 1}}}
    params = params_of(toy, models=models, **dict.fromkeys(CONTESTANTS[:-1], ONE), variant=ONE | {"variant_of": "able"})
    changed = {"judges": [*JUDGES], "controls_of": ["able"], "repeats": 2}
    params = params.model_copy(update={"toy": params.toy.model_copy(update=changed)})
    folder = tmp_path_factory.mktemp("judged")
    put_edition(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(controls, "CONTROLS", ("blank", "praise"))
        Played(patch, dice)
        for contestant in CONTESTANTS:
            WHO[0] = contestant
            answer.answer(record, params, contestant)
            observe.observe(record, "detector", params, contestant, "world")
            for slug in JUDGES:
                judge.judge(record, params, contestant, slug)
                if contestant == "able":
                    judge.judge_controls(record, params, contestant, slug)
            score.score(record, params, contestant)
        label(folder)
        agree.agree(record, params)
        rank.rank(record, params)
        more = {f"apart.world.correlation.picture.both{end}": n / 7 for n, end in enumerate(("", "_lo", "_hi", "_n"))}
        path = Path("metrics/toy/v1/board.json")  # dice rank nobody, so that nothing is correlated
        path.write_text(json.dumps(json.loads(path.read_text()) | more))
        path, key = Path("metrics/toy/v1/corrected.json"), "apart.world.able."  # of a few labels nothing is corrected
        more = {
            f"{key}{name}{end}": n / 7
            for name in ("overall.raw", "overall.corrected", "over_brisk")
            for n, end in enumerate(("", "_lo", "_hi"))
        }
        more |= {f"{key}overall.{name}": 12 for name in ("labels", "blank", "labels_to_halve")}
        more |= {f"{key}{name}": n + 1 for n, name in enumerate(("rank_best", "rank_worst", "tie_group"))}
        more |= {f"apart.world.brisk.overall.{name}": 3 for name in ("raw", "labels")}
        stood = json.loads(path.read_text())
        del stood[f"{key}overall.not_corrected"]
        path.write_text(json.dumps(stood | more))
        Path("params.yaml").write_text(params.model_dump_json(by_alias=True, exclude_none=True))
        pages(record, params)
        yield Site(folder, folder / "report/benchmarks/toy", record, params)


def label(folder: Path) -> None:
    """Two people score what the first judge said is right: one as it did, one otherwise every third time."""
    path = folder / "datasets/labels/toy/v1.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    said = [row for row in read_rows(folder / "datasets/toy/judgments/able/world/answers") if row["repeat"] == 0]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*COLUMNS, *FINER])
        writer.writeheader()
        for person in ("ann", "bob"):
            for number, row in enumerate(one for one in said if one["question"] == "holds"):
                value = 1 - row["value"] if person == "bob" and number % 3 == 0 else row["value"]
                writer.writerow(
                    {"contestant": "able", "measure": "holds", "person": person, "score": f"{value:g}"}
                    | {"item": row["item"], "setting": row["setting"], "sample": row["sample"], "question": row["part"]}
                )


def test_a_gap_that_refusing_raises_says_so_where_it_stands(site: Site) -> None:
    [said] = [
        one.words for one in site.page("index.html").all("p") if "raises this" in one.words and "gap" in one.words
    ][:1]
    assert said == "gap: a missing score in apart counts as the lowest and raises this value, so it does not rank."


def test_all_numbers_of_boards_and_agreement_stand_on_pages_as_they_are(site: Site) -> None:
    files = {name: site.metrics(name) for name in ("board", "agreement", "corrected")}
    files |= {name: site.metrics(f"contestants/{name}") for name in CONTESTANTS}
    for name, parts in {
        "board": ("over_able", "correlation", "validation", "control_blank"),
        "agreement": ("people", "repeats", "kappa", "same", "variance", "share", "to_halve", "edit"),
        "corrected": ("able", "raw", "raw_lo", "corrected", "corrected_hi", "labels", "blank", "rank_worst"),
    }.items():
        assert {*parts} <= {part for key in files[name] for part in key.split(".")}
    lacking, wrong = compared(numbers(site.pages.rglob("*.html")), files)
    assert not lacking and not wrong
    # The page of 6 boards of 20 contestants has 4,560 numbers: said at each, file and beginning would be 280 kB of it.
    boards = site.page("index.html")
    assert all(
        one["data-file"] in files and one["data-keys"].endswith(".") for one in boards.all("tr") if [*one.all("data")]
    )
    assert not any("data-file" in one.attributes for one in boards.all("data"))


@pytest.fixture
def in_project(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    monkeypatch.chdir(site.project)
    return site


def test_who_failed_its_validation_is_told_wherever_its_scores_stand(site: Site) -> None:
    passed = [value for key, value in site.metrics("board").items() if key.endswith(".validation.passed")]
    values = [one for one in site.page("contestants/able.html").all("summary") if "judged by" in one.text]
    assert len(passed) == len(values) == 6 and not any(passed)
    assert all("failed its validation" in one.text for one in values)


def test_what_judges_left_out_is_told_as_text_and_leads_to_the_answer(site: Site) -> None:
    page = site.page("judges.html")
    [table] = [one for one in page.all("div") if one.attributes.get("aria-label", "").startswith("statuses")]
    counts = Counter(row["status"] for row in site.rows("judgments/shy/strict/answers"))
    heading, *rows = [[cell.text for cell in (*row.all("th"), *row.all("td"))] for row in table.all("tr")]
    assert heading[1:] == ["ok", "refused_judge"] and counts["refused_judge"] > 5
    assert rows[1][0] == "strict" and rows[1][2] == str(counts["refused_judge"])
    lists = [*page.one("section", id="failures").all("ul")]
    assert [len([*one.all("li")]) for one in lists] == [5, 5]
    first = next(row for row in site.rows("judgments/shy/world/answers") if row["status"] != "ok")
    line = next(lists[0].all("li"))
    assert line.one("a")["href"] == f"items/{first['item']}.html#{first['setting']}--shy"
    assert "<script>alert(1)</script>" in line.text and "\u202e" not in line.text
    assert {one.attributes.get("src") for one in page.all("script")} == {"assets/page.js"}


def test_the_same_again_is_the_same(in_project: Site, tmp_path: Path) -> None:
    folder, found = Folder(tmp_path), read_results(in_project.record, in_project.params)
    write_judges(folder, found)
    folder.written.remove(MARK)
    assert folder.written == {"judges.html"}
    assert all((tmp_path / name).read_bytes() == (in_project.pages / name).read_bytes() for name in folder.written)
