"""Outputs in the published layouts of all benchmarks become contestants as they are, each by one command."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from gamut.command.contestants import adding
from gamut.evaluation.bodies.answer import answer
from gamut.evaluation.curating.benchmarks import curations
from gamut.evaluation.curating.freeze import import_items
from gamut.evaluation.defining.editions import freeze_edition
from gamut.project.parameters import load
from gamut.project.validation import read_yaml
from gamut.tables.reading import read_rows
from stages.own.shared.items import OwnItem
from stages.prism.shared.items import PrismItem
from tests import fakes
from tests.aegis.released_file import entries
from tests.gapeval import gap_folders
from tests.genius import genius_folders, small_genius
from tests.gir.published import folders as gir_folders
from tests.in_command import gamut

BLOCK = {
    "edition": "v1",
    "contestants": [],
    "judges": ["gpt"],
    "repeats": 1,
    "controls_of": [],
    "answer": {"width": 64, "height": 64, "samples": 1, "max_failures": 0},
    "judge": {"max_failures": 0, "max_unjudged": 0.05},
}
OBSERVERS = {"detector": ["world"], "reader": ["eyes"], "image_embedder": ["world"]}
GIR_SETTINGS = ["t2i", "edit", "category", "prompt", "name", "choice"]
PICTURE = fakes.jpeg("red", size=(64, 64))


def put(root: str, *names: str, content: bytes = PICTURE) -> None:
    for name in names:
        path = Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@pytest.fixture(autouse=True)
def without_git(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "is_repository", lambda: False)


def measured(benchmark: str, block: Mapping[str, Any]) -> None:
    models = {"world": {"kind": "sandbox"}, "gpt": {"kind": "openai", "id": "org/gpt"}, "eyes": {"kind": "rapidocr"}}
    values = fakes.values(models=models, **{benchmark: block})
    if benchmark != "prism":
        del values["prism"]
    Path("params.yaml").write_text("".join(f"{key}: {json.dumps(one)}\n" for key, one in values.items()))


def add(*arguments: str) -> str:
    code, said = gamut("add", "contestant", "mine", "--folder", *arguments)
    assert code == 0, said
    return said


def refused(*arguments: str) -> str:
    before = Path("params.yaml").read_bytes()
    code, said = gamut("add", "contestant", "mine", "--folder", *arguments)
    assert code == 1 and said.count("\n") == 1 and Path("params.yaml").read_bytes() == before, said
    return said


def block() -> dict[str, Any]:
    found = dict(read_yaml(Path("params.yaml"))["contestants"]["mine"])
    found["model"] = {key: value for key, value in found["model"].items() if key not in ("kind", "revision")}
    return found


def answered(name: str, capsys: pytest.CaptureFixture[str]) -> Counter[tuple[str, str]]:
    """What the stage makes of it, by setting and status, with nothing left over."""
    benchmark = curations()[name].benchmark
    answer(benchmark, load(benchmark.params), "mine")
    assert "nothing that is asked" not in capsys.readouterr().out
    return Counter((row["setting"], row["status"]) for row in read_rows(benchmark.answers / "mine"))


def test_tracks_of_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    items = [
        PrismItem(id=f"{track}/{n}", track=track, prompt=f"{n}", prompt_zh=f"{n}")
        for track in ("style", "entity")
        for n in range(2)
    ]
    freeze_edition("prism", "v1", items)
    measured("prism", {**BLOCK, "languages": ["en"], "instructions": "own"})
    put("made/model", "style/0.png", "style/1.png", "entity/0.png", "entity/1.png")
    said = add("made")
    assert "is new, of class generation, outputs of model: prism (en)\n" in said and "nothing" not in said.split("`")[0]
    assert block() == {"class": "generation", "model": {"path": "made", "of": "model"}}
    assert answered("prism", capsys) == {("en", "ok"): 4}


def test_results_of_some_tasks(capsys: pytest.CaptureFixture[str]) -> None:
    """An understanding task and one of editing, by foreign paths: two of the four tasks are done, and that is said."""
    chosen = [
        next(one for one in entries() if one["task"] == task) for task in ("understanding", "editing", "generation")
    ]
    Path("annotation.json").write_text(json.dumps(chosen))
    put("images", *{path for one in chosen for path in one["input_image"] + one["ref_image"]})
    list(import_items(curations()["aegis"], Path("annotation.json"), "v1", Path("images")))
    measured("aegis", {**BLOCK, "settings": ["raw", "clear"], "rewriters": [], "describers": []})
    for one in chosen[:2]:
        pictures = [f"/data/them/out/{one['task']}/images/{one['id']}.jpg"] * (one["task"] == "editing")
        put("out", *(path.partition("/out/")[2] for path in pictures))
        result = {"id": one["id"], "output_text": "Yes.", "output_image_path_list": pictures}
        put("out", f"{one['task']}/results.json", content=json.dumps([result]).encode())
    said = add("out")
    assert (
        "of class unified with tasks understanding, editing: aegis (raw)" in said
        and "aegis: answers to raw 2 of 2" in said
    )
    tasks = {"class": "unified", "tasks": ["understanding", "editing"], "settings": {"aegis": ["raw"]}}
    assert block() == tasks | {"model": {"path": "out"}}
    assert answered("aegis", capsys) == {("raw", "ok"): 2}

    lost = f"generation/images/{chosen[2]['id']}.jpg"
    put("out", lost)
    result = {"id": chosen[2]["id"], "output_text": "failed", "output_image_path_list": [f"/data/them/out/{lost}"]}
    put("out", "generation/results.json", content=json.dumps([result]).encode())
    assert "aegis: out lacks 1 of 3 answers" in refused("out", "--replace"), "what failed is promised, and missing"
    said = add("out", "--replace", "--max-failures", "1")
    assert "aegis: answers to raw 2 of 3; missing ones count as the lowest score\n" in said
    assert f"out: 1 file of entries that say `failed`: {lost}\n" in said


def put_gir(model: str, entity: Callable[[int], str]) -> None:
    put(f"generation/t2i/{model}", "SpatialLayout/1.png", "NumericalReasoning/001.png", "TextRendering/7.png")
    put(f"generation/t2i/{model}", *(f"Zoology/{entity(n)}.png" for n in range(1, 6)))
    put(f"generation/editing/{model}", "ReasoningPerception/003.png", "VisualLogic/1.png", "VisualPuzzle/7.png")


def test_two_trees_of_one_model_among_others(capsys: pytest.CaptureFixture[str]) -> None:
    gir_folders.put_all()
    list(import_items(curations()["gir"], gir_folders.ROOT, "v1"))
    observed = {**BLOCK, "judges": [], "observers": OBSERVERS, "settings": GIR_SETTINGS}
    measured("gir", observed)
    put_gir("BAGEL", lambda n: f"{n}_a_fox")
    put_gir("Janus", str)
    said = refused("generation")
    assert "--folder generation holds outputs of 2 models (BAGEL, Janus): choose one, as `--of BAGEL`" in said
    said = add("generation", "--of", "BAGEL")
    assert "with tasks generation, editing, outputs of BAGEL: gir (t2i, edit, prompt)" in said
    assert "gir: answers to t2i 3 of 3, edit 3 of 3, prompt 5 of 5\n" in said
    assert block()["settings"] == {"gir": ["t2i", "edit", "prompt"]}, "the published protocol draws by descriptions"
    put_gir("Third", str)  # nobody else's answers change whose these are
    assert answered("gir", capsys) == {("t2i", "ok"): 3, ("edit", "ok"): 3, ("prompt", "ok"): 5}


def test_texts_and_pictures_in_the_folders_of_items(capsys: pytest.CaptureFixture[str]) -> None:
    """One text and one picture an item, where ten are asked for: only what there is of each is promised."""
    gap_folders.put_all()
    list(import_items(curations()["gapeval"], gap_folders.ROOT, "v1"))
    measured("gapeval", {**BLOCK, "answer": {**BLOCK["answer"], "samples": 10}})  # type: ignore[dict-item]
    gap_folders.put_answers("bagel", samples=1)
    said = add("published")
    assert "outputs of bagel, 1 sample an item of gapeval: gapeval (und, gen)" in said
    assert "gapeval: answers to und 5 of 5, gen 5 of 5\n" in said
    assert block() == {"class": "unified", "samples": {"gapeval": 1}, "model": {"path": "published", "of": "bagel"}}
    assert answered("gapeval", capsys) == {("und", "ok"): 5, ("gen", "ok"): 5}
    rows = {(row["setting"], row["item"]): row for row in read_rows(curations()["gapeval"].benchmark.answers / "mine")}
    assert rows["und", "data_10"]["parts"][0]["text"] == "bagel on data_10, 0"
    assert rows["gen", "data_10"]["parts"][0]["image"]["bytes"] == gap_folders.painted(gap_folders.SCENES[0], 0)

    gap_folders.put_answers("painter", samples=2, texts=False)
    assert "outputs of 2 models (bagel, painter): choose one" in refused("published", "--replace")
    assert "with tasks generation, editing, outputs of painter, 2 samples" in add(
        "published", "--of", "painter", "--replace"
    )
    assert block()["samples"] == {"gapeval": 2} and block()["settings"] == {"gapeval": ["gen"]}
    assert answered("gapeval", capsys) == {("gen", "ok"): 10}

    Path("published/data_3/painter/out_1.jpg").unlink()
    said = refused("published", "--of", "painter", "--replace")
    assert "gapeval: published lacks 1 of 10 answers, at most 0 may fail: data_3 (no file data_3_1.png" in said
    for broken, words in (("{", "JSON"), ("[1]", "an object"), ('{"output_text": 3}', "an object")):
        Path("published/data_1/bagel/text.json").write_text(broken)
        assert f"published/data_1/bagel/text.json: is not {words}" in refused("published", "--of", "bagel", "--replace")
    assert "--of: published has no folder 'bagle' in it; did you mean 'bagel'?" in refused(
        "published", "--of", "bagle", "--replace"
    )


def test_lines_of_texts_alone_answer_no_picture(capsys: pytest.CaptureFixture[str]) -> None:
    """What a line lacks is missing before anything runs, and lines of another setting stand beside it."""
    gap_folders.put_all()
    list(import_items(curations()["gapeval"], gap_folders.ROOT, "v1"))
    measured("gapeval", BLOCK)
    benchmark = curations()["gapeval"].benchmark
    items = [str(item.id) for item in benchmark.items(load(benchmark.params))]
    lines = [{"id": item, "parts": [{"text": "a bat"}]} for item in items]
    put("out", "answers.jsonl", content=b"\n".join(json.dumps(line).encode() for line in lines))
    assert "of class understanding: gapeval (und)" in add("out")
    said = refused("out", "--replace", "--class", "unified", "--benchmarks", "gapeval:und,gen")
    assert f"lacks 5 of 10 answers, at most 0 may fail: {items[0]} (out/answers.jsonl:1 has no picture)" in said
    lines += [{"id": f"gen/{item}", "parts": [{"image": "a.png"}]} for item in items]
    put("out", "a.png")
    put("out", "answers.jsonl", content=b"\n".join(json.dumps(line).encode() for line in lines))
    assert "of class unified: gapeval (und, gen)" in add("out", "--replace")
    assert answered("gapeval", capsys) == {("und", "ok"): 5, ("gen", "ok"): 5}


def test_a_name_that_items_of_two_benchmarks_have_answers_neither() -> None:
    gap_folders.put_all()
    list(import_items(curations()["gapeval"], gap_folders.ROOT, "v1"))
    freeze_edition("own", "v1", [OwnItem(id="data_1", prompt="a sun", answer="picture")])
    measured("gapeval", BLOCK)
    with Path("params.yaml").open("a") as file:
        file.write(f"own: {json.dumps(BLOCK)}\n")
    put("out", "data_1.png")
    said = refused("out")
    assert said == "--folder out: gapeval and own both have items called 'data_1': choose one with --benchmarks\n"
    assert "is new, of class generation: own (as_is)\n" in add("out", "--benchmarks", "own")


def test_edits_by_task(capsys: pytest.CaptureFixture[str]) -> None:
    genius_folders.put_all()
    list(import_items(curations()["genius"], genius_folders.ROOT, "v1"))
    measured("genius", {**small_genius.VALUES, **BLOCK})
    items = ("implicit_pattern/002", "implicit_pattern/010", "symbolic_constraint/7", "visual_constraint/1")
    put(
        "outputs/mine",
        *(f"{id}.png" for id in (*items, "visual_constraint/2", "prior_conflicting/1", "multi_semantic/1")),
    )
    said = add("outputs", "--benchmarks", "genius:interleaved")
    assert "is new, of class editing, outputs of mine: genius (interleaved)" in said
    assert answered("genius", capsys) == {("interleaved", "ok"): 7}
    assert "that class generation can answer, and no list" in refused("outputs", "--class", "generation", "--replace")
    put("outputs/9", *(f"{number}.png" for number in range(3)))
    assert "outputs of mine: genius" in add("outputs", "--replace"), "a number alone is no item's"
    shutil.rmtree("outputs/mine/multi_semantic")
    assert "genius: outputs lacks 1 of 7 answers" in refused("outputs", "--replace")
    assert "--max-failures 1" in refused("outputs", "--replace")
    said = add("outputs", "--replace", "--max-failures", "1")
    assert "interleaved 6 of 7; missing ones count as the lowest score" in said
