"""What `gamut check` finds: parameters, run settings, and the surroundings, each with what it is needed for."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from stages.asking.models import grounding
from stages.asking.models.extras import INSTALL_VLLM, find_program, install
from stages.command.left_out import without_edition, without_pictures
from stages.dataset.shared.source_blocks import FileSource, FolderSource, HubSource
from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.editions import Item, counted, read_items, usable
from stages.evaluation.defining.inquiries import Put
from stages.evaluation.defining.parameters import Params, members
from stages.evaluation.defining.pictures import stand_ins
from stages.evaluation.defining.sides import can, off_task, sides_of
from stages.leaderboard.rooms import rooms
from stages.project import decisions, model_kinds, places, settings
from stages.project.errors import UserError, nearest
from stages.project.model_kinds import Model, OpenAIModel, SandboxModel, VllmModel
from stages.project.pipeline import EDITIONS
from stages.project.settings import Endpoint, Settings
from stages.publish.parameters import Everything

EXTRAS = {
    "world": (("fonticon_mdi7", "onnxruntime", "rapidocr"), "the embedded world, and models of kind rapidocr"),
    "models": (
        ("accelerate", "diffusers", "sentence_transformers", "torch", "transformers"),
        "models of kind diffusers, transformers and sentence_transformers",
    ),
    "speed": (("torchao",), "quantization of kind diffusers"),
    "ray": (("ray",), 'a cluster, `engine = "ray"` in run.toml'),
    "paddle": (("paddleocr",), "models of kind paddleocr"),
    "fid": (("torch_fidelity",), "models of kind inception"),
}
EXTRA_OF = {
    "sandbox": "world",
    "rapidocr": "world",
    "diffusers": "models",
    "transformers": "models",
    "sentence_transformers": "models",
    "paddleocr": "paddle",
    "inception": "fid",
}
LABELS = Path("datasets/labels")
LEAST_FREE_GB = 2.0
CORE = ("dvc", "git")


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. `needed`: nothing runs without it; `warning`: somebody ought to know."""

    what: str
    found: bool
    needed: bool
    remark: str
    warning: bool = False


def findings(parameters: Everything) -> Iterator[Finding]:
    """Look at everything; raises UserError when run.toml or, in the end, labels are wrong."""
    run_settings = settings.load()
    yield Finding("params.yaml", True, True, "all keys and values are right")
    known = {role_model.slug for role_model in parameters.role_models()} | parameters.dataset.models.keys()
    known |= {member.slug for slug, one in parameters.contestants.items() for member in members(slug, one)}
    for slug in sorted(run_settings.models.keys() - known):
        remark = f"no such model or contestant in params.yaml{nearest(slug, known)}"
        yield Finding(f"run.toml: models.{slug}", False, False, remark)
    yield from sources(parameters)
    yield from edition(parameters)
    yield from own_pictures(parameters)
    yield from own_judges(parameters)
    yield from idle(parameters)
    yield from narrow_controls(parameters)
    yield from judge_questions(parameters)
    yield from roles(parameters, run_settings)
    for program in CORE:
        found = shutil.which(program) is not None
        yield Finding(program, found, True, "runs and versions the pipeline" if found else "put it on PATH")
    yield from extras(parameters, run_settings)
    yield disk(parameters)
    yield from filled_in(parameters)


def sources(parameters: Everything) -> Iterator[Finding]:
    for source in parameters.dataset.sources:
        if isinstance(source, FileSource | FolderSource):
            found = Path(source.path).is_file() or Path(source.path).is_dir()
            remark = f"rows of wave {source.wave}" + ("" if found else ": put it there, or `dvc pull` it")
            yield Finding(source.path, found, True, remark)
            for link in linked_folders(Path(source.path)):
                remark = "a link to a folder: DVC does not see what changes behind it, so `dvc repro` reads it once"
                yield Finding(str(link), True, False, remark + "; `dvc repro --force sources` again", warning=True)
        elif isinstance(source, HubSource):
            from huggingface_hub import constants

            offline = constants.is_offline_mode()
            remark = f"rows of wave {source.wave}, streamed from {constants.ENDPOINT} (not looked up here)"
            yield Finding(source.repo, not offline, True, remark + (": unset HF_HUB_OFFLINE" if offline else ""))


