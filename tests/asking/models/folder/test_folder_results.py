"""Files of results as released scripts write them, read as they are: in order, and never a wrong picture."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.asking.models.folder.answers import FolderModel, unmatched_entries
from gamut.asking.models.folder.contents import contents_of
from gamut.asking.models.folder.paths import find_file
from gamut.asking.models.weights import digest
from gamut.asking.parts import unbundle
from gamut.asking.requests import Create, Modality, Paint, Reply
from gamut.project.errors import UserError
from gamut.project.model_kinds import FolderModel as Parameters
from tests.fakes import jpeg

RED, BLUE = jpeg("red"), jpeg("blue")


def unmatched(ids: Iterable[str]) -> list[str]:
    return unmatched_entries(contents_of("x", Path("made")), ids)


def write(file: str, *entries: Any, **pictures: bytes) -> None:
    """Write a file of results below `made`, and pictures; `__` in a name stands for a slash."""
    contents = {file: json.dumps(entries, ensure_ascii=False).encode()}
    contents |= {f"{name.replace('__', '/')}.jpg": content for name, content in pictures.items()}
    for name, content in contents.items():
        path = Path("made", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def entry(id: Any, text: Any = "", *pictures: str, **more: Any) -> dict[str, Any]:
    """An entry among the keys of its item, as the scripts write it."""
    return {"id": id, "task": "editing", "output_text": text, "output_image_path_list": [*pictures], **more}


def open_it() -> FolderModel:
    return FolderModel("creator (made)", Parameters(kind="folder", path="made", revision=digest(Path("made"))))


def created(record: str, *modalities: Modality) -> Reply:
    wanted = modalities or ("text", "image")
    return asyncio.run(open_it().answer(Create(("Tell.",), wanted, 64, 64, seed=1, record=record)))


def parts(record: str) -> tuple[str | bytes, ...]:
    return unbundle(created(record).content).parts


def missing(record: str) -> str:
    reply = created(record)
    assert reply.finish == "missing"
    return reply.content.decode()


def refused() -> str:
    with pytest.raises(UserError) as error:
        open_it()
    said = str(error.value)
    assert said.startswith(f"creator (made): {Path.cwd()}/made") and "\n" not in said
    return said


def test_texts_and_pictures_come_in_the_order_of_the_markers(project: Path) -> None:
    paths = [f"output-gemini/interleave/output_images/15-{n}.jpg" for n in range(3)]
    text = "先看这里\n<image>\n然后\n<image>\n"
    write(
        "interleave/results.json",
        entry(15, text, *paths[:2]),
        entry(16, "", paths[0]),
        entry(17, "both <image> and <image>", paths[1]),
        entry(18, "one <image>", *paths),
        entry("19", ["in a list"]),
        {"id": 20, "output_image_path": paths[2]},
        interleave__output_images__15_0=b"",
        **{f"interleave__output_images__15-{n}": bytes([n]) for n in range(3)},
    )
    assert parts("15") == ("先看这里\n", b"\x00", "\n然后\n", b"\x01")
    assert parts("16") == (b"\x00",), "as scripts that paint alone write it"
    assert parts("17") == ("both ", b"\x01", " and <image>"), "what lacks its picture is seen to lack it"
    assert parts("18") == ("one ", b"\x00", b"\x01", b"\x02"), "what has no marker comes last"
    assert (parts("19"), parts("20")) == (("in a list",), (b"\x02",))
    assert unmatched(map(str, range(15, 20))) == [
        "interleave/output_images/15_0.jpg",
        "interleave/results.json: entry 6 (20)",
    ]


def test_a_painter_is_answered_by_the_first_picture(project: Path) -> None:
    write("generation/results.json", entry(1, "<image> words", "1-0.jpg", "1-1.jpg"), entry(2, "words"))
    write("generation/other.json", **{"generation__1-0": RED, "generation__1-1": BLUE})
    model = open_it()
    replies = [asyncio.run(model.answer(Paint("", 64, 64, seed=1, record=id))) for id in ("1", "2", "3")]
    assert replies[0] == Reply(RED)
    assert [reply.finish for reply in replies[1:]] == ["missing", "missing"]


def test_what_failed_has_a_status_and_says_where(project: Path) -> None:
    write(
        "editing/results.json",
        entry(1, "failed"),
        entry(2, "failed", "a.jpg"),
        entry(3, "", "gone/3-0.jpg"),
        entry(4, None),
        entry(5, []),
        entry(6, " \n"),
        entry(7, "it failed"),
        editing__a=RED,
    )
    assert missing("1") == "made/editing/results.json: entry 1 says that it failed"
    assert missing("2").endswith("entry 2 says that it failed"), "whatever else it holds"
    assert missing("3") == "made/editing/results.json: entry 3: there is no file for its picture gone/3-0.jpg"
    assert [missing(id) for id in "456"] == [f"editing/results.json: entry {id} in made is empty" for id in "456"]
    assert parts("7") == ("it failed",)
    assert missing("8").startswith("no file 8.txt and no 8.png")


def test_an_item_may_stand_twice_if_it_says_one_thing(project: Path) -> None:
    """A failure is written twice; who judges writes what it could not judge as failed, and as it was."""
    path = "out/editing/output_images/3-0.jpg"
    write("editing/results.json", entry(1, "failed"), entry(1, "failed"), entry(2, "said"), entry(3, "", path))
    judged = entry(2, "said", answer_list=["Y"], reason_list=["so"])
    write("editing_eval/judge_results.json", entry(3, "failed"), judged, entry(3, "", path), entry(1, "failed"))
    write("editing/log.json", {"id": 1}, **{"editing__output_images__3-0": RED})
    assert (missing("1").endswith("entry 1 says that it failed"), parts("2"), parts("3")) == (True, ("said",), (RED,))
    assert unmatched("123") == ["editing/log.json"]
    write("more/results.json", entry(2, "said otherwise"))
    assert "answers one request twice, editing/results.json: entry 3 and more/results.json: entry 1: keep" in refused()


def test_a_side_stands_before_the_folder_of_a_task(project: Path) -> None:
    write("results.json", entry(1, "at the top"))
    for side in ("raw", "clear"):
        write(f"{side}/editing/results.json", entry(1, side, "out/editing/output_images/1-0.jpg"))
    write("raw/editing/other.json", **{"raw__editing__output_images__1-0": RED})
    assert (parts("1"), parts("raw/1")) == (("at the top",), ("raw", RED))
    assert missing("clear/1").endswith("there is no file for its picture out/editing/output_images/1-0.jpg")


def test_an_entry_and_a_file_do_not_answer_the_same(project: Path) -> None:
    write("results.json", entry("a", "x"), a=RED)
    assert "answers one request twice, results.json: entry 1 and a.jpg: keep one" in refused()
    write("results.json", entry("a", "x", "a.jpg"))
    assert parts("a") == ("x", RED), "unless the file is the entry's own"
    Path("made/answers.jsonl").write_text('{"id": "a", "parts": [{"text": "x"}]}')
    assert "answers one request twice, answers.jsonl:1 and results.json: entry 1: keep one" in refused()


@pytest.mark.parametrize(
    "path",
    [
        *("../secret.jpg", "made/../../secret.jpg", "p/../../secret.jpg", "~/secret.jpg", "a/" * 99_999 + "secret.jpg"),
        *("/etc/hostname", "C:\\q\\1.jpg", "p/1.JPG", "other/task/1.jpg", "x\0\n.jpg"),
        *("", "/", ".", "..", "p", "/" * 99_999),
    ],
)
def test_no_path_leads_out_of_the_folder_or_beside_it(project: Path, path: str) -> None:
    Path("secret.jpg").write_bytes(RED)
    write("task/results.json", entry(1, "", path), task__p__1=BLUE, other__task__p__1=BLUE)
    assert "there is no file for its picture" in missing("1")


def test_a_path_means_the_file_at_its_longest_end(project: Path) -> None:
    """One of the same name in a neighbour's folder is another picture."""
    write("task/results.json", entry(1, "", "/home/me/out/task/p/1.jpg"), entry(2, "", "../out/p/1.jpg"))
    write("z.json", p__1=b"top", task__p__1=RED, task__1=BLUE, out__task__p__1=b"out", z__p__1=b"z")
    assert (parts("1"), parts("2")) == ((b"out",), (RED,))
    Path("made/out/task/p/1.jpg").unlink()
    assert parts("1") == (RED,)
    for gone, then in (("task/p/1.jpg", b"top"), ("p/1.jpg", BLUE)):
        Path("made", gone).unlink()
        assert parts("1") == (then,)


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("p\\1.jpg", "p/1.jpg"),
        ("..\\out\\p\\1.jpg", "p/1.jpg"),
        ("C:\\Users\\u\\out\\p\\1.jpg", "p/1.jpg"),
        ("C:\\Users\\u\\out/p/1.jpg", "p/1.jpg"),
        ("\\\\server\\share\\p\\1.jpg", "p/1.jpg"),
        ("\\\\?\\C:\\out\\p\\1.jpg", "p/1.jpg"),
        ("file:///C:/Users/u/out/p/1.jpg", "p/1.jpg"),
        ("file://host/out/p/e%CC%81%20%25.jpg", "p/\u00e9 %.jpg"),
        ("p\\e\u0301 %.jpg", "p/\u00e9 %.jpg"),
        ("/home/me/out/p\\2.jpg", "p\\2.jpg"),
        ("C:\\out\\2.jpg", "p/2.jpg"),
        ("C:\\out\\3.jpg", None),
    ],
)
def test_a_path_may_be_one_of_windows_or_a_uri(path: str, file: str | None) -> None:
    files = {Path(one): Path(one) for one in ("p/1.jpg", "p/\u00e9 %.jpg", "p\\2.jpg", "p/2.jpg")}
    assert find_file(path, Path("p"), files) == (file and Path(file))


