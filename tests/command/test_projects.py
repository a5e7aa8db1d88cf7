"""Projects of one's own: what `gamut init` writes and where it refuses to, what `gamut upgrade` replaces and what it
leaves.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stages.command import check, left_out
from stages.command.cli import app
from stages.command.projects import contents as written
from stages.command.projects import init as making
from stages.command.projects import upgrade as upgrading
from stages.command.projects.contents import contents, declared_code, digest, read_lock, write_lock
from stages.command.projects.init import init
from stages.command.projects.upgrade import new_keys, runs_again, upgrade
from stages.project import installed_code, pipeline
from stages.project.errors import UserError
from stages.project.validation import read_yaml
from tests.paths import ROOT


def call(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


VERSION = installed_code.version()
SAME = "every file is as this version has it, or as you edited it"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project, not to be changed."""
    folder = tmp_path_factory.mktemp("fresh") / "mine"
    list(init(folder))
    return folder


@pytest.fixture
def made(project: Path, fresh: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, and it is the working directory."""
    shutil.copytree(fresh, project / "mine")
    monkeypatch.chdir(project / "mine")
    return project / "mine"


def test_a_project_has_the_pipeline_of_a_clone_and_every_file_that_it_declares(made: Path) -> None:
    files = [file.relative_to(ROOT) for file in (ROOT / "dvc.yaml", *ROOT.glob("stages/**/dvc.yaml"))]
    for file in files:
        assert file.read_bytes() == (ROOT / file).read_bytes()
    hidden = {file.relative_to(ROOT) for file in ROOT.glob("stages/*/.dvcignore")}
    assert hidden == {file.relative_to(made) for file in made.glob("stages/*/.dvcignore")}
    params = read_yaml(pipeline.PARAMS)
    assert pipeline.PARAMS.read_bytes() == (ROOT / "profiles/laptop.yaml").read_bytes()
    made_here = {out for stage in pipeline.stages().values() for out in outs(stage)}
    for name, stage in pipeline.stages().items():
        for dependency in stage["deps"]:
            is_made = any(
                Path(one).is_relative_to(dependency) or Path(dependency).is_relative_to(one) for one in made_here
            )
            assert is_made or "${" in dependency or Path(dependency).exists(), f"{name}: {dependency}"
    assert list(left_out.leave_out()) == []
    pools = [params[room]["propose"]["pools"] for room in ("prism", "gir", "gapeval")]
    assert all(Path(pool).is_dir() for pool in pools)
    assert not list(made.glob("stages/**/__init__.py")), "Python would take this folder for the code"
    installed_code.require_recorded(declared_code())


def outs(stage: Mapping[str, list[str | dict[str, object]]]) -> list[str]:
    entries = [*stage.get("outs", []), *stage.get("metrics", [])]
    return [entry if isinstance(entry, str) else next(iter(entry)) for entry in entries]


def test_init_goes_on_where_it_was_killed_and_takes_a_fresh_repository(project: Path) -> None:
    (project / "README.md").write_text("mine")
    (project / "LICENSE").write_text("mine")
    subprocess.run(["git", "init", "--quiet", "."], check=True)
    (project / ".dvc.yaml.0123abcd.new").write_text("half")
    (project / "dvc.yaml").write_bytes((ROOT / "dvc.yaml").read_bytes())
    code, output = call("init", ".")
    assert code == 0 and "README.md was there, and stays as it is" in output
    assert (project / "README.md").read_text() == "mine" and installed_code.recorded_version() == VERSION
    assert output.splitlines()[-1].startswith("next: git add --all")


def test_a_project_in_a_folder_of_a_repository_makes_none(project: Path) -> None:
    subprocess.run(["git", "init", "--quiet", "."], check=True)
    list(init(project / "below" / "mine"))
    assert not (project / "below/mine/.git").exists() and (project / "below/mine/.dvc/config").exists()


def file_in_it(project: Path) -> None:
    (project / "mine").mkdir()
    (project / "mine/thesis.tex").write_text("")


def own_pipeline(project: Path) -> None:
    (project / "mine").mkdir()
    (project / "mine/dvc.yaml").write_text("stages: {}")


def made_before(project: Path) -> None:
    (project / "mine").mkdir()
    (project / "mine/gamut.lock").write_text("{}")


NOT_EMPTY = "is not empty, {} lies in it: name a new or empty folder (.git, .venv, README.md and LICENSE may be there)"


@pytest.mark.parametrize(
    ("before", "words", "said"),
    [
        (file_in_it, "init mine", "mine: " + NOT_EMPTY.format("thesis.tex")),
        (own_pipeline, "init mine", "mine: " + NOT_EMPTY.format("dvc.yaml")),
        (lambda project: (project / "mine").write_text(""), "init mine", "mine: a file: name a new or empty folder"),
        (
            lambda project: (project / "mine").write_text(""),
            "init mine/below",
            "mine: a file stands where a folder is wanted: move it away",
        ),
        (
            made_before,
            "init mine",
            "mine: is a project already: `cd mine && gamut upgrade` brings it up to date",
        ),
        (
            lambda project: None,
            "upgrade",
            "there is no gamut.lock here: run this in the top folder of a project that `gamut init` made (in a clone "
            "`git pull` upgrades)",
        ),
        (
            lambda project: (project / "gamut.lock").write_text("<<<<<<< HEAD"),
            "upgrade",
            "gamut.lock: names no version, after a merge perhaps: `git checkout --ours gamut.lock`",
        ),
        *(
            (
                lambda project, name=name: (project / "gamut.lock").write_text(
                    f'{{"version": "1", "files": {{"{name}": ""}}}}'
                ),
                "upgrade",
                "gamut.lock: names files outside this project: `git checkout gamut.lock`",
            )
            for name in ("../x", "/x", ".git/HEAD", "x\\u0000")
        ),
        (lambda project: None, f"init {'a' * 300}", "the name is too long for this file system: choose a shorter one"),
        (lambda project: None, "init", "Missing argument 'DIR'."),
        (lambda project: None, "init mine --profil parti", "No such option: --profil"),
        (lambda project: None, "upgrade mine", "Got unexpected extra argument(s) (mine)"),
        (lambda project: None, "int mine", "there is no command 'int'; did you mean 'init'?"),
        (lambda project: None, "upgrad", "there is no command 'upgrad'; did you mean 'upgrade'?"),
    ],
)
def test_mistakes_are_told_in_one_line(project: Path, before: Callable[[Path], object], words: str, said: str) -> None:
    before(project)
    code, output = call(*words.split())
    assert code in (1, 2) and said in output and len(output.splitlines()) == 1


def test_without_git_there_is_no_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "which", lambda name: None)
    assert call("init", "mine") == (1, "git is not on PATH: install it, a project is a git repository\n")
    assert not (project / "mine").exists()


def test_an_upgrade_of_the_same_version_changes_nothing(made: Path) -> None:
    before = {path: path.read_bytes() for path in made.rglob("*") if path.is_file() and ".git" not in path.parts}
    assert list(upgrade()) == [
        f"gamut {VERSION}, as gamut.lock says",
        SAME,
    ]
    assert before == {path: path.read_bytes() for path in before}


def test_an_upgrade_leaves_what_was_edited(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    newer = contents() | {
        "dvc.yaml": b"stages: {}\n",  # edited here
        "profiles/parti.yaml": b"seed: 2\n",  # not edited here
        "profiles/new.yaml": b"seed: 3\n",
        "stages/tables/code.sha256": b"# sha256 other\n",  # spoilt here, and nobody's to edit
        "params.yaml": b"seed: 4\n",
        "README.md": b"new\n",
    }
    for gone in ("profiles/gir.yaml", "profiles/aegis.yaml"):  # the second is edited here
        del newer[gone]
    pool = "stages/genius/construction/pools/phrases.yaml"  # declared as code is, and may be edited
    mine = (pool, "dvc.yaml", "params.yaml", "README.md", "profiles/aegis.yaml", ".gitignore")
    for name in (*mine, "stages/tables/code.sha256"):
        Path(name).write_text("mine\n")
    Path("metrics/.gitkeep").unlink()
    Path("docs/gir.md").unlink()  # stays away
    monkeypatch.setattr(upgrading, "contents", lambda: newer)
    monkeypatch.setattr(upgrading, "version", lambda: "9.0")
    monkeypatch.setattr(written, "version", lambda: "9.0")
    monkeypatch.setattr(upgrading, "new_keys", lambda files: iter(()))

    assert list(upgrade()) == [
        f"gamut {VERSION} → 9.0",
        "edited by you, and new in this version, which lies beside it to be merged: dvc.yaml.new",
        "missing, written again: metrics/.gitkeep",
        "brought up to date: profiles/parti.yaml, stages/tables/code.sha256",
        "written: profiles/new.yaml",
        "no part of this version, but edited by you, left here: profiles/aegis.yaml",
        "no part of this version, deleted: profiles/gir.yaml",
    ]
    assert all(Path(name).read_text() == "mine\n" for name in mine)
    assert Path("stages/tables/code.sha256").read_bytes() == newer["stages/tables/code.sha256"]
    assert Path("dvc.yaml.new").read_text() == "stages: {}\n" and not Path("profiles/gir.yaml").exists()
    assert list(upgrade()) == ["gamut 9.0, as gamut.lock says", SAME]


@pytest.mark.parametrize(
    ("link", "to", "file"),
    [
        ("evil", "../outside", "evil/mine.md"),
        ("evil/inner", "../outside", "evil/inner/mine.md"),
        ("evil", ".git/hooks", "evil/mine.md"),
        ("metrics", "../outside", "metrics/.gitkeep"),
        (".dvc/page", "../outside", ".dvc/page/page.html"),
        ("profiles/parti.yaml", "../outside/mine.md", "profiles/parti.yaml"),
        ("dvc.yaml.new", "../outside/none", "dvc.yaml.new"),
        ("gamut.lock", "../outside/gamut.lock", "gamut.lock"),
    ],
)
def test_an_upgrade_changes_nothing_where_a_link_leads_out_of_the_project(
    project: Path, monkeypatch: pytest.MonkeyPatch, link: str, to: str, file: str
) -> None:
    below = ("metrics/.gitkeep", ".dvc/page/page.html", "profiles/parti.yaml", "dvc.yaml")
    monkeypatch.setattr(upgrading, "contents", lambda: dict.fromkeys(below, b"new"))
    monkeypatch.setattr(upgrading, "pointers", dict)
    here, outside = project / "here", project / "outside"
    for folder in (here / ".git/hooks", outside):
        folder.mkdir(parents=True)
        (folder / "mine.md").write_text("mine")
    monkeypatch.chdir(here)
    Path("dvc.yaml").write_text("mine")
    write_lock(Path(), {"profiles/parti.yaml": b"mine", f"{link}/mine.md": b"mine", "dvc.yaml": b""})
    if Path(link).exists():
        Path(link).rename(to)
    Path(link).parent.mkdir(exist_ok=True)
    Path(link).symlink_to(Path(to).absolute())
    before = {place: place.read_bytes() for place in project.rglob("*") if place.is_file()}
    with pytest.raises(UserError, match=rf"^{link}: leads out of this project, and {file} with it: remove it$"):
        list(upgrade())
    assert before == {place: place.read_bytes() for place in project.rglob("*") if place.is_file()}


def test_new_keys_are_those_of_the_new_profile_that_the_old_one_had_not(project: Path) -> None:
    (project / "profiles").mkdir()
    Path("profiles/laptop.yaml").write_text("seed: 0\nadmit: {clarity: 7, old: 1}\nmodels: {world: {kind: sandbox}}\n")
    Path("params.yaml").write_text("seed: 0\nadmit: {clarity: 8, old: 1}\n")  # it has no model `world`, and needs none
    new = b"seed: 0\nadmit: {clarity: 7, least: 0.5, none: null}\nmodels: {world: {kind: sandbox}}\n"
    assert list(new_keys({"profiles/laptop.yaml": new})) == [
        "params.yaml lacks a new key: admit.least: 0.5",
        "params.yaml lacks a new key: admit.none: None",
        "params.yaml has a key that this version's profile `laptop` has no more: admit.old",
    ]
    Path("profiles/laptop.yaml").unlink()
    assert "params.yaml lacks a new key: models.world.kind: 'sandbox'" in list(new_keys({"profiles/laptop.yaml": new}))


def test_what_will_run_again_is_what_dvc_says(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def saying(output: str, code: int = 0, error: str = "") -> None:
        done = subprocess.CompletedProcess([], code, output, error)
        monkeypatch.setattr(upgrading.subprocess, "run", lambda *arguments, **options: done)

    saying("{}")
    assert runs_again() == "nothing will run again"
    saying('{"score": [{"changed deps": {}}], "data.csv.dvc": []}')
    assert runs_again().endswith("(`dvc status` says why): score")
    saying("", 255, "ERROR: no such key\n")
    assert runs_again() == "what will run again is not known yet, `dvc status` fails: ERROR: no such key"


def test_a_lock_notes_what_was_written_but_for_what_is_its_owners(project: Path) -> None:
    write_lock(Path(), {"params.yaml": b"", "README.md": b"", "dvc.yaml": b"stages"})
    assert read_lock() == {"dvc.yaml": digest(b"stages")}


def test_code_of_another_version_is_named_with_what_mends_it(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("stages/tables/code.sha256").write_text("# sha256 of before\n")
    deps = ["stages/tables", "stages/texts", "datasets/sources", "${gir.propose.pools}"]
    with pytest.raises(UserError, match=r"^stages/tables: this project records other code than that of gamut"):
        installed_code.require_recorded(deps)
    monkeypatch.setattr(installed_code, "version", lambda: "9.0")
    with pytest.raises(
        UserError, match=rf"`gamut upgrade` takes it over, `pip install gamut-t2i=={VERSION}` goes back$"
    ):
        installed_code.require_recorded([*deps, "stages/gone.py"])
    Path("gamut.lock").unlink()  # as in a clone
    installed_code.require_recorded(deps)


def test_a_pool_that_code_reads_itself_is_not_edited_in_vain(made: Path) -> None:
    pool = "stages/genius/construction/pools/phrases.yaml"
    Path(pool).write_text("mine")
    with pytest.raises(UserError, match=rf"^{pool}: the installed code reads its own: `cp {ROOT / pool} {pool}` puts"):
        installed_code.require_recorded([pool])


def test_version(project: Path) -> None:
    assert call("--version") == (0, f"gamut {VERSION}\n")


def test_what_stages_run_is_the_installed_code(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    assert [(one.what, one.found, one.remark) for one in check.code()] == [
        ("code", True, f"of gamut {VERSION}, as gamut.lock records"),
        ("python", True, "on PATH, runs the stages"),
    ]
    Path("stages/project/code.sha256").write_text("# sha256 of before\n")
    monkeypatch.setenv("PATH", str(made))  # no python there
    assert [one.found for one in check.code()] == [False, False]
    Path("gamut.lock").unlink()
    assert list(check.code()) == []
