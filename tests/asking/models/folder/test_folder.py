"""Answers found by id in a folder: the published layouts, what is missing, surplus, doubled, broken, or not pinned."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path

import pytest
from PIL import Image

from gamut.asking.making import Creating
from gamut.asking.models.folder.answers import Folder, FolderModel, fit_schema, unmatched_entries
from gamut.asking.models.folder.contents import contents_of
from gamut.asking.models.weights import digest
from gamut.asking.outcomes import Conversation
from gamut.asking.parts import Created, unbundle
from gamut.asking.requests import Chat, Create, Message, Modality, Paint, Reply
from gamut.asking.visiting import Answer
from gamut.project.errors import UserError
from gamut.project.model_kinds import FolderModel as Parameters
from gamut.project.model_kinds import identity
from gamut.tables.columns import Row
from gamut.tables.images import require_picture
from gamut.tables.reading import read_rows
from stages.dataset.synthesize import SCHEMA, paint
from tests.fakes import ask_all, encoded, jpeg, params, records

RED = jpeg("red")
UNPINNED = "sha256-" + "0" * 64


def unmatched(ids: Iterable[str]) -> list[str]:
    return unmatched_entries(contents_of("x", Path("made")), ids)


def fill(folder: Path, **files: bytes | str) -> Path:
    """Write files; `__` in a name stands for a slash, `_dot_` for a dot."""
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def parameters(revision: str | None = None) -> Parameters:
    return Parameters(kind="folder", path="made", revision=revision or digest(Path("made")))


def open_it(revision: str | None = None) -> FolderModel:
    return FolderModel("painter (made)", parameters(revision))


def picture(record: str, sample: int = 0) -> Reply:
    return asyncio.run(open_it().answer(Paint("a prompt", 64, 64, seed=1, sample=sample, record=record)))


def text(record: str, question: str = "caption", sample: int = 0) -> Reply:
    request = Chat(question, (Message("user", ("Describe.",)),), {}, seed=1, sample=sample, record=record)
    return asyncio.run(open_it().answer(request))


def test_synthesize_takes_pictures_made_elsewhere(project: Path):
    made = fill(project / "made", README_dot_md="by hand", other_dot_png=RED)
    ids = [f"w-part01-{n:08d}" for n in range(4)]
    (made / f"{ids[0]}.jpg").write_bytes(RED)
    (made / f"{ids[1]}.png").write_bytes(encoded(Image.new("RGB", (80, 64), "blue"), "PNG"))
    (made / f"{ids[2]}.webp").write_bytes(b"RIFF but broken")
    records = [{"id": id, "prompt": "a red cube"} for id in ids]
    ask_all(
        open_it(),  # type: ignore[arg-type]
        [("w-part01-00000", 0, records)],
        project / "images",
        visit=paint(params()),
        schema=SCHEMA,
        max_failures=2,
        stage="synthesize",
    )
    rows = list(read_rows(project / "images"))
    assert [row["status"] for row in rows] == ["ok", "ok", "parse_error", "missing_output"]
    assert rows[0]["image"]["bytes"] == RED
    blue = Image.open(io.BytesIO(rows[1]["image"]["bytes"]))
    assert (blue.size, blue.getpixel((5, 5))[2] > 250) == ((80, 64), True)
    assert [row["reason"] for row in rows[:2]] == [None, "80x64 pixels instead of 64x64"]
    assert rows[3]["reason"] == f"no file {ids[3]}.png (or .jpg, .jpeg, .webp) in made"
    assert {row["model"] for row in rows} == {"made"}
    assert unmatched(ids) == ["README.md", "other.png"]


def test_what_was_answered_is_not_asked_again_and_a_changed_folder_is(project: Path):
    """Two rows with one prompt have fingerprints of their own, since the record's id is in them."""
    made = fill(project / "made", a__1_dot_png=RED)
    records = [{"id": f"w-part01-{n:08d}", "prompt": "a red cube"} for n in range(2)]
    (made / f"{records[0]['id']}.png").write_bytes(RED)

    def asked() -> int:
        slices = [("w-part01-00000", 0, records)]
        return ask_all(
            open_it(),  # type: ignore[arg-type]
            slices,
            project / "images",
            visit=paint(params()),
            schema=SCHEMA,
            max_failures=1,
            stage="synthesize",
        ).tally.asked

    assert (asked(), asked()) == (2, 0)
    (made / f"{records[1]['id']}.png").write_bytes(RED)
    assert asked() == 2
    assert [row["status"] for row in read_rows(project / "images")] == ["ok", "ok"]


