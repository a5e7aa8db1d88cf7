"""From an edition to a board, through the real stages: two contestants paint, a judge says all sorts of things."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from gamut.asking.models import opening
from gamut.asking.models.weights import digest
from gamut.asking.requests import Chat, Paint, Reply, Request, pictures_of
from gamut.evaluation.boards import agree as agreeing
from gamut.evaluation.boards import rank as boards
from gamut.evaluation.boards import score as scoring
from gamut.evaluation.bodies import answer as answering
from gamut.evaluation.bodies import judge as judging
from gamut.evaluation.defining.editions import freeze_edition
from gamut.project.errors import UserError
from gamut.project.roles import RoleModel
from gamut.tables.reading import read_rows
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import TRACKS, PrismItem
from stages.prism.shared.parameters import Params
from tests import fakes
from tests.fakes import Fake, encoded, jpeg
from tests.prism.made_up_scripts import CHAT
from tests.prism.made_up_scripts import digest as digest_of_script

answer, board, score = partial(answering.answer, PRISM), partial(boards.rank, PRISM), partial(scoring.score, PRISM)
judge = partial(judging.judge, PRISM)
PER_TRACK = 2
ITEMS = [
    PrismItem(id=f"{track}/{n}", track=track, prompt=f"{track} {n}", prompt_zh=f"中文 {track} {n}")
    for track in TRACKS
    for n in range(PER_TRACK)
]
PICTURES = len(ITEMS) * 2  # languages
JUDGEMENTS = PICTURES * 2  # axes


LENIENT = {"answer": {"width": 256, "height": 256, "max_failures": 5}}


def painted(colour: str) -> Callable[[Request], Reply]:
    return lambda request: Reply(jpeg(colour, (64, 64)))


def with_two(**changes: object) -> Params:
    """Parameters with two contestants; keyword arguments replace keys of the block `prism`."""
    prism = fakes.values()["prism"] | changes
    return fakes.params(contestants=fakes.two_contestants(), prism=prism)


def verdict(score: int) -> Reply:
    return Reply(json.dumps({"justification": "It shows.", "score": score}).encode())


def by_colour(request: Request) -> Reply:
    """A judge that gives 9 to a red picture, 4 to a blue one and 0 to any other."""
    assert isinstance(request, Chat)
    red, _, blue = Image.open(BytesIO(pictures_of(request)[0])).convert("RGB").getpixel((5, 5))
    return verdict(9 if red > 200 > blue else 4 if blue > 200 > red else 0)


@pytest.fixture
def small(project: Path) -> Path:
    freeze_edition("prism", "small", ITEMS)
    return project


def play(monkeypatch: pytest.MonkeyPatch, **players: Callable[[Request], Reply]) -> dict[str, Fake]:
    """Who answers in the place of the models of these slugs."""
    opened = {slug: Fake(respond, identity=fakes.IDENTITY | {"id": slug}) for slug, respond in players.items()}

    def open_it(role_model: RoleModel, *_: object) -> Fake:
        return opened[role_model.slug]

    monkeypatch.setattr(opening, "open_model", open_it)
    return opened


def evaluate(params: Params) -> dict[str, dict[str, float]]:
    """Run all stages and return the metrics by file."""
    for contestant in params.contestants:
        answer(params, contestant)
        for slug in params.prism.judges:
            judge(params, contestant, slug)
    for contestant in params.contestants:
        score(params, contestant)
    board(params)
    return {path.stem: json.loads(path.read_text()) for path in Path("metrics/prism/small").rglob("*.json")}


@pytest.mark.usefixtures("small")
def test_a_board_says_in_whose_words_judges_were_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def board_of(**changes: object) -> tuple[float, str]:
        found = evaluate(with_two(judges=["gpt"], languages=["en"], **changes))["board"]["en.gpt.good.overall"]
        return found, Path("metrics/prism/small/plots/remarks.csv").read_text()

    def judging(request: Request) -> Reply:
        assert isinstance(request, Chat)
        return verdict(7) if request.schema else Reply(b'```json\n{"justification": "so", "score": 7.5,}\n```')

    play(monkeypatch, good=painted("red"), poor=painted("blue"), gpt=judging)
    Path("eval.py").write_text(CHAT)
    release = {"path": "eval.py", "revision": digest_of_script(CHAT)}
    by_release, said = board_of(instructions="released", release=release)
    assert by_release == 75 and f"released words, of eval.py (released-{release['revision'][7:15]})" in said
    by_us, said = board_of()
    assert by_us == 70 and "not to be laid beside the paper's tables" in said


ODD = {
    "imagination": Reply(b"I like this picture, 8 out of 10."),
    "entity": Reply(b'{"justification": "ok", "score": "8/10"}'),
    "text_rendering": Reply(b'{"justification": "ok", "score": 11}'),
    "style": Reply(b"**Score:** 8"),
    "affection": Reply("{“justification”：“好”，“score”：8}".encode()),
    "composition": Reply(b'{"justification": "ok", "score": 8} {"justification": "no", "sco'),
    "long_text": Reply(b"I cannot judge this.", "refused"),
}


def odd(request: Request) -> Reply:
    """Says something odd about alignment, by track; gives 7 for the looks, but of long texts is not to be reached."""
    assert isinstance(request, Chat)
    track = request.name.removeprefix("prism_alignment_")
    if track in ODD:
        return ODD[track]
    longer = "long_text" in str(request.messages[0].parts[-1])
    return Reply(b"timeout", "transport_error") if longer else verdict(7)


@pytest.mark.usefixtures("small")
def test_what_is_no_verdict_is_never_a_score(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, good=painted("red"), poor=painted("blue"), world=odd)
    metrics = evaluate(with_two(judge={"max_failures": 100}, languages=["en"]))
    found = metrics["good"]
    # alignment may be anything, and so has no value of what was scored, no rank; of the looks those of 6 tracks are 70
    assert (found["en.world.alignment"], found["en.world.aesthetic"]) == (0, 60)
    assert not any(key.endswith(("_scored", "_lo", "_hi")) or "rank" in key for key in (*found, *metrics["board"]))
    # of 7 tracks' alignment 6 cannot be parsed and one is refused; of their looks one is not to be had; 28 scores
    assert found["en.world.judged.parse_error"] == 6 * PER_TRACK
    assert found["en.world.judged.refused_judge"] == found["en.world.judged.transport_error"] == PER_TRACK
    assert found["en.world.coverage"] == pytest.approx(12 / 28, abs=0.001)
    assert found["en.world.judged_share"] == found["en.world.coverage"]
    assert found["en.world.style.aesthetic"] == 70
    rows = list(read_rows(Path("datasets/prism/judgments/good/world/answers")))
    assert all((row["value"] is None) == (row["status"] != "ok") for row in rows) and len(rows) == len(ITEMS) * 2


@pytest.mark.usefixtures("small")
def test_pictures_that_a_judge_cannot_answer_about_stop_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One paints instructions on two of fourteen pictures: its own replies are garbage, and cost it its rank alone."""

    def instructed(request: Request) -> Reply:
        assert isinstance(request, Paint)
        return Reply(jpeg("green" if request.prompt in ("style 0", "entity 1") else "blue", (64, 64)))

    def gullible(request: Request) -> Reply:
        fit = by_colour(request)
        return Reply(b"OK, I say no JSON.") if json.loads(fit.content)["score"] == 0 else fit

    play(monkeypatch, good=painted("red"), poor=instructed, world=gullible)
    found = evaluate(with_two(judge={"max_failures": 0}, languages=["en"]))["board"]
    assert found["en.world.good.rank_best"] == 1 and "en.world.poor.rank_best" not in found
    assert found["en.world.poor.overall"] == round(40 * 12 / 14, 3) and found["en.world.poor.overall_scored"] == 40
    assert "poor: no rank: 14.3 % unjudged: 4 parse_error" in " ".join(capsys.readouterr().out.split())
    lenient = {"max_failures": 0, "max_unjudged": 0.15}  # of two axes of fourteen pictures: 4.2
    assert evaluate(with_two(judge=lenient, languages=["en"]))["board"]["en.world.poor.rank_best"] == 2


