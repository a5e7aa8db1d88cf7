"""All files of a version: which, in which order, with which bytes; and what is said when something is missing."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from datasets import load_dataset

from gamut.dataset.reporting.outputs import CARD, CONTACT_SHEET
from gamut.dataset.shared import joins
from gamut.evaluation.curating.benchmarks import curations
from gamut.project.errors import UserError
from gamut.publish import products
from gamut.publish.content import version_files
from gamut.publish.files import File
from gamut.publish.products import find_product
from gamut.publish.publishing import unlicensed_sources
from stages.dataset import captions, preferences
from tests.dataset.small_build import L0, put
from tests.fakes import jpeg
from tests.publish import small_version

PARAMS = small_version.params()


@pytest.fixture
def built(project: Path, finished: Path) -> Path:
    """The small build and edition, a copy that a test may harm."""
    shutil.copytree(finished, project, dirs_exist_ok=True)
    return project


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("build")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        small_version.build()
        small_version.edition()
    return folder


def version(name: str) -> list[File]:
    return version_files(find_product(name, PARAMS), PARAMS)


def test_the_files_of_a_dataset_in_their_order(built: Path) -> None:
    def shards(table: str, folder: str) -> list[str]:
        listed = json.loads(Path(table, "_manifest.json").read_text())["shards"]
        digests = [shard["sha256"][:8] for shard in listed]
        waves = zip(("legacy", "imagined", "mined"), digests, strict=True)
        return [f"{folder}/{wave}-00000-{sha}.parquet" for wave, sha in waves]

    assert [file.path for file in version("dataset")] == [
        *shards("datasets/release", "data"),
        *shards("datasets/provenance", "provenance"),
        "data/_manifest.json",
        "provenance/_manifest.json",
        "README.md",
        "pictures/contact_sheet.webp",
        "manifest.json",
    ]


def test_the_files_of_an_edition_in_their_order(built: Path) -> None:
    files = version("prism")
    lines, table = (f"data/small-{file.sha256[:8]}" for file in files[:2])
    assert [file.path for file in files] == [
        f"{lines}.jsonl",
        f"{table}.parquet",
        "README.md",
        "manifest.json",
    ]


@pytest.mark.parametrize("name", ["dataset", "prism"])
def test_every_size_and_sha256_is_that_of_the_bytes(built: Path, name: str) -> None:
    for file in version(name):
        assert (file.size, file.sha256) == (len(file.read()), hashlib.sha256(file.read()).hexdigest()), file.path


@pytest.mark.parametrize("name", ["dataset", "prism"])
def test_the_manifest_names_all_others(built: Path, name: str) -> None:
    *others, last = version(name)
    whole = json.loads(last.read())
    assert (whole["name"], whole["version"], whole["rows"]) == (name, "0.1.0", {"dataset": 2, "prism": 3}[name])
    assert [(of["path"], of["bytes"], of["sha256"]) for of in whole["files"]] == [
        (file.path, file.size, file.sha256) for file in others
    ]
    data = {"dataset": "datasets/release", "prism": "datasets/editions/prism"}[name]
    table = others[1].path if name == "prism" else None  # which follows from the lines
    for of in whole["files"]:
        assert ("name" in of) == (of["path"].startswith(("data/", "provenance/")) and of["path"] != table)
        if "name" in of:
            folder = Path(data if of["path"].startswith("data/") else "datasets/provenance")
            assert hashlib.sha256((folder / of["name"]).read_bytes()).hexdigest() == of["sha256"]


@pytest.mark.parametrize("name", ["dataset", "prism"])
def test_the_same_bytes_whenever_and_wherever(built: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another folder, endpoint and git revision, and later."""
    first = {file.path: file.read() for file in version(name)}
    elsewhere = built / "elsewhere"
    shutil.copytree(built, elsewhere, ignore=shutil.ignore_patterns("elsewhere"))
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("HF_ENDPOINT", "http://localhost:1")
    commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"]
    for arguments in (["init", "-q"], commit):
        subprocess.run(["git", *arguments], check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    second = {file.path: file.read() for file in version(name)}
    assert second == first
    assert not any(word.encode() in of for of in first.values() for word in (head, "localhost", str(built)))


def test_rows_are_neither_opened_nor_read(built: Path) -> None:
    found = find_product("dataset", PARAMS)
    before = version_files(found, PARAMS)
    for file in found.files:
        file.local.unlink()
    assert version_files(found, PARAMS) == before


def test_what_says_where_pictures_come_from_is_of_the_same_build(built: Path) -> None:
    path = Path("datasets/provenance/_manifest.json")
    whole = json.loads(path.read_text())
    whole["shards"][0]["rows"] += 1
    path.write_text(json.dumps(whole))
    with pytest.raises(
        UserError, match=r"^datasets/provenance and datasets/release have different rows: `dvc repro release` writes"
    ):
        version("dataset")
    shutil.rmtree(path.parent)
    with pytest.raises(UserError, match=r"^datasets/provenance: there is no finished table here: run `dvc repro`"):
        version("dataset")


def test_pairs_of_pictures_are_a_configuration_where_there_are_any(built: Path, tmp_path: Path) -> None:
    plain = version("dataset")
    put(joins.table_of("preferences"), [], preferences.SCHEMA)
    assert version("dataset") == plain, "an empty table is not published"
    image = {"bytes": jpeg("red", (64, 48)), "path": None}
    pair = {"id": L0, "prompt": "p", "chosen": image, "rejected": image, "chosen_id": L0, "rejected_id": f"{L0}_1"}
    pair |= {"score_chosen": 9.0, "score_rejected": 7.25, "by": "follows, clarity"}
    put(joins.table_of("preferences"), [pair], preferences.SCHEMA)
    files = version("dataset")
    new = [file.path for file in files if file.path not in {one.path for one in plain}]
    assert [path.partition("/")[0] for path in new] == ["preferences"] * 4 and "preferences/_manifest.json" in new
    folder = small_version.lay_out(files, tmp_path / "version")
    line = (
        'preferences = load_dataset("org/name", "preferences", split="train", revision="v0.1.0")  # join by chosen_id'
    )
    assert line in (folder / "README.md").read_text()
    found = load_dataset(str(folder), "preferences", cache_dir=str(tmp_path / "cache"), split="train")
    assert found.num_rows == 1 and found[0]["rejected"].size == (64, 48) and found[0]["score_rejected"] == 7.25
    assert load_dataset(str(folder), cache_dir=str(tmp_path / "cache"), split="train").num_rows == 2


def test_captions_of_lengths_are_a_configuration_too(built: Path, tmp_path: Path) -> None:
    names, pairs = ("English", "German"), [("short", "a red car"), ("long", "a red car on a road")]
    rows = [{"id": L0, "language": name, "length": length, "caption": text} for length, text in pairs for name in names]
    put(joins.table_of("captions"), rows, captions.SCHEMA)
    folder = small_version.lay_out(version("dataset"), tmp_path / "version")
    line = 'captions = load_dataset("org/name", "captions", split="train", revision="v0.1.0")  # join by id'
    assert line in (folder / "README.md").read_text()
    found = load_dataset(str(folder), "captions", cache_dir=str(tmp_path / "cache"), split="train")
    assert found.to_list() == rows


@pytest.mark.parametrize("missing", [CARD, CONTACT_SHEET])
def test_what_is_missing_is_named_with_what_mends_it(built: Path, missing: Path) -> None:
    missing.unlink()
    with pytest.raises(UserError, match=rf"^the .* {missing} is missing: `dvc repro statistics`.*`git restore [^\n]*$"):
        version("dataset")


def test_what_its_benchmark_withholds_is_not_published(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    curation = replace(curations()["prism"], withheld=lambda items: f"{len(items)} prompts are for research alone")
    monkeypatch.setattr(products, "curations", lambda: {"prism": curation})
    with pytest.raises(UserError, match=r"prism/small\.jsonl may not be published: 3 prompts are for research alone"):
        find_product("prism", PARAMS)


def test_sources_without_a_licence_are_named_before_their_texts_go_out(built: Path) -> None:
    file = {"kind": "file", "path": "datasets/sources/a.csv", "columns": {"caption": "c"}}
    sources = [
        file | {"wave": "unknown"},
        file | {"wave": "known", "license": "CC BY 4.0"},
        file | {"wave": "kept", "redistributable": False},
        {"kind": "sandbox", "wave": "world", "count": 1},
    ]
    [line] = unlicensed_sources(find_product("dataset", PARAMS), small_version.params(sources=sources))
    assert line.startswith(
        "sources.0 (unknown) names no `license`: its captions are published as caption_original, its prompts"
    )
    assert not list(unlicensed_sources(find_product("prism", PARAMS), small_version.params(sources=sources)))