@pytest.mark.parametrize("file", ["12.png", "12.jpg", "12.jpeg", "12.webp", "12.PNG", "12_0.png"])
def test_names_of_a_picture(project: Path, file: str):
    (project / "made").mkdir()
    (project / "made" / file).write_bytes(RED)
    assert picture("12") == Reply(RED)
    assert unmatched(["12"]) == []


def test_ids_may_have_slashes_dots_and_numbers(project: Path):
    made = fill(project / "made", imagination__7_dot_png=b"prism", reasoning__attribute__v1_dot_5_2_dot_png=b"gir")
    assert (made / "reasoning/attribute/v1.5_2.png").is_file()
    assert picture("imagination/7") == Reply(b"prism")
    assert picture("reasoning/attribute/v1.5_2") == Reply(b"gir")
    assert picture("reasoning/attribute/v1.5", sample=2) == Reply(b"gir"), "an id may end like a sample's number"
    assert picture("7").finish == "missing"


def test_samples_have_numbers(project: Path):
    fill(project / "made", a_dot_png=b"zero", a_1_dot_png=b"one", b_0_dot_png=b"b zero")
    assert [picture("a", n).content for n in (0, 1)] == [b"zero", b"one"]
    assert picture("a", 2) == Reply(b"no file a_2.png (or .jpg, .jpeg, .webp) in made", "missing")
    assert picture("b") == Reply(b"b zero")
    assert picture("b", 1) == Reply(b"no file b_1.png (or .jpg, .jpeg, .webp) in made", "missing")
    assert unmatched(["a"]) == ["b_0.png"]


def test_texts_stand_in_files_or_in_lines(project: Path):
    fill(
        project / "made",
        caption__track__1_dot_txt="a cat",
        caption__track__2_dot_txt="",
        answer_dot_jsonl='\ufeff{"id": "track/1", "text": "Katze 猫", "by": "hand"}\n{"id": "x_1", "text": "again"}\n'
        '{"id": "y", "text": ""}\n',
        track__1_dot_png=RED,
    )
    assert text("track/1") == Reply(b"a cat")
    assert text("track/1", "answer") == Reply("Katze 猫".encode())
    assert text("x", "answer", sample=1) == Reply(b"again")
    assert text("track/1", "verdict") == Reply(b"no file verdict/track/1.txt in made", "missing")
    assert text("track/2") == Reply(b"caption/track/2.txt in made is empty", "missing")
    assert text("y", "answer") == Reply(b"answer.jsonl:3 in made is empty", "missing")
    assert picture("track/1") == Reply(RED)
    assert picture("caption/track/1").finish == "missing", "a text is not a picture"
    assert unmatched(["track/1"]) == [
        "caption/track/2.txt",
        "answer.jsonl:2 (x_1)",
        "answer.jsonl:3 (y)",
    ]
    assert unmatched(["track/1", "track/2", "x", "y"]) == []


def created(record: str, *modalities: Modality, sample: int = 0) -> Reply:
    wanted = modalities or ("text", "image")
    request = Create(("Tell and draw.",), wanted, 64, 64, seed=1, sample=sample, record=record)
    return asyncio.run(open_it().answer(request))


def test_an_answer_may_be_a_line_of_parts(project: Path):
    line = '{"id": "t/1", "by": "hand", "parts": [{"text": "first"}, {"image": "p/1.png"}, {"text": "好"}, '
    fill(
        project / "made",
        answers_dot_jsonl=line + '{"image": "t/1.png"}]}\n'
        '{"id": "t/1", "sample": 1, "parts": [{"text": "again"}]}\n'
        '{"id": "a_1", "parts": [{"image": "p/1.png"}]}\n{"id": "a", "sample": 1, "parts": [{"text": ""}]}\n',
        p__1_dot_png=b"one",
        t__1_dot_png=RED,
    )
    assert unbundle(created("t/1").content) == Created(("first", b"one", "好", RED))
    assert created("t/1", "text") == created("t/1"), "an answer in one piece is given whole"
    assert created("t/1", sample=1) == Reply(b"again")
    assert unbundle(created("a_1").content) == Created((b"one",)), "bytes that could be text are a picture here"
    assert created("a", sample=1) == Reply(b"answers.jsonl:4 in made is empty", "missing")
    assert created("a") == Reply(b"no file a.txt and no a.png (or .jpg, .jpeg, .webp) in made", "missing")
    assert picture("t/1") == Reply(RED), "what a line names is no second answer"
    assert unmatched(["t/1", "a_1", "a"]) == []
    left = unmatched(["a_1"])
    assert left == ["t/1.png", "answers.jsonl:1 (t/1)", "answers.jsonl:2 (t/1)", "answers.jsonl:4 (a)"]


