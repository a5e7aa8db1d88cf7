"""Lists of pictures with their prompts, as EvalScope has them: never a wrong picture, never in silence."""

from __future__ import annotations

import asyncio
import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.asking.models.folder.answers import FolderModel, unmatched_entries
from gamut.asking.models.folder.contents import contents_of
from gamut.asking.models.folder.lists import normal_text, read_list_line
from gamut.asking.models.weights import digest
from gamut.asking.parts import unbundle
from gamut.asking.requests import Create, Modality, Paint, Reply
from gamut.project.errors import UserError
from gamut.project.model_kinds import FolderModel as Parameters
from tests.fakes import jpeg

RED, BLUE = jpeg("red"), jpeg("blue")
CAFE = "un café"


def write(*lines: Any, file: str = "made.jsonl", **pictures: bytes) -> None:
    """Write a list below `made`, and pictures; `__` in a name stands for a slash."""
    contents = {file: "\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode()}
    contents |= {f"{name.replace('__', '/')}.jpg": content for name, content in pictures.items()}
    for name, content in contents.items():
        path = Path("made", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def line(prompt: str | None, path: str, **more: Any) -> dict[str, Any]:
    return {**({} if prompt is None else {"prompt": prompt}), "image_path": path, **more}


def open_it() -> FolderModel:
    return FolderModel("painter (made)", Parameters(kind="folder", path="made", revision=digest(Path("made"))))


def painted(prompt: str, record: str = "style/1", sample: int = 0) -> Reply:
    return asyncio.run(open_it().answer(Paint(prompt, 64, 64, seed=1, sample=sample, record=record)))


def edited(record: str, *texts: str, wanted: tuple[Modality, ...] = ("image",)) -> Reply:
    return asyncio.run(open_it().answer(Create(texts or ("Make it red.",), wanted, 64, 64, seed=1, record=record)))


def missing(prompt: str, record: str = "style/1") -> str:
    reply = painted(prompt, record)
    assert reply.finish == "missing"
    return reply.content.decode()


def refused() -> str:
    with pytest.raises(UserError) as error:
        open_it()
    said = str(error.value)
    assert said.startswith(f"painter (made): {Path.cwd()}/made") and "\n" not in said
    return said


def test_a_prompt_says_what_a_picture_answers(project: Path) -> None:
    write(
        line("a red cube", "images/1.jpg", id=1, tags=["cube"]),
        line("a blue cube", "/data/run 7/images/2.jpg", id="EvalMuse_2"),
        line(unicodedata.normalize("NFD", CAFE) + "\n", f"{project}/made/images/3.jpg", id=3),
        images__1=RED,
        images__2=BLUE,
        images__3=b"3",
    )
    assert painted("a red cube") == Reply(RED)
    assert painted("a blue cube", "2") == Reply(BLUE), "ids are whoever's, and those of items something else"
    assert painted(CAFE) == Reply(b"3")
    said = missing("a green cube")
    assert said == "no list has its prompt or id, and no file style/1.png (or .jpg, .jpeg, .webp) in made"
    assert missing("a green cube", "1").startswith("no list has its prompt or id"), "id 1 has another prompt"
    assert missing("x", "images/1").startswith("no list has its prompt"), "what a list names answers its prompt alone"
    assert unmatched_entries(contents_of("x", Path("made")), ["style/1"]) == []


def test_what_evalscope_writes_itself_is_read(project: Path) -> None:
    own = line("a red cube", "outputs/20260101/predictions/m/images/1_0.jpg", id=1, category="", tags=[])
    score = {"extracted_prediction": own["image_path"], "value": {"PickScore": 0.2}}
    review = {"index": 0, "input": "a red cube", "sample_score": {"score": score, "sample_metadata": own}}
    write(review, file="reviews/m/general_t2i_default.jsonl", predictions__m__images__1_0=RED)
    write({"index": 0, "model_output": {}, "metadata": own}, file="predictions/m/general_t2i_default.jsonl")
    assert painted("a red cube") == Reply(RED), "both say the same"


def test_lines_with_one_prompt_are_told_apart_or_give_nothing(project: Path) -> None:
    write(
        line("a cube", "1.jpg", id="style/1"),
        line("a cube", "2.jpg", id="entity/1"),
        line("a ball", "1.jpg", sample=0),
        line("a ball", "2.jpg", sample=1),
        line("a cone", "1.jpg", id=7),
        line("a cone", "2.jpg", id=8),
        **{"1": RED, "2": BLUE},
    )
    assert (painted("a cube"), painted("a cube", "entity/1")) == (Reply(RED), Reply(BLUE))
    assert painted("a cube", "en/entity/1") == Reply(BLUE), "of a contestant on several sides"
    assert [painted("a ball", sample=n) for n in (0, 1)] == [Reply(RED), Reply(BLUE)]
    assert painted("a ball", sample=2).finish == "missing"
    said = "made/made.jsonl:5 and made.jsonl:6 have one prompt and two pictures: give them ids of the items, or "
    assert missing("a cone").startswith(said)
    assert missing("a cube", "abstract/1").startswith("made/made.jsonl:1 and made.jsonl:2 have one prompt")


def test_edits_are_found_by_id_and_by_no_other_prompt(project: Path) -> None:
    write(line("Make it red.", "1.jpg", id="editing/007"), line(None, "2.jpg", id="editing/8"), **{"1": RED, "2": BLUE})
    assert unbundle(edited("editing/7").content).parts == (RED,)
    assert unbundle(edited("editing/8", "Make it blue.").content).parts == (BLUE,)
    assert edited("editing/7", "Make it green.").finish == "missing"
    assert edited("editing/9").finish == "missing", "its prompt is that of another picture"
    assert edited("editing/8", wanted=("text",)).finish == "missing", "a text is expected"
    assert painted("anything", "editing/8") == Reply(BLUE), "a line without a prompt stands for its id"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("images/9.jpg", "there is no file for its picture images/9.jpg"),
        ("/elsewhere/9.jpg", "there is no file for its picture /elsewhere/9.jpg"),
        (
            "../made/images/1.jpg",
            "its picture ../made/images/1.jpg is outside the folder: put it there, and fix its path",
        ),
        ("images/../../secret.jpg", "is outside the folder"),
        ("", "there is no file for its picture "),
        ("a\nb.jpg", r"there is no file for its picture 'a\nb.jpg'"),
        ("images", "there is no file for its picture images"),
    ],
)
def test_a_picture_that_is_not_there_is_said_in_its_row(project: Path, path: str, why: str) -> None:
    (project / "secret.jpg").write_bytes(b"secret")
    write(line("a cube", path), images__1=RED)
    said = missing("a cube")
    assert said.startswith("made/made.jsonl:1: ") and why in said