@pytest.mark.usefixtures("small")
def test_a_judge_that_never_gives_a_verdict_stops_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    players = play(monkeypatch, good=painted("red"), world=lambda _: Reply(b"Nice!"))
    params = with_two(judge={"max_failures": 0, "max_unjudged": 0.9})
    answer(params, "good")
    with pytest.raises(UserError, match=r"the replies about 15 of 15 records cannot be used: en-0-00000000 \("):
        judge(params, "good", "world")  # 15 are more than half of 28
    assert len(players["world"].asked) < 2 * 2 * JUDGEMENTS


@pytest.mark.usefixtures("small")
def test_of_a_pair_the_painter_alone_is_asked_for_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    openai = {"kind": "openai", "id": "org/writer"}
    duo = {"class": "unified", "models": {"text": openai, "image": openai | {"id": "org/painter", "revision": "2"}}}
    play(monkeypatch, duo_image=painted("red"), world=by_colour)  # a writer that was opened would not be found
    found = evaluate(fakes.params(contestants={"duo": duo}))["duo"]
    assert found["en.world.overall"] == 90
    rows = list(read_rows(Path("datasets/prism/answers/duo")))
    assert {row["model"] for row in rows} == {"org/writer+org/painter"}
    assert {key: value for key, value in found.items() if key.startswith("contestant.")} == {
        "contestant.id": "org/writer+org/painter",
        "contestant.text.id": "org/writer",
        "contestant.image.id": "org/painter",
        "contestant.image.revision": "2",
    }


