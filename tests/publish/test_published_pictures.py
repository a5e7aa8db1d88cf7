"""An edition with pictures: published, fetched and verified; refused where its source or its pictures forbid it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from gamut.evaluation.defining import picture_shards
from gamut.evaluation.defining.editions import Origin, freeze_edition, origin_path, pictures_path
from gamut.evaluation.defining.pictures import missing_pictures, pictures_of
from gamut.project.errors import UserError
from gamut.publish import fetching, publishing, readiness, troubles
from gamut.publish.card import card_text
from gamut.publish.edition_card import about_edition
from gamut.publish.parameters import load_everything
from gamut.publish.products import Product, find_product
from stages.prism.shared.items import PrismItem
from tests.evaluation.small_pictures import ORIGIN, by_digest, named, png
from tests.hub.client import client_here
from tests.hub.server import Hub, hub_server
from tests.publish import edition_project, small_version
from tests.publish.edition_project import REPO

FORTY = [png(number) for number in range(40)]
FOLDER = Path("datasets/edition_images/prism/small")


FIRST = small_version.ITEMS[0].model_dump(exclude_unset=True)
ITEMS = [
    PrismItem.model_validate(
        FIRST | {"id": f"style/{n}", "images": named(FORTY[2 * n : 2 * n + 2]), "texts": [f"hint {n}"]}
    )
    for n in range(20)
]
PICTURES = by_digest(*FORTY)


def frozen(origin: Origin | None = ORIGIN) -> None:
    freeze_edition("prism", "small", ITEMS, PICTURES, origin)


@pytest.fixture
def folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with an edition of forty pictures, committed."""
    monkeypatch.setattr(troubles, "WAITS", (0.0,) * 5)
    edition_project.git("init", "--quiet")
    Path(".gitignore").write_text(".store\n.dvc\nhome\n")
    edition_project.put_params()
    frozen()
    edition_project.commit_all()
    return project


@pytest.fixture
def hub(folder: Path) -> Iterator[Hub]:
    with hub_server() as hub, client_here(hub, folder / "home"):
        yield hub


def here() -> dict[str, bytes]:
    folders = (Path("datasets/editions"), Path("datasets/edition_images"))
    return {str(path): path.read_bytes() for at in folders for path in sorted(at.rglob("*")) if path.is_file()}


def publish() -> None:
    publishing.publish_version("prism", False, False, lambda line: None)


def fetch() -> list[str]:
    said: list[str] = []
    fetching.fetch_version(f"{REPO}@v0.1.0", said.append)
    return said


def made() -> Product:
    return find_product("prism", load_everything())


def test_what_was_published_is_fetched_and_verified(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    publish()
    paths = {path.partition("-")[0] for path in hub.files(REPO, "v0.1.0")}
    assert paths >= {"data/small", "data/small.origin", "images/images"}
    before = here()
    assert list(before) == [
        "datasets/editions/prism/small.jsonl",
        "datasets/editions/prism/small.origin.json",
        "datasets/edition_images/prism/small/images-00000.parquet",
    ]
    for at in ("datasets/editions", "datasets/edition_images"):
        shutil.rmtree(at)
    said = fetch()
    assert here() == before
    assert missing_pictures(ITEMS, pictures_of("prism", "small")) == {}
    assert said[-2].startswith(f"{FOLDER}: ") and said[-2].endswith("bytes of pictures: `git add` them too")
    assert said[-1] == f"datasets/editions/prism: 20 rows of {REPO}@v0.1.0, every file verified"
    assert "already, verified: nothing to do" in fetch()[-1]
    [shard] = FOLDER.iterdir()
    shard.write_bytes(shard.read_bytes()[:-1])
    fetch()
    assert here() == before, "pictures that went bad are brought again"
    origin_path("prism", "small").write_text("{}")
    with pytest.raises(UserError, match=r"small\.origin\.json is frozen here with another origin: move it away first$"):
        fetch()


def test_what_may_not_be_redistributed_is_not_published(folder: Path) -> None:
    origin_path("prism", "small").write_text(ORIGIN.model_copy(update={"redistributable": False}).model_dump_json())
    with pytest.raises(UserError) as error:
        made()
    assert str(error.value) == (
        "datasets/editions/prism/small.jsonl may not be published: datasets/editions/prism/small.origin.json "
        "says that https://example.org/zoo (cc-by-4.0) may not be redistributed"
    )


def test_pictures_that_are_missing_or_altered_are_not_published(folder: Path) -> None:
    gone = ITEMS[3].images[0].sha256
    rest = {sha256: data for sha256, data in PICTURES.items() if sha256 != gone}
    picture_shards.write_shards(FOLDER, rest, lambda sha256, data: None)
    with pytest.raises(UserError, match=r"^datasets/editions/prism/small\.jsonl: item 'style/3': picture '0': .*: res"):
        made()
    picture_shards.write_shards(FOLDER, dict.fromkeys(rest, png(7)), lambda sha256, data: None)
    with pytest.raises(UserError, match=r"item 'style/0' \(and of 19 more\): picture '0': .* was altered: restore"):
        made()
    picture_shards.write_shards(FOLDER, PICTURES | by_digest(png(200)), lambda sha256, data: None)
    with pytest.raises(UserError, match=r"small: no item names its picture .*…: remove it, only pictures of items are"):
        made()
    shutil.rmtree(FOLDER)
    FOLDER.with_name("small.dvc").touch()
    with pytest.raises(UserError, match=r"^datasets/edition_images/prism/small: .* missing: `dvc pull .*small\.dvc`"):
        made()


def test_what_git_holds_of_the_pictures_is_committed(folder: Path) -> None:
    readiness.require_committed(readiness.source_files(made()))
    assert FOLDER / "images-00000.parquet" in readiness.source_files(made())
    FOLDER.with_name("small.dvc").touch()
    assert FOLDER.with_name("small.dvc") in readiness.source_files(made())
    assert FOLDER / "images-00000.parquet" not in readiness.source_files(made())


def test_the_card_counts_pictures_and_names_their_source(folder: Path) -> None:
    params = load_everything()
    whole = card_text(made(), about_edition(made(), params))
    assert "Its items name 40 pictures (" in whole and "By role: 40 input." in whole
    assert "It comes from https://example.org/zoo, revision 2, under the licence cc-by-4.0." in whole
    assert f'images = load_dataset("{REPO}", "images", split="test", revision="v0.1.0")  # join by sha256' in whole
    assert "| `images` | its pictures" in whole and "| `texts` | its other texts" in whole


def test_many_bytes_that_were_fetched_are_for_dvc(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    publish()
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(picture_shards, "MOST_IN_GIT", 100)
    monkeypatch.setattr(picture_shards.pipeline, "run_dvc", lambda *words: asked.append(words) or 0)
    assert "DVC tracks them" in " ".join(fetch())
    assert asked == [("add", "--quiet", str(pictures_path("prism", "small")))]
