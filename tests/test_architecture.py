"""The house as it is meant to stand: arrows point one way, and dvc.yaml declares what a stage imports."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import grimp
import pytest
from ruamel.yaml import YAML

from docs.house import LAYERS
from gamut.evaluation.curating.benchmarks import NAMES
from gamut.evaluation.defining.benchmark import benchmark_of
from gamut.evaluation.defining.cells import BOARD
from gamut.evaluation.defining.parameters import STAGE_OF
from gamut.pipeline.studies import studies
from gamut.project.code import OWN_MODELS, files_of
from gamut.project.pipeline import PIPELINE
from tests.paths import ROOT

PIPELINES = [ROOT / "dvc.yaml", *sorted(ROOT.glob("stages/**/dvc.yaml"))]

BENCHMARKS = [f"stages.{name}" for name in NAMES]
DOOR_TO_STEPS = "gamut.dataset.steps"
"""The one module of the library that imports the project's: benchmarks are found by their folders."""
BENCHMARKS = {"stages.dataset", *BENCHMARKS}
HEAVY = {
    "accelerate", "aiohttp", "diffusers", "onnxruntime", "paddleocr", "peft", "rapidocr", "ray", "safetensors",
    "sentence_transformers", "torch", "torch_fidelity", "torchao", "transformers", "vllm",
}  # fmt: skip
AT_HOME = {
    "gamut.asking.models.torch.adapters": {"peft", "safetensors"},
    "gamut.asking.models.torch.attention": {"torch"},
    "gamut.asking.models.torch.chat_network": {"torch", "transformers"},
    "gamut.asking.engine.cluster": {"ray"},
    "gamut.asking.models.http.failures": {"aiohttp"},
    "gamut.asking.models.http.client": {"aiohttp"},
    "gamut.asking.models.torch.diffusers": {"diffusers", "torch", "transformers"},
    "gamut.asking.models.torch.image_embeddings": {"torch", "torch_fidelity", "transformers"},
    "gamut.asking.models.torch.object_detection": {"torch", "transformers"},
    "gamut.asking.models.torch.painting_options": {"diffusers", "torch", "torchao"},
    "gamut.asking.models.ocr": {"paddleocr", "rapidocr"},
    "gamut.asking.models.http.sending": {"aiohttp"},
    "gamut.asking.models.torch.text_embeddings": {"safetensors", "sentence_transformers", "torch", "transformers"},
    "gamut.asking.models.torch.networks": {"safetensors", "torch", "transformers"},
    "gamut.asking.models.torch.picture_scores": {"torch", "transformers"},
    "gamut.asking.models.torch.picture_codes": {"torch", "transformers"},
    "gamut.asking.models.torch.transformers": {"torch", "transformers"},
    "gamut.asking.models.torch.unified": {"transformers"},
    "gamut.training.learners": {"peft", "torch"},
    "gamut.training.painter_loss": {"safetensors", "torch"},
    "gamut.training.picture_tokenizer": {"torch", "transformers"},
    "gamut.training.tiny_base": {"torch", "transformers"},
    "gamut.training.training": {"accelerate", "safetensors", "torch"},
    "gamut.training.unified_loss": {"safetensors", "torch"},
    "gamut.world.ocr": {"onnxruntime"},
}
"""Where each heavy package may be imported."""
WORLD = "gamut.world"
DOOR = "gamut.asking.models.world.sandbox"
"""The one module that imports the embedded world. Stages depend on the world by the files that `world` writes."""


@cache
def graph() -> grimp.ImportGraph:
    sys.path.insert(0, str(ROOT))
    return grimp.build_graph("gamut", "stages", include_external_packages=True, cache_dir=None)


@cache
def modules() -> list[str]:
    return sorted(m for m in graph().modules if m.startswith(("gamut.", "stages.")))


def layer(module: str) -> int:
    found = [n for n, names in enumerate(LAYERS) if any(module == x or module.startswith(x + ".") for x in names)]
    assert found, f"{module} stands in no layer: add it to LAYERS"
    return found[0]


@cache
def imports(module: str) -> set[str]:
    return {m for m in graph().find_modules_directly_imported_by(module) if m in set(modules())}


def covers(dependency: str, file: str) -> bool:
    return file == dependency or file.startswith(f"{dependency}/")


def is_code(dependency: str) -> bool:
    return dependency.startswith(("gamut/", "stages/")) and not dependency.endswith((".json", ".yaml"))


def path_of(module: str) -> str:
    path = Path(*module.split("."))
    return f"{path}/__init__.py" if (ROOT / path).is_dir() else f"{path}.py"


@cache
def declared() -> dict[str, dict]:
    """Every stage of every pipeline, those of benchmarks as `<folder>.<stage>`; a matrix is one."""
    found = {}
    for file in PIPELINES:
        curation = "" if file.relative_to(ROOT) == PIPELINE else f"{file.relative_to(ROOT).parts[1]}."
        found |= {curation + name: stage for name, stage in YAML(typ="safe").load(file.read_text())["stages"].items()}
    return found