def test_an_answer_may_be_a_text_and_a_picture_beside_it(project: Path):
    fill(
        project / "made",
        a_dot_txt="\ufeffA cube\n",
        a_dot_jpg=RED,
        a_2_dot_txt="third",
        a_2_dot_png=b"3",
        t__b_dot_txt="words",
        t__c_dot_png=RED,
        d_dot_txt="d",
        d_dot_png=b"",
    )
    assert unbundle(created("a").content) == Created(("A cube\n", RED))
    assert (created("a", "text"), created("a", "image")) == (Reply(b"A cube\n"), Reply(RED)), "only what is asked for"
    assert unbundle(created("a", sample=2).content) == Created(("third", b"3"))
    assert created("a", "text", sample=1) == Reply(b"no file a_1.txt in made", "missing")
    assert created("t/b") == Reply(b"words"), "the picture is missing, which is said of what is there"
    assert created("t/c", "image", "text") == Reply(RED)
    assert created("t/c", "text") == Reply(b"no file t/c.txt in made", "missing")
    assert created("d") == Reply(b"d.png in made is empty", "missing")
    assert unmatched(["a", "t/b", "d"]) == ["t/c.png"]


def test_a_run_finds_answers_by_the_ids_of_its_rows(project: Path):
    def tell(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        [answer] = yield [Creating(Create(("Tell.",), ("text",), 0, 0, seed=1), require_picture)]
        said = None if answer.value is None else answer.value.texts[0]
        return [{"id": record["id"], "word": said, **answer.columns()}]

    some = records(2)
    fill(project / "made", answers_dot_jsonl=f'{{"id": "{some[1]["id"]}", "parts": [{{"text": "mine"}}]}}\n')
    ask_all(open_it(), [("w-part01-00000", 0, some)], project / "told", visit=tell, max_failures=1)
    assert [row["word"] for row in read_rows(project / "told")] == [None, "mine"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[1]", "is not a line"),
        ('{"id": "a", "text": "x"}', "is not a line"),
        ('{"id": true, "parts": []}', "is not a line"),
        ('{"id": 1.0, "parts": []}', "is not a line"),
        ('{"id": "a", "parts": [{"text": "x", "image": "a.png"}]}', "is not a line"),
        ('{"id": "a", "parts": ["x"]}', "is not a line"),
        ('{"id": "a", "parts": [], "sample": -1}', "is not a line"),
        ('{"id": "a", "parts": [], "sample": true}', "is not a line"),
        ('{"id": "a", "parts": [{"text": "\\ud800"}]}', "is not a line"),
        ('{"id": "a", "parts": [], "parts": [{"text": "x"}]}', "the key 'parts' occurs twice: keep one of the two"),
        ('{"id": "a", "parts": [{"text": "x", "text": "y"}]}', "the key 'text' occurs twice: keep one of the two"),
        ('{"id": "a", "parts": [{"image": "b.png"}]}', "b.png is not a file in this folder: put it there"),
        ('{"id": "a", "parts": [{"image": "../secret.png"}]}', "../secret.png is not a file in this folder"),
        ('{"id": "a", "parts": [{"image": "p/../../secret.png"}]}', "is not a file in this folder"),
        ('{"id": "a", "parts": [{"image": "/etc/hostname"}]}', "/etc/hostname is not a file in this folder"),
        ('{"id": "a", "parts": [{"image": ""}]}', "is not a file in this folder"),
        ('{"id": "a", "parts": [{"image": "p"}]}', "p is not a file in this folder"),
        ('{"id": "a", "parts": [{"image": "x\\n\\u0000"}]}', r"'x\n\x00' is not a file in this folder"),
    ],
)
def test_lines_of_parts_are_checked(project: Path, line: str, words: str):
    fill(project, secret_dot_png=RED, made__p__1_dot_png=RED)
    fill(project / "made", answers_dot_jsonl=f'{{"id": "z", "parts": [{{"image": "./p/1.png"}}]}}\n\n{line}\n')
    said = refused()
    assert said.startswith(f"painter (made): {project}/made/answers.jsonl:3: ") and words in said


