"""What `gamut check` finds: parameters, run settings, and the surroundings, each with what it is needed for."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stages import params, settings
from stages.errors import nearest
from stages.params import FileSource, FolderSource, HubSource, Params
from stages.settings import Settings

EXTRAS = {
    "models": (("torch", "transformers", "diffusers"), "models in this process"),
    "gpu": (("vllm",), "models in this process on a GPU, fast"),
    "ray": (("ray",), "running on a cluster"),
    "paddle": (("paddleocr",), "reading text with PaddleOCR"),
}
"""Packages of each extra and what they are for. No stage uses them yet."""
LEAST_FREE_GB = 2.0
CORE = ("dvc", "git")


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. `needed`: the pipeline as set up cannot run without it."""

    what: str
    found: bool
    needed: bool
    remark: str


def findings() -> Iterator[Finding]:
    """Look at everything; raises UserError when params.yaml or run.toml is wrong."""
    parameters, run_settings = params.load(), settings.load()
    yield Finding("params.yaml", True, True, "all keys and values are right")
    for slug in run_settings.models.keys() - parameters.models.keys():
        remark = f"no such model in params.yaml{nearest(slug, parameters.models)}"
        yield Finding(f"run.toml: models.{slug}", False, False, remark)
    yield from sources(parameters)
    yield from labels(parameters)
    yield from roles(parameters, run_settings)
    for program in CORE:
        found = shutil.which(program) is not None
        yield Finding(program, found, True, "runs and versions the pipeline" if found else "put it on PATH")
    yield from extras()
    yield chinese_font()
    yield disk()


def sources(parameters: Params) -> Iterator[Finding]:
    """Whether every source file and folder is there, and whether the Hub may be asked; nothing is read or asked."""
    for source in parameters.sources:
        if isinstance(source, FileSource | FolderSource):
            found = Path(source.path).exists()
            remark = f"rows of wave {source.wave}" + ("" if found else ": put it there, or `dvc pull` it")
            yield Finding(source.path, found, True, remark)
        elif isinstance(source, HubSource):
            from huggingface_hub import constants

            offline = constants.is_offline_mode()
            remark = f"rows of wave {source.wave}, streamed from {constants.ENDPOINT} (not looked up here)"
            yield Finding(source.repo, not offline, True, remark + (": unset HF_HUB_OFFLINE" if offline else ""))


def labels(parameters: Params) -> Iterator[Finding]:
    """Whether the labels are there that filters are to be measured against."""
    if (path := parameters.calibrate.labels) is not None:
        found = Path(path).is_file()
        remark = "labels for calibrate" + ("" if found else ": put the file there, or set calibrate.labels to null")
        yield Finding(path, found, True, remark)


def roles(parameters: Params, run_settings: Settings) -> Iterator[Finding]:
    """Whether every role's model can be reached as run.toml says; nothing is asked."""
    for role, slug in parameters.roles.filled().items():
        model = parameters.models[slug]
        if model.kind == "sandbox":
            yield Finding(f"{role}: {slug}", True, True, "the embedded world")
            continue
        endpoint = run_settings.endpoint(slug)
        missing = []
        if endpoint.url is None:
            missing.append(f"set `url` under [models.{slug}] in run.toml")
        if endpoint.key_variable and not os.environ.get(endpoint.key_variable):
            missing.append(f"set the environment variable {endpoint.key_variable}")
        yield Finding(f"{role}: {slug}", not missing, True, "; ".join(missing) or f"{model.id} at {endpoint.url}")


def extras() -> Iterator[Finding]:
    """Which extras are installed, and what they are for."""
    for extra, (modules, purpose) in EXTRAS.items():
        found = all(importlib.util.find_spec(module) for module in modules)
        hint = "" if found else f"; pip install -e '.[{extra}]'"
        yield Finding(f"extra {extra}", found, False, f"for {purpose}, which no stage uses yet{hint}")


def chinese_font() -> Finding:
    """Whether the embedded world can paint Chinese lettering here."""
    from stages.sandbox.signs import cjk_font

    font = cjk_font()
    remark = "for Chinese lettering in the embedded world" + ("" if font else "; install one, such as Noto Sans CJK")
    return Finding("CJK font", font is not None, False, remark)


def disk() -> Finding:
    """Whether there is room for a build of the laptop profile."""
    free = shutil.disk_usage(settings.project_root()).free / 1e9
    return Finding(
        "disk", free >= LEAST_FREE_GB, True, f"{free:,.1f} GB free, the laptop build needs about {LEAST_FREE_GB}"
    )
