"""What pipelines are called with, by their signatures and configurations alone, and what makes them faster, refused in
one line where a package, a device or a network cannot: nothing is loaded.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from gamut.asking.models import extras
from gamut.asking.models.torch import painting_options
from gamut.asking.models.torch.painting_options import call_arguments, longest_prompt
from gamut.project.errors import UserError
from gamut.project.model_kinds import DiffusersModel, Sampling, identity

FLUX_DEV = {"guidance_embeds": True}
FLUX_SCHNELL = {"guidance_embeds": False}


class Flux:
    """FluxPipeline's arguments."""

    def __call__(
        self,
        prompt: str,
        negative_prompt: Any = None,
        true_cfg_scale: float = 1.0,
        num_inference_steps: int = 28,
        guidance_scale: float = 3.5,
        max_sequence_length: int = 512,
    ) -> None: ...


class QwenImage:
    """QwenImagePipeline's."""

    def __call__(
        self,
        prompt: str,
        negative_prompt: Any = None,
        true_cfg_scale: float = 4.0,
        num_inference_steps: int = 50,
        guidance_scale: Any = None,
        max_sequence_length: int = 512,
    ) -> None: ...


class ZImage:
    """ZImagePipeline's."""

    def __call__(
        self,
        prompt: str,
        num_inference_steps: int = 50,
        guidance_scale: float = 5.0,
        negative_prompt: Any = None,
        max_sequence_length: int = 512,
    ) -> None: ...


class Flux2Klein:
    """Flux2KleinPipeline's."""

    def __call__(
        self, prompt: str, num_inference_steps: int = 50, guidance_scale: float = 4.0, max_sequence_length: int = 512
    ) -> None: ...


class StableDiffusionXL:
    """StableDiffusionXLPipeline's."""

    def __call__(
        self, prompt: str, num_inference_steps: int = 50, guidance_scale: float = 5.0, negative_prompt: Any = None
    ) -> None: ...


def pipeline(kind: type, core: dict[str, Any] | None = None, **config: Any) -> Any:
    """One of this kind, with the configuration of its FLUX transformer and its own."""
    made = type(f"{kind.__name__}Pipeline", (kind,), {})()
    if core is not None:
        made.transformer = type("FluxTransformer2DModel", (), {"config": core})()
    made.config = config
    return made


def arguments(made: Any, id: str = "org/model", **sampling: Any) -> dict[str, Any]:
    model = DiffusersModel(kind="diffusers", id=id, revision="0" * 40, sampling=Sampling(**sampling))
    return call_arguments("painter (slug)", "slug", model, made)


def refused(made: Any, id: str = "org/model", **sampling: Any) -> str:
    with pytest.raises(UserError) as caught:
        arguments(made, id, **sampling)
    words = str(caught.value)
    assert words.startswith("painter (slug): ") and "\n" not in words
    return words


def test_a_prompt_is_read_as_far_as_the_pipeline_permits():
    assert arguments(pipeline(QwenImage))["max_sequence_length"] == 1024, "its default is 512, it permits 1,024"
    assert "max_sequence_length" not in arguments(pipeline(Flux, FLUX_DEV)), "its default is the most already"
    assert arguments(pipeline(QwenImage), max_sequence_length=300)["max_sequence_length"] == 300
    assert "does not use max_sequence_length" in refused(pipeline(StableDiffusionXL), max_sequence_length=300)


def test_what_pipelines_permit_is_what_diffusers_says():
    """Where a default of `__call__` is less than what `check_inputs` refuses to exceed, the table has the latter."""
    spec = find_spec("diffusers")
    if spec is None or spec.origin is None:
        pytest.skip("diffusers is not installed")
    found = {}
    for path in Path(spec.origin).parent.glob("pipelines/*/pipeline_*.py"):
        code = path.read_text(encoding="utf-8")
        for part in re.split(r"^class ", code, flags=re.MULTILINE)[1:]:
            kind, most = part.partition("(")[0], re.search(r"max_sequence_length > (\d+)", part)
            default = re.search(r"max_sequence_length: int = (\d+)", part.partition("def __call__(")[2])
            if most and default and int(default[1]) < int(most[1]) and makes_pictures(part):
                found[kind] = int(most[1])
    assert found["StableDiffusion3Pipeline"] == 512 and found["QwenImagePipeline"] == 1024
    assert {kind: longest_prompt(kind) for kind in found} == found


def makes_pictures(code: str) -> bool:
    return "num_frames" not in code


def test_a_negative_prompt_is_used_or_refused():
    qwen, flux = pipeline(QwenImage), pipeline(Flux, FLUX_DEV)
    as_told = arguments(qwen, guidance_scale=3.0, negative_prompt="blur")
    assert as_told == {"true_cfg_scale": 3.0, "negative_prompt": "blur", "max_sequence_length": 1024}
    assert arguments(qwen, true_cfg_scale=3.0, negative_prompt="blur") == as_told
    assert arguments(qwen) == {"true_cfg_scale": 4.0, "negative_prompt": " ", "max_sequence_length": 1024}
    assert "does not use guidance_scale" in refused(qwen, guidance_scale=3.0, true_cfg_scale=3.0)
    assert "does not use negative_prompt" in refused(qwen, guidance_scale=1.0, negative_prompt="blur")
    assert arguments(flux, true_cfg_scale=2.0)["negative_prompt"] == " ", "without one FLUX would not be guided"
    assert arguments(flux) == {} and arguments(flux, guidance_scale=2.0) == {"guidance_scale": 2.0}
    assert "does not use negative_prompt" in refused(flux, negative_prompt="blur")
    assert arguments(pipeline(ZImage), negative_prompt="blur") == {"negative_prompt": "blur"}
    assert "does not use negative_prompt" in refused(pipeline(ZImage), negative_prompt="blur", guidance_scale=0.0)


