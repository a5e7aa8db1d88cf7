"""One small build with all that people ask of a dataset: own pictures that are kept, several sizes, several pictures of
a prompt and pairs of them, pictures searched for what no dataset should show and for repeats, scores of models,
captions of three lengths in English and Japanese. Over HTTP everybody answers as the embedded world does, but paints
the faults of PAINTED and writes Japanese. Each row's end is written out below.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from PIL import Image

from gamut.asking.requests import Chat, Create, Paint, Reply, Request, fields_of, pictures_of, seed_of, untag_fields
from gamut.tables.columns import grouped, make_id, prompt_id
from gamut.tables.images import JPEG, encode_upright
from gamut.tables.reading import read_rows
from gamut.world import judging
from gamut.world.answering import Unsupported
from gamut.world.painting import commission, paint
from tests.embedded_world import GROSS
from tests.embedded_world import reply as world
from tests.end_to_end.kills import Gate
from tests.end_to_end.project import Project, answer_over_http, clone, copy_of, outputs
from tests.fakes import encoded
from tests.stub_server import stub_server

LAST = "scores"
REPRO = ("dvc", "repro", "preferences", "captions", LAST)
SEED, SAMPLES = 5, 3
SIZES = [{"width": 192, "height": 144, "weight": 2}, {"width": 144, "height": 192}]
LICENCE = "CC-BY-4.0"
BY = {"follows": 2.0, "clarity": 1.0, "structure": 1.0, "without_logos": 1.0, "prompt_alignment": 1.0}
FREE = ("nudity", "violence", "real_persons", "logos", "watermarks")
REFUSED, UNPAINTED = "refused", "unpainted"
"""By the judge, and by the painter."""
FAULTS = ("blur", "wrong_count", "misspelt_lettering", "low_contrast")


def ask_for_everything(params: Any) -> None:
    """Turn on what people ask for: the only place for parameters of this build."""
    own = {"wave": "own", "kind": "folder", "path": "datasets/sources/own", "route": "keep", "license": LICENCE}
    captions = {"wave": "painted", "kind": "file", "path": "datasets/sources/captions.jsonl", "route": "as_is"}
    params["seed"] = SEED
    params["sources"] = [own, captions | {"columns": {"caption": "text"}}]
    params["synthesize"] |= {"width": 192, "height": 192, "sizes": SIZES, "samples": SAMPLES}
    params["choose"] = {"by": BY, "margin": 1.0}
    params["same_pictures"] = {"bits": 10, "similarity": None}
    params["models"]["world"] = {"kind": "sandbox"}
    params["roles"] |= {"alignment_scorer": "judge", "aesthetic_scorer": "world", "preference_scorer": "world"}
    params["captions"] = {"lengths": ["short", "middle", "long"], "languages": ["Japanese"]}
    params["safety"] = {"ask": True}
    params["select"] |= {f"without_{name}": 7 for name in FREE}
    params["hold_out"] |= {"asked": 2}


class Own(NamedTuple):
    """A source's own picture: its file, what it shows, its fault, and what the judge says that it is not free of."""

    file: str
    caption: str
    fault: str | None = None
    found: str | None = None


OWN = (
    Own("a-owls.png", "two yellow owls"),
    Own("b-dolphin.jpg", "a pink dolphin, at night"),
    Own("c-dolphin-again.png", "a pink dolphin, at night"),
    Own("d-flag.png", "a red flag", found="nudity"),
    Own("e-fish.png", "a green fish", fault="blur"),
    Own("f-mushroom.png", "a blue mushroom", found=REFUSED),
)
"""The third is the second, a little brighter and encoded again."""


class Painted(NamedTuple):
    """A caption, and of each of its pictures the fault, what the judge says that it is not free of, or who refuses."""

    caption: str
    samples: tuple[str, ...] = ("", "", "")


