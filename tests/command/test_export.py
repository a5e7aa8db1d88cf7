"""`gamut export`: what contestants are given goes out as prompts, and comes back as the answers of a contestant."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from gamut.asking.models.folder.answers import Folder
from gamut.asking.requests import parts_of, wants_picture
from gamut.command.contestants import adding
from gamut.command.export import written_part
from gamut.evaluation.bodies.answer import answering_visit, last_picture, shards_of
from gamut.evaluation.bodies.rewrite import rewrite
from gamut.evaluation.curating.benchmarks import curations
from gamut.evaluation.defining.settings import settings_of
from gamut.evaluation.running.folder_answers import missing_answers, name_as_folders_do, with_record
from gamut.evaluation.running.rewritings import rewritings_for
from gamut.publish.parameters import load_everything
from stages.genius.shared.prompts import CRITIQUE, SECOND_ATTEMPT
from tests import fakes
from tests.in_command import gamut
from tests.paths import ROOT

PROMPTS = Path("prompts/prompts.jsonl")


@pytest.fixture(autouse=True)
def shipped(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shipped parameters and editions; no git."""
    monkeypatch.setattr(adding, "is_repository", lambda: False)
    shutil.copy(ROOT / "params.yaml", "params.yaml")
    Path("datasets").mkdir()
    for name in ("editions", "edition_images"):
        Path("datasets", name).symlink_to(ROOT / "datasets" / name)


def call(*arguments: str) -> str:
    code, said = gamut(*arguments)
    assert code == 0, said
    return said


def refused(*arguments: str) -> str:
    before = fakes.contents(Path("prompts"))
    code, said = gamut(*arguments)
    assert code == 1 and fakes.contents(Path("prompts")) == before
    return said.rstrip("\n")


def prompts() -> list[dict[str, Any]]:
    return [json.loads(line) for line in PROMPTS.read_text().splitlines()]


def answer(folder: Path = Path("prompts")) -> None:
    """A script of ten lines that answers all prompts."""
    with (folder / "answers.jsonl").open("w") as answers:
        for number, line in enumerate(map(json.loads, (folder / "prompts.jsonl").open())):
            parts = [{"text": f"the answer to {line['id']}"}] if "text" in line["wanted"] else []
            if "image" in line["wanted"]:
                picture = Image.new("RGB", (line["width"], line["height"]), (number % 256, number // 256, 99))
                picture.save(folder / f"{number}.png")
                parts.append({"image": f"{number}.png"})
            answers.write(json.dumps({"id": line["id"], "sample": line.get("sample", 0), "parts": parts}) + "\n")


def require_all_answered(name: str) -> int:
    """Each row is asked what its prompt says, answered by its own line; the number of rows."""
    everything, lines, number = load_everything(), prompts(), 0
    folder = Folder(name, "prompts")
    for benchmark, params in everything.benchmarks.items():
        record = curations()[benchmark].benchmark
        if name not in record.block(params).contestants:
            continue
        items = {str(item.id): item for item in record.items(params)}
        visit = answering_visit(record, params, items, name, rewritings_for(record, params, name), last_picture)
        rows = [row for rows in shards_of(record, params, name, [*items.values()]).values() for row in rows]
        asked = [(row, talk.next([])) for row in rows for talk in next(visit(row), [])]
        name_as_folders_do([folder], asked)
        assert not missing_answers(folder, asked)
        for row, request in asked:
            [found] = folder.found(with_record(request, row["record"]))
            line = lines[int(found.where.removeprefix("answers.jsonl:")) - 1]
            assert [line[key] for key in ("benchmark", "setting", "item")] == [benchmark, row["setting"], row["item"]]
            assert line.get("sample", 0) == row["sample"] and line["seed"] == request.seed + row["sample"]
            assert line["parts"] == [written_part(part) for part in parts_of(request)]
            assert wants_picture(request) == ("image" in line["wanted"]) == ("width" in line)
            number += 1
    return number


def test_prompts_of_all_benchmarks_come_back_as_the_answers_of_a_contestant() -> None:
    said = call("export", "mine", "prompts", "--class", "unified")
    given = {part["image"] for line in prompts() for part in line["parts"] if "image" in part}
    assert given == {f"given/{path.name}" for path in Path("prompts/given").iterdir()}
    answer()
    added = call("add", "contestant", "mine", "--folder", "prompts")
    assert added.startswith("params.yaml: contestants.mine is new, of class unified: ") and "nothing that" not in added
    everything = load_everything()
    measured_in = {
        name: settings_of(curations()[name].benchmark, params, "mine") for name, params in everything.benchmarks.items()
    }
    assert said.splitlines()[-1] == "`gamut add contestant mine --folder prompts --class unified --benchmarks " + (
        ",".join(f"{name}:{','.join(settings)}" for name, settings in measured_in.items()) + "`"
    )
    assert require_all_answered("mine") == len(prompts()) and len(measured_in) == 5


def change_parameters(old: str, new: str) -> None:
    text = Path("params.yaml").read_text()
    assert old in text
    Path("params.yaml").write_text(text.replace(old, new))


def test_one_setting_and_several_samples_are_added_by_the_command_that_is_told() -> None:
    change_parameters("samples: 1", "samples: 2")
    said = call("export", "mine", "prompts", "--class", "unified", "--benchmarks", "aegis:clear")
    assert '"sample": …' in said and [line["sample"] for line in prompts()] == [0] * 20 + [1] * 20
    answer()
    call(*said.splitlines()[-1].strip("`").split()[1:])
    assert require_all_answered("mine") == 40


def test_a_killed_export_is_completed_and_another_is_not_mixed_in() -> None:
    call("export", "careful", "prompts", "--benchmarks", "aegis")
    whole = fakes.contents(Path("prompts"))
    PROMPTS.unlink()
    next(Path("prompts/given").iterdir()).unlink()
    call("export", "careful", "prompts", "--benchmarks", "aegis")
    assert fakes.contents(Path("prompts")) == whole
    answer()
    call("export", "careful", "prompts", "--benchmarks", "aegis")  # the same beside answers
    assert refused("export", "careful", "prompts", "--benchmarks", "aegis:raw") == (
        "prompts/prompts.jsonl holds other prompts already: name a new folder"
    )
    PROMPTS.unlink()
    assert refused("export", "careful", "prompts") == ("prompts holds 1.png, but no prompts.jsonl: name a new folder")


def test_items_that_can_be_put_to_nobody_are_counted_and_missing_pictures_told() -> None:
    file = Path("datasets/editions")
    file.unlink()
    shutil.copytree(ROOT / file, file)
    path = file / "aegis/sandbox.jsonl"
    first, *others = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps(json.loads(first) | {"unusable": "its picture is lost"}), *others]))
    said = call("export", "careful", "prompts", "--benchmarks", "aegis")
    assert "(19 aegis raw, 19 aegis clear)\nleft out: 2 prompts of items that are unusable, " in said
    shutil.rmtree("prompts")
    Path("datasets/edition_images").unlink()
    said = refused("export", "careful", "prompts", "--benchmarks", "aegis")
    assert "datasets/edition_images/aegis/sandbox: the pictures of this edition are missing" in said