@pytest.mark.parametrize(
    ("file", "sample", "twin"),
    [("a.png", 0, "a.png"), ("a_0.txt", 0, "a_0.txt"), ("a_2.jpg", 2, "a_2.jpg"), ("a_2.png", 0, None)],
)
def test_a_line_and_a_file_do_not_answer_the_same(project: Path, file: str, sample: int, twin: str | None):
    fill(project / "made", answers_dot_jsonl=f'{{"id": "a", "sample": {sample}, "parts": [{{"text": "x"}}]}}\n')
    (project / "made" / file).write_bytes(RED)
    if twin is None:
        assert created("a").finish == "stop"
    else:
        assert f"answers one request twice, answers.jsonl:1 and {twin}: keep one" in refused()


def test_ids_never_leave_the_folder(project: Path):
    fill(project, secret_dot_png=RED, made__a_dot_png=RED, caption__a_dot_txt="secret")
    for id in ("../secret", str(project / "secret"), "made/../../secret", "./a", "a/../a"):
        assert picture(id).finish == "missing"
    assert text("a", "../caption").finish == "missing"


def test_a_file_that_went_away_harms_only_its_row(project: Path):
    made = fill(project / "made", a_dot_png=RED, b_dot_png=RED)
    model = open_it()
    (made / "a.png").unlink()
    replies = [asyncio.run(model.answer(Paint("", 64, 64, seed=1, record=id))) for id in ("a", "b")]
    assert replies == [Reply(b"a.png: No such file or directory", "transport_error"), Reply(RED)]


def test_identity_and_digest(project: Path):
    fill(project / "made", a_dot_png=RED)
    model = open_it()
    assert model.by_record and model.identity == identity(parameters())
    revision = digest(project / "made")
    assert model.identity == {"id": "made", "revision": revision, "numerics": "", "sampling": {}, "kind": "folder"}


def refused(revision: str = UNPINNED) -> str:
    with pytest.raises(UserError) as error:
        open_it(revision)
    said = str(error.value)
    assert said.startswith("painter (made): ") and "\n" not in said
    return said


def test_a_changed_folder_none_and_an_empty_one_are_refused(project: Path):
    assert f"there is no folder {project}/made: fix this model's `path` in params.yaml" in refused()
    made = fill(project / "made", notes_dot_md="nothing yet")
    assert f"{project}/made holds no picture (.png, .jpg, .jpeg, .webp) and no text" in refused()
    pinned = digest(fill(made, a_dot_png=RED))
    (made / "a.png").write_bytes(jpeg("blue"))
    assert f"the digest of {made} is {digest(made)}, but params.yaml has {pinned}: undo" in refused(pinned)


@pytest.mark.parametrize(("first", "second"), [("a.jpg", "a.png"), ("a.png", "a_0.png"), ("q/a.txt", "q/a_0.txt")])
def test_two_answers_to_one_request_are_refused(project: Path, first: str, second: str):
    for name in (first, second):
        path = project / "made" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(RED)
    assert f"answers one request twice, {first} and {second}: keep one" in refused()


def test_a_number_is_found_with_leading_zeros(project: Path):
    made = fill(project / "made", t__007_dot_png=RED, q__t__007_dot_txt="said", t__09_1_dot_png=RED)
    fill(made, w_07_dot_png=RED, answer_dot_jsonl='{"id": "t/0010", "text": "ten"}\n')
    fill(made, answers_dot_jsonl='{"id": "t/011", "parts": [{"text": "eleven"}]}\n')
    (made / "cafe\u0301.png").write_bytes(RED)
    asked = ["t/7", "t/007", "caf\u00e9", "w_07"]
    assert {picture(record) for record in asked} == {Reply(RED)} == {picture("t/9", sample=1)}
    assert text("t/7", "q") == Reply(b"said") and text("t/10", "answer") == Reply(b"ten")
    assert created("t/11") == Reply(b"eleven")
    assert picture("w_7").finish == picture("7").finish == "missing", "no number alone, and not in this folder"
    assert unmatched(["t/7", "t/9", "t/10", "t/11", "caf\u00e9"]) == ["w_07.png"]


