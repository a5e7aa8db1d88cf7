"""Requests that wait together are one batch; what goes wrong in it reaches whoever asked, and nobody waits for ever.
Batches on a GPU that is too small or broken are played by functions: there is none in the tests.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from gamut.asking.models.batches import BatchedModel, Generate, device_of, in_batches
from gamut.asking.requests import Paint, Reply, Request
from gamut.project.errors import ModelDied, UserError
from gamut.project.settings import Endpoint
from tests.fakes import IDENTITY


def paint(number: int) -> Paint:
    return Paint(str(number), 64, 64, seed=number)


def echo(requests: Sequence[Request]) -> list[Reply]:
    return [Reply(request.prompt.encode()) for request in requests if isinstance(request, Paint)]


def put(generate: Generate, count: int, batch: int = 4) -> list[Any]:
    async def all_of_them() -> list[Any]:
        model = BatchedModel(IDENTITY, batch, generate)
        try:
            asked = (model.answer(paint(number)) for number in range(count))
            return await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 10)
        finally:
            await model.close()

    return asyncio.run(all_of_them())


def test_what_waits_together_is_one_batch_in_order() -> None:
    sizes: list[int] = []

    def generate(requests: Sequence[Request]) -> list[Reply]:
        sizes.append(len(requests))
        return echo(requests)

    assert [reply.content for reply in put(generate, 10)] == [str(number).encode() for number in range(10)]
    assert sizes == [4, 4, 2]


def test_an_error_reaches_all_of_its_batch_and_no_other() -> None:
    def generate(requests: Sequence[Request]) -> list[Reply]:
        if paint(1) in requests:
            raise OSError("broken")
        return echo(requests)

    found = put(generate, 6)
    assert [str(error) for error in found[:4]] == ["broken"] * 4
    assert [reply.content for reply in found[4:]] == [b"4", b"5"]


def test_a_wrong_number_of_replies_is_given_to_nobody() -> None:
    found = put(lambda requests: [Reply(b"x")], 2)
    assert [type(error) for error in found] == [ValueError, ValueError]


def test_what_is_given_up_is_not_asked() -> None:
    asked: list[Request] = []
    running, going_on = threading.Event(), threading.Event()

    def generate(requests: Sequence[Request]) -> list[Reply]:
        asked.extend(requests)
        running.set()
        assert going_on.wait(10)
        return echo(requests)

    async def work() -> list[Reply]:
        model = BatchedModel(IDENTITY, 1, generate)
        first, abandoned, last = (asyncio.create_task(model.answer(paint(number))) for number in range(3))
        await asyncio.to_thread(running.wait, 10)
        abandoned.cancel()
        going_on.set()
        replies = [await first, await last]
        await model.close()
        return replies

    assert [reply.content for reply in asyncio.run(work())] == [b"0", b"2"]
    assert asked == [paint(0), paint(2)]


# On a GPU


def fits(most: int, tried: list[int]) -> Callable[[Sequence[int]], list[int]]:
    """A batch that needs more than the memory when it has more than `most` items."""

    def run(items: Sequence[int]) -> list[int]:
        tried.append(len(items))
        if len(items) > most:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return [item * item for item in items]

    return run


def squares(most: int, count: int, device: str = "cuda") -> tuple[list[int], list[int]]:
    tried: list[int] = []
    return in_batches("judge (x)", "x", device, range(count), fits(most, tried)), tried


def test_a_batch_that_fits_runs_once() -> None:
    assert squares(most=8, count=5) == ([0, 1, 4, 9, 16], [5])


def test_a_batch_that_does_not_fit_is_halved_until_it_does_and_keeps_its_order() -> None:
    assert squares(most=2, count=7) == ([0, 1, 4, 9, 16, 25, 36], [7, 3, 1, 2, 4, 2, 2])


def test_one_request_that_does_not_fit_is_said_in_one_line() -> None:
    with pytest.raises(UserError, match=r"^judge \(x\): one request alone .* \(models.x in params.yaml\)$") as caught:
        squares(most=0, count=4)
    assert not isinstance(caught.value, ModelDied)


@pytest.mark.parametrize("words", ["CUDA error: device-side assert triggered\nmore", "cuDNN error: EXECUTION_FAILED"])
def test_a_broken_gpu_ends_the_model(words: str) -> None:
    def run(items: Sequence[int]) -> list[int]:
        raise RuntimeError(words)

    with pytest.raises(ModelDied, match=r"^judge \(x\): the GPU failed \(.*\): run it again to go on$"):
        in_batches("judge (x)", "x", "cuda", [1, 2], run)


def test_the_device_is_the_one_named_or_a_gpu_or_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    assert device_of("judge (x)", "x", Endpoint(device="cpu")) == "cpu"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert device_of("judge (x)", "x", Endpoint()) == "cpu"
    with pytest.raises(UserError, match=r"device 'warp' cannot be used here .* `\[models.x\] device`$"):
        device_of("judge (x)", "x", Endpoint(device="warp"))
