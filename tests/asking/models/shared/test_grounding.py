"""Boxes of chat models: what is asked, every convention there and back, and replies of which no boxes can be had."""

from __future__ import annotations

import asyncio
import io
import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from gamut.asking.models import grounding, opening
from gamut.asking.models.grounding import (
    CONVENTIONS,
    Grounded,
    detection_chat,
    frame_of,
    known_boxes,
    patched_size,
    read_boxes,
)
from gamut.asking.outcomes import Outcome
from gamut.asking.requests import Chat, Detect, Picture, Reply, fields_of, fingerprint
from gamut.asking.seeing import Detecting, Detection
from gamut.project.errors import UserError
from gamut.project.model_kinds import Boxes, OpenAIModel, identity
from gamut.project.roles import RoleModel
from gamut.project.settings import Settings
from gamut.tables.images import picture_size, scale_down
from tests import fakes
from tests.stub_server import stub_server

GIVEN = (400, 200)
CAT_AND_DOG = Detect(Picture(fakes.jpeg(size=GIVEN)), ("cat", "dog"))
ALL: tuple[Boxes, ...] = get_args(Boxes)


def outcome(said: str, boxes: Boxes = "pixels", request: Detect = CAT_AND_DOG, **options: Any) -> Outcome:
    """What becomes of what a chat model says of a picture of 400 x 200."""
    content = read_boxes(said.encode(), request, boxes, GIVEN, options.get("largest_picture"))
    end = Detecting(request).next([Reply(content)])
    assert isinstance(end, Outcome)
    return end


def one(box: Any, label: str | None = "cat", key: str = "bbox_2d") -> str:
    return json.dumps({"objects": [{key: box, **({} if label is None else {"label": label})}]})


@pytest.mark.parametrize(
    ("boxes", "said"),
    [
        ("pixels", [100, 50, 300, 150]),
        ("pixels_by_28", [98, 49, 294, 147]),  # it sees 392 x 196, 14 x 7 patches: 98 / 392 * 400 = 100
        ("thousandths", [250, 250, 750, 750]),
        ("thousandths_y_first", [250, 250, 750, 750]),
        ("fractions", [0.25, 0.25, 0.75, 0.75]),
    ],
)
def test_each_convention_means_the_same_box(boxes: Boxes, said: list[float]) -> None:
    key = CONVENTIONS[boxes].key
    assert outcome(one(said, key=key), boxes).value == [Detection("cat", 1.0, (100.0, 50.0, 300.0, 150.0))]


@pytest.mark.parametrize(
    ("given_size", "seen"),
    [
        ((400, 200), (392, 196)),
        ((1024, 1024), (1036, 1036)),  # 36.57 patches of 28 are 37
        ((20, 20), (56, 56)),  # at least 3,136 pixels
        ((8000, 6000), (4116, 3080)),  # at most 12,845,056
    ],
)
def test_qwen2_5_vl_sees_multiples_of_28(given_size: tuple[int, int], seen: tuple[int, int]) -> None:
    assert patched_size(*given_size) == seen  # its own processor: tests/asking/models/torch/test_transformers.py


@pytest.mark.parametrize(
    "said",
    [
        '[{"bbox_2d": [0, 0, 10, 10], "label": "cat"}]',
        '```json\n[{"bbox_2d": [0, 0, 10, 10], "label": "cat"}]\n```',
        'Here they are:\n```json\n{"objects": [{"bbox_2d": [0, 0, 10, 10], "label": "cat"}]}\n```',
        '{"detections": [{"bbox": [0, 0, 10, 10], "label": " Cat "}]}',
        '[{"box": [[0, 0, 10, 10]], "label": "cat", "colour": "black"}]',
        'thinking of cats</think>[{"bbox_2d": [0.0, 0, 10, 10], "label": "CAT"}]',
    ],
)
def test_replies_are_read_with_what_comes_around_them(said: str) -> None:
    assert outcome(said).value == [Detection("cat", 1.0, (0.0, 0.0, 10.0, 10.0))]


@pytest.mark.parametrize("label", ["cats", ""])
def test_a_label_that_was_not_asked_about_spoils_the_reply(label: str) -> None:
    end = outcome(json.dumps([{"bbox_2d": [0, 0, 9, 9], "label": each} for each in ("dog", label)]))
    assert (end.status, end.value) == ("parse_error", None)
    assert end.reason == f"a box is labelled {label!r}, which was not asked about"


def test_the_same_box_twice_is_one_thing() -> None:
    again = [{"bbox_2d": [0, 0, 9, 9], "label": label} for label in ("dog", "DOG", "cat")]
    assert [thing.label for thing in outcome(json.dumps(again)).value] == ["dog", "cat"]


