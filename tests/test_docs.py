"""What the documents say of the code is so."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

from docs import house, messages
from gamut.command.cli import DISTRIBUTION
from gamut.project.validation import read_yaml
from tests.diffs import DIFFS
from tests.paths import ROOT


def test_the_house_is_as_the_code_says() -> None:
    assert house.PAGE.read_text() == house.text(), "run `python docs/house.py` to write it anew"


def test_the_messages_are_those_of_the_code() -> None:
    assert messages.PAGE.read_text() == messages.text(), "run `python docs/messages.py`, and read what has changed"


def test_every_file_that_a_document_names_is_there() -> None:
    for document in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        named = re.findall(r"`((?:gamut|stages|tests|bench|docs|profiles)/[\w./-]+)`", document.read_text())
        missing = [name for name in named if not (ROOT / name).exists()]
        assert not missing, f"{document.name} names what is not there"


def test_every_file_that_shows_the_way_is_there() -> None:
    """Of llms.txt and AGENTS.md: links, and paths in code."""
    for name in ("llms.txt", "AGENTS.md"):
        text = (ROOT / name).read_text()
        paths = {*re.findall(r"\]\(([\w./-]+)\)", text), *re.findall(r"`((?:[\w.-]+/)+[\w.-]*|[\w-]+\.yaml)`", text)}
        assert len(paths) > 15 and [path for path in sorted(paths) if not made_here(path)] == [], name


def made_here(path: str) -> bool:
    """Whether a file is there, or a build makes it."""
    return (ROOT / path).exists() or path == "report/index.html"


def test_llms_txt_has_its_form() -> None:
    """llmstxt.org: a title, a summary, words, sections of links with a line each."""
    title, summary, *rest = (ROOT / "llms.txt").read_text().split("\n\n")
    assert title == "# gamut" and summary.startswith("> ") and "\n" not in summary
    sections = "\n\n".join(rest).split("\n## ")[1:]
    assert len(sections) == 4
    for section in sections:
        heading, _, lines = section.partition("\n\n")
        assert heading and all(re.fullmatch(r"- \[[^\]]+\]\([^)]+\): .+", line) for line in lines.strip().split("\n"))


def test_the_example_of_a_benchmark_is_the_toy() -> None:
    toy = ROOT / "docs/toy/stages/toy"
    shown = re.findall(r"```python\n(.*?)```", (ROOT / "docs/benchmarks.md").read_text(), re.DOTALL)
    assert shown == [(toy / "shared/benchmark.py").read_text()]
    files_of_it = [
        file
        for file in (ROOT / "docs/toy").rglob("*.*")
        if file.is_file() and file.name != ".gitkeep" and file.parent.name != "__pycache__"
    ]
    lines = sum(len(file.read_text().splitlines()) for file in files_of_it if file.suffix != ".parquet")
    code = sum(len(file.read_text().splitlines()) for file in files_of_it if file.suffix == ".py")
    assert len(files_of_it) <= 8 and code <= 130 and not [*toy.rglob("dvc.yaml")]
    assert f"in {lines} lines" in (ROOT / "docs/benchmarks.md").read_text()


def test_no_module_lies_loose() -> None:
    for root in ("gamut", "stages"):
        assert [path.name for path in Path(ROOT, root).glob("*.py")] == ["__init__.py"]


FOREIGN = re.compile(
    r"\b(?:pip3?|pipx|uvx?|poetry|conda|mamba)\b[^\n`&|;#]*[ \t]['\"]?gamut(?![\w.-])"
    r"|\bgamut(?:\[[a-z,]+\]|\s?[=~<>!]=)|\bgamut-\d\S*\.(?:whl|tar)|\bpypi\.org/\w+/gamut(?![\w-])"
)
"""What takes the other program of the package index whose name is `gamut`."""


def test_nobody_is_sent_to_another_program() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [ROOT / name for name in listed.split("\0") if name and name != "tests/test_docs.py"]
    texts = {path: path.read_bytes().decode(errors="replace") for path in files if path.is_file()}
    assert {path.name: found[0] for path, text in texts.items() if (found := FOREIGN.search(text))} == {}


def test_it_is_noticed_where_somebody_is() -> None:
    wrong = """\
`pip install gamut`
pip install --upgrade gamut && gamut check
python -m pip install -c constraints.txt 'gamut[models]'
pip3 install dvc gamut  # both
uv add gamut
uvx gamut
"gamut>=0.1",
gamut == 0.1.0
https://pypi.org/project/gamut/
dist/gamut-0.1.0-py3-none-any.whl""".splitlines()
    right = """\
pip install --upgrade gamut-t2i && gamut check
`pip install` the wheel and `gamut check`
dist/gamut_t2i-0.1.0-py3-none-any.whl
https://pypi.org/project/gamut-t2i/""".splitlines()
    assert [line for line in wrong + right if FOREIGN.search(line)] == wrong


def test_what_stands_beside_the_project_says_the_same_of_it() -> None:
    said = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = read_yaml(ROOT / "CITATION.cff")
    assert said["name"] == DISTRIBUTION
    assert (citation["version"], citation["license"]) == (said["version"], said["license"])
    assert citation["abstract"] == f"{said['description']}." and citation["cff-version"] == "1.2.0"
    [tried] = read_yaml(ROOT / ".github/workflows/ci.yml")["jobs"].values()
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(said["classifiers"]))
    assert tried["strategy"]["matrix"]["python"] == named and tried["steps"][-1] == {"run": ".ci/run"}


def test_diffs_of_contributing_fit() -> None:
    named = re.findall(r"\]\(docs/diffs/([\w.]+)\)", (ROOT / "CONTRIBUTING.md").read_text())
    diffs = sorted(DIFFS.glob("*.diff"))
    assert sorted(named) == [diff.name for diff in diffs]
    for diff in diffs:
        subprocess.run(["git", "apply", "--check", str(diff)], cwd=ROOT, check=True)