def modules_of(stage: dict) -> list[str]:
    """The module that a stage runs; of what all benchmarks share also the record of the benchmark that it is told."""
    words = r"(?: (?:\$\{item\.\w+\}|\w+))*"
    module, benchmark = re.fullmatch(rf"python -m ([\w.]+)(?: (\w+))?{words}", stage["cmd"]).groups()
    return [module] if benchmark not in NAMES else [module, f"stages.{benchmark}.shared.benchmark"]


def imported_by(stage: dict) -> list[str]:
    """These, and what a board imports by the name that its record says."""
    module, *record = modules_of(stage)
    released = benchmark_of(record[0].split(".")[1]).released if module == BOARD else None
    return [module, *record, *([released.module] if released else [])]


def closure_of(stage: dict) -> set[str]:
    """What it can import from this project, as files; not the embedded world, nor packages' files."""
    return {*files_of(*imported_by(stage))}


def test_arrows_point_one_way() -> None:
    for module in modules():
        too_high = {other for other in imports(module) if layer(other) > layer(module) and module != DOOR_TO_STEPS}
        assert not too_high, f"{module} must not import {too_high}"
        curation = {name for name in BENCHMARKS if module.startswith(name)}
        other_benchmarks = {
            o for o in imports(module) if curation and any(o.startswith(r) for r in BENCHMARKS - curation)
        }
        assert not other_benchmarks, f"{module} imports from another benchmark: {other_benchmarks}"


KINDS = "gamut.asking.models."
OVER_HTTP = ("vllm", "http")
"""A vLLM server is started here, and asked as any other."""


def test_no_kind_of_models_imports_what_is_anothers() -> None:
    folders = {path.parent.name for path in (ROOT / KINDS.replace(".", "/")).glob("*/__init__.py")}
    used = {
        (module.removeprefix(KINDS).split(".")[0], other.removeprefix(KINDS).split(".")[0])
        for module in modules()
        for other in imports(module)
        if module.startswith(KINDS) and other.startswith(KINDS)
    }
    assert {(one, other) for one, other in used if one in folders and other in folders - {one}} == {OVER_HTTP}
    shared = {one for one, other in used if one not in folders and other in folders}
    assert shared == {"opening"}, "what all share knows no kind; opening opens each"


def test_the_library_imports_the_project_at_one_door() -> None:
    found = {m for m in modules() if m.startswith("gamut.") and any(o.startswith("stages.") for o in imports(m))}
    assert found == {DOOR_TO_STEPS}


def test_no_cycles() -> None:
    for module in modules():
        assert not any(module in graph().find_upstream_modules(other) for other in imports(module)), module


def test_heavy_packages_stay_at_home() -> None:
    for module in modules():
        external = {m.split(".")[0] for m in graph().find_modules_directly_imported_by(module)}
        assert external & HEAVY <= AT_HOME.get(module, set()), module


