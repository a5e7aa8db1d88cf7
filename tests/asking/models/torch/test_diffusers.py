"""Tiny random pipelines of the real layouts, through the real loading code, on the processor."""

from __future__ import annotations

import importlib
import io
import shutil
import string
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")

import transformers
from PIL import Image

from gamut.asking.making import Creating, Painting, read_remark
from gamut.asking.models.opening import open_model
from gamut.asking.models.torch import diffusers
from gamut.asking.models.torch.diffusers import TokensRead, cut_remarks, watch_tokenizers
from gamut.asking.models.weights import digest
from gamut.asking.outcomes import Outcome
from gamut.asking.requests import Create, Paint, Picture, Reply
from gamut.project.errors import UserError
from gamut.project.model_kinds import DiffusersModel, Sampling
from gamut.project.roles import RoleModel
from gamut.project.settings import Endpoint, Settings
from gamut.tables.images import require_picture, upright_jpeg
from tests import fakes
from tests.fakes import jpeg

pytestmark = pytest.mark.usefixtures("one_thread")
NAME = "painter (flux)"
TWO_STEPS = Sampling(num_inference_steps=2, guidance_scale=3.5)
CUBE = Paint("a red cube", 64, 64, seed=1)


def edit(*pictures: Picture, width: int = 64, height: int = 64) -> Create:
    return Create((*pictures, "a red cube"), ("image",), width, height, seed=1)


@pytest.fixture(scope="module")
def tiny_models() -> ModuleType:
    """Import diffusers, which takes seconds, where these tests run and not wherever they are collected."""
    return importlib.import_module("tests.tiny_models")


