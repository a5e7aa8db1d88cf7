"""Collecting folders: what no cell makes any more goes, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from gamut.project.files import delete_unwanted

FOLDER = Path("datasets/judgments")


def made(*paths: str) -> None:
    """Tables below the folder, each with a file and a folder of its own."""
    for path in paths:
        (FOLDER / path / "inside").mkdir(parents=True)
        (FOLDER / path / "_manifest.json").write_text("{}")


def there() -> list[str]:
    """All that lies in the folder, two levels deep."""
    return sorted(str(path.relative_to(FOLDER)) for path in [*FOLDER.glob("*"), *FOLDER.glob("*/*")])


@pytest.mark.usefixtures("project")
def test_of_contestants_only_those_wanted_stay(capsys: pytest.CaptureFixture[str]) -> None:
    made("good", "good.new", "gone", "poor")
    (FOLDER / ".gitkeep").touch()
    delete_unwanted(FOLDER, {"good": 1, "poor": 2, "to_come": 3})
    of_good = ["good", "good/_manifest.json", "good/inside"]
    assert there() == [".gitkeep", *of_good, *(path.replace("good", "poor") for path in of_good)]
    assert capsys.readouterr().out == f"{FOLDER}: deleted folders that no cell of params.yaml makes: gone, good.new\n"
    delete_unwanted(FOLDER, ["good", "poor"])
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("project")
def test_of_judges_only_those_wanted_stay(capsys: pytest.CaptureFixture[str]) -> None:
    made("good/one", "good/one.new", "good/two", "gone/one")
    (FOLDER / "good/note.txt").write_text("mine")
    delete_unwanted(FOLDER, ["good/one", "poor/one"])
    assert there() == ["good", "good/note.txt", "good/one"]
    assert (FOLDER / "good/one/inside").is_dir()
    assert capsys.readouterr().out.endswith(": gone, good/one.new, good/two\n")


@pytest.mark.usefixtures("project")
def test_links_are_left_and_not_followed() -> None:
    made("good/one")
    elsewhere = Path("elsewhere")
    (elsewhere / "table").mkdir(parents=True)
    (FOLDER / "linked").symlink_to(elsewhere.absolute())
    (FOLDER / "good/linked").symlink_to(elsewhere.absolute())
    (FOLDER / "gone").mkdir()
    (FOLDER / "gone/linked").symlink_to(elsewhere.absolute())
    Path("linked").symlink_to(FOLDER.absolute())
    delete_unwanted(Path("linked"), [])
    delete_unwanted(FOLDER, ["good/one", "linked/other"])
    assert there() == ["good", "good/linked", "good/one", "linked", "linked/table"]
    assert (elsewhere / "table").is_dir()