def linked_folders(path: Path) -> list[Path]:
    """Return the links to folders at, above and below a path inside datasets/sources, behind which DVC does not look.
    It does behind that folder itself, which stages declare, and behind links to files.
    """
    above = [one for one in (path, *path.parents) if Path("datasets/sources") in one.parents]
    below = [Path(here) / name for here, names, _ in os.walk(path) for name in names]
    return sorted(one for one in (*above, *below) if one.is_symlink() and one.is_dir())


def own_pictures(parameters: Everything) -> Iterator[Finding]:
    for name, params in parameters.proposing.items():
        folder = getattr(params.propose, "pictures", None)
        if folder is not None and not Path(folder).is_dir():
            remark = f"pictures for new editions: make the folder, or mend {name}.pictures of {EDITIONS}"
            yield Finding(folder, False, True, remark)


def filled_in(parameters: Everything) -> Iterator[Finding]:
    mistakes = []
    for path, what, read in forms(parameters):
        try:
            read()
        except UserError as error:
            mistakes.append(str(error))
        else:
            yield Finding(str(path), True, True, what)
    if mistakes:
        raise UserError("\n".join(dict.fromkeys(mistakes)))  # a log of labels is read twice


def forms(parameters: Everything) -> Iterator[tuple[Path, str, Callable[[], object]]]:
    """Yield the files that people filled in, what they hold, and how stages read them."""
    if (labels := parameters.dataset.calibrate.labels) is not None:
        from stages.dataset.calibration.labels import people_said, well_formed

        yield Path(labels), "labels for calibrate", partial(people_said, Path(labels), well_formed, lambda _: {})
    for log in sorted(decisions.FOLDER.glob("*/*.jsonl")):
        yield log, "a person's decisions", partial(decisions.read_log, log)
    if any(LABELS.rglob("*.csv")):
        from stages.evaluation.labelling import logged

        for name, params in parameters.benchmarks.items():
            benchmark = rooms()[name].benchmark
            scores = logged.labels_path(benchmark, params)
            if benchmark.contestants(params) and scores.exists() and without_edition(benchmark, params) is None:
                yield scores, "people's scores of contestants", partial(logged.people_said, benchmark, params)


def edition(parameters: Everything) -> Iterator[Finding]:
    for name, params in parameters.benchmarks.items():
        benchmark = rooms()[name].benchmark
        if not benchmark.contestants(params):
            continue
        path, missing = benchmark.edition(params), without_edition(benchmark, params)
        absent = None if missing else without_pictures(benchmark, params)
        left_out = missing or absent
        items = [] if left_out else [*read_items(path, Item)]
        remark = f"{name} is left out of the build" if left_out else f"contestants' {counted(items)}"
        if missing and path.exists():
            remark += ", and `hold_out` refuses to release anything: mend it"
        if absent:
            remark += f": {absent}"
        yield Finding(str(path), not left_out, False, remark)


def own_judges(parameters: Everything) -> Iterator[Finding]:
    for name, params in parameters.benchmarks.items():
        benchmark = rooms()[name].benchmark
        for slug, contestant in benchmark.contestants(params).items():
            if not asked_sides(benchmark, params, slug):
                continue
            ids = {id_of(member.model) for member in members(slug, contestant)} - {None}
            for judge in benchmark.block(params).judges:
                if id_of(params.models[judge]) in ids:
                    remark = f"is the contestant {slug} too, and may favour its own answers: name another judge beside"
                    yield Finding(f"{name}: judge {judge}", False, False, remark, warning=True)


