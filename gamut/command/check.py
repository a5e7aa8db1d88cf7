"""What `gamut check` finds: parameters, run settings, models and programs, each with what it is needed for."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from gamut.asking.models import grounding
from gamut.asking.models.extras import INSTALL_VLLM, find_program, install_command
from gamut.command.contestants.outlook import toy_remark, toys_of
from gamut.command.contestants.unified import beyond_families
from gamut.command.effective import absent_keys
from gamut.command.left_out import BenchmarkItems, benchmark_items
from gamut.dataset.shared.source_blocks import FileSource, FolderSource, HubSource
from gamut.evaluation.curating.benchmarks import curations
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import item_count, usable_items
from gamut.evaluation.defining.parameters import Params, members
from gamut.evaluation.defining.settings import can_answer, off_task_answers, prompts_in, settings_of
from gamut.pipeline.studies import studies
from gamut.project import decisions, model_kinds, places, settings
from gamut.project.code import digest_of_file
from gamut.project.errors import UserError, nearest_choice
from gamut.project.model_kinds import BUILT, Model, OpenAIModel, SandboxModel, VllmModel, built_folders
from gamut.project.pipeline import EDITIONS
from gamut.project.settings import Endpoint, Settings
from gamut.publish.parameters import Everything

EXTRAS = {
    "world": ("fonticon_mdi7", "onnxruntime", "rapidocr"),
    "models": ("accelerate", "diffusers", "sentence_transformers", "torch", "transformers"),
    "speed": ("torchao",),
    "ray": ("ray",),
    "paddle": ("paddleocr",),
    "fid": ("torch_fidelity",),
}
"""The packages that show whether an extra is installed."""
EXTRA_OF = {
    "sandbox": "world",
    "rapidocr": "world",
    "diffusers": "models",
    "transformers": "models",
    "unified": "models",
    "sentence_transformers": "models",
    "paddleocr": "paddle",
    "inception": "fid",
}
LABELS = Path("datasets/labels")
LEAST_FREE_GB = 2.0


@dataclass(frozen=True)
class Finding:
    """One thing that was checked. `needed`: nothing runs without it; `warning`: a person should know of it."""

    what: str
    found: bool
    needed: bool
    remark: str
    warning: bool = False


def finding_words(one: Finding) -> str:
    mark = "ok     " if one.found else ("MISSING" if one.needed else "absent ")
    return f"{'WARNING' if one.warning else mark} {one.what}: {one.remark}"


def findings(parameters: Everything) -> Iterator[Finding]:
    """Check everything. UserError if run.toml is wrong or, after all findings, if labels are."""
    run_settings = settings.load()
    lacking = [Finding(f"{path}: {key}", False, True, fix) for path, key, fix in absent_keys(parameters)]
    yield from lacking or [Finding("params.yaml", True, True, "all keys and values are right")]
    known = {role_model.slug for role_model in parameters.role_models()} | parameters.dataset.models.keys()
    known |= {member.slug for slug, one in parameters.contestants.items() for member in members(slug, one)}
    for slug in sorted(run_settings.models.keys() - known):
        remark = f"params.yaml has no such model or contestant{nearest_choice(slug, known)}"
        yield Finding(f"run.toml: models.{slug}", False, False, remark)
    yield from check_sources(parameters)
    benchmarks = all_benchmark_items(parameters)
    yield from check_editions(benchmarks)
    yield from check_proposing_pictures(parameters)
    for what in (judging_contestants, idle_contestants, check_controls, check_judge_questions):
        yield from what(benchmarks)
    for toys in toys_of(parameters.benchmarks):
        whose = f"{toys.benchmark}: {', '.join(toys.unseen)}"
        yield Finding(whose, False, False, toy_remark([toys]), warning=True)
    for slug, remark in beyond_families(parameters.contestants, run_settings):
        yield Finding(f"contestants.{slug}.tasks", False, True, remark)
    yield from check_models(parameters, run_settings)
    for program in ("dvc", "git"):
        found = shutil.which(program) is not None
        yield Finding(program, found, True, "runs and versions the pipeline" if found else "put it on PATH")
    if run_settings.engine == "ray":
        yield Finding(
            "ray", is_installed("ray"), True, "runs a cluster" if is_installed("ray") else install_command("ray")
        )
    yield check_disk(parameters)
    yield from check_forms(parameters, benchmarks)


def all_benchmark_items(parameters: Everything) -> list[BenchmarkItems]:
    return [benchmark_items(curations()[name].benchmark, params) for name, params in parameters.benchmarks.items()]


def check_sources(parameters: Everything) -> Iterator[Finding]:
    for source in parameters.dataset.sources:
        if isinstance(source, FileSource | FolderSource):
            found = Path(source.path).is_file() or Path(source.path).is_dir()
            remark = f"rows of wave {source.wave}" + ("" if found else ": put it there, or run `dvc pull`")
            yield Finding(source.path, found, True, remark)
            for link in linked_folders(Path(source.path)):
                remark = "a link to a folder: DVC does not notice changes behind it, so `dvc repro` reads it only once"
                yield Finding(str(link), True, False, remark + "; `dvc repro --force sources` again", warning=True)
        elif isinstance(source, HubSource):
            from huggingface_hub import constants

            offline = constants.is_offline_mode()
            remark = f"rows of wave {source.wave}, streamed from {constants.ENDPOINT} (not checked here)"
            yield Finding(source.repo, not offline, True, remark + (": unset HF_HUB_OFFLINE" if offline else ""))


def linked_folders(path: Path) -> list[Path]:
    """Return the links to folders at, above and below a path inside datasets/sources: DVC does not follow these. It
    does follow datasets/sources itself, which stages declare, and links to files.
    """
    above = [one for one in (path, *path.parents) if Path("datasets/sources") in one.parents]
    below = [Path(here) / name for here, names, _ in os.walk(path) for name in names]
    return sorted(one for one in (*above, *below) if one.is_symlink() and one.is_dir())


def check_proposing_pictures(parameters: Everything) -> Iterator[Finding]:
    for name, params in parameters.proposing.items():
        folder = getattr(params.propose, "pictures", None)
        if folder is not None and not Path(folder).is_dir():
            remark = f"pictures for new editions: make the folder, or fix {name}.pictures of {EDITIONS}"
            yield Finding(folder, False, True, remark)


def check_forms(parameters: Everything, benchmarks: Iterable[BenchmarkItems]) -> Iterator[Finding]:
    mistakes = []
    for path, what, read in forms_and_readers(parameters, benchmarks):
        try:
            read()
        except UserError as error:
            mistakes.append(str(error))
        else:
            yield Finding(str(path), True, True, what)
    if mistakes:
        raise UserError("\n".join(dict.fromkeys(mistakes)))  # a log of labels is read twice


def forms_and_readers(
    parameters: Everything, benchmarks: Iterable[BenchmarkItems]
) -> Iterator[tuple[Path, str, Callable[[], object]]]:
    """Yield each file that people filled in, what it holds, and the function by which stages read it."""
    if (labels := parameters.dataset.calibrate.labels) is not None:
        from gamut.dataset.calibration.labels import read_people, well_formed_ids

        yield Path(labels), "labels for calibrate", partial(read_people, Path(labels), well_formed_ids, lambda _: {})
    for log in sorted(decisions.FOLDER.glob("*/*.jsonl")):
        yield log, "a person's decisions", partial(decisions.read_log, log)
    if any(LABELS.rglob("*.csv")):
        from gamut.evaluation.labelling.labels import labels_of_people, labels_path

        for benchmark, params, _, missing, _ in benchmarks:
            scores = labels_path(benchmark, params)
            if benchmark.contestants(params) and scores.exists() and missing is None:
                yield scores, "people's scores of contestants", partial(labels_of_people, benchmark, params)


def check_editions(benchmarks: Iterable[BenchmarkItems]) -> Iterator[Finding]:
    for one in benchmarks:
        if not one.benchmark.contestants(one.params):
            continue
        path, name = one.benchmark.edition(one.params), one.benchmark.name
        remark = f"{name} is left out of the build" if one.left_out else f"{item_count(one.items)} for contestants"
        if one.missing and path.exists():
            remark += ", and the stage `hold_out` releases nothing until this is fixed"
        if one.absent:
            remark += f": {one.absent}"
        yield Finding(str(path), not one.left_out, False, remark)


def judging_contestants(benchmarks: Iterable[BenchmarkItems]) -> Iterator[Finding]:
    for benchmark, params, items, *_ in benchmarks:
        for slug, contestant in benchmark.contestants(params).items():
            ids = {id_of(member.model) for member in members(slug, contestant)} - {None}
            for judge in benchmark.block(params).judges:
                if id_of(params.models[judge]) in ids and has_tasks(benchmark, params, slug, items):
                    remark = f"is also the contestant {slug} and may favour its own answers: add another judge"
                    yield Finding(f"{benchmark.name}: judge {judge}", False, False, remark, warning=True)


def idle_contestants(benchmarks: Iterable[BenchmarkItems]) -> Iterator[Finding]:
    for benchmark, params, items, missing, _ in benchmarks:
        for slug, contestant in benchmark.contestants(params).items():
            if missing is None and not has_tasks(benchmark, params, slug, items):
                does, name = ", ".join(sorted(contestant.abilities)), benchmark.name
                remark = f"can answer no item of {name} (it does {does}): remove it from {name}.contestants"
                yield Finding(f"{name}: {slug}", False, True, remark)


def check_controls(benchmarks: Iterable[BenchmarkItems]) -> Iterator[Finding]:
    for benchmark, params, items, *_ in benchmarks:
        block, name = benchmark.block(params), benchmark.name
        if not block.judges:
            continue
        lacking = {slug: len(off_task_answers(benchmark, params, slug, items)) for slug in block.contestants}
        least = min(lacking, key=lambda slug: lacking[slug], default="")
        for slug in block.controls_of:
            if lacking[slug] > lacking[least]:
                remark = (
                    f"cannot give {lacking[slug]:,} of the answers of {name}, so no judge is validated by it: "
                    f"name one that answers more in {name}.controls_of, such as {least}"
                )
                yield Finding(f"{name}: controls of {slug}", False, False, remark, warning=True)


def check_judge_questions(benchmarks: Iterable[BenchmarkItems]) -> Iterator[Finding]:
    for benchmark, params, items, *_ in benchmarks:
        item = next(iter(usable_items(items)), None) if benchmark.contestants(params) else None
        if item is not None:
            block = benchmark.block(params)
            try:
                for setting in benchmark.settings_with_prompt(item, benchmark.settings(block)):
                    benchmark.questions_to_ask(block, item, setting)
            except UserError as error:
                yield Finding(f"{benchmark.name}: questions to judges", False, True, str(error))


def has_tasks(benchmark: AnyBenchmark, params: Params, contestant: str, items: Sequence[Any]) -> bool:
    prompts = prompts_in(benchmark, benchmark.block(params), items, settings_of(benchmark, params, contestant))
    return any(can_answer(params.contestants[contestant], prompt) for _, _, prompt in prompts)


def id_of(model: Model) -> str | None:
    return None if isinstance(model, SandboxModel) else str(model_kinds.identity(model)["id"]).lower()


def check_models(parameters: Everything, run_settings: Settings) -> Iterator[Finding]:
    builds = [folder for name, params in parameters.studies.items() for folder in studies()[name].builds(params)]
    played = dict[str, list[str]]()
    for role, slug, model in parameters.role_models():
        endpoint = run_settings.endpoint(slug)
        missing = missing_for_model(slug, model, endpoint)
        wanted = [of for of in built_folders(model) if of not in builds]
        missing += [f"no stage builds {of}{nearest_choice(of, builds)}" for of in wanted]
        if role == "detector" and isinstance(model, OpenAIModel | VllmModel) and grounding.known_boxes(model) is None:
            missing.append(grounding.boxes_unnamed(slug))
        if isinstance(model, SandboxModel) and not missing:
            played.setdefault(slug, []).append(role)
        else:
            yield Finding(f"{role}: {slug}", not missing, True, "; ".join(missing) or describe_origin(model, endpoint))
    if played:
        words = ", ".join(f"{slug} ({', '.join(roles)})" for slug, roles in played.items())
        yield Finding("the embedded world", True, True, f"plays {words}")


def missing_for_model(slug: str, model: Model, endpoint: Endpoint) -> list[str]:
    missing = []
    missing += [install_command(extra) for extra in extras_of(model) if not is_installed(extra)]
    if (adapter := getattr(model, "adapter", None)) is not None:
        missing += [install_command("models")] * (importlib.util.find_spec("peft") is None)
        if adapter.revision != BUILT and adapter.path is not None and not places.path_on_disk(adapter.path).is_dir():
            missing.append(f"the folder {adapter.path} is missing: add it, or fix the adapter's path in params.yaml")
    if isinstance(model, model_kinds.PythonModel):
        try:
            digest_of_file(Path(model.file))
        except UserError as error:
            missing.append(str(error))
    if isinstance(model, VllmModel) and find_program("vllm") is None:
        missing.append(INSTALL_VLLM)
    if fix := settings.misplaced_key(slug, model.kind, endpoint):
        missing.append(fix)
    if isinstance(model, OpenAIModel):
        if endpoint.url is None:
            missing.append(f"set `url` under [models.{slug}] in run.toml")
        if without_key := settings.lacking_key(slug, endpoint):
            missing.append(without_key)
    elif isinstance(model, model_kinds.FolderModel):
        if not places.path_on_disk(model.path).is_dir():
            missing.append(f"the folder {model.path} is missing: add it, or fix models.{slug}.path in params.yaml")
    elif endpoint.weights:
        if not places.path_on_disk(endpoint.weights).exists():
            missing.append(
                f"the file or folder {endpoint.weights} is missing: fix `weights` under [models.{slug}] in run.toml"
            )
    elif isinstance(model, model_kinds.Weights | model_kinds.PaddleOCRModel | model_kinds.PythonModel) and (
        model.revision != BUILT
    ):
        if (model.revision or "").startswith("sha256-"):
            missing.append(f"set `weights` under [models.{slug}] in run.toml to the folder with this digest")
        elif isinstance(model, model_kinds.Weights) and not is_obtainable(model):
            missing.append(f"{model.id} is not in the Hub's cache: unset HF_HUB_OFFLINE, or download it first")
    return missing


def describe_origin(model: Model, endpoint: Endpoint) -> str:
    id = str(model_kinds.identity(model)["id"])
    if folders := built_folders(model):
        states = (f"{folder}{'' if Path(folder).is_dir() else ', not yet built'}" for folder in folders)
        return f"{id} by {model.kind}, from what stages build: {'; '.join(states)}"
    if isinstance(model, OpenAIModel):
        return f"{id} at {', '.join(endpoint.urls)}"
    if isinstance(model, model_kinds.PythonModel):
        return f"{model.function} of {model.file}"
    if endpoint.weights:
        return f"{id} by {model.kind} from {endpoint.weights}"
    if isinstance(model, model_kinds.FolderModel):
        return f"made elsewhere, in {id}"
    hub = " from the Hub or its cache" if isinstance(model, model_kinds.Weights) else ""
    return f"{id} by {model.kind}{hub}"


def is_obtainable(model: model_kinds.Weights) -> bool:
    from huggingface_hub import constants, errors, snapshot_download

    if not constants.is_offline_mode():
        return True
    try:
        snapshot_download(model.id, revision=model.revision, local_files_only=True)
    except errors.LocalEntryNotFoundError:
        return False
    return True


def extras_of(model: Model) -> list[str]:
    """Return the extras that a model needs. vLLM is none: it is a program in an environment of its own."""
    needed = [EXTRA_OF[model.kind]] if model.kind in EXTRA_OF else []
    if isinstance(model, model_kinds.DiffusersModel) and model.quantization:
        needed.append("speed")
    return needed


def is_installed(extra: str) -> bool:
    return all(importlib.util.find_spec(module) for module in EXTRAS[extra])


def check_disk(parameters: Everything) -> Finding:
    from gamut.command.estimate.asks import dataset_asks, disk_space
    from gamut.command.estimate.flow import expected_flow, source_rows

    free, params = shutil.disk_usage(places.project_root()).free / 1e9, parameters.dataset
    try:
        counts = expected_flow(params, source_rows(params, {}))
    except UserError:
        return Finding(
            "disk", free >= LEAST_FREE_GB, True, f"{free:,.1f} GB free; `gamut estimate` says what a build needs"
        )
    need = LEAST_FREE_GB + sum(disk_space(params, counts, dataset_asks(params, counts)).values()) / 1e9
    remark = f"{free:,.1f} GB free; this build needs about {need:,.1f} GB from its beginning (`gamut estimate`)"
    return Finding("disk", free >= LEAST_FREE_GB, True, remark, warning=free >= LEAST_FREE_GB and free < need)
