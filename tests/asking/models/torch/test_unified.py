"""Models that write and paint: tiny random Janus and Emu3, held to what transformers itself makes of them."""

from __future__ import annotations

import asyncio
import importlib.util
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
import transformers as package
from PIL import Image

from gamut.asking.models.opening import open_model, open_when_asked
from gamut.asking.models.torch import picture_codes, unified
from gamut.asking.models.torch.chat_network import Network, prompt_of
from gamut.asking.models.weights import digest
from gamut.asking.parts import unbundle
from gamut.asking.requests import Chat, Create, Message, Paint, Picture, Reply, Request
from gamut.project.errors import UserError
from gamut.project.model_kinds import identity
from gamut.project.roles import RoleModel, RolePair
from gamut.project.settings import Endpoint, Settings
from tests import fakes, tiny_unified
from tests.asking.models.torch.test_adapters import by_peft, of_folder
from tests.tiny_unified import ask, model, opened

pytestmark = pytest.mark.usefixtures("one_thread")
RED, BLUE = Picture(fakes.jpeg("red", (50, 40))), Picture(fakes.jpeg("blue", (90, 64)))
FAMILIES = ("janus", "emu3")


def text(*parts: str | Picture, seed: int = 1, sample: int = 0) -> Create:
    return Create(parts, ("text",), 0, 0, seed, sample)


def picture(*parts: str | Picture, seed: int = 1, sample: int = 0, size: tuple[int, int] = (64, 64)) -> Create:
    return Create(parts, ("image",), *size, seed, sample)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unified")
    tiny_unified.janus(folder / "janus")
    tiny_unified.emu3(folder / "emu3")
    tiny_unified.emu3(folder / "painter", seed=23, chats=False)
    return folder


def fresh(folder: Path) -> Any:
    """The model as transformers loads it, with its own `generate`."""
    return package.AutoModelForImageTextToText.from_pretrained(folder).eval()


def pixels(reply: Reply) -> Any:
    assert reply.finish == "stop"
    return np.asarray(Image.open(io.BytesIO(reply.content)))