def idle(parameters: Everything) -> Iterator[Finding]:
    for name, benchmark, params, items in readable_editions(parameters):
        for slug, contestant in benchmark.contestants(params).items():
            if not puts_of(benchmark, params, slug, items):
                does = ", ".join(sorted(contestant.does))
                remark = f"does nothing that {name} asks for ({does}): take it out of {name}.contestants"
                yield Finding(f"{name}: {slug}", False, True, remark)


def narrow_controls(parameters: Everything) -> Iterator[Finding]:
    for name, benchmark, params, items in readable_editions(parameters):
        block = benchmark.block(params)
        if not block.judges:
            continue
        lacking = {slug: len(off_task(benchmark, params, slug, items)) for slug in block.contestants}
        least = min(lacking, key=lambda slug: lacking[slug], default="")
        for slug in block.controls_of:
            if lacking[slug] > lacking[least]:
                remark = (
                    f"does not do {lacking[slug]:,} of what {name} asks for, so that no judge is tried by it: "
                    f"name one that does more in {name}.controls_of, such as {least}"
                )
                yield Finding(f"{name}: controls of {slug}", False, False, remark, warning=True)


def judge_questions(parameters: Everything) -> Iterator[Finding]:
    for name, benchmark, params, items in readable_editions(parameters):
        item = next(iter(usable(items)), None) if benchmark.contestants(params) else None
        if item is not None:
            block = benchmark.block(params)
            try:
                for side in benchmark.put_on(item, benchmark.sides(block)):
                    benchmark.asked(block, item, side)
            except UserError as error:
                yield Finding(f"{name}: questions to judges", False, True, str(error))


def readable_editions(
    parameters: Everything,
) -> Iterator[tuple[str, Benchmark[Any, Any], Params, Sequence[Any]]]:
    """Yield every benchmark with its parameters and items; `edition` names those that cannot be read."""
    for name, params in parameters.benchmarks.items():
        benchmark = rooms()[name].benchmark
        try:
            items = benchmark.items(params)
        except UserError:
            continue
        yield name, benchmark, params, items


def asked_sides(benchmark: Benchmark[Any, Any], params: Params, contestant: str) -> list[str]:
    with suppress(UserError):  # an edition that cannot be read is named elsewhere
        if not puts_of(benchmark, params, contestant, benchmark.items(params)):
            return []
    return sides_of(benchmark, params, contestant)


def puts_of(benchmark: Benchmark[Any, Any], params: Params, contestant: str, items: Sequence[Any]) -> list[Put]:
    block, sides = benchmark.block(params), sides_of(benchmark, params, contestant)
    puts = (benchmark.put(block, item, side, stand_ins(item)) for item, side in benchmark.puts(usable(items), sides))
    return [put for put in puts if can(params.contestants[contestant], put)]


def id_of(model: Model) -> str | None:
    return None if isinstance(model, SandboxModel) else str(model_kinds.identity(model)["id"]).lower()


def roles(parameters: Everything, run_settings: Settings) -> Iterator[Finding]:
    for role, slug, model in parameters.role_models():
        endpoint = run_settings.endpoint(slug)
        missing = lacking(slug, model, endpoint)
        if role == "detector" and isinstance(model, OpenAIModel | VllmModel) and grounding.known_boxes(model) is None:
            missing.append(grounding.unnamed(slug))
        yield Finding(f"{role}: {slug}", not missing, True, "; ".join(missing) or origin(model, endpoint))