PAINTED = (
    Painted("two red apples", ("", "blur", "wrong_count")),
    Painted("an owl", ("blur", "", "")),
    Painted('a sign that says "OPEN"', ("misspelt_lettering", "low_contrast", "")),
    Painted("a blue car", ("blur", "blur", "blur")),
    Painted("the abstract idea of justice in a courtroom of clouds"),
    Painted("Two red apples."),
    Painted("a purple flag", ("", UNPAINTED, "")),
    Painted("a green bicycle", ("logos", REFUSED, "")),
)
RELEASED = None
ENDS = {
    "own-00000000": RELEASED,
    "own-00000001": RELEASED,
    "own-00000002": "same_picture",
    "own-00000003": "safety_without_nudity",
    "own-00000004": "clarity",
    "own-00000005": "safety_refused_judge",
    "painted-00000000": RELEASED,
    "painted-00000000_1": "clarity",
    "painted-00000000_2": "prompt_follows",  # three apples or one: 10 - 3
    "painted-00000001": "clarity",
    "painted-00000001_1": RELEASED,  # of equals the first
    "painted-00000001_2": "not_chosen",
    "painted-00000002": "typography_sense",
    "painted-00000002_1": "typography_contrast",
    "painted-00000002_2": RELEASED,
    **dict.fromkeys(("painted-00000003", "painted-00000003_1", "painted-00000003_2"), "clarity"),
    **dict.fromkeys(("painted-00000004", "painted-00000004_1", "painted-00000004_2"), "synthesize_unsupported"),
    "painted-00000005": "near_duplicate",
    "painted-00000006": RELEASED,
    "painted-00000006_1": "synthesize_refused_generation",
    "painted-00000006_2": "not_chosen",
    "painted-00000007": "safety_without_logos",
    "painted-00000007_1": "safety_refused_judge",
    "painted-00000007_2": RELEASED,
}
PAIRS = {
    # (2·10 + 10 + 9 + 10 + 10) / 6, and (2·7 + 10 + 9 + 10 + 6.667) / 6
    ("painted-00000000", "painted-00000000_2"): (9.833333, 8.277833),
    # (2·0 + 10 + 9 + 10 + 0) / 6: another word is none of it
    ("painted-00000002_2", "painted-00000002"): (9.833333, 4.833333),
}
"""Not the blurred pictures, of which nobody knows what they show, and none of the last prompt."""
NOTHING = "there is nothing of the kind"


def picture(prompt: str, seed: int, width: int, height: int, fault: str | None) -> Image.Image:
    scene, _, rng = commission(prompt, seed, {})
    return paint(scene, width, height, rng, {fault: GROSS} if fault else {})


def own_pictures() -> dict[Own, bytes]:
    """The files of the source."""
    shown = {one: picture(one.caption, 1, 192, 192, one.fault) for one in OWN}
    shown[OWN[2]] = shown[OWN[1]].point([min(255, value + 3) for value in range(256)] * 3)
    return {one: encoded(image, Path(one.file).suffix[1:].replace("jpg", "jpeg")) for one, image in shown.items()}


def write_sources(folder: Path) -> None:
    own = folder / "own"
    own.mkdir()
    for one, data in own_pictures().items():
        (own / one.file).write_bytes(data)
        (own / one.file).with_suffix(".txt").write_text(one.caption)
    lines = (json.dumps({"text": one.caption}) for one in PAINTED)
    (folder / "captions.jsonl").write_text("\n".join(lines) + "\n")


class Answers:
    """Answers as the embedded world does, but for the painter's faults, and for what the judge finds."""

    def __init__(self) -> None:
        self.found = {encode_upright(data, JPEG): one.found for one, data in own_pictures().items() if one.found}

    def __call__(self, request: Request) -> Reply:
        if isinstance(request, Paint):
            return self.paint(request)
        if isinstance(request, Chat) and request.name == "safety":
            [shown] = pictures_of(request)
            return self.judge(request, self.found.get(shown))
        if isinstance(request, Chat) and request.name == "translate_lengths":
            return in_japanese(request)
        if isinstance(request, Create):
            return alignment_digit(request)
        return world(request, {})

    def paint(self, request: Paint) -> Reply:
        number = [one.caption for one in PAINTED].index(request.prompt)
        row_id = make_id("painted", number)
        sample = request.seed - seed_of(row_id, SEED)
        what = PAINTED[number].samples[sample]
        if what == UNPAINTED:
            return Reply(b"no flags", REFUSED)
        fault = what if what in FAULTS else None
        try:
            image = picture(request.prompt, request.seed, request.width, request.height, fault)
        except Unsupported as error:
            return Reply(str(error).encode(), "unsupported")
        data = encoded(image, "JPEG", quality=95)
        if what and not fault:
            self.found[data] = what
        return Reply(data)

    def judge(self, request: Chat, found: str | None) -> Reply:
        if found is None:
            return world(request, {})
        if found == REFUSED:
            return Reply(b"I will not look at this", REFUSED)
        said = json.loads(world(request, {}).content)
        said |= {"reason": f"there is {found} in the middle", f"without_{found}": 2}
        return Reply(json.dumps(said).encode())