def test_an_id_with_leading_zeros_is_answered_by_its_own_name_alone(project: Path):
    made = fill(project / "made", **{"7_dot_png": RED, "8_1_dot_png": RED})
    assert [picture(record).finish for record in ("7", "007", "07")] == ["stop", "missing", "missing"]
    assert picture("008", 1).finish == "missing"
    fill(made, **{"007_dot_png": b"007", "7_dot_txt": "seven", "00_dot_png": b"00"})
    assert [picture(record).content for record in ("7", "007", "0")] == [RED, b"007", b"00"]
    assert unbundle(created("7").content) == Created(("seven", RED))
    assert unmatched(["7", "8", "0"]) == ["007.png"], "the file of that very name is there"
    fill(made, **{"0_dot_jpg": b"0"})
    assert picture("0").content == b"0"


def test_two_files_with_leading_zeros_answer_nothing_without(project: Path):
    fill(project / "made", **{"07_dot_png": RED, "007_dot_png": RED})
    assert picture("7") == Reply(b"made/007.png and 07.png answer one request: keep one", "missing")
    assert picture("07") == picture("007") == Reply(RED)


def test_two_records_that_share_a_file_are_found(project: Path):
    made = fill(project / "made", t__007_dot_png=RED, q__08_dot_txt="x", t__05_1_dot_png=RED)
    folder = open_it().folder
    assert folder.shared(["t/7", "t/8", "8"]) is None
    assert folder.shared(["t/007", "t/7"]) == ("t/007.png", "t/007", "t/7")
    assert folder.shared(["8", "08"]) == ("q/08.txt", "08", "8")
    assert folder.shared(["t/05", "t/5_1"]) == ("t/05_1.png", "t/05", "t/5_1"), "of the one a sample"
    fill(made, t__7_dot_png=b"")
    assert open_it().folder.shared(["t/007", "t/7"]) is None


def test_lines_are_checked(project: Path):
    good = '{"id": "a", "text": "x"}\n'
    fill(project / "made", q_dot_jsonl=good + '{"id": "b", "text": "x"}\n' + good)
    assert "answers one request twice, q.jsonl:1 and q.jsonl:3: keep one" in refused()
    fill(project / "made", q_dot_jsonl=good, q__a_dot_txt="y")
    assert "answers one request twice, q.jsonl:1 and q/a.txt: keep one" in refused()
    (project / "made/q/a.txt").unlink()
    first = '{"id": 3.5, "text": "x"}'
    for bad in (first, '{"id": "b"}', "not JSON", "[1]", '{"id": "b", "text": null}', '{"id": "b", "text": "\\ud800"}'):
        fill(project / "made", q_dot_jsonl=f"{good}{bad}\n{good}")
        assert f'{project}/made/q.jsonl:2: is not a line {{"id": "…", "text": "…"}}' in refused()
    for key, twice in (("text", '"id": "b", "text": "x", "text": "y"'), ("id", '"id": "a", "id": "b", "text": "x"')):
        fill(project / "made", q_dot_jsonl=f'{{"id": "c", "text": "x", "more": 1, "more": 2}}\n{{{twice}}}\n')
        assert f"{project}/made/q.jsonl:2: the key '{key}' occurs twice: keep one of the two" in refused()


def test_a_name_that_is_not_utf_8_answers_nothing_and_is_told(project: Path) -> None:
    fill(project / "made", a_dot_png=RED)
    (project / "made" / os.fsdecode(b"caf\xe9.png")).write_bytes(RED)
    assert picture("a") == Reply(RED)
    assert [os.fsencode(name) for name in unmatched(["a"])] == [b"caf\xe9.png"]


