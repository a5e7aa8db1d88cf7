"""`gamut audit`: what leaks in files of all kinds, how it is said, and the board without what leaked."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from gamut.command.benchmarking import LEAKED
from gamut.command.cli import app
from gamut.dataset.shared.joins import table_of
from gamut.evaluation.defining.editions import freeze_edition
from gamut.evaluation.defining.pictures import describe_picture
from gamut.evaluation.scoring.scores import SCHEMA
from gamut.tables.writing import TableWriter
from stages.dataset import release
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import AXES, TRACKS
from tests import fakes
from tests.drawn import drawn_picture, encoded_again
from tests.in_command import gamut

SCENE, TURNED = "two red cars to the left of a blue house", "A blue house to the right of two red automobiles, at noon."
OTHER = "three red cars to the left of a blue house"


@pytest.fixture
def audited(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with an edition of two items a track, of which one tells a scene; the world judges."""
    monkeypatch.setenv("COLUMNS", "100")
    models = {"world": {"kind": "sandbox"}, "tfidf": {"kind": "tfidf"}}
    roles = dict.fromkeys(("painter", "judge", "captioner", "translator", "seed_writer", "writer"), "world")
    contestants = {name: {"class": "generation", "model": {"kind": "sandbox"}} for name in ("careful", "hasty")}
    values = fakes.values(models=models, contestants=contestants)
    values["roles"] = roles | {"text_embedder": "tfidf"}
    values["hold_out"] |= {"paraphrases": "world"}
    values["prism"] |= {"edition": "v1", "judges": ["world"], "languages": ["en"]}
    Path("params.yaml").write_text(json.dumps(values))
    Path("run.toml").write_text("[models.world]\nconcurrency = 1\n")  # workers take long to start
    folder = Path("datasets/editions/prism")
    folder.mkdir(parents=True)
    items = [
        {"id": f"{track}/{n}", "prompt": SCENE if (track, n) == (TRACKS[0], 0) else f"the {track} of dream {n}"}
        | {"prompt_zh": f"梦 {track} {n}", "track": track, "origin": "curated"}
        for track in TRACKS
        for n in range(2)
    ]
    (folder / "v1.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    return project


LEAKING = f"{TRACKS[0]}/0"


call = partial(gamut, "audit")


def found(*arguments: str, code: int = LEAKED) -> dict[str, Any]:
    ended, said = call(*arguments)
    assert ended == code, said
    return json.loads(Path("audit.json").read_text())


def prompts(*lines: str) -> tuple[str, ...]:
    """Arguments for a folder with a list of these."""
    Path("theirs").mkdir(exist_ok=True)
    Path("theirs/prompts.txt").write_text("\n".join(lines) + "\n")
    return "theirs", "prism/v1", "--column", "text"


@pytest.mark.usefixtures("audited")
def test_a_list_with_a_prompt_a_line_and_nothing_is_asked_twice() -> None:
    listed = prompts(OTHER, TURNED, "", "a text of its own")
    code, said = call(*listed)
    assert code == LEAKED and "; 0 asked in" not in said
    report = json.loads(Path("audit.json").read_text())
    similarity = report["leaks"][LEAKING][0]["similarity"]
    leak = {"row": "row 2", "found_by": "same_test", "description": "text", "similarity": similarity, "text": TURNED}
    assert report["leaks"] == {LEAKING: [leak]}
    assert (report["rows"], report["items"], report["rows_leaking"]["same_test"]) == (4, 14, 1)
    assert report["recall"]["chinese"]["n"] == 1 and report["models"] == {"text_embedder": "tfidf", "matcher": "world"}
    assert "theirs contains 1 of the 14 items of prism/v1, in 1 of its 4 rows" in said and "same test" in said
    assert "The audit finds of planted paraphrases: english" in said
    assert "There is no board without them: no contestant has scores in this project" in said.replace("\n", " ")
    assert call(*listed)[1].count("; 0 asked in") == 3
    done = CliRunner().invoke(app, ["audit", *listed, "--json"])
    assert done.exit_code == LEAKED and json.loads(done.stdout) == report and "result is in audit.json" in done.stderr
    code, said = call(*prompts(OTHER))
    assert code == 0 and "0 of the 14 items" in said


@pytest.mark.usefixtures("audited")
def test_without_a_model_it_says_what_is_unasked() -> None:
    code, said = call(*prompts(TURNED, OTHER, SCENE.upper()), "--candidates-only")
    report = json.loads(Path("audit.json").read_text())
    assert code == LEAKED
    assert [(one["row"], one["found_by"]) for one in report["leaks"][LEAKING]] == [("row 3", "same_text")]
    assert not report["asked"] and report["unanswered"] == {"not_asked": report["pairs"]["asked"]}
    assert report["pairs"]["unanswered_kept"] == report["pairs"]["asked"] >= 2
    assert report["recall"]["expansion"]["found"] == 0
    assert "no model was asked whether they are the same test" in said.replace("\n", " ")


@pytest.mark.usefixtures("audited")
def test_pictures_of_a_table_and_of_a_folder() -> None:
    theirs = drawn_picture(3)
    image = describe_picture(theirs, "reference_1", "reference")
    item = {"id": LEAKING, "prompt": "Whose is it?", "prompt_zh": "谁的", "track": TRACKS[0], "origin": "curated"}
    freeze_edition(
        "prism", "v9", [PRISM.item.model_validate(item | {"images": [image.model_dump()]})], {image.sha256: theirs}
    )
    rows = [{"jpg": {"bytes": encoded_again(theirs), "path": None}, "caption": "x"}, {"jpg": None, "caption": "y"}]
    for folder in ("table", "pictures"):
        Path(folder).mkdir()
    pq.write_table(pa.Table.from_pylist(rows), "table/rows.parquet")
    Path("pictures/a.jpg").write_bytes(fakes.jpeg("red"))
    Path("pictures/b.jpg").write_bytes(encoded_again(theirs))
    Path("pictures/b.txt").write_text("a caption")
    Path("pictures/c.jpg").write_bytes(b"no picture")
    for dataset, row in (("table", "row 1"), ("pictures", "b.jpg")):
        [leak] = found(dataset, "prism/v9", "--image", "jpg")["leaks"][LEAKING]
        assert (leak["row"], leak["found_by"], leak["description"]) == (row, "picture", "picture reference_1")
    report = json.loads(Path("audit.json").read_text())
    Path("table/notes.csv").write_text("caption\nz\n")
    code, said = call("table", "prism/v9", "--candidates-only")
    assert code == 0 and "pictures are not compared" in said and "1 other file not read: notes.csv" in said
    assert report["unreadable"]["rows"] >= 1 and "picture" in report["unreadable"]["first"]["reason"]


@pytest.mark.usefixtures("audited")
def test_this_projects_release() -> None:
    row = dict.fromkeys(release.SCHEMA.names) | {
        "id": "w-00000003",
        "image": {"bytes": fakes.jpeg("red"), "path": None},
        "caption_detail": "x",
        "caption_entity_cn": "两辆红色的汽车在一座蓝色的房子的左边。",
        "caption_original": TURNED,
    }
    with TableWriter(table_of("release"), release.SCHEMA) as table:
        table.write("w-00000", [row])
    [leak] = found("release", "prism/v1")["leaks"][LEAKING]
    assert (leak["row"], leak["description"], leak["text"]) == ("w-00000003", "original", TURNED)


@pytest.mark.usefixtures("audited")
def test_the_board_without_what_leaked() -> None:
    """Two items a track, 5 and 6; of what leaked, the first item of a track, one contestant has 10."""
    listed = prompts(SCENE)
    for name in ("careful", "hasty"):
        values = {f"{track}/{n}": 5 + n for track in TRACKS for n in range(2)}
        values |= {LEAKING: 10} if name == "hasty" else {}
        rows = [
            {"item": item, "stratum": item.split("/")[0], "groups": [item.split("/")[0]], "setting": "en"}
            | {"judge": "world", "measure": axis, "spec": "s", "scored": 1, "left_out": []}
            | dict.fromkeys(("value", "low", "high"), float(value))
            for item, value in values.items()
            for axis in AXES
        ]
        with TableWriter(PRISM.scores / name, SCHEMA) as table:
            table.write("scores", rows)
    board = found(*listed)["board"]["en, world"]
    # All tracks 5.5 of 10; hasty's first (10 + 6) / 2 = 8: (6 x 55 + 80) / 7 = 58.571. Without the item careful's
    # first track is its second item alone, 6: (6 x 55 + 60) / 7 = 55.714, and so is hasty's
    assert board["careful"]["with"]["estimate"] == 55 and board["hasty"]["with"]["estimate"] == 58.571
    assert board["careful"]["without"]["estimate"] == board["hasty"]["without"]["estimate"] == 55.714
    assert (board["hasty"]["with"]["items"], board["hasty"]["without"]["items"]) == (14, 13)
    said = call(*listed)[1]
    assert "overall with all items and without those that leaked: en, world" in " ".join(said.split())


@pytest.mark.usefixtures("audited")
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nothing", "prism/v1"], "the folder nothing does not exist: name one, or `release`"),
        (["theirs", "prism"], "prism: name an edition as BENCHMARK/VERSION, such as prism/v1"),
        (["theirs", "prism/v1"], "there is no column 'caption'"),
        (["release", "prism/v1"], "datasets/release: there is no finished table here"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], complaint: str) -> None:
    prompts("x")
    code, said = call(*arguments)
    assert code == 1 and complaint in said and "Traceback" not in said
    assert not Path("audit.json").exists()
