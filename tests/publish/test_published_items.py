"""`gamut import --download` against the Hub for tests: resolved, recorded, verified, resumed, refused when altered."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest
from huggingface_hub import constants

from gamut.evaluation.curating.benchmarks import curations
from gamut.evaluation.defining.editions import Item, origin_path, path_of, pictures_path, read_edition, read_origin
from gamut.evaluation.defining.pictures import pictures_of
from tests.aegis.released_file import entries
from tests.evaluation.small_pictures import png
from tests.genius import genius_folders
from tests.gir.published import folders as gir_folders
from tests.hub.client import client_here, environment
from tests.hub.faults import Fault
from tests.hub.server import WRITER, Hub, hub_server
from tests.in_command import gamut
from tests.paths import ROOT

REPO = "DongSky/AEGIS"
ANNOTATED = [entry for entry in entries() if entry["input_image"]][:3]
PICTURES = {f"data/images/{name}": png(n) for n, entry in enumerate(ANNOTATED) for name in entry["input_image"]}
WANTED = {"data/annotation.json": json.dumps(ANNOTATED).encode()} | PICTURES
FILES = {"README.md": b"AEGIS", "outputs/a.png": png(9)} | WANTED
ITEMS, FETCHED = path_of("aegis", "released"), Path(".store/fetched")
BY_HAND = "; by hand: put annotation.json and images of https://huggingface.co/datasets/DongSky/AEGIS into a folder DIR"


@pytest.fixture
def hub(project: Path) -> Iterator[Hub]:
    with hub_server() as hub, client_here(hub, project / "home"):
        hub.commit(REPO, FILES)
        yield hub


def download(*arguments: str) -> tuple[int, str]:
    return gamut("import", "aegis", "--download", *arguments)


def test_the_commit_is_resolved_and_recorded_and_another_one_refused(hub: Hub) -> None:
    first = hub.repo(REPO).branches["main"]
    code, said = download()
    assert code == 0 and said.startswith(
        "https://huggingface.co/datasets/DongSky/AEGIS: its licence is mit\n"
        f"DongSky/AEGIS is commit {first[:8]}: 4 files, {sum(map(len, WANTED.values())) / 1000:.1f} KB\n"
    )
    origin = read_origin(origin_path("aegis", "released"))
    assert origin is not None and (origin.revision, origin.licence, origin.redistributable) == (first, "mit", True)
    items = read_edition("aegis", "released", Item)
    shown = [picture.data for item in items for picture in pictures_of("aegis", "released").of(item, "input").values()]
    assert shown == [*PICTURES.values()]
    assert not hub.asked("GET", r"outputs/|README") and not [*FETCHED.iterdir()]
    assert download()[1].splitlines()[-1].endswith(f"is from commit {first[:8]}, its pictures verified: nothing to do")
    second = hub.commit(REPO, FILES | {"data/annotation.json": json.dumps(ANNOTATED[:2]).encode()})
    refused = (
        f"main is commit {second[:8]} now, but {ITEMS} was made from {first[:8]}: use `--revision {first}` for the"
    )
    assert download()[0] == 1 and refused in download()[1]
    for path in pictures_path("aegis", "released").iterdir():
        path.unlink()  # as in a clone without them
    assert download("--revision", first)[0] == 0 and len(pictures_of("aegis", "released")) == 3
    assert download("moved")[0] == 0 and len(read_edition("aegis", "moved", Item)) == 2


def test_what_came_otherwise_is_refused_and_what_was_right_is_kept(hub: Hub) -> None:
    hub.script.append(Fault("GET", rf"resolve/.*{[*PICTURES][1].rpartition('/')[2]}", "other_bytes"))
    code, said = download()
    assert code == 1 and f"DongSky/AEGIS: {[*PICTURES][1]} has sha256 " in said and "run it again" in said
    assert not ITEMS.exists() and not origin_path("aegis", "released").exists(), "nothing of a part"
    hub.script.append(Fault("GET", r"resolve/.*annotation\.json", "other_bytes"))  # a small file has git's id alone
    hub.log.clear()
    (FETCHED / os.listdir(FETCHED)[0] / "data/annotation.json").unlink(missing_ok=True)
    code, said = download()
    assert code == 1 and "data/annotation.json has sha256 " in said
    assert download()[0] == 0 and ITEMS.exists()
    assert len({call.path for call in hub.asked("GET", r"resolve/.*/images/")}) < 3


def test_killed_it_goes_on_where_it_was(hub: Hub) -> None:
    names = [name.rpartition("/")[2] for name in PICTURES]
    surroundings = os.environ | environment(hub.url, Path("home").absolute(), WRITER) | {"PYTHONPATH": str(ROOT)}
    running = subprocess.Popen(
        [sys.executable, "-m", "gamut.command.cli", "import", "aegis", "--download"], env=surroundings
    )

    def kill(hub: Hub) -> None:
        for name in names[:2]:  # these have come
            while not any(path.stat().st_size for path in FETCHED.glob(f"*/data/images/*/{name}")):
                assert running.poll() is None
        running.send_signal(signal.SIGKILL)
        running.wait()

    hub.script.append(Fault("GET", rf"resolve/.*{names[2]}", then=kill))
    assert running.wait() == -signal.SIGKILL and not ITEMS.exists()
    hub.log.clear()
    assert download()[0] == 0 and len(read_edition("aegis", "released", Item)) == 3
    assert not hub.asked("GET", rf"resolve/.*({names[0]}|{names[1]})") and hub.asked("GET", rf"resolve/.*{names[2]}")


def as_it_is(hub: Hub) -> AbstractContextManager[object]:
    return nullcontext()


def private(hub: Hub) -> AbstractContextManager[object]:
    hub.repo(REPO).private = True
    return patch.dict(os.environ, {"HF_TOKEN": ""})


def gone(hub: Hub) -> AbstractContextManager[object]:
    del hub.state.repos["datasets", REPO]
    return nullcontext()


def zipped(hub: Hub) -> AbstractContextManager[object]:
    hub.commit(REPO, {"annotation.json": b"[]", "images.zip": b"PK"})
    return nullcontext()


def bare(hub: Hub) -> AbstractContextManager[object]:
    hub.commit(REPO, {"a/../../annotation.json": b"[]", "test.parquet": b"x"})
    return nullcontext()


@pytest.mark.parametrize(
    ("meanwhile", "arguments", "words"),
    [
        (private, (), "DongSky/AEGIS: it does not exist on the Hub or is private"),
        (gone, (), "DongSky/AEGIS: it does not exist on the Hub or is private"),
        (lambda hub: patch.dict(os.environ, {"HF_TOKEN": "hf_wrong"}), (), "the Hub does not know the token"),
        (lambda hub: patch.object(constants, "HF_HUB_OFFLINE", True), (), "offline mode does not reach the Hub: unset"),
        (zipped, (), "lacks images/*; it has annotation.json, images.zip"),
        (bare, (), "lacks annotation.json, images/*; it has test.parquet"),
        (as_it_is, ("--revision", "v9"), "DongSky/AEGIS: there is no revision 'v9'"),
    ],
)
def test_what_cannot_be_had_is_told_in_a_line_with_what_to_do_by_hand(
    hub: Hub, meanwhile: Callable[[Hub], AbstractContextManager[object]], arguments: tuple[str, ...], words: str
) -> None:
    with meanwhile(hub):
        code, said = download(*arguments)
    last = said.splitlines()[-1]
    assert code == 1 and words in last and BY_HAND in last and len(said.splitlines()) == 2
    assert not Path("datasets").exists() and not FETCHED.exists()


def test_an_edition_from_elsewhere_is_not_replaced(hub: Hub, project: Path) -> None:
    for path, data in FILES.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_bytes(data)
    assert gamut("import", "aegis", "data/annotation.json", "released", "--images", "data/images")[0] == 0
    before = ITEMS.read_bytes()
    assert f"{ITEMS} exists and comes from another source: name another VERSION" in download()[1]
    assert ITEMS.read_bytes() == before and download("--out", "looked-at")[0] == 0
    assert Path("looked-at/lint.json").exists() and [*FETCHED.iterdir()], "they are kept for the import"


def test_of_what_no_data_set_of_the_hub_holds_the_way_is_told(project: Path) -> None:
    said = [gamut("import", name, "--download") for name in ("prism", "gapeval", "own")]
    assert [code for code, _ in said] == [1, 1, 1]
    assert "`git clone https://github.com/rongyaofang/prism-bench`, then `gamut import prism " in said[0][1]
    assert "its licence is unknown: `gamut publish` refuses" in said[1][1] and "they come soon" in said[1][1]
    assert "the items of own were not published" in said[2][1]
    for wrong in (("x.json", "v1", "--download"), ("--revision", "main"), ("--download", "--images", "x")):
        assert gamut("import", "aegis", *wrong)[0] == 1


@pytest.mark.parametrize(
    ("name", "repo", "layout", "licence"),
    [
        ("genius", "HankYang428/GENIUS", genius_folders, "cc-by-nc-4.0"),
        ("gir", "lihxxx/GIR-Bench", gir_folders, "unknown"),
    ],
)
def test_folders_of_tasks_come_from_wherever_they_lie_there(
    project: Path, name: str, repo: str, layout: ModuleType, licence: str
) -> None:
    layout.put_all()
    files = {f"deep [v1]/{path}": path.read_bytes() for path in layout.ROOT.rglob("*") if path.is_file()}
    shutil.rmtree(layout.ROOT)
    with hub_server() as hub, client_here(hub, project / "home"):
        hub.commit(repo, files | {"generation/t2i/a.png": png(1)})
        assert gamut("import", name, "--download")[0] == 0
    origin = read_origin(origin_path(name, "released"))
    assert origin is not None and (origin.licence, origin.redistributable) == (licence, False)
    assert read_edition(name, "released", curations()[name].benchmark.item)


@pytest.mark.parametrize("name", [name for name, one in curations().items() if one.published])
def test_published_sizes_are_those_of_the_papers(name: str) -> None:
    published, benchmark = curations()[name].published, curations()[name].benchmark
    assert published is not None and {*published.sizes} == {*benchmark.strata}
    total = {"aegis": 1050, "gapeval": 646, "genius": 510, "gir": 970, "prism": 700}[name]
    assert sum(published.sizes.values()) == total