def test_what_takes_long_to_import_is_imported_where_it_is_needed() -> None:
    """Not with the module: each command and each stage would wait for it."""
    for module in modules():
        tree = ast.parse((ROOT / path_of(module)).read_text())
        first = {node.module or "" for node in tree.body if isinstance(node, ast.ImportFrom)}
        first |= {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
        assert not {name.split(".")[0] for name in first} & {"datasketch", "scipy", "sklearn"}, module


@pytest.mark.parametrize("name", declared())
def test_every_import_is_declared_and_nothing_else(name: str) -> None:
    stage = declared()[name]
    code = [dep for dep in stage["deps"] if is_code(dep)]
    files = closure_of(stage)
    missing = {file for file in files if not any(covers(dep, file) for dep in code)}
    assert not missing, f"{name} imports what it does not declare"
    if name in ("world", "players"):
        code = [dep for dep in code if dep not in (path_of(WORLD).removesuffix("/__init__.py"), OWN_MODELS)]
    needless = {dep for dep in code if not any(covers(dep, file) for file in files)}
    assert not needless, f"{name} declares what it does not import"
    assert not [dep for dep in code for other in code if dep != other and covers(dep, other)], "declared twice"


@pytest.mark.parametrize("name", declared())
def test_no_declared_folder_has_a_pipeline_of_its_own(name: str) -> None:
    """DVC writes dvc.lock there: the stage would never be up to date."""
    folders = [ROOT / dep for dep in declared()[name]["deps"] if is_code(dep) and (ROOT / dep).is_dir()]
    assert not [file for folder in folders for file in folder.rglob("dvc.yaml")]


def test_only_its_door_imports_the_world() -> None:
    importing = {m for m in modules() if not m.startswith(WORLD) and any(o.startswith(WORLD) for o in imports(m))}
    assert importing == {DOOR}


def test_pipeline_files_are_short() -> None:
    lines = {str(file.parent): len(file.read_text().splitlines()) for file in PIPELINES}
    assert lines.pop(str(ROOT)) <= 300 and max(lines.values()) <= 200


@pytest.mark.parametrize("name", declared())
def test_stage_and_module_share_a_name(name: str) -> None:
    module, *record = modules_of(declared()[name])
    function = module.rsplit(".", 1)[1]
    code = (ROOT / path_of(module)).read_text()
    curation, _, own = name.partition(".")
    if curation == "editions":
        assert module == f"stages.{own.partition('_')[0]}.construction.steps" and "main_of(" in code
    elif record:
        others = dict.fromkeys(STAGE_OF.values(), "observe") | {"describe": "rewrite"}
        assert others.get(own, own) == function and record == [f"stages.{curation}.shared.benchmark"]
        assert f"partial({function}, benchmark" in code and f"{function}(" in code
    else:
        if name == f"{function}.pages":  # of a folder, in a module of the report that is called like it
            module, function = f"stages.{name}", "pages"
        assert name in (function, ".".join(module.replace(".construction", "").split(".")[1:]))
        started = re.search(rf"start\((STEP|{name.upper()})\b", code)
        assert started or re.search(rf'main\("{re.escape(name)}", (lambda params: )?{function}\b', code)


def running_again(file: str) -> set[str]:
    """The stages that DVC runs again when a file of code changes."""
    assert (ROOT / file).is_file()
    return {name for name, stage in declared().items() if any(covers(dep, file) for dep in stage["deps"])}


def test_a_change_of_code_runs_again_what_it_concerns() -> None:
    curations = {name.partition(".")[0] if "." in name else "dataset" for name in declared()}
    assert curations == {"dataset", "editions", *NAMES, *studies()}
    for file in ("command/check.py", "command/cli.py", "deciding/desk.py", "publish/parameters.py", "publish/hub.py"):
        assert running_again(f"gamut/{file}") == set()
    for benchmark in NAMES:
        for path in (ROOT / "stages" / benchmark).rglob("*.py"):
            again = running_again(str(path.relative_to(ROOT)))
            assert all(name.startswith((f"{benchmark}.", f"editions.{benchmark}_")) for name in again)
    assert running_again("gamut/world/judging.py") == {"world", "players"}
    parameters = running_again("gamut/dataset/shared/parameters.py")
    assert not {name for name in parameters if name.startswith("prism.")} and "leaderboard" not in parameters
    for driver in (
        "scoring/board.py",
        "boards/rank.py",
        "boards/score.py",
        "curating/freeze.py",
        "curating/review.py",
    ):
        assert (
            running_again(f"gamut/evaluation/{driver}") & {"prism.answer", "prism.judge", "editions.gir_draft"} == set()
        )
    assert "prism.answer" not in running_again("stages/prism/curation.py")


def test_folders_of_benchmarks_alone_name_a_benchmark() -> None:
    """But for the world, whose roles answer them, and a paper's title."""
    code = [*ROOT.glob("gamut/**/*.py"), *ROOT.glob("stages/**/*.py")]
    files = [*code, ROOT / "dvc.yaml", ROOT / "Makefile", ROOT / "pyproject.toml"]
    at_home = [ROOT / "gamut/world", *(ROOT / "stages" / name for name in NAMES)]
    title = re.compile(r"FLUX-Reason-6M (and|&|\\\\&) PRISM-Bench")
    to_come = ("prism", "aegis", "gapeval", "genius", r"\bgir\b", "gir-bench")
    plain = [name for name in NAMES if name != "own"]  # a word of English: looked for as code has it
    coded = (r"""["'/.]own["'/]""", r"stages\.own\b")
    named = re.compile("|".join([*(rf"\b{name}\b" for name in plain), *to_come, *coded]), re.IGNORECASE)
    lines = {
        f"{file.relative_to(ROOT)}:{number}: {line}"
        for file in files
        if not any(file.is_relative_to(home) for home in at_home)
        for number, line in enumerate(title.sub("", file.read_text()).splitlines(), start=1)
        if named.search(line)
    }
    assert not lines


def test_no_two_test_files_share_a_name() -> None:
    """pytest imports them by it: it would collect neither in a run of all folders, though each folder passes alone."""
    names = Counter(file.name for file in ROOT.glob("tests/**/test_*.py"))
    assert not [name for name, times in names.items() if times > 1]


def test_import_datasets_is_hugging_face() -> None:
    code = "import datasets; print(datasets.load_dataset.__module__)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "datasets.load"


def normal(name: str) -> str:
    """A distribution's name as all spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


IMPORT = re.compile(r"^\s*(?:from (\w+)[\w.]* import |import (\w+))", re.MULTILINE)


def test_every_package_that_is_imported_is_declared() -> None:
    said = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = said["optional-dependencies"]
    wanted = [*said["dependencies"], *(one for name in extras if name != "dev" for one in extras[name])]
    declared = {normal(re.match(r"[\w.-]+", one)[0]) for one in wanted}
    texts = (file.read_text() for root in ("gamut", "stages") for file in ROOT.glob(f"{root}/**/*.py"))
    imported = {one or other for text in texts for one, other in IMPORT.findall(text)}
    provided = packages_distributions()
    for name in imported - sys.stdlib_module_names - {"gamut", "stages"}:
        by = provided.get(name, [name])  # of an extra that is not here: its name
        assert declared & {*map(normal, by)}, name
    assert not [one for one in wanted if one.startswith("dvc>") and "<" not in one], "its files are relied on"
