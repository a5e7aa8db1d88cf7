"""`gamut show`: a record with or without a table, an item with all that was said of it, harmless whatever they hold."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from PIL import Image

from gamut.asking.failed_rows import note_failed
from gamut.asking.parts import bundle
from gamut.asking.requests import Paint, Reply, Request
from gamut.command import show_item as showing
from gamut.command.show_item import show_item, show_lines
from gamut.command.show_record import LONGEST, file_name, folder_of, picture_line, show_record, text_lines, value_lines
from gamut.evaluation.defining.editions import freeze_edition
from gamut.project.errors import UserError
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import PrismItem
from stages.prism.shared.parameters import Params
from tests import fakes
from tests.asking.slices import PICTURES, S0, paint
from tests.evaluation.test_evaluating import answer, judge, play, score, verdict, with_two
from tests.fakes import Fake, ask_all, echo, failing, jpeg, records, word_of
from tests.in_command import gamut as call

REPEATED, PAINTED, OUT = Path("datasets/repeated"), Path("datasets/painted"), Path("shown")
PIPELINE = """
stages:
  paint: {cmd: x, outs: [datasets/painted]}
  repeat: {cmd: x, deps: [gamut/asking, datasets/painted, datasets/none], outs: [datasets/repeated]}
  decide: {cmd: x, outs: [{metrics/decided.json: {cache: false}}]}