@pytest.mark.usefixtures("small")
def test_metrics_say_who_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    model = {
        "kind": "openai",
        "id": "org/model",
        "revision": "abc",
        "numerics": "fp8",
        "sampling": {"temperature": 0.5},
        "extra_body": {"think": True, "modalities": ["image"]},
    }
    play(monkeypatch, one=painted("red"), world=by_colour)
    params = fakes.params(contestants={"one": {"class": "generation", "model": model}})
    found = evaluate(params)["one"]
    assert {key: value for key, value in found.items() if key.startswith("contestant.")} == {
        "contestant.id": "org/model",
        "contestant.revision": "abc",
        "contestant.numerics": "fp8",
        "contestant.sampling.temperature": 0.5,
        "contestant.extra_body.think": True,
        "contestant.extra_body.modalities": '["image"]',
    }
    noted = Path("datasets/prism/answers/one/_contestant.json")
    before = noted.read_bytes()
    answer(params, "one")
    assert noted.read_bytes() == before
    noted.write_text("{")
    with pytest.raises(UserError, match=r"_contestant.json is damaged .*: run `dvc checkout"):
        score(params, "one")
    noted.unlink()  # answers of before had none
    score(params, "one")
    again = json.loads(Path("metrics/prism/small/contestants/one.json").read_text())
    assert again == {key: value for key, value in found.items() if not key.startswith("contestant.")}


@pytest.mark.usefixtures("small")
def test_thinking_is_told_as_a_gain(monkeypatch: pytest.MonkeyPatch) -> None:
    contestants = fakes.two_contestants()
    contestants["good"] |= {"variant_of": "poor"}
    play(monkeypatch, good=painted("red"), poor=painted("blue"), world=by_colour)
    found = evaluate(fakes.params(contestants=contestants))["board"]
    # of 14 items that differ alike 1 - 0.025^(1 / 14) = 23.164 % may have been missed on either side, and be 50 worse
    assert found["en.world.good.over_poor"] == 50 and found["en.world.good.over_poor_lo"] == 50 - 23.164
    assert found["en.world.good.over_poor_n"] == len(ITEMS) and "en.world.poor.over_good" not in found


# Who sees what


def by_prompt(request: Request) -> Reply:
    """Another picture for every prompt."""
    assert isinstance(request, Paint)
    colour = tuple(hashlib.sha256(request.prompt.encode()).digest()[:3])
    return Reply(encoded(Image.new("RGB", (64, 64), colour), "PNG"))


def picture_of(prompt: str) -> bytes:
    return by_prompt(Paint(prompt, 64, 64, 0)).content


# Pictures that were made elsewhere


def made_elsewhere(folder: str, names: Mapping[str, str]) -> dict[str, object]:
    """A contestant whose pictures lie in a folder: by file name without suffix, the prompt that each belongs to."""
    for name, prompt in names.items():
        path = Path(folder) / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture_of(prompt))
    return {"kind": "folder", "path": folder, "revision": digest(Path(folder))}