@pytest.mark.parametrize(
    ("made", "id", "wanted"),
    [
        (pipeline(Flux, FLUX_SCHNELL), "org/my-schnell", {"num_inference_steps": 4}),
        (pipeline(Flux2Klein, is_distilled=True), "org/klein", {"num_inference_steps": 4}),
        (pipeline(ZImage), "Tongyi-MAI/Z-Image-Turbo", {"num_inference_steps": 9, "guidance_scale": 0.0}),
        (pipeline(StableDiffusionXL), "stabilityai/sdxl-turbo", {"num_inference_steps": 1, "guidance_scale": 0.0}),
    ],
)
def test_a_distilled_pipeline_is_told_its_steps_and_guidance(made: Any, id: str, wanted: dict[str, Any]):
    """What it needs stands in params.yaml, so that the fingerprint has it."""
    words = refused(made, id)
    assert all(f"{key}: {value}" in words for key, value in wanted.items())
    assert arguments(made, id, **wanted).items() >= wanted.items()


def test_a_distilled_pipeline_without_guidance_refuses_it():
    for made in (pipeline(Flux, FLUX_SCHNELL), pipeline(Flux2Klein, is_distilled=True)):
        assert "sampling.guidance_scale" in refused(made, num_inference_steps=4, guidance_scale=3.5)
    assert arguments(pipeline(Flux2Klein), guidance_scale=4.0) == {"guidance_scale": 4.0}, (
        "the one that is not distilled"
    )
    other = pipeline(ZImage)
    other.transformer = SimpleNamespace(config={"guidance_embeds": False})
    assert arguments(other, guidance_scale=4.0) == {"guidance_scale": 4.0}, "Bria and Sana say so and are guided"


def test_schnell_reads_256_tokens():
    assert arguments(pipeline(Flux, FLUX_SCHNELL), num_inference_steps=4)["max_sequence_length"] == 256


def fast(**fields: Any) -> DiffusersModel:
    return DiffusersModel(kind="diffusers", id="org/flux", revision="0" * 40, **fields)


def told(act: Any, *arguments: Any) -> str:
    with pytest.raises(UserError) as caught:
        act("painter (flux)", "flux", *arguments)
    words = str(caught.value)
    assert words.startswith("painter (flux): ") and "\n" not in words
    return words


def test_what_is_not_said_is_in_no_fingerprint():
    plain = identity(fast())
    assert plain == {
        "id": "org/flux",
        "revision": "0" * 40,
        "numerics": "bfloat16",
        "sampling": {},
        "kind": "diffusers",
    }
    assert identity(fast(compile=True)) == plain | {"numerics": "bfloat16+compile"}, "data cards and metrics say it"


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(extras.importlib.util, "find_spec", lambda name: None if name == "torchao" else object())
    words = told(painting_options.require_fp8, fast(quantization="fp8"), "cpu")
    assert "the package torchao is missing: pip install -c constraints.txt -e '.[speed]'" in words
    painting_options.require_fp8("painter (flux)", "flux", fast(), "cpu")


@pytest.mark.parametrize(
    ("capability", "fields", "why"),
    [
        (None, {}, "fp8 needs an NVIDIA GPU of compute capability 8.9"),
        ((8, 9), {"dtype": "float16"}, "fix models.flux.dtype"),
    ],
)
def test_a_device_that_cannot_is_told(
    capability: tuple[int, int] | None, fields: dict[str, Any], why: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(painting_options, "require_package", lambda *_: None)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    quantised = fast(quantization="fp8", **fields)
    assert why in told(painting_options.require_fp8, quantised, "cuda" if capability else "cpu")


class Core(torch.nn.Module):
    """A denoiser that notes how it is to attend, and that it was compiled."""

    def __init__(self, processor: Any) -> None:
        super().__init__()
        self.processor, self.asked = processor, []

    def set_attention_backend(self, backend: str) -> None:
        self.asked.append(backend)

    def compile(self) -> None:
        self.asked.append("compiled")


def test_how_a_network_attends_is_always_said():
    """Else an environment variable of diffusers would choose it, which is in no fingerprint."""
    core = Core(SimpleNamespace(_attention_backend=None))
    painting_options.settle_core("painter (flux)", "flux", fast(), SimpleNamespace(transformer=core))
    painting_options.settle_core("painter (flux)", "flux", fast(compile=True), SimpleNamespace(transformer=core))
    assert core.asked == ["native", "native", "compiled"]
    own = Core(SimpleNamespace())
    painting_options.settle_core("painter (flux)", "flux", fast(), SimpleNamespace(unet=own))
    assert own.asked == [], "SDXL's network chooses nothing"
    words = told(painting_options.settle_core, fast(compile=True), SimpleNamespace())
    assert "has no transformer to compile: remove models.flux.compile" in words