@given(st.text(st.sampled_from("ab./\\~ \0"), max_size=12))
def test_what_is_found_is_always_a_file_of_the_folder(path: str) -> None:
    files = {path: path for path in (Path("a"), Path("a/b"), Path("b/a/a"), Path("b.a"))}
    assert find_file(path, Path("b/a"), files) in {*files, None}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (entry(None, "x"), "entry 2: is not an entry"),
        (entry(True, "x"), "entry 2: is not an entry"),
        (entry(1.0, "x"), "entry 2: is not an entry"),
        ({"output_text": "x"}, "entry 2: is not an entry"),
        (entry(2, 7), "entry 2: is not an entry"),
        (entry(2, {"text": "x"}), "entry 2: is not an entry"),
        (entry(2, [None]), "entry 2: is not an entry"),
        (entry(2, ["one", "two"]), "entry 2: has 2 texts: keep the one that is the answer"),
        (entry(2, "x") | {"output_image_path_list": "1.jpg"}, "entry 2: is not an entry"),
        (entry(2, "x") | {"output_image_path_list": [1]}, "entry 2: is not an entry"),
        (entry(2, "x", output_image_path=["1.jpg"]), "entry 2: is not an entry"),
        (["x"], "entry 2: is not an entry"),
        (None, "entry 2: is not an entry"),
        (entry(1, "another"), "answers one request twice, t/results.json: entry 1 and t/results.json: entry 2"),
    ],
)
def test_what_is_no_entry_is_said(project: Path, wrong: Any, words: str) -> None:
    write("t/results.json", entry(1, "right"), wrong)
    assert words in refused()


def test_a_damaged_file_is_said_and_another_one_is_left_alone(project: Path) -> None:
    write("t/results.json", entry(1, "right"))
    Path("made/t/x_results.json").write_text('[{"id": 1, "output_text": "ri')
    assert "/made/t/x_results.json: is not JSON (" in refused()
    Path("made/t/x_results.json").write_text('[{"id": 1, "output_text": "right", "output_text": "wrong"}]')
    assert "x_results.json: the key 'output_text' occurs twice in an entry: keep one" in refused()
    for other in ('{"overall": 52.9}', "[]", "[1, 2]", '[{"id": 1, "score": 0.5}]', "null"):
        Path("made/t/x_results.json").write_text(other)
        assert (parts("1"), unmatched(["1"])) == (
            ("right",),
            ["t/x_results.json"],
        )
