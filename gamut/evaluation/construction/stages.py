"""The stages that propose items of new editions: how a stage runs, and its entry in `stages/editions/dvc.yaml`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from gamut.evaluation.construction.slots import Construction, Slots, Stage
from gamut.pipeline.entries import Entry, uncached_output
from gamut.project.files import write_json
from gamut.project.pipeline import EDITIONS, PIPELINE
from gamut.project.stage import main

FILE = EDITIONS.with_name(str(PIPELINE))
CURATION = FILE.parent.name
EDITION = "${item.edition}"
WORLDS = {"creator": "creators", "writer": "writers", "detector": "observers", "translator": "translators"}
"""The folder in which the embedded world's answers are declared, by the role of a parameter's model."""


def run_stage(slots: Slots[Any], stage: Stage) -> None:
    """Run the steps of a stage in order. Replies are kept, so that no question is asked twice."""
    for step in stage.steps:
        slots.path(step.name).mkdir(parents=True, exist_ok=True)  # its folder shows commands which step failed
        step.run(replace(slots, step=step.name))
    if stage.figures is not None:
        write_json(slots.metrics(str(stage.metrics)), dict(stage.figures(slots)))


def main_of(construction: Construction) -> NoReturn:
    name, edition = sys.argv[1:]
    stage = next(one for one in construction.stages if one.name == name)

    def body(params: Any, edition: str) -> None:
        run_stage(Slots(construction, params, edition), stage)

    entry = entry_of(construction, stage)
    main(f"{CURATION}.{entry.name}", body, construction.params, edition, record=entry.values(FILE))


def entry_of(construction: Construction, stage: Stage, code: Sequence[str] = ()) -> Entry:
    """Return the stage's entry. It reads the tables of all stages before it."""
    name = construction.benchmark
    metrics = [uncached_output(f"metrics/editions/{name}/{EDITION}/{stage.metrics}.json")] if stage.metrics else []
    before = construction.stages[: construction.stages.index(stage)]
    own = parameter_keys(construction, stage)
    return Entry(
        f"{name}_{stage.name}",
        f"stages.{name}.construction.steps {stage.name} {EDITION}",
        code=code,
        data=[*stage.data, *world_data(construction, stage), *(folder_of(name, one) for one in before)],
        params=[*stage.shared, *asked_models(construction, stage), *([{str(EDITIONS): own}] if own else [])],
        outs=[folder_of(name, stage), *metrics],
        matrix={"edition": f"${{{name}.editions}}"},
        remark=stage.remark,
    )


def folder_of(benchmark: str, stage: Stage) -> str:
    return f"datasets/{benchmark}/{stage.name if stage.steps else 'proposal'}/{EDITION}"


def roles_of(construction: Construction) -> dict[str, str]:
    kind: Any = construction.params.model_fields["propose"].annotation
    return dict(kind.ROLES)


def world_data(construction: Construction, stage: Stage) -> Iterator[str]:
    roles = roles_of(construction)
    for who in stage.asks:
        if who not in roles:
            yield f"datasets/world/roles/{who}"
        elif roles[who] in WORLDS:
            yield f"datasets/world/{WORLDS[roles[who]]}/${{{construction.benchmark}.{who}}}"


def asked_models(construction: Construction, stage: Stage) -> Iterator[str]:
    roles = roles_of(construction)
    for who in stage.asks:
        if who in roles:
            yield f"models.${{{construction.benchmark}.{who}}}"
        else:
            yield from (f"roles.{who}", f"models.${{roles.{who}}}")


def parameter_keys(construction: Construction, stage: Stage) -> list[str]:
    roles = roles_of(construction)
    own = [*stage.parameters, *(who for who in stage.asks if who in roles)]
    return [f"{construction.benchmark}.{key}" for key in own]