def lacking(slug: str, model: Model, endpoint: Endpoint) -> list[str]:
    missing = []
    missing += [install(extra) for extra in extras_of(model) if not installed(extra)]
    if (adapter := getattr(model, "adapter", None)) is not None:
        missing += [install("models")] * (importlib.util.find_spec("peft") is None)
        if adapter.path is not None and not places.on_disk(adapter.path).is_dir():
            missing.append(
                f"there is no folder {adapter.path}: put it there, or mend the adapter's path in params.yaml"
            )
    if isinstance(model, VllmModel) and find_program("vllm") is None:
        missing.append(INSTALL_VLLM)
    if mend := settings.misplaced(slug, model.kind, endpoint):
        missing.append(mend)
    if isinstance(model, OpenAIModel):
        if endpoint.url is None:
            missing.append(f"set `url` under [models.{slug}] in run.toml")
        if without_key := settings.lacking_key(slug, endpoint):
            missing.append(without_key)
    elif isinstance(model, model_kinds.FolderModel):
        if not places.on_disk(model.path).is_dir():
            missing.append(f"there is no folder {model.path}: put it there, or mend models.{slug}.path in params.yaml")
    elif endpoint.weights:
        if not places.on_disk(endpoint.weights).is_dir():
            missing.append(f"there is no folder {endpoint.weights}: mend `weights` under [models.{slug}] in run.toml")
    elif isinstance(model, model_kinds.Weights | model_kinds.PaddleOCRModel):
        if model.revision.startswith("sha256-"):
            missing.append(f"set `weights` under [models.{slug}] in run.toml: the folder with this digest")
        elif isinstance(model, model_kinds.Weights) and not obtainable(model):
            missing.append(f"{model.id} is not in the Hub's cache: unset HF_HUB_OFFLINE, or fetch it first")
    return missing


def origin(model: Model, endpoint: Endpoint) -> str:
    if model.kind == "sandbox":
        return "the embedded world"
    id = str(model_kinds.identity(model)["id"])
    if isinstance(model, OpenAIModel):
        return f"{id} at {', '.join(endpoint.urls)}"
    if endpoint.weights:
        return f"{id} by {model.kind} from {endpoint.weights}"
    if isinstance(model, model_kinds.FolderModel):
        return f"made elsewhere, in {id}"
    hub = " from the Hub or its cache" if isinstance(model, model_kinds.Weights) else ""
    return f"{id} by {model.kind}{hub}"


def obtainable(model: model_kinds.Weights) -> bool:
    from huggingface_hub import constants, errors, snapshot_download

    if not constants.is_offline_mode():
        return True
    try:
        snapshot_download(model.id, revision=model.revision, local_files_only=True)
    except errors.LocalEntryNotFoundError:
        return False
    return True


def extras_of(model: Model) -> list[str]:
    """Return the extras that a model needs. vLLM is a program, in an environment of its own."""
    needed = [EXTRA_OF[model.kind]] if model.kind in EXTRA_OF else []
    if isinstance(model, model_kinds.DiffusersModel) and model.quantization:
        needed.append("speed")
    return needed


def installed(extra: str) -> bool:
    return all(importlib.util.find_spec(module) for module in EXTRAS[extra][0])


def extras(parameters: Everything, run_settings: Settings) -> Iterator[Finding]:
    models = [role_model.model for role_model in parameters.role_models()]
    used = {extra for model in models for extra in extras_of(model)}
    if run_settings.engine == "ray":
        used.add("ray")
    for extra, (_, purpose) in EXTRAS.items():
        found = installed(extra)
        hint = "" if found else f": {install(extra)}"
        yield Finding(f"extra {extra}", found, extra in used, f"for {purpose}{hint}")
    program, needed = find_program("vllm"), any(isinstance(model, VllmModel) for model in models)
    yield Finding("vllm", program is not None, needed, f"for models of kind vllm: {program or INSTALL_VLLM}")


def disk(parameters: Everything) -> Finding:
    from stages.command.estimate.asks import asks, disk
    from stages.command.estimate.flow import flow, source_rows

    free, params = shutil.disk_usage(places.project_root()).free / 1e9, parameters.dataset
    try:
        counts = flow(params, source_rows(params, {}))
    except UserError:
        return Finding(
            "disk", free >= LEAST_FREE_GB, True, f"{free:,.1f} GB free; `gamut estimate` counts what it takes"
        )
    need = LEAST_FREE_GB + sum(disk(params, counts, asks(params, counts)).values()) / 1e9
    remark = f"{free:,.1f} GB free, this build takes about {need:,.1f} from its beginning (`gamut estimate`)"
    return Finding("disk", free >= LEAST_FREE_GB, True, remark, warning=free >= LEAST_FREE_GB and free < need)