"""
SLICES = [(S0, 0, records(3)), (S0, 1, records(2, start=100))]
FIRST, THIRD = "w-part01-00000000", "w-part01-00000002"


@pytest.fixture
def stages(project: Path) -> Path:
    """A pipeline of which `paint` has run."""
    (project / "dvc.yaml").write_text(PIPELINE)
    ask_all(Fake(lambda request: Reply(jpeg("red", (64, 64)))), SLICES, PAINTED, paint, PICTURES, stage="paint")
    return project


def lines(stage: str, record: str) -> list[str]:
    return list(show_record(stage, record, OUT))


def test_a_record_with_its_inputs_and_replies(stages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask_all(Fake(lambda request: Reply(b'{"word": "so"}', "stop", 1200, 7)), SLICES, REPEATED)
    path = f"shown/repeat/{THIRD}/painted/image.jpg"
    assert lines("repeat", THIRD) == [
        f"repeat {THIRD}",
        "from datasets/painted",
        f"  image: {path} (64x64)",
        "  status: ok",
        "datasets/repeated",
        "  word: so",
        "  status: ok",
        "  model: fake",
        '  reply 1 (stop, 1,200 tokens in, 7 out): {"word": "so"}',
    ]
    assert Path(path).read_bytes() == jpeg("red", (64, 64)), "the bytes as they are"
    code, said = call("show", "repeat", THIRD, "--json")
    told = json.loads(said)
    assert code == 0 and (told["stage"], told["record"], told["failed"]) == ("repeat", THIRD, [])
    [painted], [repeated] = told["tables"]["datasets/painted"], told["tables"]["datasets/repeated"]
    assert repeated["word"] == "so" and Path(painted["image"]["bytes"]).read_bytes() == jpeg("red", (64, 64))
    assert lines("paint", THIRD)[-1] == "  reply 1 (stop, 0 tokens in, 0 out): shown above"
    long = [*value_lines("near", [{"n": n} for n in range(12)], OUT)]
    assert long[9:] == ["near 10: n: 9", "near: 2 more, `--json` has all"]
    monkeypatch.setattr("gamut.command.show_record.MOST_ROWS", 0)
    assert f"from datasets/painted: 1 more, `gamut show repeat {THIRD} --json` has all" in lines("repeat", THIRD)


def bad(request: Request) -> Reply:
    """Never what was asked for about one word; the repair is another reply."""
    if word_of(request) != "word2":
        return echo(request)
    assert not isinstance(request, Paint)
    return Reply(b"Sure!\nHere it is: \x1b[31m..." if len(request.messages) == 1 else b"{}")


def test_a_record_that_failed_before_there_was_a_table(stages: Path) -> None:
    with pytest.raises(UserError) as error:
        ask_all(Fake(bad), SLICES, REPEATED)
    assert f'`gamut show repeat {THIRD}` shows the first, whose reply begins "{{}}". What was' in str(error.value)
    assert not REPEATED.exists()
    assert lines("repeat", THIRD) == [
        f"repeat {THIRD}",
        "from datasets/painted",
        f"  image: shown/repeat/{THIRD}/painted/image.jpg (64x64)",
        "  status: ok",
        "failed in the last run: parse_error: word: Field required",
        "  reply 1 (stop, 0 tokens in, 0 out):",
        "    Sure!",
        "    Here it is:  ...",
        "  reply 2 (stop, 0 tokens in, 0 out): {}",
    ]


def test_what_never_answered_says_why(stages: Path) -> None:
    with pytest.raises(UserError, match=rf"`gamut show repeat {THIRD}` shows the first\. What was answered is kept"):
        ask_all(Fake(failing("word2")), SLICES, REPEATED)
    assert lines("repeat", THIRD)[-2:] == [
        "failed in the last run: transport_error: no route",
        "  reply 1: it was not kept; `dvc repro` asks again",
    ]


def test_a_failure_that_the_table_has_is_shown_once_and_a_later_one_too(stages: Path) -> None:
    ask_all(Fake(bad), SLICES, REPEATED, max_failures=1)
    found = lines("repeat", THIRD)
    assert found[4:6] == ["datasets/repeated", "  status: parse_error"] and not any("last run" in one for one in found)
    other = {"id": THIRD, "status": "truncated", "reason": "cut off", "fingerprints": ["other"]}
    note_failed("repeat", [other])
    assert lines("repeat", THIRD)[-2] == "failed in the last run: truncated: cut off"


def test_bytes_that_were_no_picture_come_from_the_store(stages: Path) -> None:
    tiny = jpeg("blue", (2, 2))
    small = bundle(["Behold:", tiny], "Hm.")
    ask_all(Fake(lambda request: Reply(small)), SLICES, REPEATED, paint, PICTURES, max_failures=5)
    found = lines("repeat", FIRST)
    start = f"shown/repeat/{FIRST}/reply-1"
    assert found[-3:] == [
        "  reply 1 (stop, 0 tokens in, 0 out), thinking: Hm.",
        "  reply 1 (stop, 0 tokens in, 0 out), part 1: Behold:",
        f"  reply 1 (stop, 0 tokens in, 0 out), part 2: {start}-2.jpg (2x2)",
    ]
    assert Path(f"{start}-2.jpg").read_bytes() == tiny


def test_what_is_unknown_is_one_line_with_the_nearest(stages: Path) -> None:
    for stage, record, said in [
        ("repat", "x", "there is no stage or benchmark 'repat'; did you mean 'repeat'?"),
        ("prsm", "x", "there is no stage or benchmark 'prsm'; did you mean 'prism'?"),
        ("decide", "x", "decide makes no table: name a stage that does, such as annotate"),
        ("paint", "w-part01-0000002", f"datasets/painted has no record 'w-part01-0000002'; did you mean '{THIRD}'?"),
        ("paint", "?", f"datasets/painted has no record '?'; there are '{FIRST}', 'w-part01-00000001', '{THIRD}', …"),
        (
            "repeat",
            "x",
            "the table datasets/repeated is not finished, and the stage's last run noted no failure of 'x': "
            "`dvc repro repeat` makes the table",
        ),
    ]:
        assert call("show", stage, record) == (1, f"{said}\n")


def test_a_stage_goes_also_by_its_address(stages: Path) -> None:
    folder = stages / "stages" / "toy"
    folder.mkdir(parents=True)
    (folder / "dvc.yaml").write_text(
        'stages:\n  judge: {matrix: {who: [a, b]}, cmd: x, outs: ["datasets/${item.who}"]}\n'
    )
    ask_all(Fake(echo), SLICES, Path("datasets/b"))
    assert (
        list(show_lines("toy.judge@b", FIRST, OUT)) == list(show_lines("stages/toy/dvc.yaml:judge@b", FIRST, OUT)) != []
    )
    with pytest.raises(UserError, match=r"there is no stage 'toy.judge': name one of its cells, such as toy.judge@a"):
        list(show_lines("toy.judge", FIRST, OUT))


HOSTILE = "\x1b]0;title\x07\x1b[2Jone\r\ntwo\u202e\u2028<script>\ud800"


def test_texts_keep_their_lines_and_nothing_else(tmp_path: Path) -> None:
    found = list(text_lines("note", HOSTILE, tmp_path / "note"))
    assert found == ["note:", "   ]0;title  one", "  two ", "  <script> "] and not list(tmp_path.iterdir())
    assert list(text_lines("note", "", tmp_path / "note")) == ["note: "]


def test_a_long_text_is_cut_and_stands_whole_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    first, hint = text_lines("note", "a" * 1_000_000, tmp_path / "note")
    assert first == f"note: {'a' * LONGEST}"
    assert hint == f"  … 998,000 of 1,000,000 characters are left out here: {path} has all"
    assert path.read_text() == "a" * 1_000_000 + "\n"


@pytest.mark.parametrize(("kind", "extension"), [("PNG", "png"), ("JPEG", "jpg")])
def test_pictures_are_named_by_their_media_type(tmp_path: Path, kind: str, extension: str) -> None:
    out = io.BytesIO()
    Image.new("RGB", (3, 2)).save(out, kind)
    assert picture_line("image", out.getvalue(), tmp_path / "a") == f"image: {tmp_path}/a.{extension} (3x2)"
    assert (tmp_path / f"a.{extension}").read_bytes() == out.getvalue()


def test_values_of_columns(tmp_path: Path) -> None:
    row = {"a": None, "b": "", "c": [], "d": {"e": 1, "f": None}, "g": ["x", "y"], "h": [0.5] * 100, "i": True}
    found = [line for name, one in row.items() for line in value_lines(name, one, tmp_path / name)]
    assert found == ["d: e: 1", "g: x; y", "h: 100 values, `--json` has all", "i: True"]
    nested = [{"text": "one", "image": None}, {"text": None, "image": {"bytes": jpeg(size=(4, 4)), "path": None}}]
    assert list(value_lines("parts", nested, tmp_path / "parts")) == [
        "parts 1: text: one",
        f"parts 2 image: {tmp_path}/parts-2-image.jpg (4x4)",
    ]


def test_names_lead_nowhere_else() -> None:
    assert file_name("prism.judge@careful-world") == "prism.judge@careful-world"
    odd = "../../etc/passwd"
    digest = hashlib.sha256(b"..").hexdigest()[:8]
    assert folder_of(OUT, odd) == Path(f"shown/name-{digest}/name-{digest}/etc/passwd")
    assert folder_of(OUT, "prism", "style/0") == Path("shown/prism/style/0")
    for name in ("", ".", "~", "a b", "a" * 300, "\x1b[2J", "/", "\ud800"):
        assert all(part not in ("", ".", "..") and len(part) < 101 for part in folder_of(OUT, name).parts)
        assert file_name(name).isprintable() and "/" not in file_name(name)


ITEMS = [PrismItem(id=f"style/{n}", track="style", prompt=f"a cat {n}", prompt_zh=f"猫 {n}") for n in range(2)]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Params]:
    """Two contestants and a judge: `good` paints, `poor` refuses the second item; hostile words about the looks."""
    params = with_two()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("judged"))
        for name in ("GAMUT_STORE", "GAMUT_RUN"):
            patch.delenv(name, raising=False)
        freeze_edition("prism", "small", ITEMS)
        (Path("stages/prism")).mkdir(parents=True)
        judging = '{cmd: x, matrix: {judge: "${prism.judges}"}}'
        (Path("stages/prism/dvc.yaml")).write_text(f"stages: {{answer: {{cmd: x}}, judge: {judging}}}\n")

        def poor(request: Request) -> Reply:
            assert isinstance(request, Paint)
            return Reply(b"I will not.", "refused") if "1" in request.prompt else Reply(jpeg("blue", (64, 64)))

        def world(request: Request) -> Reply:
            name = request.name
            said = {"justification": "\x1b[2Jpretty\nor not", "score": 4}
            return verdict(9) if "alignment" in name else Reply(orjson.dumps(said))

        play(patch, good=lambda request: Reply(jpeg("red", (64, 64))), poor=poor, world=world)
        for contestant in ("good", "poor"):
            answer(params, contestant)
        judge(params, "good", "world")
        judge(params, "poor", "world")
        score(params, "good")
        yield params


def test_an_item_with_every_answer_and_what_was_said_of_it(judged: Params, monkeypatch: pytest.MonkeyPatch) -> None:
    found = list(show_item(PRISM, judged, "style/0", OUT))
    assert found[:5] == [
        "PRISM-Bench style/0 (datasets/editions/prism/small.jsonl)",
        "  stratum: style; groups: style",
        "  track: style",
        "\nen: what contestants are given",
        "  text: a cat 0",
    ]
    assert "  text: 猫 0" in found
    start = found.index("\ngood en-0-00000000: ok")
    path = "shown/prism/style/0/good-en-0-00000000-1.jpg"
    assert found[start + 1 : start + 7] == [
        "  reason: 64x64 pixels instead of 256x256",
        f"  picture: {path} (64x64)",
        "  world, alignment: 9 of 10: It shows.",
        "  world, aesthetic: 4 of 10:",
        "     pretty",
        "    or not",
    ]
    assert found[start + 7] == "  scores by world: alignment 9, aesthetic 4"
    monkeypatch.setattr(showing, "load", lambda model: judged)
    told = showing.shown_values("prism", "style/0", OUT)
    assert told["item"]["prompt"] == "a cat 0" and told["edition"] == "datasets/editions/prism/small.jsonl"
    [score] = [one for one in told["tables"]["datasets/prism/scores/good"] if one["measure"] == "alignment"][:1]
    assert score["low"] == 9 and len(told["tables"]["datasets/prism/answers/good"]) == 2, "in two languages"
    assert Path(path).read_bytes() == jpeg("red", (64, 64))
    assert sum(one.startswith(("\ngood ", "\npoor ")) for one in found) == 4  # two contestants, two languages
    assert found[-1] == "\nreplies as they came: `gamut show prism.judge@good-world en-0-00000000`, and so on"


def test_an_answers_id_shows_its_setting_alone(judged: Params) -> None:
    found = list(show_item(PRISM, judged, "zh-0-00000001", OUT))
    headings = [line for line in found if line.endswith(": what contestants are given")]
    assert found[0].startswith("PRISM-Bench style/1 ") and headings == ["\nzh: what contestants are given"]
    assert [one for one in found if one.startswith(("\ngood ", "\npoor "))] == [
        "\ngood zh-0-00000001: ok",
        "\npoor zh-0-00000001: refused_generation",
    ]
    start = found.index("\npoor zh-0-00000001: refused_generation")
    assert found[start + 1 : start + 3] == [
        "  reason: I will not.",
        "  reply 1 (refused, 0 tokens in, 0 out): I will not.",
    ]


def test_what_is_missing_says_what_makes_it(judged: Params) -> None:
    more = fakes.two_contestants() | {"third": {"class": "generation", "model": {"kind": "sandbox"}}}
    params = fakes.params(contestants=more, prism=fakes.values()["prism"] | {"judges": ["world"]})
    found = list(show_item(PRISM, params, "en-0-00000000", OUT))
    start = found.index("\nthird en-0-00000000: no answer")
    assert found[start + 1] == "  nothing yet: `dvc repro stages/prism/dvc.yaml:answer@third`"
    failed = {"id": "en-0-00000000", "status": "parse_error", "reason": "", "fingerprints": []}
    note_failed("prism.answer@third", [failed])
    assert "  failed in the last run: `gamut show prism.answer@third en-0-00000000`" in list(
        show_item(PRISM, params, "en-0-00000000", OUT)
    )


def test_unknown_items(judged: Params) -> None:
    with pytest.raises(UserError, match=r"^datasets/editions/prism/small.jsonl has no item 'style/9'; did you mean 's"):
        list(show_item(PRISM, judged, "style/9", OUT))
    with pytest.raises(UserError, match=r"has no item 'en-0-00000007'; there are 'style/0', 'style/1'$"):
        list(show_item(PRISM, judged, "en-0-00000007", OUT))