def test_rewritten_prompts_are_written_where_they_are_there() -> None:
    change_parameters("  rewriters: []", "  rewriters: [models.world, contestants.careful]")
    record = curations()["aegis"].benchmark
    rewrite(record, load_everything().benchmarks["aegis"], "models.world")
    said = call("export", "careful", "prompts", "--benchmarks", "aegis")
    assert "aegis by_itself: left out, because `dvc repro` has to rewrite its prompts first\n" in said
    assert "--benchmarks aegis:raw,clear,by_world`" in said
    texts = {
        setting: [
            "".join(part.get("text", "") for part in line["parts"]) for line in prompts() if line["setting"] == setting
        ]
        for setting in ("raw", "by_world")
    }
    assert len(texts["by_world"]) == len(texts["raw"]) == 20 and texts["by_world"] != texts["raw"]


def test_how_a_contestant_is_to_reflect_is_told() -> None:
    change_parameters("[interleaved, without_context, text_hints]", "[interleaved, post_reflection]")
    call("export", "careful", "prompts", "--benchmarks", "genius")
    reflection = {"critique": CRITIQUE, "again": SECOND_ATTEMPT, "rounds": 1}
    by_setting = {line["setting"]: line.get("reflection") for line in prompts()}
    assert by_setting == {"interleaved": None, "post_reflection": reflection}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("nobody",),
            "there is no contestant 'nobody'; known are: average, careful, hasty; for a new one, give --class",
        ),
        (("careful", "--class", "unified"), "params.yaml already has a contestant 'careful': leave out --class"),
        (("mine", "--class", "painter"), "contestants.mine.class: 'painter' is not known"),
        (
            ("mine", "--class", "editing", "--benchmarks", "prism"),
            "mine can answer nothing of prism: its items need ",
        ),
        (("careful", "--benchmarks", "prsm"), "--benchmarks: there is no benchmark 'prsm'; did you mean 'prism'?"),
    ],
)
def test_what_cannot_be_exported_is_told_in_a_line(arguments: tuple[str, ...], words: str) -> None:
    name, *options = arguments
    said = refused("export", name, "prompts", *options)
    assert words in said and "\n" not in said