def test_a_folder_in_the_released_layout_is_scored_as_it_is(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = made_elsewhere("outputs", {item.id: item.prompt for item in ITEMS[:-1]} | {"style/7": "nothing"})
    contestants = {"elsewhere": {"class": "generation", "settings": {"prism": ["en"]}, "model": model}}
    answer(fakes.params(contestants=contestants, prism=fakes.values()["prism"] | LENIENT), "elsewhere")
    rows = list(read_rows(Path("datasets/prism/answers/elsewhere")))
    assert [row["parts"][0]["image"]["bytes"] for row in rows[:-1]] == [picture_of(i.prompt) for i in ITEMS[:-1]]
    assert (rows[-1]["item"], rows[-1]["status"]) == (ITEMS[-1].id, "missing_output")
    said = capsys.readouterr().out
    assert "style/7.png" in said  # belongs to no item
    assert "prism.answer@elsewhere: 1 missing_output, 13 ok with a remark; 14 asked in" in said
    assert re.search(r"the first ok with a remark is en-0-\d{8}: 64x64 pixels instead of 256x256\n", said)


def test_two_samples_and_two_repeats_tell_where_variance_comes_from(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a folder the second sample of an item is `<item>_1.png`; one is not there."""

    def at_odds(request: Request) -> Reply:
        """Scores of a picture and a seed, which differs between repeats."""
        assert isinstance(request, Chat)
        return verdict(3 + hashlib.sha256(pictures_of(request)[0]).digest()[0] % 5 + (request.seed or 0) % 3)

    names = {f"{item.id}{end}": item.prompt + end for item in ITEMS for end in ("", "_1")}
    del names[f"{ITEMS[-1].id}_1"]
    elsewhere = {"class": "generation", "model": made_elsewhere("outputs", names), "max_failures": 1}
    prism = fakes.values()["prism"] | {"repeats": 2, "languages": ["en"]}
    prism |= {"answer": prism["answer"] | {"samples": 2}, "controls_of": ["good"]}
    contestants = {"good": fakes.two_contestants()["good"], "elsewhere": elsewhere}
    open_model = opening.open_model
    painter = Fake(lambda request: Reply(jpeg((request.sample * 90, 9, (request.seed or 0) % 256))))
    fake = {"good": painter, "world": Fake(at_odds)}
    monkeypatch.setattr(opening, "open_model", lambda one, *rest: fake.get(one.slug) or open_model(one, *rest))
    metrics = evaluate(fakes.params(contestants=contestants, prism=prism))
    assert metrics["good"]["en.world.coverage"] == 1 and len(painter.asked) == 2 * len(ITEMS)
    assert metrics["elsewhere"]["en.world.answered.missing_output"] == 2 * 2  # axes and repeats of one of 28 pictures
    assert metrics["board"]["en.world.validation.blank.drop_n"] == len(ITEMS)
    agreeing.agree(PRISM, fakes.params(contestants=contestants, prism=prism))
    found = json.loads(Path("metrics/prism/small/agreement.json").read_text())
    named = [key.removeprefix("en.alignment.variance.") for key in found if ".alignment.variance." in key]
    sources = ("items_and_judges_by_items", "samples_and_judges_by_samples", "repeats")
    assert [name for name in named if "." not in name] == [*sources]  # one judge: what is it alone cannot be told
    assert sum(found[f"en.alignment.variance.{name}.share"] for name in sources) == pytest.approx(100, abs=0.01)
    assert "To halve the interval of alignment (en): " in capsys.readouterr().out


def test_a_folder_with_gaps_has_a_budget_of_its_own(small: Path) -> None:
    model = made_elsewhere("outputs", {item.id: item.prompt for item in ITEMS[:-1]})
    contestants = {"elsewhere": {"class": "generation", "settings": {"prism": ["en"]}, "model": model}}
    with pytest.raises(UserError, match=r"lacks 1 of 14 answers, at most 0 may fail: \S+/1 \(no file"):
        answer(fakes.params(contestants=contestants), "elsewhere")
    contestants["elsewhere"]["max_failures"] = 1
    answer(fakes.params(contestants=contestants), "elsewhere")
