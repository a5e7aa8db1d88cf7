"""A model in this process: requests that wait together are answered as one batch, on one thread; pictures decoded with
care; what models that run by torch share.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from PIL import Image

from gamut.asking.models.extras import first_line
from gamut.asking.requests import Picture, Reply, Request, parts_of
from gamut.project.errors import ModelDied, UserError
from gamut.project.settings import Endpoint
from gamut.tables.images import scaled_down, upright_rgb

Generate = Callable[[Sequence[Request]], Sequence[Reply]]
"""Answers a batch: one reply a request, in order; a request that fails gets a failed reply and harms no other.
Raises UserError for what concerns all requests, ModelDied when nothing more can be answered."""


class BatchedModel:
    """Answers up to `batch` requests at once by `generate`, one batch at a time; the next one fills up meanwhile."""

    by_record = False

    def __init__(self, identity: Mapping[str, Any], batch: int, generate: Generate) -> None:
        self.identity, self.batch, self.generate = identity, batch, generate
        self.concurrency = 2 * batch
        self.waiting: list[tuple[Request, asyncio.Future[Reply]]] = []
        self.running: asyncio.Task[None] | None = None
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="model")

    async def answer(self, request: Request) -> Reply:
        answered: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self.waiting.append((request, answered))
        if self.running is None or self.running.done():
            self.running = asyncio.create_task(self._run())
        return await answered

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(0)  # whoever asks in this turn of the loop comes along
        while self.waiting:
            wanted = [asked for asked in self.waiting if not asked[1].done()]  # a run that stops gives up waiting
            taken, self.waiting = wanted[: self.batch], wanted[self.batch :]
            try:
                replies = await loop.run_in_executor(self.thread, self.generate, [request for request, _ in taken])
                replied = list(zip(taken, replies, strict=True))
            except Exception as error:  # given to whoever asked, not swallowed
                for _, answered in taken:
                    if not answered.done():
                        answered.set_exception(error)
            else:
                for (_, answered), reply in replied:
                    if not answered.done():
                        answered.set_result(reply)

    async def close(self) -> None:
        self.thread.shutdown(wait=True, cancel_futures=True)


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threaded(
    identity: Mapping[str, Any], threads: int, answer: Callable[[Request], Reply], batch: int | None = None
) -> BatchedModel:
    """Return a model that answers each request of a batch in a thread of its own."""
    pool = ThreadPoolExecutor(threads)
    return BatchedModel(identity, batch or threads, lambda requests: list(pool.map(answer, requests)))


def decoded(picture: Picture, longest: int | None = None) -> Image.Image:
    """Return a picture's pixels, at most `longest` of them a side; ValueError saying why they cannot be had."""
    return upright_rgb(scaled_down(picture.data, longest) if longest else picture.data)


def answer_about(
    requests: Sequence[Request],
    answer: Callable[[Sequence[Request], Sequence[Image.Image]], Sequence[Reply]],
    longest: int | None = None,
) -> list[Reply]:
    """Answer requests that begin with a picture; one whose picture cannot be had fails alone, as `invalid`."""
    replies: dict[int, Reply] = {}
    pictures: dict[int, Image.Image] = {}
    for number, request in enumerate(requests):
        picture = parts_of(request)[0]
        assert isinstance(picture, Picture)  # the roles ask nothing else
        try:
            pictures[number] = decoded(picture, longest)
        except ValueError as error:
            replies[number] = Reply(f"the picture {error}".encode(), "invalid")
    if pictures:
        found = answer([requests[number] for number in pictures], list(pictures.values()))
        replies |= zip(pictures, found, strict=True)
    return [replies[number] for number in range(len(requests))]


Item = TypeVar("Item")
Result = TypeVar("Result")
BROKEN = ("CUDA error", "cuDNN error", "HIP error", "NCCL error")
"""After one of these nothing more can be computed in this process."""


def device_of(name: str, slug: str, endpoint: Endpoint) -> str:
    import torch

    device = endpoint.device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:  # a torch without CUDA asserts
        cause = str(error).splitlines()[0].rstrip(".")
        raise UserError(
            f"{name}: device {device!r} cannot be used here ({cause}): mend run.toml, `[models.{slug}] device`"
        ) from None
    return device


def model_type(name: str, folder: Path) -> str:
    return str(config_of(name, folder)["model_type"])


def config_of(name: str, folder: Path) -> dict[str, Any]:
    try:
        config = json.loads((folder / "config.json").read_bytes())
        config["model_type"]
    except (OSError, ValueError, LookupError, TypeError):
        raise UserError(f"{name}: {folder}/config.json names no model_type: is this a transformers model?") from None
    return dict(config)


def loaded(name: str, folder: Path, load: Callable[..., Any], dtype: str, device: str, **options: Any) -> Any:
    """Load a network by its `from_pretrained` from local safetensors; transformers would fill missing weights with
    random numbers.
    """
    import torch
    from safetensors import SafetensorError
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        network, report = load(
            folder,
            dtype=getattr(torch, dtype),
            device_map=device,
            use_safetensors=True,
            local_files_only=True,
            output_loading_info=True,
            **options,
        )
    except torch.OutOfMemoryError:
        raise UserError(f"{name}: {folder} does not fit on {device}: take a larger GPU or a smaller model") from None
    except (OSError, ValueError, RuntimeError, ImportError, SafetensorError) as error:
        raise UserError(
            f"{name}: {folder} cannot be loaded ({first_line(error)}): fetch it again, or name another"
        ) from None
    if missing := sorted(report["missing_keys"]):
        raise UserError(f"{name}: {folder} lacks {len(missing)} weights, such as {missing[0]}: fetch it again, whole")
    return network.eval()


def in_batches(
    name: str, slug: str, device: str, items: Sequence[Item], run: Callable[[Sequence[Item]], Sequence[Result]]
) -> list[Result]:
    """Run a batch and return its results in order.

    On the CPU one item at a time: sums over a padded batch differ in their last bits. On a GPU all at once, and in
    halves when its memory is too small; ModelDied when it is broken.
    """
    import torch

    if device.startswith("cpu"):
        return [result for item in items for result in run([item])]
    try:
        return list(run(items))
    except torch.OutOfMemoryError:
        pass  # what was computed is let go before the halves are tried
    except RuntimeError as error:
        cause = str(error).splitlines()[0]
        if not any(words in cause for words in BROKEN):
            raise
        raise ModelDied(f"{name}: the GPU failed ({cause}): run it again to go on") from None
    if len(items) == 1:
        raise UserError(
            f"{name}: one request alone needs more than the GPU's memory: take a larger GPU, a smaller or quantised "
            f"model, or smaller pictures (models.{slug} in params.yaml)"
        )
    torch.cuda.empty_cache()
    half = len(items) // 2
    return [result for some in (items[:half], items[half:]) for result in in_batches(name, slug, device, some, run)]
