"""Which files a module's code consists of, as an import graph has it, and what changes their digest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import grimp
import pytest

from gamut.project.code import WORLD, digest_of, files_beside, files_of, imported_by, path_of, require_no_code
from gamut.project.errors import UserError
from tests.copied_code import code_at
from tests.paths import ROOT


def test_all_that_a_module_imports_is_found_and_nothing_else() -> None:
    """Packages' own files are left out: what one holds that runs a stage is `process`, on which every stage depends."""
    graph = grimp.build_graph("gamut", "stages", exclude_type_checking_imports=True, cache_dir=None)
    is_file = {name: (ROOT / path_of(name)).is_file() for name in graph.modules}
    for module in filter(is_file.get, graph.modules):
        found, queue = set[str](), [module]
        while queue:
            name = queue.pop()
            if name not in found and (module.startswith(WORLD) or not name.startswith(WORLD)):
                found.add(name)
                queue += graph.find_modules_directly_imported_by(name) if is_file[name] else ()
        assert files_of(module) == sorted(path_of(name) for name in found if is_file[name]), module


def test_files_of_packages_hold_no_code() -> None:
    """But for what a process does first that runs a stage or a command, and gamut's own, which no module imports."""
    for file in (*(ROOT / "gamut").glob("*/**/__init__.py"), *(ROOT / "stages").rglob("__init__.py")):
        require_no_code(".".join(file.parent.relative_to(ROOT).parts))
    paths = [
        path.relative_to(ROOT).with_suffix("") for root in ("gamut", "stages") for path in (ROOT / root).rglob("*.py")
    ]
    modules = [".".join(path.parts) for path in paths if path.name != "__init__"]
    assert len(modules) > 300 and not [name for name in modules if "gamut" in imported_by(name)]


def test_steps_of_ones_own_are_code_of_what_gathers_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code_at(tmp_path, monkeypatch)
    (tmp_path / "stages/mine").mkdir(parents=True)
    for name, text in {"mine/__init__": "", "mine/b": "", "mine/a": "", "filters": "from stages import mine\n"}.items():
        (tmp_path / f"stages/{name}.py").write_text(text)
    assert files_of("stages.filters") == ["stages/filters.py", "stages/mine/a.py", "stages/mine/b.py"]


@pytest.fixture
def digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The digest of stages/toy/record.py in a project that has it and others, by name."""
    code_at(tmp_path, monkeypatch)
    (tmp_path / "stages/toy").mkdir(parents=True)

    def written(**texts: str) -> str:
        for name, text in texts.items():
            (tmp_path / f"stages/toy/{name}.py").write_text(text)
        return digest_of(files_of("stages.toy.record"))

    return written


@pytest.mark.parametrize(
    "imported",
    [
        "from stages.toy import helping\n",
        "from stages.toy.helping import read\n",
        "from stages.toy.other import (\n    read,\n)\nfrom stages.toy import (\n    unused,\n    helping as by,\n)\n",
        "import stages.toy.helping as helping\n",
        "def late():\n    from stages.toy import helping\n",
        "from .helping import read\n",
        "from . import helping\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a import b\n\nfrom stages.toy import helping\n",
    ],
)
def test_an_edit_of_what_is_imported_is_noticed_and_no_other(digest: Callable[..., str], imported: str) -> None:
    before = digest(record=imported, helping="MOST = 10\n", elsewhere="LEAST = 0\n")
    assert digest() == before == digest(elsewhere="LEAST = 1\n")
    assert digest(helping="MOST = 10  # of ten\n") != before
    assert digest(helping="MOST = 10\n", record=imported + "#") != before == digest(record=imported)


def test_what_is_imported_for_types_alone_is_no_code(digest: Callable[..., str]) -> None:
    record = "if TYPE_CHECKING:\n    from stages.toy.helping import Most\n"
    assert digest(record=record, helping="Most = int\n") == digest(helping="Most = float\n")


def test_code_of_a_package_s_own_file_is_refused(digest: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "stages/toy/shared").mkdir()
    (tmp_path / "stages/toy/shared/__init__.py").write_text('"""What is shared."""\n')
    digest(record="from stages.toy.shared import rule\n")
    (tmp_path / "stages/toy/rules").mkdir()
    (tmp_path / "stages/toy/rules/__init__.py").write_text("LOWEST = 3\n")
    with pytest.raises(UserError, match=r"^stages/toy/rules/__init__\.py contains code, whose changes no stage would"):
        digest(record="from stages.toy.rules import LOWEST\n")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import beside, json\n", ["beside.py"]),
        ("import json, beside as b\n", ["beside.py"]),
        ("from beside import x; import other\n", ["beside.py", "other.py"]),
        ("try: import beside\nexcept ImportError: pass\n", ["beside.py"]),
        (
            "def late():\n    from net.layers import (\n        attention,\n    )\n",
            ["net/__init__.py", "net/layers.py"],
        ),
        ("from net import layers, \\\n    norm\n", ["net/__init__.py", "net/layers.py", "net/norm.py"]),
        ("import net.layers\n", ["net/__init__.py", "net/layers.py"]),
        ("from net import deep\n", ["net/__init__.py", "net/deep.py", "net/norm.py", "net/util.py"]),
        ("import torch.nn\nfrom beside_not import x\n", []),
    ],
)
def test_what_a_file_imports_beside_it_is_found(tmp_path: Path, text: str, found: list[str]) -> None:
    """net/deep.py has `from . import norm` and `from .util import x`."""
    others = ["beside.py", "other.py", "net/__init__.py", "net/layers.py", "net/norm.py", "net/util.py"]
    texts = dict.fromkeys(others, "") | {"net/deep.py": "from . import norm\nfrom .util import x\n", "my.py": text}
    (tmp_path / "net").mkdir()
    for name, content in texts.items():
        (tmp_path / name).write_text(content)
    beside = [str(path.relative_to(tmp_path)) for path in files_beside(tmp_path / "my.py")]
    assert beside == sorted(["my.py", *found])