def test_lists_of_windows_are_read_as_those_of_another_machine(project: Path) -> None:
    write(
        line("a cube", "images\\1.jpg"),
        line("a ball", "C:\\run\\images\\2.jpg"),
        line("a cone", (project / "made/3 %.jpg").as_uri().replace("made/", "made/images/")),
        line("a disc", "..\\images\\1.jpg"),
        line("a box", "D:\\other\\images\\2.jpg"),
        images__1=RED,
        images__2=BLUE,
        **{"3 %": b"3"},
    )
    assert painted("a cube") == Reply(RED)
    assert "is outside the folder" in missing("a disc")
    assert missing("a ball").endswith("both mean images/2.jpg: put both pictures into the folder at these paths")
    assert "there is no file" in missing("a cone"), "a path into the folder itself means that file alone"


def test_numbers_that_no_number_is_stand_in_columns_that_nobody_reads(project: Path) -> None:
    write(line("a cube", "1.jpg", similarity=float("nan")), line("a ball", "2.jpg"), **{"1": RED, "2": BLUE})
    Path("made/caption.jsonl").write_text('{"id": "1", "text": "words", "loss": -Infinity}\n')
    Path("made/answers.jsonl").write_text('{"id": "2", "parts": [{"text": "x"}], "loss": NaN}\n')
    Path("made/t_results.json").write_text('[{"id": 3, "output_text": "y", "loss": Infinity}]\n')
    assert (painted("a cube"), painted("a ball")) == (Reply(RED), Reply(BLUE))
    assert [edited(id, wanted=("text",)) for id in "23"] == [Reply(b"x"), Reply(b"y")]


