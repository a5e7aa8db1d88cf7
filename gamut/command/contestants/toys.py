"""Judges and observers of the embedded world: they see its own pictures alone, and nothing that a real model made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gamut.evaluation.curating.benchmarks import curations
from gamut.evaluation.defining.parameters import Params, members
from gamut.project.model_kinds import SandboxModel


class Toys(NamedTuple):
    """Who of a benchmark sees pictograms alone, whose answers it cannot see, and whether these are judges."""

    benchmark: str
    toys: list[str]
    unseen: list[str]
    judging: bool


def toys_in(name: str, params: Params) -> Toys | None:
    """Return None where everybody who looks at answers can see them."""
    block = curations()[name].benchmark.block(params)
    looking = block.judges or [slug for of in block.observers.values() for slug in of]
    toys = [slug for slug in dict.fromkeys(looking) if isinstance(params.models[slug], SandboxModel)]
    unseen = [
        slug
        for slug in block.contestants
        if not any(isinstance(one.model, SandboxModel) for one in members(slug, params.contestants[slug]))
    ]
    return Toys(name, toys, unseen, bool(block.judges)) if toys and unseen else None


def toy_remark(listed: Sequence[Toys]) -> str:
    """Return what toys of some benchmarks cannot do, and what brings others, in a line."""
    toys = ", ".join(dict.fromkeys(slug for one in listed for slug in one.toys))
    profiles = "|".join(path.stem for one in listed for path in Path("profiles").glob(f"{one.benchmark}*.yaml"))
    mends = ["`gamut add judge NAME --model ID --base-url URL`"] * any(one.judging for one in listed)
    mends += [f"`gamut use {profiles}`"] * bool(profiles)
    return (
        f"the embedded world ({toys}) looks at answers, which sees only toy pictures, none that a real model made: "
        f"{' or '.join(mends)} brings who sees these"
    )


def toys_of(benchmarks: Mapping[str, Params]) -> list[Toys]:
    return [found for name, params in benchmarks.items() if (found := toys_in(name, params)) is not None]
