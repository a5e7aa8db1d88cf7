"""The stage: every file it writes, the same bytes when it runs again, plots that add up, and the table for a person."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from gamut.dataset.reporting import statistics as stage
from gamut.dataset.reporting.figures import gather_figures
from gamut.dataset.reporting.statistics import statistics, tables
from tests.dataset import small_build
from tests.paths import ROOT

OUTPUTS = [
    "datasets/card.md",
    "metrics/contact_sheet.webp",
    "metrics/dataset.json",
    "metrics/summary.json",
    *(f"metrics/plots/{name}.csv" for name in ("captions_per_picture", "reasons", "scores", "sources", "word_counts")),
]


def outputs() -> dict[str, bytes]:
    return {path: Path(path).read_bytes() for path in OUTPUTS}


def rows(name: str) -> list[dict[str, str]]:
    with Path(f"metrics/plots/{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Where the small build was counted, and what was said."""
    folder, said = tmp_path_factory.mktemp("build"), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(said):
        small_build.write()
        said.truncate(0)
        statistics(small_build.params())
    return folder, said.getvalue()


def test_the_same_build_gives_the_same_bytes(built: tuple[Path, str], project: Path) -> None:
    with contextlib.chdir(built[0]):
        first = outputs()
    small_build.write()
    statistics(small_build.params())
    assert outputs() == first


def test_plots_add_up(built: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(built[0])
    report = json.loads(stage.METRICS.read_text())
    for name, of in report["descriptions"].items():
        assert sum(int(row[name]) for row in rows("word_counts")) == of["captions"]
    assert [row["words"] for row in rows("word_counts")] == ["0", "10", "20", "30", "40"]  # the longest has 40 words
    assert [row["detail"] for row in rows("word_counts")] == ["0", "0", "1", "0", "1"]
    assert [row["score"] for row in rows("scores")] == [str(n) for n in range(11)]
    assert [row["image_clarity"] for row in rows("scores")] == ["0"] * 3 + ["1"] + ["0"] * 4 + ["1"] * 3  # 3, 8, 9, 10
    assert [tuple(row.values()) for row in rows("sources")] == [("legacy", "1"), ("imagined", "1"), ("mined", "0")]
    assert [tuple(row.values()) for row in rows("captions_per_picture")] == [("1", "0"), ("2", "1"), ("3", "1")]
    assert {row["reason"]: row["rows"] for row in rows("reasons")} == {
        "legible: legibility": "1",
        "prompts: duplicate": "1",
        "prompts: invalid_input": "1",
        "prompts: rewrite_parse_error": "1",
        "synthesize: unsupported": "1",
        "admit: clarity": "1",
        "originals: alignment": "1",
        "hold_out: benchmark": "1",
    }


def test_a_build_of_which_nothing_came(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small_build.empty()
    statistics(small_build.params())
    assert set(outputs()) == set(OUTPUTS)
    assert [set(row.values()) for row in rows("word_counts")] == [{"0"}]
    assert rows("captions_per_picture") == [{"captions": "1", "pictures": "0"}] and rows("reasons") == []
    assert "datasets/release │    0 │ 0 captions in each language" in capsys.readouterr().out


def test_what_a_person_reads(built: tuple[Path, str]) -> None:
    lines = built[1].lstrip("\0").splitlines()
    table = [line for line in lines if line[:1] in "┏┃┡│└"]
    assert {len(line) for line in table} <= {max(len(line) for line in table)} and len(table[0]) <= 80
    text = " ".join(" ".join(line.split("│")[-2].split()) for line in table if line.startswith("│"))
    assert "5 kept, 1 duplicate, 1 invalid_input, 1 legibility, 1 rewrite_parse_error" in text
    assert text.endswith("5 captions in each language, 2.5 a picture")


def test_dvc_draws_every_column(project: Path) -> None:
    """dvc.yaml names the columns of the plots: all of them, and no other."""
    small_build.empty()
    found = {
        f"metrics/plots/{name}.csv": columns
        for name, (columns, _) in tables(gather_figures(small_build.params())).items()
    }
    drawn: dict[str, set[str]] = {}
    for plot in YAML(typ="safe").load((ROOT / "dvc.yaml").read_text())["plots"]:
        [(_, of)] = plot.items()
        for path, columns in of["y"].items():
            drawn.setdefault(path, {of["x"]}).update([columns] if isinstance(columns, str) else columns)
    assert {path: drawn.get(path) for path in found} == {path: set(columns) for path, columns in found.items()}


def test_dvc_declares_what_is_written() -> None:
    """All outputs lie in git."""
    content = YAML(typ="safe").load((ROOT / "dvc.yaml").read_text())
    entry = content["stages"]["statistics"]
    declared = [of for key in ("metrics", "outs") for of in entry[key]]
    assert all(options == {"cache": False} for of in declared for options in of.values())
    paths = {path for of in declared for path in of}
    assert {path if not path.startswith("metrics/plots/") else "metrics/plots" for path in OUTPUTS} == paths
    assert entry["metrics"] == [{str(stage.SUMMARY): {"cache": False}}] and "metrics" not in content