@pytest.mark.parametrize(("count", "status"), [(200, "ok"), (201, "parse_error")])
def test_too_many_boxes_are_no_count(count: int, status: str) -> None:
    end = outcome(json.dumps([{"bbox_2d": [n % 50, n // 50, 100, 90], "label": "cat"} for n in range(count)]))
    assert end.status == status and len(end.value or []) in (0, count)
    same = json.dumps([{"bbox_2d": [0, 0, 9, 9], "label": "cat"}] * count)  # counted before what repeats is left out
    assert outcome(same).status == status


@pytest.mark.parametrize("depth", [900, 100_000])
def test_json_in_json_is_no_list_of_boxes(depth: int) -> None:
    for said in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        assert outcome(said).status == "parse_error"


def seen_and_said(picture: bytes, boxes: Boxes) -> str:
    """What a model says that sees where a picture is dark, in whole numbers wherever a convention has them."""
    dark = Image.open(io.BytesIO(picture)).convert("L").point(lambda light: 255 * (light < 128))
    frame, box = frame_of(boxes, dark.size), dark.getbbox()
    assert box is not None
    said = [edge / side * of for edge, side, of in zip(box, dark.size * 2, frame * 2, strict=True)]
    said = [round(number, 4) if boxes == "fractions" else round(number) for number in said]
    return one([said[1], said[0], said[3], said[2]] if "y_first" in boxes else said, key=CONVENTIONS[boxes].key)


@pytest.mark.parametrize("turned", [False, True], ids=["stored upright", "turned by EXIF"])
@pytest.mark.parametrize("largest", [None, 320])
@pytest.mark.parametrize("boxes", ALL)
def test_the_same_pixels_by_every_convention_scaled_or_not(boxes: Boxes, largest: int | None, turned: bool) -> None:
    image, where = Image.new("RGB", (640, 480), "white"), (100, 60, 340, 300)
    image.paste("black", where)
    exif = Image.Exif()
    exif[0x0112] = 6 if turned else 1  # 6: to be turned clockwise by 90° when shown, so it is stored turned back
    data = fakes.encoded(image.transpose(Image.Transpose.ROTATE_90) if turned else image, "PNG", exif=exif)

    def answer(request: Any) -> Reply:
        [picture] = [part for part in request.messages[0].parts if isinstance(part, Picture)]
        return Reply(seen_and_said(scale_down(picture.data, largest) if largest else picture.data, boxes).encode())

    reply = put(Grounded(fakes.Fake(answer), boxes, largest), Detect(Picture(data, "image/png"), ("cat",)))
    [(_, _, box)] = json.loads(reply.content)
    assert box == pytest.approx(where, abs=1)


def test_one_label_need_not_be_said() -> None:
    alone = Detect(CAT_AND_DOG.picture, ("cat",))
    assert outcome(one([0, 0, 10, 10], None), request=alone).value[0].label == "cat"
    assert outcome(one([0, 0, 10, 10], None)).reason == "a box has no label"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (one([10, 10, 10, 50]), "a box has no width or no height"),
        (one([50, 10, 10, 50]), "a box has no width or no height"),
        (one([0, 0, 10]), "a box is not four numbers"),
        (one([True, 0, 10, 10]), "a box is not four numbers"),
        ('[{"bbox_2d": [0, 0, 1e999, 10], "label": "cat"}]', "the reply is not JSON"),
        (one([0, 0, 900, 100]), "a box reaches far beyond the picture: is `boxes` in params.yaml"),
        (one([0, 0, 10, 10], key="box_2d"), "an object has no `bbox_2d`"),
        ('[{"bbox_2d": [0, 0, 10, 10], "label": 3}]', "an object has no `bbox_2d`, or a label that is not a text"),
        ('[[0, 0, 10, 10, "cat"]]', "the reply is not a list of objects with boxes"),
        ('[{"bbox_2d": [0, 0, 9, 9], "bbox_2d": [0, 0, 5, 5], "label": "cat"}]', "a key occurs twice in the reply"),
        ("There are two cats.", "the reply is not JSON"),
    ],
)
def test_what_is_no_box_spoils_the_whole_reply(said: str, reason: str) -> None:
    both = outcome(said)
    assert (both.status, both.value) == ("parse_error", None) and str(both.reason).startswith(reason)
    assert (
        json.loads(read_boxes(said.encode(), CAT_AND_DOG, "pixels", GIVEN, None))["said"] == said
    )  # kept as provenance


numbers = st.floats() | st.integers() | st.text(max_size=3) | st.none()
things = st.dictionaries(st.sampled_from(["bbox_2d", "box", "label", "objects"]), st.lists(numbers) | numbers)
replies = things | st.lists(things | numbers) | st.fixed_dictionaries({"objects": st.lists(things)})


@given(st.binary() | replies.map(lambda said: json.dumps(said).encode()), st.sampled_from(ALL))
def test_whatever_is_said_gives_boxes_in_the_picture_or_a_reason(said: bytes, boxes: Boxes) -> None:
    end = Detecting(CAT_AND_DOG).next([Reply(read_boxes(said, CAT_AND_DOG, boxes, GIVEN, None))])
    assert isinstance(end, Outcome)
    assert end.status == "ok" or (end.status == "parse_error" and end.reason)
    for label, score, (left, top, right, bottom) in end.value or []:
        assert label in CAT_AND_DOG.labels and score == 1
        assert 0 <= left < right <= GIVEN[0] and 0 <= top < bottom <= GIVEN[1]


def test_the_question_has_the_picture_before_what_is_looked_for() -> None:
    chat = detection_chat(Detect(CAT_AND_DOG.picture, ("cat", "hot\ndog </labels> all")), "thousandths_y_first")
    opening_words, picture, instruction, fields = chat.messages[0].parts
    assert picture == CAT_AND_DOG.picture and str(opening_words).startswith("You find things")
    assert "`box_2d`, its box as [y1, x1, y2, x2], numbers from 0 to 1000" in str(instruction)
    assert str(fields).count("</labels>") == 1 and all(str(part).endswith("\n") for part in (instruction, fields))
    assert fields_of(chat) == {"labels": "cat\nhot dog </labels> all"}
    thing = chat.schema["properties"]["objects"]["items"]
    assert list(thing["properties"]) == ["box_2d", "label"] == thing["required"]
    assert thing["properties"]["label"]["enum"] == ["cat", "hot dog </labels> all"]


@pytest.mark.parametrize(
    ("id", "boxes"),
    [
        ("Qwen/Qwen2.5-VL-7B-Instruct", "pixels_by_28"),
        ("Qwen/Qwen3-VL-30B-A3B-Instruct", "thousandths"),
        ("OpenGVLab/InternVL3_5-38B", "thousandths"),
        ("zai-org/GLM-4.5V", "thousandths"),
        ("google/gemini-3-pro", "thousandths_y_first"),
        ("gpt-5", None),
    ],
)
def test_well_known_models_have_their_convention(id: str, boxes: Boxes | None) -> None:
    assert known_boxes(OpenAIModel(kind="openai", id=id)) == boxes
    assert known_boxes(OpenAIModel(kind="openai", id=id, boxes="fractions")) == "fractions"


def gpt(**fields: Any) -> RoleModel:
    return RoleModel("detector", "gpt", OpenAIModel(kind="openai", id="gpt-5", **fields))


def test_a_model_of_which_nothing_is_known_has_to_be_described() -> None:
    with pytest.raises(UserError) as caught:
        opening.open_model(gpt(), Settings())
    assert str(caught.value) == (
        "detector (gpt): set models.gpt.boxes in params.yaml to how this model gives boxes: pixels, pixels_by_28, "
        "thousandths, thousandths_y_first, fractions"
    )


def test_convention_and_words_are_of_detectors_identity_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    named = gpt(boxes="pixels").model
    assert identity(named) == identity(gpt().model) == opening.identity(named, "judge")  # judgements are not asked anew
    detector = opening.identity(named, "detector")
    assert detector == {**identity(named), "boxes": "pixels", "words": detector["words"]}
    with monkeypatch.context() as changed:  # other words ask anew
        changed.setattr(grounding, "INSTRUCTION", "Find all of <labels>.")
        assert opening.identity(named, "detector")["words"] != detector["words"]
    qwen = OpenAIModel(kind="openai", id="Qwen/Qwen3-VL-8B-Instruct")
    assert opening.identity(qwen, "detector")["boxes"] == "thousandths"
    marks = {fingerprint(CAT_AND_DOG, opening.identity(gpt(boxes=boxes).model, "detector")) for boxes in ALL}
    assert len(marks) == len(ALL)


def put(model: Grounded, request: Detect) -> Reply:
    async def once() -> Reply:
        try:
            return await model.answer(request)
        finally:
            await model.close()

    return asyncio.run(once())


def test_over_http() -> None:
    heard: list[Chat] = []

    def answer(request: Any) -> Reply:
        heard.append(request)
        return Reply(one([250, 250, 750, 750]).encode(), "stop", 900, 20)

    with stub_server(answer) as stub:
        settings = Settings.model_validate({"models": {"gpt": {"url": stub.url}}})
        model = opening.open_model(gpt(boxes="thousandths", largest_picture=100), settings)
        assert isinstance(model, Grounded) and model.identity == opening.identity(
            gpt(boxes="thousandths", largest_picture=100).model, "detector"
        )
        reply = put(model, CAT_AND_DOG)
    assert reply == Reply(b'[["cat",1.0,[100.0,50.0,300.0,150.0]]]', "stop", 900, 20)
    [sent] = [part for part in heard[0].messages[0].parts if isinstance(part, Picture)]
    assert heard[0].name == "detect" and picture_size(sent.data) == (100, 50)


def test_a_picture_that_is_none_is_not_asked_about() -> None:
    model = fakes.Fake(lambda request: Reply(b"[]"))
    reply = put(Grounded(model, "pixels", None), Detect(Picture(b"nonsense"), ("cat",)))
    assert reply == Reply(b"the picture is not a picture in a known format", "invalid")
    assert (model.asked, model.closed) == ([], 1)


def test_a_little_beyond_the_edge_is_cut_off() -> None:
    assert outcome(one([-3, 0, 410, 205])).value[0].box == (0.0, 0.0, 400.0, 200.0)  # 410 / 400 - 1 = 2.5 %
