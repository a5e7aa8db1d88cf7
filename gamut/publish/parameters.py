"""All of params.yaml: the dataset's part, that of every benchmark whose block is there, and what can be published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from gamut.dataset import steps as dataset
from gamut.evaluation.construction.parameters import Params as Proposing
from gamut.evaluation.curating.rooms import NAMES, rooms
from gamut.evaluation.defining import parameters as evaluation
from gamut.evaluation.defining.parameters import BY_ITSELF
from gamut.evaluation.defining.sides import played_rewriter
from gamut.project.errors import UserError, in_one_line, nearest
from gamut.project.pipeline import EDITIONS, PARAMS
from gamut.project.roles import RoleModel
from gamut.project.validation import Strict, check, read_yaml
from gamut.publish.publication import Publication

DATASET = "dataset"
PRODUCTS = (DATASET, *NAMES)
"""What can be published, by name."""
UNTITLED = "A text-to-image reasoning dataset"
"""How a dataset is called that has no title; an edition is called as its benchmark."""


class Publish(Strict):
    publish: dict[Literal[PRODUCTS], Publication] = Field(default_factory=dict)  # type: ignore[valid-type]


@dataclass(frozen=True)
class Everything:
    """What params.yaml says to whom; `benchmarks` are those whose block is there, `proposing` those of `EDITIONS`."""

    dataset: dataset.Params
    benchmarks: Mapping[str, evaluation.Params]
    publish: Mapping[str, Publication]
    proposing: Mapping[str, Proposing]

    @property
    def contestants(self) -> Mapping[str, evaluation.Contestant]:
        return next((params.contestants for params in self.benchmarks.values()), {})

    def publication(self, product: str) -> Publication:
        found = self.publish.get(product, Publication())
        if found.title:
            return found
        title = UNTITLED if product == DATASET else rooms()[product].benchmark.title
        return found.model_copy(update={"title": title})

    def benchmark(self, name: str) -> evaluation.Params:
        if name not in self.benchmarks:
            raise UserError(f"{PARAMS}: {name}: this key is missing: profiles/laptop.yaml has an example")
        return self.benchmarks[name]

    def edition(self, benchmark: str) -> str:
        edition: str = rooms()[benchmark].benchmark.block(self.benchmark(benchmark)).edition
        return edition

    def role_models(self) -> list[RoleModel]:
        """Return everybody who is asked by some stage."""
        models, roles = self.dataset.models, self.dataset.roles.filled()
        found = [RoleModel(role, slug, models[slug]) for role, slug in roles.items()]
        found += [player for params in self.proposing.values() for player in params.players()]
        for benchmark, params in self.benchmarks.items():
            block = rooms()[benchmark].benchmark.block(params)
            for slug, contestant in rooms()[benchmark].benchmark.contestants(params).items():
                found += evaluation.roles_of(slug, contestant)
            if block.contestants:
                found += [RoleModel("judge", slug, models[slug]) for slug in block.judges]
                found += [RoleModel(role, slug, models[slug]) for role, of in block.observers.items() for slug in of]
                found += [played_rewriter(params, rewriter) for rewriter in block.all_rewriters]
        return list({(role_model.role, role_model.slug): role_model for role_model in found}.values())


def load_everything(path: Path = PARAMS) -> Everything:
    return check_everything(read_yaml(path), path)


def check_everything(values: Any, path: Path) -> Everything:
    if not isinstance(values, Mapping):
        check(dataset.Params, values, path)
    mistakes: dict[str, None] = {}

    def checked(model: Any) -> Any:
        try:
            return check(model, values, path)
        except UserError as error:
            mistakes.update(dict.fromkeys(str(error).splitlines()))

    there = read_yaml(EDITIONS) if EDITIONS.is_file() else {}
    proposing = {name: room.proposing for name, room in rooms().items() if room.proposing and name in there}
    found = Everything(
        checked(dataset.Params),
        {name: checked(room.benchmark.params) for name, room in rooms().items() if name in values},
        getattr(checked(Publish), "publish", {}),
        {name: checked(model) for name, model in proposing.items()},
    )
    for key in there.keys() - proposing.keys():
        mistakes[f"{EDITIONS}: {in_one_line(key)}: unknown key{nearest(key, proposing)}"] = None
    models: list[type[Strict]] = [dataset.Params, Publish, *(room.benchmark.params for room in rooms().values())]
    known = {key for model in models for key in model.model_fields}
    for key in values:
        if key not in known:
            mistakes[f"{path}: {in_one_line(key)}: unknown key{nearest(key, known)}"] = None
    if not mistakes:
        mistakes.update(dict.fromkeys(f"{path}: {mistake}" for mistake in unknown_sides(found)))
    if mistakes:
        raise UserError("\n".join(mistakes))
    return found


def unknown_sides(everything: Everything) -> Iterator[str]:
    """Yield benchmarks of which contestants name sides, and that are not there, and sides that one does not have."""
    named = {
        (slug, benchmark): sides
        for params in everything.benchmarks.values()
        for slug, contestant in params.contestants.items()
        for benchmark, sides in contestant.sides.items()
    }
    for (slug, name), sides in named.items():
        where = f"contestants.{slug}.sides.{in_one_line(name)}"
        if name not in NAMES:
            yield f"{where}: there is no such benchmark{nearest(name, NAMES)}"
        elif name in everything.benchmarks:
            benchmark = rooms()[name].benchmark
            block = benchmark.block(everything.benchmarks[name])
            known = evaluation.nameable(benchmark.sides(block), benchmark.other_sides)
            for side in sides:
                if side == BY_ITSELF and benchmark.rewriting and (own := f"contestants.{slug}") not in block.rewriters:
                    yield f"{where}: it rewrites nothing for side {side!r}: put {own} into {name}.rewriters"
                elif side not in known:
                    yield f"{where}: there is no side {side!r}{nearest(side, known)}"
