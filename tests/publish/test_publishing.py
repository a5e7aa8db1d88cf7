"""`gamut publish`: from a committed project to a version with a receipt; what stands against it is one clear line."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from gamut.command.cli import app
from gamut.project.errors import UserError
from gamut.publish import publishing, troubles
from tests.hub.client import client_here
from tests.hub.faults import Fault
from tests.hub.server import READER, WRITER, Hub, hub_server
from tests.publish.edition_project import RECEIPT, REPO, commit_all, git, prepare, put_params


@pytest.fixture(autouse=True)
def folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A committed project with an edition, in a clock without waits."""
    monkeypatch.setattr(troubles, "WAITS", (0.0,) * 5)
    prepare()
    return project


@pytest.fixture
def hub(folder: Path) -> Iterator[Hub]:
    with hub_server() as hub, client_here(hub, folder / "home"):
        yield hub


class Said(list[str]):
    def __call__(self, line: str) -> None:
        self.append(line)


def publish(dry_run: bool = False, private: bool = False) -> Said:
    said = Said()
    publishing.publish_version("prism", dry_run, private, said)
    return said


def made(hub: Hub) -> int:
    """Commits after the one with which the Hub makes a repository."""
    repo = hub.repo(REPO)
    return len(list(repo.history(repo.at("main")))) - 1


def test_a_version_its_tag_and_its_receipt(hub: Hub) -> None:
    said = publish()
    repo = hub.repo(REPO)
    commit = repo.tags["v0.1.0"]
    files = hub.files(REPO, "v0.1.0")
    assert {path.partition("-")[0] for path in files} == {
        ".gitattributes", "README.md", "data/small", "manifest.json",
    }  # fmt: skip
    receipt = json.loads(RECEIPT.read_text())
    manifest = json.loads(files["manifest.json"])
    assert receipt == {
        "product": "prism",
        "repo": REPO,
        "url": f"{hub.url}/datasets/{REPO}/tree/v0.1.0",
        "tag": "v0.1.0",
        "commit": commit,
        "manifest_sha256": hashlib.sha256(files["manifest.json"]).hexdigest(),
        "files": 4,
        "bytes": sum(len(data) for path, data in files.items() if path != ".gitattributes"),
        "rows": 3,
        "git_revision": git("rev-parse", "HEAD").strip(),
        "dvc_hash": None,
    }
    assert (manifest["name"], manifest["version"], manifest["rows"]) == ("prism", "0.1.0", 3)
    assert receipt["git_revision"] in repo.at(commit).message
    assert receipt["manifest_sha256"] in repo.at(commit).message
    assert said[0].startswith(f"prism v0.1.0 → {REPO} (a new repository): 3 rows, 4 files")
    assert said[-1] == f"commit it: git add {RECEIPT} && git commit -m 'Publish prism v0.1.0'"


def test_again_it_does_nothing_and_says_so_also_with_the_receipt_uncommitted(hub: Hub) -> None:
    publish()
    before = RECEIPT.read_bytes()
    hub.log.clear()
    assert publish() == [
        f"{REPO} has v0.1.0 already, with this content: nothing to do",
        f"receipt: {RECEIPT}",
    ]
    assert RECEIPT.read_bytes() == before
    assert {call.method for call in hub.log} == {"GET"}


def test_a_lost_receipt_is_written_again_as_it_was(hub: Hub) -> None:
    """The commit on the Hub says of which git revision the version is, whatever lies here by now."""
    publish()
    before = RECEIPT.read_bytes()
    RECEIPT.unlink()
    Path("notes.txt").write_text("mine")
    commit_all()
    Path("notes.txt").write_text("mine, not committed")
    publish()
    assert RECEIPT.read_bytes() == before


def dry_run_values() -> dict[str, Any]:
    done = CliRunner().invoke(app, ["publish", "prism", "--dry-run", "--json"])
    assert done.exit_code == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_a_dry_run_tells_all_and_writes_nothing(hub: Hub) -> None:
    said = publish(dry_run=True)
    assert "4 files" in said[0] and "(a new repository)" in said[0] and len(said) == 6
    assert said[-1] == "nothing was written: `gamut publish prism` publishes it"
    assert publish(dry_run=True, private=True)[-1].endswith("`gamut publish prism --private` publishes it")
    told = dry_run_values()
    assert [*told["files"]] == told["to_add"] and len(told["to_add"]) == 4 and told["to_delete"] == []
    assert not hub.state.repos and not RECEIPT.exists()
    publish()
    hub.log.clear()
    assert publish(dry_run=True)[0].endswith("nothing to do")
    assert dry_run_values()["to_add"] == []
    put_params(version="0.2.0")
    commit_all()
    # README and manifest name the version; the items stay as they are
    assert "2 files" in publish(dry_run=True)[0].partition(";")[2]
    assert {call.path for call in hub.log if call.method not in ("GET", "HEAD")} == {"/api/validate-yaml"}


