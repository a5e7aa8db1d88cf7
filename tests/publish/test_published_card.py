"""README.md: what its front matter says is what `datasets` and `huggingface_hub` read; what a person finds in it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from datasets import Image, Value, VerificationMode, load_dataset
from datasets.info import DatasetInfosDict
from huggingface_hub import DatasetCard

from gamut.project.markdown import escape_markdown
from gamut.publish.card import bibtex, size_category
from gamut.publish.content import version_files
from gamut.publish.parameters import Publication
from gamut.publish.products import find_product
from tests.publish import small_version


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """A version of each product, laid out as on the Hub."""
    return small_version.laid_out(tmp_path_factory.mktemp("build"), ["Ada"])


def load(folder: Path, cache: Path, **options: Any) -> Any:
    """Everything that can be verified is verified."""
    return load_dataset(str(folder), cache_dir=str(cache), verification_mode=VerificationMode.ALL_CHECKS, **options)


def front_matter(folder: Path) -> dict[str, Any]:
    return DatasetCard.load(folder / "README.md").data.to_dict()


def promised(folder: Path) -> Any:
    """What the front matter says of columns and splits, as `datasets` understands it."""
    return DatasetInfosDict.from_dataset_card_data(DatasetCard.load(folder / "README.md").data)["default"]


def test_the_dataset_loads_as_its_card_says(versions: Mapping[str, Path], tmp_path: Path) -> None:
    """Three shards, the last without rows."""
    folder = versions["dataset"]
    found = load(folder, tmp_path)
    said = promised(folder)
    assert {name: len(of) for name, of in found.items()} == {"train": 2}
    assert {name: of.num_examples for name, of in said.splits.items()} == {"train": 2}
    assert found["train"].features == said.features and isinstance(said.features["image"], Image)
    row = found["train"][0]
    assert row["id"] == "legacy-00000000" and row["caption_entity"] == "two shiny red apples"
    assert (row["image"].size, row["image"].format, row["image"].getpixel((5, 5))) == ((64, 48), "JPEG", (254, 0, 0))


def test_where_pictures_come_from_loads_as_a_second_configuration(versions: Mapping[str, Path], tmp_path: Path) -> None:
    found = load(versions["dataset"], tmp_path, name="provenance")["train"]
    assert found.column_names == ["id", "wave", "route", "source", "license", "source_id", "prompt"]
    assert found["id"] == load(versions["dataset"], tmp_path)["train"]["id"] == ["legacy-00000000", "imagined-00000000"]
    assert found["prompt"] == ["p", "p"] and found["route"] == ["rewrite", "imagine"]
    assert 'load_dataset("org/name", "provenance", split="train", revision="v0.1.0")' in (
        versions["dataset"] / "README.md"
    ).read_text(encoding="utf-8")


def test_shards_of_the_next_version_beside_it_are_not_loaded(versions: Mapping[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "version"
    shutil.copytree(versions["dataset"], folder)
    first = next(folder.glob("data/legacy-*.parquet"))
    shutil.copy(first, folder / "data/legacy-00000-ffffffff.parquet")
    assert load(folder, tmp_path / "cache")["train"].num_rows == 2


def test_an_edition_loads_as_its_card_says(versions: Mapping[str, Path], tmp_path: Path) -> None:
    """`row` is null everywhere in this edition, and text by its card: another version may have ids there."""
    found, said = load(versions["prism"], tmp_path), promised(versions["prism"])
    assert {name: len(of) for name, of in found.items()} == {"test": 3} and said.splits["test"].num_examples == 3
    assert found["test"].features == said.features
    assert {*said.features} == {"id", "track", "origin", "prompt", "prompt_zh", "row", "row_sha256"}
    assert all(kind == Value("string") for kind in said.features.values())
    assert found["test"][1]["prompt_zh"] == "写“甲”。" and found["test"][1]["row"] is None


@pytest.mark.parametrize("name", ["dataset", "prism"])
def test_the_front_matter_is_complete(versions: Mapping[str, Path], name: str) -> None:
    folder = versions[name]
    data = front_matter(folder)
    tasks = ["text-to-image", *(["image-to-text"] if name == "dataset" else [])]
    assert (data["pretty_name"], data["license"], data["language"]) == ("Small", "cc0-1.0", ["en", "zh"])
    assert (data["size_categories"], data["task_categories"]) == (["n<1K"], tasks)
    assert "gamut" in data["tags"] and "license_link" not in data
    infos = data["dataset_info"] if name == "dataset" else [data["dataset_info"]]
    folders = {"default": "data", "provenance": "provenance"} if name == "dataset" else {"default": "data"}
    assert [config["config_name"] for config in data["configs"]] == list(folders)
    for config, info, of in zip(data["configs"], infos, folders.values(), strict=True):
        rows = [*folder.glob(f"{of}/*.parquet")]
        [files] = config["data_files"]
        assert files["split"] == {"dataset": "train", "prism": "test"}[name]
        assert set(files["path"]) == {str(path.relative_to(folder)) for path in rows}
        size = sum(path.stat().st_size for path in rows)
        assert info["download_size"] == info["dataset_size"] == info["splits"][0]["num_bytes"] == size


def test_pictures_are_shown_from_where_a_version_has_them(versions: Mapping[str, Path]) -> None:
    folder = versions["dataset"]
    text = (folder / "README.md").read_text()
    shown = [piece.partition(")")[0] for piece in text.split("](")[1:]]
    assert shown == ["pictures/contact_sheet.webp"]
    assert all((folder / path).is_file() for path in shown)


@pytest.mark.parametrize(
    "title", ['A "quoted": title # 1', "{braces} & 100 %", "- [x] | 甲乙 'é'", "yes", "2024-01-01", "---", "a\\b~^_$"]
)
def test_a_title_of_odd_characters_is_read_back(project: Path, title: str) -> None:
    small_version.edition()
    params = small_version.params({"title": title, "authors": [title]})
    folder = small_version.lay_out(version_files(find_product("prism", params), params), project / "version")
    assert front_matter(folder)["pretty_name"] == title
    assert f"\n# {escape_markdown(title)}\n" in (folder / "README.md").read_text()


def test_a_licence_that_is_not_in_the_list_is_linked(project: Path) -> None:
    small_version.edition()
    other = {"license": "other", "license_name": "ours-1.0", "license_link": "https://example.org/ours"}
    params = small_version.params(other | {"project": "https://example.org/our/project"})
    folder = small_version.lay_out(version_files(find_product("prism", params), params), project / "version")
    assert other.items() <= front_matter(folder).items()
    text = (folder / "README.md").read_text()
    assert "\n## Licence\n\nours-1.0: https://example.org/ours. " in text
    assert "This version was made with gamut: https://example.org/our/project\n" in text


@pytest.mark.parametrize(
    ("rows", "name"),
    [
        (999, "n<1K"),
        (1000, "1K<n<10K"),
        (5_890_279, "1M<n<10M"),
    ],
)
def test_the_size_category(rows: int, name: str) -> None:
    assert size_category(rows) == name


def entry(**values: object) -> str:
    given = {"repo": "org/My_name.v2", "version": "1.2.0-rc.1", "title": "T", "license": "mit"} | values
    return bibtex(Publication.model_validate(given))


def depth(text: str) -> int:
    """How deep the braces are at the end, as BibTeX counts them: it knows no escaping."""
    level = 0
    for sign in text:
        level += {"{": 1, "}": -1}.get(sign, 0)
        assert level >= 0
    return level


def test_an_entry() -> None:
    assert entry(authors=["Ada Lovelace", "Ohm, Georg"]) == (
        "@misc{My-name-v2-1-2-0-rc-1,\n"
        "  title = {{T}},\n"
        "  author = {Ada Lovelace and Ohm, Georg},\n"
        "  version = {1.2.0-rc.1},\n"
        "  howpublished = {Hugging Face Hub},\n"
        "  url = {https://huggingface.co/datasets/org/My_name.v2}\n"
        "}\n"
    )


def test_one_author_whose_name_has_an_and_is_one() -> None:
    assert "author = {{Smith and Sons} and Bandy Andrews}" in entry(authors=["Smith and Sons", "Bandy Andrews"])


@pytest.mark.parametrize("text", ["a } b { c", "\\{", "50 % & #1 $x$ a_b ~ ^", "甲：乙"])
def test_braces_stay_in_pairs(text: str) -> None:
    assert depth(entry(title=text, authors=[text, "B"])) == 0


def test_signs_that_mean_something_to_latex_are_spelled() -> None:
    assert "{{100\\% \\& \\{" not in entry(title="100% & {")
    assert "title = {{100\\% \\& {\\textbraceleft}}}" in entry(title="100% & {")
