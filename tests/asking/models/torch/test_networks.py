"""Batches on a GPU that is too small or broken, played by functions: there is none in the tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

pytest.importorskip("torch")

import torch

from gamut.asking.models.torch.networks import device_of, in_batches
from gamut.project.errors import ModelDied, UserError
from gamut.project.settings import Endpoint


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
    with pytest.raises(UserError, match=r"device 'warp' cannot be used here .* `\[models.x\] device` in run.toml$"):
        device_of("judge (x)", "x", Endpoint(device="warp"))