@pytest.fixture(scope="module")
def flux(tiny_models: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.flux(tmp_path_factory.mktemp("flux"))


@pytest.fixture(scope="module")
def kontext(tiny_models: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.flux(tmp_path_factory.mktemp("kontext"), "FluxKontextPipeline")


def model(folder: Path, sampling: Sampling = TWO_STEPS, **fields: Any) -> DiffusersModel:
    return DiffusersModel(kind="diffusers", id="org/flux", revision=digest(folder), sampling=sampling, **fields)


def unpinned(**fields: Any) -> DiffusersModel:
    return DiffusersModel(kind="diffusers", id="org/flux", revision="0" * 40, **fields)


def answers(folder: Path, *requests: Paint | Create, batch: int | None = None, **fields: Any) -> list[Reply]:
    """Load a pipeline anew and ask all requests at once."""

    settings = Settings(models={"flux": Endpoint(weights=str(folder), batch=batch)})
    return fakes.answers(open_model(RoleModel("painter", "flux", model(folder, **fields)), settings), *requests)


def refusal(folder: Path, *requests: Paint | Create, **fields: Any) -> str:
    with pytest.raises(UserError) as caught:
        answers(folder, *requests, **fields)
    words = str(caught.value)
    assert words.startswith(NAME) and "\n" not in words
    return words


def size_of(reply: Reply) -> tuple[int, int]:
    with Image.open(io.BytesIO(reply.content)) as image:
        assert image.format == "PNG", "nothing is lost before the stage makes a JPEG of it"
        return image.size


def test_batch_and_order_change_no_byte_on_a_processor(flux: Path, capfd: pytest.CaptureFixture[str]):
    """On a GPU requests of one size share a call, which changes last bits; that is measured, not promised."""
    other = replace(CUBE, prompt="an owl", width=96)
    requests = [CUBE, replace(CUBE, prompt="two owls"), other, replace(CUBE, sample=1)]
    alone = answers(flux, *requests)
    assert answers(flux, *requests[::-1], batch=4)[::-1] == alone
    assert [size_of(reply) for reply in alone] == [(64, 64), (64, 64), (96, 64), (64, 64)]
    assert len({reply.content for reply in alone}) == 4
    assert "%|" not in capfd.readouterr().err, "no progress bar of the library's own"


def test_sampling_reaches_the_pipeline(flux: Path):
    two = answers(flux, CUBE)
    assert two != answers(flux, CUBE, sampling=Sampling(num_inference_steps=3, guidance_scale=3.5))


def test_an_edit_depends_on_its_picture(kontext: Path):
    red, blue = (Picture(jpeg(colour, (64, 64))) for colour in ("red", "blue"))
    edits = [edit(red), edit(blue), edit(red, width=100, height=40)]
    of_red, of_blue, near, of_none = answers(kontext, *edits, CUBE, sampling=Sampling(num_inference_steps=1))
    assert size_of(near) == (96, 32), "100 and 40 are 6.25 and 2.5 steps of 16"
    assert size_of(of_red) == (64, 64), "as asked for, not the megapixel that Kontext would make"
    assert len({of_red.content, of_blue.content, of_none.content}) == 3


def test_a_bad_picture_fails_alone(kontext: Path):
    red = Picture(jpeg("red", (64, 64)))
    requests = [edit(*pictures) for pictures in ((Picture(b"\xff\xd8 no"),), (red, red), ())]
    bad, several, fine = answers(kontext, *requests, sampling=Sampling(num_inference_steps=1), batch=3)
    assert (bad.finish, several.finish, fine.finish) == ("invalid", "invalid", "stop")
    assert several.content == b"FluxKontextPipeline edits one picture, but was given 2"


def test_a_size_that_it_cannot_make_is_not_passed_off(flux: Path):
    rounded, fine = answers(flux, replace(CUBE, width=72), CUBE)
    assert (rounded.finish, fine.finish) == ("invalid", "stop")
    assert rounded.content == b"72x64 pixels were asked for, the pipeline makes 64x64"


def test_an_answer_of_pictures_has_the_nearest_size_and_is_told_from_a_painting(flux: Path):
    drawn = Create(("a red", "cube"), ("image",), 72, 90, seed=1)
    near, same, painted, told = answers(
        flux, drawn, replace(drawn, width=64, height=64), CUBE, replace(drawn, modalities=("text", "image"))
    )
    assert size_of(near) == (64, 96), "of 72 and 90 in steps of 16: 4.5 and 5.6 of them"
    assert same == painted, "of the same text and size"
    assert told == Reply(b"a diffusers pipeline makes pictures, and writes no text", "unsupported")
    outcome = Creating(drawn, require_picture).next([near])
    assert isinstance(outcome, Outcome)
    assert (outcome.status, outcome.reason) == ("ok", "64x96 pixels instead of 72x90")


def test_a_prompt_that_is_cut_is_painted_with_a_remark(flux: Path):
    """One token a letter, and two around them. CLIP reads 77 in all, T5 as many as it is told: 80 here."""
    told = Sampling(num_inference_steps=1, max_sequence_length=80)
    prompts = ["owl", "o" * 78, "o" * 90]
    whole, summarised, cut = answers(flux, *(replace(CUBE, prompt=prompt) for prompt in prompts), sampling=told)
    outcomes = [Painting(CUBE, upright_jpeg).next([reply]) for reply in (whole, summarised, cut)]
    assert [(one.status, one.reason) for one in outcomes if isinstance(one, Outcome)] == [
        ("ok", None),
        ("ok", None),
        ("ok", "the prompt was cut at 80 of 92 tokens"),
    ]
    [read_whole] = answers(flux, replace(CUBE, prompt="o" * 90), sampling=Sampling(num_inference_steps=1))
    assert read_remark(read_whole.content) == "", "the 512 tokens that FLUX reads by default"
    assert read_whole.content != cut.content


def test_a_painter_is_not_asked_to_edit_nor_an_editor_to_paint(tiny_models: ModuleType, flux: Path, tmp_path: Path):
    assert "FluxPipeline paints only from text" in refusal(flux, edit(Picture(jpeg())))
    editor = tiny_models.flux(tmp_path, "FluxImg2ImgPipeline")
    words = refusal(editor, CUBE)
    assert "FluxImg2ImgPipeline edits pictures, but was given none" in words and "models.flux" in words


class Scripted:
    """Makes what it is told to, and notes its calls."""

    def __init__(self, *made: Any) -> None:
        self.made, self.calls = list(made), []

    def __call__(self, prompt: Any, generator: Any, width: Any = None, height: Any = None) -> Any:
        self.calls.append(prompt)
        made = self.made.pop(0)
        if isinstance(made, Exception):
            raise made
        return made


def painted(count: int, flagged: list[bool] | None = None) -> Any:
    return SimpleNamespace(images=[Image.new("RGB", (64, 64))] * count, nsfw_content_detected=flagged)


class ScriptedEditor(Scripted):
    """Takes pictures too, and notes their colours."""

    def __call__(self, prompt: Any, generator: Any, image: Any = None, width: Any = None, height: Any = None) -> Any:
        self.calls.append([one.getpixel((0, 0)) for one in (image if isinstance(image, list) else [image])])
        return super().__call__(prompt, generator, width, height)


def on_a_gpu(pipeline: Scripted, *requests: Paint | Create) -> list[Reply]:
    return diffusers.Painter(NAME, "flux", "cuda", pipeline, {}).generate(requests)


def test_pictures_go_beside_with_their_numbers_in_the_text(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(diffusers, "SEVERAL_PICTURES", ("ScriptedEditor",))
    black, white = (Picture(jpeg(colour)) for colour in ("black", "white"))
    pipeline = ScriptedEditor(painted(1), painted(1))
    asked = [edit(white), replace(edit(), parts=("Put", black, "behind", white, "."))]
    assert [reply.finish for reply in on_a_gpu(pipeline, *asked)] == ["stop", "stop"]
    assert pipeline.calls[::2] == [[(255,) * 3], [(0,) * 3, (255,) * 3]]
    assert pipeline.calls[1::2] == [["a red cube"], ["Put image 1 behind image 2."]]


def test_on_a_gpu_requests_of_one_size_share_a_call():
    a, b, c = (replace(CUBE, prompt=word) for word in "abc")
    pipeline = Scripted(painted(2), painted(1))
    replies = on_a_gpu(pipeline, a, replace(b, height=128), c)
    assert pipeline.calls == [["a", "c"], ["b"]]
    assert [reply.finish for reply in replies] == ["stop", "invalid", "stop"], "the second one's height is not 128"


def test_some_run_one_by_one():
    of_glm = type("GlmImagePipeline", (), {})()
    assert "by the seed of the first" in (diffusers.why_alone(unpinned(), of_glm) or "")
    assert diffusers.why_alone(unpinned(), Scripted()) is None


def test_a_batch_is_refused_where_a_picture_would_depend_on_it(flux: Path):
    assert "remove `batch` of [models.flux] in run.toml" in refusal(flux, CUBE, batch=2, compile=True)


def test_a_request_that_a_pipeline_rejects_or_flags_fails_alone():
    a, b = (replace(CUBE, prompt=word) for word in "ab")
    no = ValueError("`b` is too long\nand more")
    pipeline = Scripted(no, painted(1), no)
    assert [reply.finish for reply in on_a_gpu(pipeline, a, b)] == ["stop", "invalid"]
    assert pipeline.calls == [["a", "b"], ["a"], ["b"]]
    assert [reply.finish for reply in on_a_gpu(Scripted(painted(2, [True, False])), a, b)] == ["refused", "stop"]


def test_wrong_weights_are_refused(flux: Path, tmp_path: Path):
    broken = tmp_path / "broken"
    shutil.copytree(flux, broken)
    (broken / "vae/config.json").write_text("{}")
    with pytest.raises(UserError, match=f"painter .flux.: .*is not {digest(flux)}.*{digest(broken)}"):
        diffusers.open_diffusers(NAME, "flux", model(flux), Endpoint(weights=str(broken)))
    assert "cannot be loaded" in refusal(broken)
    shutil.copytree(flux, tmp_path / "holes")
    shutil.copy(tmp_path / "holes/vae/diffusion_pytorch_model.safetensors", tmp_path / "holes/transformer")
    assert "cannot be loaded (weights are missing)" in refusal(tmp_path / "holes")


# What tokenizers cut


TEMPLATE = "{% for message in messages %}[{{ message.content }}]{% endfor %}"


def tokenizer() -> Any:
    """One token a letter, one that begins the text and one that ends it."""
    letters = [*string.ascii_lowercase, *(f"{letter}</w>" for letter in string.ascii_lowercase)]
    tokens = ["<|startoftext|>", "<|endoftext|>", "[", "]", "[</w>", "]</w>", *letters]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    return transformers.CLIPTokenizer(vocab=vocabulary, merges=[], model_max_length=77)


def test_only_what_may_be_cut_is_noted():
    words = tokenizer()
    kind = type(words)
    readings = watch_tokenizers(SimpleNamespace(components={"tokenizer": words, "vae": object()}), {})
    assert isinstance(words, kind) and type(words).__name__ == kind.__name__
    cut = words(["o" * 90, "o"], padding="max_length", max_length=10, truncation=True)
    assert [len(ids) for ids in cut["input_ids"]] == [10, 10], "the tokenizer answers as before"
    words("o" * 90, truncation=True)
    words("o" * 90)
    assert readings == [TokensRead(0, 10, [92, 3]), TokensRead(0, 77, [92])]


def test_a_template_and_a_processor_hide_nothing():
    words = tokenizer()
    words.chat_template = TEMPLATE
    readings = watch_tokenizers(SimpleNamespace(components={"tokenizer": SimpleNamespace(tokenizer=words)}), {})
    asked = [{"role": "user", "content": "o" * 10}]
    words.apply_chat_template(asked, tokenize=True, truncation=True, max_length=8)
    [reading] = readings
    assert (reading.limit, reading.tokens) == (8, [12]), "ten letters and two brackets of the template"


@pytest.mark.parametrize(
    ("readings", "prompts", "said"),
    [
        ([TokensRead(0, 77, [77])], 1, [""]),
        ([TokensRead(0, 77, [120])], 1, ["the prompt was cut at 77 of 120 tokens"]),
        ([TokensRead(0, 77, [120]), TokensRead(1, 512, [130])], 1, [""]),
        ([TokensRead(0, 77, [200]), TokensRead(1, 128, [190])], 1, ["the prompt was cut at 128 of 190 tokens"]),
        ([TokensRead(0, 77, [120]), TokensRead(0, 77, [99])], 1, ["the prompt was cut at 77 of 120 tokens"]),
        ([TokensRead(0, 77, [9, 80]), TokensRead(0, 77, [3, 3])], 2, ["", "the prompt was cut at 77 of 80 tokens"]),
        ([TokensRead(0, 77, [9, 80, 3, 3])], 2, ["", "the prompt was cut at 77 of 80 tokens"]),
        ([TokensRead(0, 77, [9]), TokensRead(0, 77, [80])], 2, ["", "the prompt was cut at 77 of 80 tokens"]),
    ],
    ids=[
        "just as many",
        "SDXL",
        "FLUX: T5 reads what CLIP sums up",
        "HiDream: the best of them",
        "then a long one",
        "two prompts",
        "two prompts and their negatives at once",
        "FLUX.2-klein: a call for each prompt",
    ],
)
def test_what_is_said(readings: list[TokensRead], prompts: int, said: list[str]):
    assert cut_remarks(readings, prompts) == said