def in_japanese(request: Chat) -> Reply:
    """How many letters the caption has, and its lettering: the first time translated, and so refused."""
    fields = fields_of(request)
    lettering = fields.get("lettering", "").splitlines()
    repaired = len(request.messages) > 1
    said = "".join(f"「{words if repaired else '営業中'}」と書いてある。" for words in lettering)
    text = f"{len(fields['caption'])}文字の英語の説明がついた絵。{said}"
    return Reply(json.dumps({"translation": text}).encode())


def alignment_digit(request: Create) -> Reply:
    """Nine tenths of what the world's judge says, 0..10, as one digit."""
    [shown] = pictures_of(request)
    prompt = untag_fields(str(request.parts[-1]))["prompt"]
    return Reply(str(round(0.9 * judging.follow(prompt, [shown])["follows"])).encode())


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Project]:
    """A build that was killed in the middle and went on, and an undisturbed one, in one process for time's sake."""
    folder = tmp_path_factory.mktemp("asked_for")
    project, gate = clone(folder / "killed"), Gate(Answers())
    with stub_server(answer=gate, workers=8) as stub:
        answer_over_http(project, stub.url)
        project.edit(ask_for_everything)
        write_sources(project.folder / "datasets/sources")
        leave_one_item(project.folder / "datasets/editions")
        project.run("gamut", "check", "--quiet")  # leaves benchmarks out that have no block
        project.commit()
        whole = copy_of(project, folder / "whole")
        whole.run("python", "-m", "tests.in_one_process", LAST)
        gate.kill_at(gate.calls + gate.calls // 2, project, *REPRO)
        project.run(*REPRO)
    return project, whole


def leave_one_item(editions: Path) -> None:
    for path in editions.glob("*/*.jsonl"):
        if path.parent.name == "prism":
            path.write_text(path.read_text().splitlines(keepends=True)[0])
        else:
            path.unlink()


@pytest.fixture
def built(twice: tuple[Project, Project]) -> Project:
    return twice[0]


def test_a_killed_build_goes_on_to_the_same_bytes(twice: tuple[Project, Project]) -> None:
    paths = [*outputs(twice[0])]
    killed, whole = ({path: content(project.folder / path) for path in paths} for project in twice)
    assert killed == whole and {f"datasets/{name}" for name in ("safety", "release", *REPRO[2:])} <= killed.keys()


def content(path: Path) -> Any:
    """The bytes of a file, or of all files below a folder, by name."""
    files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
    return {str(one.relative_to(path)): one.read_bytes() for one in files}


def ends(project: Project) -> dict[str, str | None]:
    """How each row ended: released, or the reason why not."""
    released = {row["id"] for row in project.rows("release")}
    found = {row["id"]: row["reason"] for row in project.rows("prompts") if not row["kept"]}
    found |= {row["id"]: row["reason"] for row in project.rows("select")}
    found |= {row["id"]: row["reason"] for row in project.rows("hold_out")}
    return {row_id: reason if reason or row_id in released else "withheld" for row_id, reason in found.items()}


def test_every_row_has_its_end(built: Project) -> None:
    assert ends(built) == ENDS
    chosen = grouped((prompt_id(one), one) for one, end in ENDS.items() if end is RELEASED)
    assert [*chosen.values()] == [[row["id"]] for row in built.rows("release")], "one of three at most"


def test_what_was_searched_for_and_found(built: Project) -> None:
    """Of the pictures that are clear: not of e-fish, nor of the blurred ones."""
    rows = {row["id"]: row for row in built.rows("safety")}
    clear = [row_id for row_id, end in ENDS.items() if end != "clarity" and not str(end).startswith("synthesize")]
    assert [*rows] == [row_id for row_id in clear if row_id != "painted-00000005"]
    low = {"own-00000003": "nudity", "painted-00000007": "logos"}
    for row_id, row in rows.items():
        scores = {name: row[f"score_without_{name}"] for name in FREE}
        if ENDS[row_id] == "safety_refused_judge":
            assert row["status"] == "refused_judge" and set(scores.values()) == {None}
        else:
            assert scores == dict.fromkeys(FREE, 10) | ({low[row_id]: 2} if row_id in low else {})
            assert row["rationale"] == (f"there is {low[row_id]} in the middle" if row_id in low else NOTHING)


def test_sizes_are_of_the_list_and_drawn_by_the_id(built: Project) -> None:
    found = {row["id"]: (row["width"], row["height"]) for row in built.rows("synthesize") if row["painted"]}
    lots = {row_id: seed_of(f"{prompt_id(row_id)}/size", 0) / 2**31 for row_id in found}  # 2 of 3 are the first size
    assert found == {row_id: (192, 144) if lot < 2 / 3 else (144, 192) for row_id, lot in lots.items()}
    assert {*found.values()} == {(192, 144), (144, 192)}
    own = {row["id"]: (row["width"], row["height"]) for row in built.rows("synthesize") if row["id"] < "p"}
    assert {*own.values()} == {(192, 192)}


def test_own_pictures_come_out_as_they_went_in(built: Project) -> None:
    """A JPEG byte for byte, another picture as a JPEG of it, with its licence, file and captions."""
    files = own_pictures()
    origins = {row["id"]: row for row in built.rows("provenance")}
    released = {row["id"]: row for row in read_rows(built.folder / "datasets/release")}
    for number, one in enumerate(OWN):
        row_id = make_id("own", number)
        if ENDS[row_id] is not RELEASED:
            continue
        assert released[row_id]["image"]["bytes"] == encode_upright(files[one], JPEG)
        assert released[row_id]["caption_original"] == one.caption and released[row_id]["bool_caption_original"]
        of = {"wave": "own", "route": "keep", "license": LICENCE, "source_id": one.file, "prompt": None}
        assert origins[row_id].items() >= of.items()
    assert released["own-00000001"]["image"]["bytes"] == files[OWN[1]]
    assert {row["license"] for row_id, row in origins.items() if row_id > "p"} == {None}


def test_pairs_are_of_pictures_that_may_be_shown(built: Project) -> None:
    pairs = built.rows("preferences")
    found = {(row["chosen_id"], row["rejected_id"]): (row["score_chosen"], row["score_rejected"]) for row in pairs}
    assert found == PAIRS
    assert {row["by"] for row in pairs} == {", ".join(BY)}


def test_a_repeat_names_the_picture_that_stays(built: Project) -> None:
    """What was rejected for another reason does not compete."""
    rows = {row["id"]: row for row in built.rows("same_pictures")}
    assert [*rows] == [row_id for row_id, end in ENDS.items() if end in (RELEASED, "same_picture")]
    left = {row_id: row["same_as"] for row_id, row in rows.items() if not row["kept"]}
    assert left == {"own-00000002": "own-00000001"} and rows["own-00000002"]["bits"] <= 10


def test_every_released_picture_has_its_scores(built: Project) -> None:
    """The alignment of a digit 9 is 10; nobody asks how well a source's own picture follows a prompt."""
    rows = {row["id"]: row for row in built.rows("scores")}
    assert [*rows] == [row_id for row_id, end in ENDS.items() if end is RELEASED]
    for row_id, row in rows.items():
        painted = row_id.startswith("painted")
        assert (row["prompt_alignment"], row["follows"]) == ((10, 10) if painted else (None, None))
        assert row["clarity"] >= 6 and row["without_nudity"] == 10 and row["aesthetics"] > 5
        assert row["preference"] == (pytest.approx((10 + row["aesthetics"]) / 2) if painted else None)


def test_captions_have_three_lengths_and_two_languages(built: Project) -> None:
    words = {"short": (4, 30), "middle": (15, 100), "long": (45, 260)}  # half of the least to twice the most
    rows = built.rows("captions")
    found = {(row["id"], row["language"], row["length"]): row["caption"] for row in rows}
    released = [row_id for row_id, end in ENDS.items() if end is RELEASED]
    assert [*found] == [
        (row_id, language, length) for row_id in released for language in ("English", "Japanese") for length in words
    ]
    for (row_id, language, length), text in found.items():
        if language == "English":
            least, most = words[length]
            assert least <= len(text.split()) <= most
            assert found[row_id, "Japanese", length].startswith(f"{len(text)}文字")
            lettered = '"OPEN"' in text
            assert lettered == ("「OPEN」" in found[row_id, "Japanese", length])
            assert not lettered or row_id == "painted-00000002_2"
    assert '"OPEN"' in found["painted-00000002_2", "English", "long"]