def test_an_absolute_path_into_the_folder_means_that_file_alone(project: Path) -> None:
    write(line("a cube", f"{project}/made/en/1.jpg"), **{"1": RED})
    assert "there is no file" in missing("a cube"), "1.jpg at the top is another"


def test_two_paths_that_end_in_one_file_lead_to_none(project: Path) -> None:
    write(
        line("ein Würfel", "/x/de/1.jpg"),
        line("a cube", "/x/en/1.jpg"),
        line("a ball", "/x/2.jpg"),
        **{"1": RED, "2": BLUE},
    )
    said = missing("a cube")
    assert said == missing("ein Würfel").replace("jsonl:1: ", "jsonl:2: ", 1)
    assert "/x/en/1.jpg (made.jsonl:2) and /x/de/1.jpg (made.jsonl:1) both mean 1.jpg" in said
    assert painted("a ball") == Reply(BLUE)


def test_names_of_files_may_have_their_letters_parted(project: Path) -> None:
    parted = unicodedata.normalize("NFD", "é")
    write(line("a cube", "é.jpg"), **{parted: RED})
    assert painted("a cube") == Reply(RED)


def test_names_that_differ_in_their_coding_alone_are_refused(project: Path) -> None:
    write(line("a cube", "é.jpg"), **{unicodedata.normalize(form, "é"): RED for form in ("NFC", "NFD")})
    assert "differ only in how letters are encoded: keep one" in refused()


def test_a_file_beside_a_list_that_answers_too_is_said(project: Path) -> None:
    write(line("a cube", "images/1.jpg"), images__1=RED, style__1=BLUE)
    assert missing("a cube") == "made/made.jsonl:1 and style/1.jpg answer one request: keep one"
    assert painted("a ball") == Reply(BLUE)


@pytest.mark.parametrize(
    ("second", "why"),
    [
        ("{", "is not a line"),
        ('{"prompt": "x"}', "is not a line"),
        ('{"prompt": 3, "image_path": "1.jpg"}', "is not a line"),
        ('{"prompt": "x", "image_path": "1.jpg", "sample": -1}', "is not a line"),
        ('{"image_path": "1.jpg"}', "has neither a prompt nor an id"),
        ('{"prompt": "x", "prompt": "y", "image_path": "1.jpg"}', "the key 'prompt' occurs twice"),
    ],
)
def test_what_is_no_line_is_refused_by_file_and_line(project: Path, second: str, why: str) -> None:
    write(line("a cube", "1.jpg"), **{"1": RED})
    with (project / "made/made.jsonl").open("a") as file:
        file.write(f"\n\n{second}\n")
    said = refused()
    assert "/made/made.jsonl:3: " in said and why in said


def test_a_list_is_told_by_most_of_its_lines(project: Path) -> None:
    write({"image_path": "1.jpg", "width": 64}, {"image_path": "2.jpg"}, file="metadata.jsonl", **{"1": RED})
    assert painted("x", "1") == Reply(RED), "nothing says what its pictures answer: it is not a list"
    assert unmatched_entries(contents_of("x", Path("made")), ["1"]) == ["metadata.jsonl"]
    write(line("a cube", "1.jpg"), line("a ball", "1.jpg"))
    text = Path("made/made.jsonl").read_text()
    Path("made/made.jsonl").write_text("{\n" + text)
    assert "/made/made.jsonl:1: is not a line" in refused()


def test_a_list_stands_beside_other_layouts(project: Path) -> None:
    write(line("a cube", "images/1.jpg"), images__1=RED, style__7=BLUE)
    (project / "made/caption.jsonl").write_text('{"id": "style/1", "text": "words"}\n')
    assert (painted("a cube"), painted("a ball", "style/7")) == (Reply(RED), Reply(BLUE))
    assert unmatched_entries(contents_of("x", Path("made")), ["style/1"]) == ["style/7.jpg"]


@given(st.text(max_size=20), st.text(alphabet="./a1é\\", max_size=20))
def test_no_path_leads_out_of_the_folder(prompt: str, path: str) -> None:
    folder, files = Path("/nowhere/made"), {Path("a/1"): Path("a/1"), Path("1"): Path("1")}
    found = read_list_line("it", "list.jsonl:1", json.dumps(line(prompt, path)).encode(), folder, files)
    assert found.prompt == normal_text(prompt)
    assert (found.file in files.values()) != bool(found.absent)