def test_janus_reads_and_writes_as_its_own_processor_and_generate_do(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers.processing_utils import ProcessorMixin

    monkeypatch.setattr(ProcessorMixin, "check_argument_for_proper_class", lambda *_: None)  # it has no torchvision
    network = opened(saved / "janus")
    own = package.JanusProcessor(network.look, network.tokenizer, None, True, num_image_tokens=16)
    images = [Image.open(io.BytesIO(one.data)) for one in (RED, BLUE)]
    request = text("Is", RED, "\nlarger than", BLUE, "\n?")
    written = "USER: Is <image_placeholder>\nlarger than <image_placeholder>\n? ASSISTANT:"
    expected = own(images=images, text=written, return_tensors="pt")
    prompt = prompt_of(network, request)
    bos = network.tokenizer.bos_token_id  # which the published tokenizer puts there by itself
    assert list(prompt.tokens) == [bos, *expected["input_ids"][0].tolist()]
    assert torch.equal(prompt.pictures["pixel_values"], expected["pixel_values"])
    ids = torch.tensor([list(prompt.tokens)])
    made = fresh(saved / "janus").generate(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        pixel_values=expected["pixel_values"],
        generation_mode="text",
        do_sample=False,
        max_new_tokens=24,
    )[0, ids.shape[1] :]
    [reply] = ask(network, request)
    assert reply.content.decode() == network.tokenizer.decode(made, skip_special_tokens=True)
    assert reply.output_tokens == len(made)


def test_emu3_reads_pictures_by_its_codes_as_its_own_processor_and_forward_do(saved: Path) -> None:
    network = opened(saved / "emu3")
    own = package.Emu3Processor(network.look, network.tokenizer)
    image = Image.open(io.BytesIO(BLUE.data))
    expected = own(images=[image], text=["USER: Look: <image>\nwhy? ASSISTANT:"], return_tensors="pt")
    prompt = prompt_of(network, text("Look:", BLUE, "\nwhy?"))
    visual = torch.tensor(network.weights.vocabulary_mapping.image_tokens)
    ids, tokens = expected["input_ids"][0], torch.tensor(prompt.tokens)
    seen = ids == network.weights.config.image_token_id
    assert torch.equal(ids[~seen], tokens[~seen])
    row_end = torch.tensor([network.weights.vocabulary_mapping.eol_token_id])
    assert torch.isin(tokens[seen], torch.cat([visual, row_end])).all() and seen.sum() > 20
    with torch.inference_mode():
        theirs = fresh(saved / "emu3")(**expected).logits
        ours = network.weights(input_ids=tokens[None]).logits
    assert torch.allclose(theirs, ours, atol=1e-5)


def test_janus_paints_what_its_own_generate_paints(saved: Path) -> None:
    network = opened(saved / "janus", painting={"guidance_scale": 5, "temperature": 0})
    request = picture("a red cube")
    canvas = picture_codes.canvas_of(network, request)
    assert network.tokenizer.decode(canvas.tokens) == "<bos>USER: a red cube ASSISTANT:<begin_of_image>"
    own, ids = fresh(saved / "janus"), torch.tensor([list(canvas.tokens)])
    codes = own.generate(input_ids=ids, attention_mask=torch.ones_like(ids), generation_mode="image", do_sample=False)
    assert picture_codes.draw_codes(network, [canvas]).flatten().tolist() == codes[0].tolist()
    assert len(set(codes[0].tolist())) > 3
    [reply] = ask(network, request)
    with torch.inference_mode():
        decoded = own.decode_image_tokens(codes)[0].numpy()
    assert np.abs(pixels(reply).astype(float) - ((decoded * 0.5 + 0.5) * 255).clip(0, 255)).max() <= 1
    assert (reply.input_tokens, reply.output_tokens) == (len(canvas.tokens), 16)


def test_emu3_paints_what_its_own_generate_paints(saved: Path) -> None:
    """By the published recipe: guidance away from a negative prompt, and codes and ends of rows where they belong."""
    painting = {"guidance_scale": 3, "temperature": 0, "negative_prompt": "dim"}
    network = opened(saved / "painter", painting=painting)
    own, words = fresh(saved / "painter"), network.tokenizer
    processor = package.Emu3Processor(network.look, words)
    request = picture("a red cube\n", size=(96, 64))  # 12 columns, 8 rows
    options = {"return_for_image_generation": True, "ratio": "96:64", "image_area": 96 * 64, "return_tensors": "pt"}
    inputs, negative = processor(text=["a red cube"], **options), processor(text=["dim"], **options)
    canvas = picture_codes.canvas_of(network, request)
    assert [list(size) for size in inputs.pop("image_sizes")] == [[canvas.rows, canvas.columns]] == [[8, 12]]
    assert inputs["input_ids"][0].tolist() == list(canvas.tokens)
    assert negative["input_ids"][0].tolist() == list(canvas.without)
    ends = words.convert_tokens_to_ids(["<|extra_201|>", words.eoi_token, words.eos_token])

    def allowed(batch: int, read: Any) -> Any:
        place = len(read) - len(canvas.tokens)
        if place >= 8 * 13:
            return [ends[min(place - 8 * 13, 2)]]
        mapping = own.vocabulary_mapping
        return [mapping.eol_token_id] if place % 13 == 12 else mapping.image_tokens

    made = own.generate(
        **inputs,
        prefix_allowed_tokens_fn=allowed,
        negative_prompt_ids=negative["input_ids"],
        negative_prompt_attention_mask=negative["attention_mask"],
        guidance_scale=3.0,
        do_sample=False,
        max_new_tokens=8 * 13 + 3,
        eos_token_id=words.eos_token_id,
    )[:, len(canvas.tokens) :]
    drawn = picture_codes.draw_codes(network, [canvas])
    with torch.inference_mode():
        assert torch.equal(own.vocabulary_mapping.convert_bpe2img(made[:, :-3].view(-1, 8, 13)).long(), drawn), (
            "the same codes"
        )
        decoded = own.decode_image_tokens(image_tokens=made, height=8, width=12)
    theirs = processor.postprocess(list(decoded.float()), return_tensors="PIL.Image.Image")["pixel_values"][0]
    [reply] = ask(network, request)
    assert np.abs(pixels(reply).astype(int) - np.asarray(theirs).astype(int)).max() <= 1
    assert theirs.size == (96, 64) and drawn.unique().numel() > 3


SEVERAL: tuple[Request, ...] = (
    picture("a cat", seed=3),
    text("What is this?", RED, seed=4),
    Paint("a much longer story of a dog", 64, 64, 5),
    picture("a cat", seed=6),
    text("Say something.", seed=7),
)


@pytest.mark.parametrize("family", FAMILIES)
def test_neighbours_and_order_change_no_byte_and_seeds_do(family: str, saved: Path) -> None:
    network = opened(saved / family, sampling={"temperature": 1})
    alone = [reply for request in SEVERAL for reply in ask(network, request)]
    assert ask(network, *SEVERAL) == alone
    assert ask(network, *SEVERAL[::-1]) == alone[::-1]
    assert [reply.finish for reply in alone if reply.content.startswith(b"\x89PNG")] == ["stop"] * 3
    assert alone[0].content != alone[3].content, "of another seed"
    [again] = ask(network, picture("a cat", seed=3, sample=1))
    assert again.content != alone[0].content, "of another sample"


@pytest.mark.parametrize("family", FAMILIES)
def test_a_padded_batch_as_on_a_gpu_draws_the_same_here(family: str, saved: Path) -> None:
    """In float32 the last bits that padding changes decide no code of these."""
    network = opened(saved / family)
    asked = [one for one in SEVERAL if not (isinstance(one, Create) and "text" in one.modalities)]
    canvases = [picture_codes.canvas_of(network, one) for one in asked]  # type: ignore[arg-type]
    assert len({len(canvas.tokens) for canvas in canvases}) == 2
    alone = [picture_codes.draw_codes(network, [canvas])[0] for canvas in canvases]
    assert torch.equal(picture_codes.draw_codes(network, canvases), torch.stack(alone))


def test_only_the_likeliest_codes_are_drawn_and_guidance_leads_away(saved: Path) -> None:
    def drawn(**painting: Any) -> list[int]:
        network = opened(saved / "painter", painting=painting)
        codes: list[int] = (
            picture_codes.draw_codes(network, [picture_codes.canvas_of(network, picture("x"))]).flatten().tolist()
        )
        return codes

    greedy = drawn(guidance_scale=2, temperature=0)
    assert drawn(guidance_scale=2, top_k=1) == greedy != drawn(guidance_scale=2)
    assert (
        drawn(guidance_scale=1, temperature=0) != greedy != drawn(guidance_scale=2, temperature=0, negative_prompt="y")
    )


def test_sizes_are_as_asked_within_what_a_model_paints(saved: Path) -> None:
    """1600 x 900 in Emu3's 720 x 720 pixels: by .6 it is 960 x 540, 120 columns and 67.5, rounded to even 68, rows."""
    janus, emu3 = opened(saved / "janus"), opened(saved / "painter")
    assert picture_codes.size_in_codes(janus, 1024, 1024) == (4, 4)
    assert picture_codes.size_in_codes(emu3, 1600, 900) == (68, 120)
    [reply] = ask(emu3, picture("x", size=(1600, 900)))  # 68 x 121 tokens
    assert reply.finish == "invalid" and b"more than the model's context of 4,096" in reply.content


def test_what_a_model_cannot_do_it_says(saved: Path) -> None:
    janus, painter = opened(saved / "janus"), opened(saved / "painter")
    both = Create(("Tell and show.",), ("text", "image"), 64, 64, 1)
    [edit, interleaved] = ask(janus, picture(RED, "Make it blue."), both)
    assert edit == Reply(b"Janus paints only from words, and edits no pictures", "unsupported")
    assert interleaved.finish == "unsupported" and b"not with both" in interleaved.content
    [mute, picture_of_picture] = ask(painter, text("What?"), picture(RED, "Make it blue."))
    assert mute == Reply(b"it has no chat template, so it writes nothing", "unsupported")
    assert (
        picture_of_picture.finish == "stop"
        and picture_of_picture.content != ask(painter, picture("Make it blue."))[0].content
    )
    [unpainted] = ask(opened(saved / "janus", painting=None), picture("a cat"))
    assert unpainted.finish == "unsupported" and b"names no `painting`" in unpainted.content
    [damaged] = ask(painter, picture(Picture(b"\xff\xd8 no picture"), "x"))
    assert damaged.finish == "invalid" and b"picture 1 of 1" in damaged.content


def test_a_chat_is_answered_as_by_kind_transformers(saved: Path) -> None:
    turns = (Message("user", ("Hello.",)), Message("assistant", ("Yes?",)), Message("user", (RED, "Which colour?")))
    [reply] = ask(opened(saved / "emu3"), Chat("x", turns, {"type": "object"}, 1))
    assert reply.finish in ("stop", "length") and reply.input_tokens > 80


@pytest.mark.skipif(importlib.util.find_spec("peft") is None, reason="the package peft is not installed")
@pytest.mark.parametrize(
    ("family", "layer"),
    [
        ("janus", "model.language_model.layers.0.self_attn.q_proj"),
        ("emu3", "model.text_model.layers.0.self_attn.q_proj"),
    ],
)
def test_an_adapter_changes_texts_and_pictures(family: str, layer: str, saved: Path, project: Path) -> None:
    plain = opened(saved / family)
    outputs, inputs = plain.weights.state_dict()[f"{layer}.weight"].shape
    folder = by_peft(project / "lora", {layer: (outputs, inputs)}, target_modules=[layer], layers_to_transform=None)
    asked = (text("What is this?", RED), picture("a cat"))
    tuned = opened(saved / family, adapter=of_folder(folder).model_dump())
    before, after = ask(plain, *asked), ask(tuned, *asked)
    assert all(one.finish in ("stop", "length") for one in after)
    assert before[0].content != after[0].content and before[1].content != after[1].content
    changed = {n for n, w in plain.weights.state_dict().items() if not torch.equal(w, tuned.weights.state_dict()[n])}
    assert changed == {f"{layer}.weight"}


def test_two_checkpoints_of_emu3_answer_as_a_pair(saved: Path) -> None:
    """The one that chats writes; where it marks no picture the one that paints makes one, by what was said."""
    writer = RoleModel("creator", "mine_text", model(saved / "emu3", painting=None))
    painter = RoleModel("creator", "mine_image", model(saved / "painter"))
    places = {"mine_text": saved / "emu3", "mine_image": saved / "painter"}
    settings = Settings(models={slug: Endpoint(weights=str(path), device="cpu") for slug, path in places.items()})

    async def answers() -> list[Reply]:
        pair = open_when_asked(RolePair("creator", "mine", writer, painter), settings)
        try:
            asked = (text("What?", RED), picture("a cat"), Create(("Both.",), ("text", "image"), 64, 64, 1))
            return [await pair.answer(one) for one in asked]
        finally:
            await pair.close()

    words, painted, both = asyncio.run(answers())
    alone = ask(opened(saved / "emu3"), text("What?", RED))[0]
    assert words.finish == alone.finish and words.content.endswith(alone.content)
    assert painted.content == ask(opened(saved / "painter"), picture("a cat"))[0].content
    created = unbundle(both.content)
    assert len(created.pictures) == 1 and created.texts


def test_what_decides_pictures_is_part_of_who_it_is(saved: Path) -> None:
    folder = saved / "janus"
    plain = identity(model(folder))
    assert plain["painting"] == {"guidance_scale": 3.0, "temperature": 1.0, "negative_prompt": ""}
    assert plain != identity(model(folder, painting={"guidance_scale": 4}))
    emu3 = model(saved / "emu3", attention_adjustment={"strength": 2, "layers": [1, 0, 1]})
    assert identity(emu3)["attention_adjustment"] == {"strength": 2.0, "layers": [0, 1]}


def test_what_does_not_fit_is_refused_in_one_line(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusal(folder: Path, **values: Any) -> str:
        role = RoleModel("creator", "tiny", model(folder, **values))
        with pytest.raises(UserError) as error:
            open_model(role, Settings(models={"tiny": Endpoint(weights=str(folder), device="cpu")}))
        assert "\n" not in str(error.value)
        return str(error.value)

    assert "its sampling of texts does not use guidance_scale" in refusal(
        saved / "janus", sampling={"guidance_scale": 2}
    )
    assert "only Emu3 has top_k and negative_prompt: remove them from models.tiny.painting" in refusal(
        saved / "janus", painting={"guidance_scale": 2, "top_k": 3}
    )
    assert "has no chat template" in refusal(saved / "painter", painting=None)
    from tests import tiny_chat_models

    other = tiny_chat_models.qwen2(saved / "qwen2")
    assert "is a 'qwen2', which cannot both write and paint here; supported are janus and emu3" in refusal(other)
    monkeypatch.setattr("transformers.__version__", "5.17.0")
    assert "transformers 5.17.0 is too old to paint: pip install -U 'transformers>=5.23'" in refusal(saved / "janus")


def test_weights_are_pinned_as_everywhere(saved: Path) -> None:
    settings = Settings(models={"tiny": Endpoint(weights=str(saved / "janus"), device="cpu", batch=3)})
    right = open_model(RoleModel("creator", "tiny", model(saved / "janus")), settings)
    assert right.concurrency == 6 and right.identity == identity(model(saved / "janus"))
    asyncio.run(right.close())
    assert digest(saved / "emu3") != digest(saved / "janus")
    with pytest.raises(UserError, match="run `gamut pin tiny` to record its digest"):
        open_model(RoleModel("creator", "tiny", model(saved / "emu3")), settings)


def test_the_networks_are_not_trained_while_they_answer(saved: Path) -> None:
    network: Network = opened(saved / "emu3")
    assert not network.weights.training and unified.adjustment_of(network) is None
