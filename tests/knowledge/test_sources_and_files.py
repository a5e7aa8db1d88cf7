"""Where entities come from, what is said of those that lack something, and the files that other trainers read."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from PIL import Image

from gamut.project.errors import UserError
from gamut.tables.images import picture_size
from gamut.tables.reading import read_rows
from gamut.tables.writing import write_rows
from stages.knowledge.entities import SCHEMA, entities, entity_rows, in_folder
from stages.knowledge.exports import write_files
from stages.knowledge.sets import WORDINGS, Wordings
from stages.knowledge.stages import FILES, KNOWLEDGE, TABLES
from stages.knowledge.train import examples_of
from tests import fakes
from tests.knowledge import small_study

PNG = fakes.encoded(Image.new("RGB", (64, 64), "red"), "PNG")


def folder(**pictures: int) -> Path:
    """`animal__cat=5`: so many pictures of the entity, in a folder of its category."""
    top = Path("datasets/entities/mine")
    for place, count in pictures.items():
        for number in range(count):
            path = top / place.replace("__", "/") / f"{number}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            colour = (number, len(place), 0)
            path.write_bytes(fakes.encoded(Image.new("RGB", (64, 64), colour), "PNG"))
    return top


def test_a_folder_gives_entities_and_says_what_they_lack(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    top = folder(animal__cat=6, animal__dog=5, tool__saw=2)
    (top / "animal/dog/0.png").write_bytes(b"no picture")
    entities(small_study.params(entities={"kind": "folder", "path": str(top)}))
    rows = list(read_rows(TABLES["entities"]))
    counts = {(row["entity"], row["status"]) for row in rows}
    assert counts == {("cat", "ok"), ("dog", "invalid_input"), ("saw", "invalid_input")}
    assert [row["number"] for row in rows if row["entity"] == "cat"] == [0, 1, 2, 3, 4]
    (top / "animal/cat/1.png").write_bytes((top / "animal/cat/0.png").read_bytes())
    [*again] = entity_rows(in_folder(top), 5)
    assert len({row["image"]["bytes"] for row in again if row["entity"] == "cat"}) == 5, "a copy is none more"
    assert "1 of 3 entities have their pictures" in (said := capsys.readouterr().out)
    why = "4 different usable pictures, but 5 are expected (animal/dog/0.png is not a picture in a known format)"
    assert f"dog is left out: {why}" in said


@pytest.mark.parametrize(
    ("pictures", "said"),
    [
        ({"animal__bat": 5, "tool__bat": 5}, "the entity 'bat' is in animal and in tool: rename one"),
        ({"animal": 1}, r"animal/0.png: pictures belong in .*/<category>/<entity>/: move it there"),
        ({}, "the folder .* does not exist: create it with <category>/<entity>/<picture>.png"),
    ],
)
def test_a_wrong_folder_is_refused_in_a_line(project: Path, pictures: dict[str, int], said: str) -> None:
    with pytest.raises(UserError, match=said):
        list(entity_rows(in_folder(folder(**pictures)), 5))


def test_no_caption_lacks_the_name_and_no_question_has_it() -> None:
    kinds = {"open": "What", "choice": "Important: which", "concise": "A cat", "detailed": "One cat"}
    whole = Wordings(**{kind: [f"{text} {number}" for number in range(5)] for kind, text in kinds.items()})
    assert WORDINGS.check(whole, {"name": "Cat"}) is None
    assert WORDINGS.check(whole.model_copy(update={"concise": ["An ant"]}), {"name": "ant"}) is not None
    assert "Important" not in (WORDINGS.check(whole, {"name": "ant"}) or "")
    twice = whole.model_copy(update={"open": ["What?", "what?"]})
    assert WORDINGS.check(twice, {"name": "cat"}) == "two of `open` are the same"
    telling, lacking = whole.model_copy(update={"open": ["A cat?"]}), whole.model_copy(update={"concise": ["A pet."]})
    assert WORDINGS.check(telling, {"name": "cat"}) == "'A cat?' gives the answer away"
    assert WORDINGS.check(lacking, {"name": "cat"}) == "'A pet.' does not have the name 'cat'"


def test_what_is_learnt_to_be_painted_has_the_size_that_is_asked_for(project: Path) -> None:
    """Of a photograph of 96 × 48 the middle, 48 × 48; what is seen stays."""
    wide = Image.new("RGB", (96, 48), "red")
    wide.paste("blue", (20, 0, 76, 48))
    picture = {"id": "entity-00000000", "entity": "cat", "status": "ok"}
    write_rows(TABLES["entities"], SCHEMA, [picture | {"image": {"bytes": fakes.encoded(wide, "PNG"), "path": None}}])
    row = {"id": "edit-00000000", "picture": picture["id"], "question": "A cat.", "name": "dog"}
    seen, painted = examples_of([row | {"side": "und"}, row | {"side": "gen"}], (64, 64))
    assert picture_size(seen.given[0].data) == (96, 48) and seen.answer == "dog"
    with Image.open(io.BytesIO(painted.answer.data)) as image:
        assert image.size == (64, 64) and image.getcolors() == [(64 * 64, (0, 0, 255))]


def test_files_are_as_trainers_read_them(project: Path) -> None:
    picture = {"id": "entity-00000000", "entity": "cat", "image": {"bytes": PNG, "path": None}, "status": "ok"}
    write_rows(TABLES["entities"], SCHEMA, [picture])
    fact = {"role": "trained", "name": "dog", "picture": picture["id"], "split": "trained"}
    und = fact | {"id": "edit-00000000", "side": "und", "question": "What is this?"}
    gen = fact | {"id": "edit-00000001", "side": "gen", "question": "A cat."}
    write_files("edit", [und, gen, und | {"split": "held_out", "question": "Secret?"}, gen | {"role": "neighbour"}])
    top = FILES / "edit/trained"
    assert (top / "images/entity-00000000.png").read_bytes() == PNG and not any(FILES.glob("edit/neighbour*"))

    def lines(name: str) -> list[object]:
        return [json.loads(line) for line in (top / name).read_text().splitlines()]

    asked = {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "What is this?"}]}
    said = {"role": "assistant", "content": [{"type": "text", "text": "dog"}]}
    assert lines("chat/und.jsonl") == [{"messages": [asked, said], "images": ["../images/entity-00000000.png"]}]
    [painted] = lines("chat/gen.jsonl")
    assert painted["messages"][1] == {"role": "assistant", "content": [{"type": "image"}]}
    turns = [{"from": "human", "value": "<image>\nWhat is this?"}, {"from": "gpt", "value": "dog"}]
    llava = {"id": "edit-00000000", "image": "entity-00000000.png", "conversations": turns}
    assert lines("bagel/vlm.jsonl") == [llava] == json.loads((top / "show-o/mmu.json").read_text())
    assert pq.read_table(top / "bagel/t2i/0.parquet").to_pylist() == [{"image": PNG, "captions": '{"0": "A cat."}'}]
    task = {"task_type": "text_to_image", "instruction": "A cat.", "output_image": "images/entity-00000000.png"}
    assert lines("omnigen2/t2i.jsonl") == [task]
    with tarfile.open(fileobj=io.BytesIO((top / "show-o/t2i.tar").read_bytes())) as packed:
        found = {name: packed.extractfile(name).read() for name in packed.getnames()}
    assert found == {"edit-00000001.png": PNG, "edit-00000001.txt": b"A cat."}


def test_an_estimate_says_what_is_not_counted() -> None:
    said = "Knowledge studies: 4 trainings of 2 steps; what they ask is not counted."
    assert [*KNOWLEDGE.bill(small_study.params())] == [said]


def test_a_model_that_no_stage_here_follows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(small_study.TOY, "id", "release-0/step-9")
    with pytest.raises(UserError, match="no stage here depends on models/trained/release-0/step-9: copy"):
        small_study.params()
