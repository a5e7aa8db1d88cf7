"""The assumptions of `gamut estimate` about a build that has not been run: every figure with its origin."""

from __future__ import annotations

from gamut.asking.limits import TOKENS_PER_IMAGE
from gamut.dataset.shared.expected import (
    CAPTION_WORDS,
    CATEGORIES,
    CHARACTERS_PER_WORD,
    DETAIL_CHARACTERS,
    GUESS,
    LEGACY_WORDS,
    PAIRS,
    PAIRS_BY_WORDS,
)
from gamut.pipeline.steps import Figure
from gamut.tables.images import Jpeg, Webp

COUNTS = (CATEGORIES, PAIRS, PAIRS_BY_WORDS)
"""Numbers that decide how many requests a step makes, in addition to the shares that steps keep."""

ANSWER_WORDS = Figure(100, "words in a text that a contestant answers with", GUESS)
JUDGED_WORDS = Figure(30, "words of a judge about one measure: a sentence, and what stands around it", GUESS)
LENGTHS = (DETAIL_CHARACTERS, CAPTION_WORDS, LEGACY_WORDS)
MEASURED_LENGTHS = (CHARACTERS_PER_WORD, ANSWER_WORDS, JUDGED_WORDS)
"""Those that the requests of benchmarks depend on."""

PAINTING_SECONDS = Figure(
    5.05, "H200-seconds for 1024x1024 in 28 steps", "bf16, SDPA, FLUX.1-dev's shape (measured.md)"
)
COMPILED = Figure(3.91, "of them compiled", "the same")
FP8_PAINTED = Figure(3.1, "compiled, in fp8", "the same")
FLASH_3 = Figure(
    0.863, "of the compiled seconds with FlashAttention 3", "sgl-project/sglang, pull request 19673: 3.73 s"
)
CACHED = Figure(0.638, "of those with a step cache (cache-dit)", "the same: 2.38 s")
READING = Figure(3300, "tokens read a second on an H100 or H200", "Qwen3-32B, bf16, vLLM 0.11, by GPUStack's report")
WRITING = Figure(1800, "tokens written a second on an H100 or H200", "the same")
FP8 = Figure(1.5, "times as fast in fp8", f"{GUESS}; vLLM's documentation has up to 1.6")
PAINTING_STEPS = 28
"""Steps of the measurement; also assumed if `num_inference_steps` is left to the server."""
SPEEDS = (PAINTING_SECONDS, COMPILED, FP8_PAINTED, FLASH_3, CACHED, READING, WRITING, FP8)
PAINTERS = ("black-forest-labs/FLUX.1-dev",)
DENSE_32B = ("Qwen/Qwen2.5-VL-32B-Instruct", "Qwen/Qwen3-32B")
"""The ids of models for which the speeds hold; GPU-hours of others are not known."""
SHARE_OF_IDEAL = Figure(0.43, "of the ideal pace", "datatrove's inference run: 6 ideal days took 14")
PAPER_GPU_SECONDS = 216
"""GPU-seconds for each kept picture in the paper: 15,000 A100-days for 6 M."""

BYTES_A_PIXEL: dict[str | None, dict[int, float]] = {
    "4:4:4": {75: 0.127, 85: 0.176, 90: 0.225, 95: 0.33},
    "4:2:0": {75: 0.098, 85: 0.132, 90: 0.167, 95: 0.24},
    None: {75: 0.049, 85: 0.076, 90: 0.105, 95: 0.174},
}
"""By subsampling of JPEG (None: WebP) and quality: medians of eight photographs of 300 to 512 pixels, scaled up."""
PNG = Figure(1.4, "bytes a pixel in the reply store, as servers send PNG", GUESS)
SOURCE_IMAGE = Figure(70_000, "bytes a source image, 512x683", "40 kB at 384 pixels in img2dataset's LAION run, scaled")
THUMBNAIL = Figure(0.16, "bytes a pixel of a thumbnail on the pages", "the same eight photographs, 512x512")
SIZES = (PNG, SOURCE_IMAGE, THUMBNAIL)
SOURCE_SIZE = (512, 683)
"""Width and height of a source image in pixels: the smaller side as profiles/flux-reason-6m.yaml downloads it."""
TEXT_COPIES = 3
"""A reply's text is kept three times: as a value, as the reply of that row, and in the reply store."""


def picture_bytes(encoding: Jpeg | Webp) -> Figure:
    """Return bytes per pixel of a kept picture, at the nearest quality that was measured."""
    subsampling = encoding.subsampling if isinstance(encoding, Jpeg) else None
    measured, how = BYTES_A_PIXEL[subsampling], " ".join(filter(None, (encoding.kind, subsampling)))
    quality = min(measured, key=lambda one: abs(one - encoding.quality))
    said = f"bytes a pixel of a kept picture, {how} of quality {quality}"
    return Figure(measured[quality], said, "eight photographs scaled to 1024x1024, Pillow")


def picture_tokens(model_id: str, width: int, height: int) -> int:
    """Return a picture's input tokens: Qwen2.5-VL has one for every 28x28 pixels; for others the runner's count."""
    if "qwen2.5-vl" in model_id.lower():
        return round(width / 28) * round(height / 28)
    return TOKENS_PER_IMAGE
