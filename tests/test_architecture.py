"""The house as it is meant to stand: arrows point one way, and dvc.yaml declares exactly the code a stage imports.

python tests/test_architecture.py      # rewrites the code dependencies in every dvc.yaml
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import grimp
import pytest
from ruamel.yaml import YAML

from tests.paths import ROOT

PIPELINES = [ROOT / "dvc.yaml", *sorted(ROOT.glob("stages/*/dvc.yaml"))]

LAYERS = [
    {"stages.sandbox"},
    {"stages.project"},
    {"stages.tables", "stages.texts"},
    {"stages.asking"},
    {"stages.evaluation"},
    {"stages.dataset", "stages.prism"},
    {"stages.leaderboard"},
    {"stages.publish"},
    {"stages.command"},
]
"""From the ground up. A module imports from its own layer or below; packages stand for all their modules."""
ROOMS = {"stages.dataset", "stages.prism"}
HEAVY = {
    "aiohttp", "diffusers", "paddleocr", "rapidocr", "ray", "safetensors", "sentence_transformers", "torch",
    "torchao", "transformers", "vllm",
}  # fmt: skip
AT_HOME = {
    "stages.asking.engine.cluster": {"ray"},
    "stages.asking.models.failures": {"aiohttp"},
    "stages.asking.models.http": {"aiohttp"},
    "stages.asking.models.diffusers": {"diffusers", "torch", "torchao", "transformers"},
    "stages.asking.models.image_embeddings": {"torch", "transformers"},
    "stages.asking.models.paddleocr": {"paddleocr"},
    "stages.asking.models.rapidocr": {"rapidocr"},
    "stages.asking.models.sentence_transformers": {"safetensors", "sentence_transformers", "torch", "transformers"},
    "stages.asking.models.torch_batches": {"safetensors", "torch", "transformers"},
    "stages.asking.models.transformers": {"torch", "transformers"},
    "stages.sandbox.ocr": {"rapidocr"},
}
"""Where each heavy package may be imported."""
WORLD = "stages/sandbox"
MODELS = "stages/asking/models"
NAMES_OF_FAULTS = {"stages/sandbox/__init__.py", "stages/sandbox/faults.py"}
"""All that a stage needs of the world that does not use it: params.yaml may name them."""


@cache
def graph() -> grimp.ImportGraph:
    sys.path.insert(0, str(ROOT))
    return grimp.build_graph("stages", include_external_packages=True, cache_dir=None)


def modules() -> list[str]:
    return sorted(m for m in graph().modules if m.split(".")[0] == "stages" and m != "stages")


def layer(module: str) -> int:
    found = [n for n, names in enumerate(LAYERS) if any(module == x or module.startswith(x + ".") for x in names)]
    assert found, f"{module} stands in no layer: add it to LAYERS"
    return found[0]


def imports(module: str) -> set[str]:
    return {m for m in graph().find_modules_directly_imported_by(module) if m in set(modules())}


def closure(module: str) -> set[str]:
    """What `python -m module` can import from this project: files, package files included.

    The embedded world counts as one, its folder: its revision is the hash of all its files. So do the kinds of model:
    params.yaml alone says which of them is opened.
    """
    found, queue = set(), [module]
    while queue:
        name = queue.pop()
        if name in found:
            continue
        found.add(name)
        parents = [name.rsplit(".", n)[0] for n in range(1, name.count(".") + 1)]
        queue += [*imports(name), *parents] if name != "stages" else []
    files = {path_of(name) for name in found}
    world = {file for file in files if file.startswith(WORLD)}
    if len(world) > len(NAMES_OF_FAULTS):
        files = files - world | {WORLD}
    models = {file for file in files if file.startswith(MODELS)}
    return files - models | {MODELS} if models else files


def is_code(dependency: str) -> bool:
    return dependency.startswith("stages/")


def path_of(module: str) -> str:
    path = Path(*module.split("."))
    return f"{path}/__init__.py" if (ROOT / path).is_dir() else f"{path}.py"


def declared() -> dict[str, dict]:
    """Every stage of every pipeline, those of rooms as `<room>.<stage>`; a matrix is one."""
    found = {}
    for file in PIPELINES:
        room = "" if file.parent == ROOT else f"{file.parent.name}."
        found |= {room + name: stage for name, stage in YAML(typ="safe").load(file.read_text())["stages"].items()}
    return found


def module_of(stage: dict) -> str:
    return re.fullmatch(r"python -m ([\w.]+)( \$\{item\.\w+\})*", stage["cmd"]).group(1)


@pytest.mark.parametrize("module", modules())
def test_arrows_point_one_way(module: str) -> None:
    too_high = {other for other in imports(module) if layer(other) > layer(module)}
    assert not too_high, f"{module} must not import {too_high}"
    room = {name for name in ROOMS if module.startswith(name)}
    other_rooms = {o for o in imports(module) if room and any(o.startswith(r) for r in ROOMS - room)}
    assert not other_rooms, f"{module} imports from another room: {other_rooms}"


@pytest.mark.parametrize("module", modules())
def test_no_cycles(module: str) -> None:
    assert not any(module in graph().find_upstream_modules(other) for other in imports(module))


@pytest.mark.parametrize("module", modules())
def test_heavy_packages_stay_at_home(module: str) -> None:
    external = {m.split(".")[0] for m in graph().find_modules_directly_imported_by(module)}
    assert external & HEAVY <= AT_HOME.get(module, set())


@pytest.mark.parametrize("name", declared())
def test_code_dependencies_are_exact(name: str) -> None:
    stage = declared()[name]
    code = {dep for dep in stage["deps"] if is_code(dep)}
    assert code == closure(module_of(stage)), "run `python tests/test_architecture.py` to rewrite dvc.yaml"


@pytest.mark.parametrize("name", declared())
def test_stage_and_module_share_a_name(name: str) -> None:
    module = module_of(declared()[name])
    function = module.rsplit(".", 1)[1]
    assert name in (function, ".".join(module.split(".")[1:]))
    assert f'main("{name}", {function}' in (ROOT / path_of(module)).read_text()


def test_import_datasets_is_hugging_face() -> None:
    code = "import datasets; print(datasets.load_dataset.__module__)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "datasets.load"


def rewrite() -> None:
    """Rewrite every stage's code dependencies; data dependencies, comments and order stay."""
    yaml = YAML()
    yaml.width, yaml.preserve_quotes = 120, True
    for file in PIPELINES:
        content = yaml.load(file.read_text())
        for stage in content["stages"].values():
            data = [dep for dep in stage["deps"] if not is_code(dep)]
            stage["deps"] = sorted(closure(module_of(stage))) + data
        out = io.StringIO()
        yaml.dump(content, out)
        file.write_text(out.getvalue())


if __name__ == "__main__":
    rewrite()