def test_a_fifo_or_a_circle_among_answers_is_said(project: Path) -> None:
    fill(project / "made", a_dot_png=RED)
    (project / "made/again").symlink_to(".")
    with pytest.raises(UserError, match=r"made/again is a link to a folder that contains it: remove it$"):
        open_it()
    (project / "made/again").unlink()
    (project / "made/again.png").symlink_to("again.png")
    with pytest.raises(UserError, match=r"made/again\.png cannot be read \(Too many levels of symbolic links\)$"):
        Folder("painter", "made")
    (project / "made/again.png").unlink()
    for name in ("b.png", "b.jsonl"):  # who opens one waits for ever
        os.mkfifo(project / "made" / name)
        with pytest.raises(UserError, match=rf"made/{name}: is a FIFO, socket or device: put a file there$"):
            open_it()
        (project / "made" / name).unlink()


@pytest.mark.parametrize("link", ["b.png", "t/b.png", "folder", "q.jsonl", "answers.jsonl", "notes.md", "gone.png"])
def test_a_link_out_of_the_folder_is_refused(project: Path, link: str) -> None:
    fill(project, aside__a_dot_png=b"secret", aside__q_dot_jsonl='{"id": "a", "text": "secret"}\n')
    made = fill(project / "made", a_dot_png=RED, t__a_dot_png=RED)
    target = {"folder": "aside", "gone.png": "aside/no/b.png"}.get(link, "aside/a.png")
    (made / "u.hop").symlink_to(project / target)
    (made / link).symlink_to(made / "u.hop")  # a link within to one that leads out
    said = refused()
    assert said.startswith(f"painter (made): {project}/made/{link}") or "/made/u.hop" in said
    assert ": this link leads out of the folder: put the file itself there (`cp -rL`" in said


def test_links_are_followed_within_the_folder(project: Path) -> None:
    made = fill(project / "real", t__a_dot_png=RED, answers_dot_jsonl='{"id": "x", "parts": [{"image": "c.png"}]}\n')
    cached = "cache/files/md5/d4/1d8cd98f00b204e9800998ecf8427e"
    fill(project, **{cached.replace("/", "__"): b"in DVC's cache"})
    (made / "b.png").symlink_to("t/a.png")
    (made / "c.png").symlink_to(made / "b.png")
    (made / "again").symlink_to("t")
    (made / "d.png").symlink_to(project / cached)
    (project / "made").symlink_to("real")
    assert [picture(id).content for id in ("t/a", "b", "c", "again/a", "d")] == [RED] * 4 + [b"in DVC's cache"]
    assert unbundle(created("x").content) == Created((RED,))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("train_log.jsonl", '{"step": 1, "loss": 0.3}\n{"step": 2, "loss": NaN}\n'),
        ("metadata.jsonl", '{"file_name": "1.png", "id": 1, "text": "a red cube"}\n'),
        ("wandb.jsonl", '{"_step": 0, "text": "hi"}\n{"id": "run", "text": "start"}\n{"_step": 1}\n'),
        ("notes.jsonl", "no JSON at all\n"),
        ("empty.jsonl", "\n"),
        ("deep.jsonl", "[" * 9999),
        ("array.jsonl", '[{"id": "1", "text": "x"}]'),
        ("wandb-summary.json", '{"loss": NaN}'),
        ("my_results.json", '[{"loss": NaN}]'),
        ("scores.csv", "id,text\n1,x\n"),
    ],
)
def test_another_file_beside_answers_is_named_as_one_that_answers_nothing(project: Path, name: str, content: str):
    made = fill(project / "made", **{"1_dot_png": RED})
    (made / name).write_text(content)
    assert picture("1") == Reply(RED)
    assert unmatched(["1"]) == [name]


CAPTION = {"type": "object", "properties": {"caption": {"type": "string"}}}
SCORES = {"type": "object", "properties": {"reason": {"type": "string"}, "score": {"type": "integer"}}}


def test_plain_text_takes_the_form_of_a_question_that_wants_one_string():
    assert fit_schema("ein Kätzchen\n".encode(), CAPTION) == '{"caption":"ein Kätzchen"}'.encode()
    assert fit_schema(b'{"caption": "a cat"}', CAPTION) == b'{"caption": "a cat"}'
    assert fit_schema(b"7 of 10", SCORES) == b"7 of 10", "no score is guessed: the parser says that this is none"
    assert fit_schema(b"a cat", {}) == b"a cat"