def test_a_dry_run_without_the_hub_lists_all_files(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    hub.log.clear()
    said = publish(dry_run=True)
    assert "4 files" in said[0] and sum(line.startswith("  + ") for line in said) == 4
    assert "new repository" not in said[0]
    assert said[-1] == "the Hub was not asked (HF_HUB_OFFLINE): what is there already is not known"
    assert not hub.log and not RECEIPT.exists()


def test_a_private_repository(hub: Hub) -> None:
    publish(private=True)
    assert hub.repo(REPO).private
    put_params(version="0.2.0")
    commit_all()
    publish()
    assert hub.repo(REPO).private and set(hub.repo(REPO).tags) == {"v0.1.0", "v0.2.0"}


def test_a_public_repository_does_not_become_private_by_the_way(hub: Hub) -> None:
    publish()
    put_params(version="0.2.0")
    commit_all()
    with pytest.raises(UserError, match=r"^somebody/bench is public already: make it private in its settings"):
        publish(private=True)


def test_the_receipt_has_the_revision_of_the_run_whose_commit_was_taken(hub: Hub) -> None:
    hub.script.append(Fault("POST", "/tag/", 503, times=99))
    with pytest.raises(UserError, match="busy or broken"):
        publish()
    revision = git("rev-parse", "HEAD").strip()
    Path("notes.txt").write_text("mine")
    commit_all()
    hub.script.clear()
    publish()
    assert json.loads(RECEIPT.read_text())["git_revision"] == revision != git("rev-parse", "HEAD").strip()


def test_a_version_whose_tag_is_gone_gets_it_back_where_it_was(hub: Hub) -> None:
    publish()
    commit = hub.repo(REPO).tags.pop("v0.1.0")
    hub.commit(REPO, hub.files(REPO) | {"LICENSE": b"CC0"})
    publish()
    assert hub.repo(REPO).tags == {"v0.1.0": commit}


def refused(line: str, **options: bool) -> None:
    """Nothing is published, and a line tells why."""
    with pytest.raises(UserError, match=line) as error:
        publish(**options)
    assert "\n" not in str(error.value)
    assert not RECEIPT.exists()


def test_what_params_yaml_lacks(hub: Hub) -> None:
    put_params(repo=None)
    refused(r"^params\.yaml: publish\.prism\.repo is missing: name the repository on the Hub, such as org/name$")
    put_params(license=None)
    refused(r"^params\.yaml: publish\.prism\.license is missing: name the licence to publish under, such as cc-")
    put_params(license="other")
    refused(r"^params\.yaml: publish\.prism: license: other needs `license_name` and `license_link`")
    put_params(license_link="https://example.org")
    refused(r"^params\.yaml: publish\.prism: `license_name` and `license_link` belong to `license: other`")
    put_params(version="1.0")
    refused(r"^params\.yaml: publish\.prism\.version: '1\.0': major\.minor\.patch without v, such as")
    put_params(version="01.0.0")
    refused(r"^params\.yaml: publish\.prism\.version: '01\.0\.0': major\.minor")
    put_params(repo="https://huggingface.co/datasets/org/name")
    refused(r"^params\.yaml: publish\.prism\.repo: .*: a repository's name without address, org/name, is expected$")
    put_params(license="CC-BY-4.0")
    refused(r"^params\.yaml: publish\.prism\.license: 'CC-BY-4\.0': an identifier of the Hub in small letters, such as")
    put_params(title="two\nlines")
    refused(r"^params\.yaml: publish\.prism\.title: 'two\\nlines': one line of text is expected$")
    assert not hub.log


@pytest.mark.parametrize("repo", ["somebody/b--ad", "somebody/bad."])
def test_a_name_that_no_repository_can_have(hub: Hub, repo: str) -> None:
    put_params(repo=repo)
    commit_all()
    refused(r"cannot name a repository on the Hub: ")
    assert not hub.log


def test_a_tree_that_is_not_committed(hub: Hub) -> None:
    Path("notes.txt").write_text("mine")
    refused(r"^not committed: notes\.txt: `git add` and `git commit`")
    git("add", "notes.txt")
    refused(r"^not committed: notes\.txt: ")
    Path("params.yaml").write_text(Path("params.yaml").read_text() + " ")
    refused(r"^not committed: notes\.txt, params\.yaml: ")
    assert not hub.state.repos


def test_what_git_was_told_to_look_away_from(hub: Hub) -> None:
    edition = "datasets/editions/prism/small.jsonl"
    before = Path(edition).read_bytes()
    for flag in ("--assume-unchanged", "--skip-worktree"):
        git("update-index", flag, edition)
        Path(edition).write_bytes(before.replace(b"An etching.", b"A drawing."))
        refused(rf"^not committed: {edition}: ")
        Path(edition).write_bytes(before)
        git("update-index", "--no" + flag[1:], edition)
    git("rm", "--quiet", "--cached", edition)
    with Path(".gitignore").open("a") as file:
        file.write("datasets/editions/\n")
    commit_all_but(edition)
    refused(rf"^not committed: {edition}: ")


def commit_all_but(path: str) -> None:
    git("add", ".gitignore")
    git("commit", "--quiet", "--message", "test")
    assert path not in git("ls-files")


def test_a_project_that_git_does_not_know(hub: Hub) -> None:
    Path(".git").rename("git-no-more")
    refused(r"^a version needs a git revision, but there is none here \(fatal: not a git repository")


def test_a_version_that_was_published_with_other_content(hub: Hub) -> None:
    publish()
    before = RECEIPT.read_bytes()
    put_params(title="Another title")
    commit_all()
    with pytest.raises(UserError, match=rf"^v0\.1\.0 was published with other content \({RECEIPT}\): bump `version`"):
        publish()
    assert RECEIPT.read_bytes() == before
    RECEIPT.unlink()
    commit_all()
    refused(r"^somebody/bench: v0\.1\.0 exists with other content \('README\.md' and 1 more\): bump `version`")
    assert made(hub) == 1


def test_a_tag_that_was_moved_since(hub: Hub) -> None:
    publish()
    before = RECEIPT.read_bytes()
    moved = hub.commit(REPO, hub.files(REPO) | {"evil.py": b"evil"})
    hub.repo(REPO).tags["v0.1.0"] = moved
    with pytest.raises(
        UserError, match=rf"v0\.1\.0 is at commit {moved[:8]}, but the receipt {RECEIPT} .*: move the tag back"
    ):
        publish()
    assert RECEIPT.read_bytes() == before


def test_a_repository_that_was_renamed(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    publish()
    monkeypatch.setattr(hub.repo(REPO), "name", "somebody/else")
    with pytest.raises(UserError, match=r"^somebody/bench was renamed to somebody/else on the Hub: fix its name"):
        publish()


def test_a_network_that_is_gone(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    with hub.unreachable():
        refused(r"^somebody/bench: the Hub cannot be reached \(.+\): check the network, and run it again$")
    with monkeypatch.context() as offline:
        offline.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        refused(r"^somebody/bench: offline mode does not reach the Hub: unset HF_HUB_OFFLINE$")
    publish()


def test_an_address_of_the_hub_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "127.0.0.1:8777")
    refused(r"^HF_ENDPOINT: http\(s\)://host is expected, not '127\.0\.0\.1:8777'$")


def test_no_token_one_that_only_reads_and_one_that_nobody_knows(folder: Path) -> None:
    with hub_server() as hub:
        for token, line in (
            (None, r"^there is no token for the Hugging Face Hub: run `hf auth login`, or set HF_TOKEN$"),
            (READER, r"^the Hub's token of somebody can only read: make one that can write at"),
            (
                "hf_nobodyknowsit",
                r"^somebody/bench: the Hub does not know the token: run `hf auth login`, or fix HF_TOKEN$",
            ),
        ):
            with client_here(hub, folder / "home", token):
                refused(line)
        assert not hub.state.repos


def test_a_licence_that_the_hub_does_not_know_is_refused_before_anything_is_uploaded(hub: Hub) -> None:
    put_params(license="no-such-licence")
    commit_all()
    refused(r"^params\.yaml: publish\.prism\.license: 'no-such-licence' is not a licence of the Hub; its list: http")
    put_params(license="apache")
    commit_all()
    refused(r"publish\.prism\.license: 'apache' is not a licence of the Hub; did you mean 'apache-2\.0'\?$")
    assert not hub.asked("PUT", "") and not hub.state.repos


def test_the_token_is_nowhere(hub: Hub, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Not in what is said, nor in a refusal that repeats it, nor in any file that is left."""
    said = publish()
    with hub.failing("/api/datasets", 400, f"Bad {WRITER}"), pytest.raises(UserError) as error:
        publish()
    out, err = capfd.readouterr()
    kept = [path for path in folder.rglob("*") if path.is_file() and "home" not in path.parts]
    assert WRITER not in "\n".join([*said, str(error.value), out, err])
    assert not [path for path in kept if WRITER.encode() in path.read_bytes()]
    assert not [path for path, data in hub.files(REPO).items() if WRITER.encode() in data]


def test_two_runs_at_once(hub: Hub) -> None:
    from gamut.project.locks import only_writer

    with only_writer("publish.prism"), pytest.raises(UserError, match=r"already runs this: wait for it to end$"):
        publish()
    publish()
