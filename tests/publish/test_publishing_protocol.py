"""A version comes to the Hub whole, once, under its tag, whatever goes wrong; and in which commits."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from gamut.project.errors import UserError
from gamut.publish import hub as asking
from gamut.publish import protocol, troubles
from gamut.publish.content import manifest_file
from gamut.publish.files import File, memory_file
from gamut.publish.hub import Remote, RemoteFile, git_blob_id
from gamut.publish.protocol import Change, Plan
from tests.hub.faults import Fault
from tests.hub.server import Hub
from tests.publish.bare_version import REPO, served, version

SHARDS = {"a-00000": b"rows of a", "b-00000": b"rows of b"}
COMMIT, TREE, TAG, REFS = "/commit/", "/tree/", "/tag/", "/refs"


@pytest.fixture
def there(tmp_path: Path) -> Iterator[tuple[Hub, Remote]]:
    with served(tmp_path) as both:
        yield both


@pytest.fixture
def hub(there: tuple[Hub, Remote]) -> Hub:
    return there[0]


@pytest.fixture
def remote(there: tuple[Hub, Remote]) -> Remote:
    return there[1]


@pytest.fixture
def files(tmp_path: Path) -> list[File]:
    return version(tmp_path, "0.1.0", SHARDS)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(troubles, "WAITS", (0.0,) * 5)


def publish(remote: Remote, files: list[File], tag: str = "v0.1.0", product: str = "dataset") -> str:
    """All that the Hub sees of `gamut publish`."""
    if asking.repo_exists(remote) and (commit := protocol.tagged_commit(remote, tag, files)):
        return commit
    protocol.create_repo(remote, private=False)
    change = Change(product, tag.removeprefix("v"), files, f"Small {tag}", "git revision 1234")
    commit = protocol.push_version(remote, change, print)
    protocol.tag_commit(remote, tag, commit)
    return commit


def commits(hub: Hub) -> int:
    """Commits after the one with which the Hub makes a repository."""
    repo = hub.repo(REPO)
    return len(list(repo.history(repo.at("main")))) - 1


def holds(hub: Hub, files: list[File], revision: str = "v0.1.0") -> bool:
    found = {path: data for path, data in hub.files(REPO, revision).items() if path != ".gitattributes"}
    return found == {file.path: file.read() for file in files}


def test_the_next_version_uploads_what_changed_and_deletes_what_it_no_longer_has(
    hub: Hub, remote: Remote, tmp_path: Path
) -> None:
    first = version(tmp_path / "1", "0.1.0", SHARDS)
    publish(remote, first)
    hub.log.clear()
    second = version(tmp_path / "2", "0.2.0", {"a-00000": b"rows of a", "c-00000": b"rows of c"})
    publish(remote, second, "v0.2.0")
    assert len(hub.asked("PUT", "")) == 1, "only c is uploaded"
    assert holds(hub, first, "v0.1.0") and holds(hub, second, "v0.2.0"), "b is gone from the second version alone"


def test_what_others_put_beside_it_stays(hub: Hub, remote: Remote, files: list[File], tmp_path: Path) -> None:
    publish(remote, files)
    hub.commit(REPO, hub.files(REPO) | {"LICENSE": b"CC0"})
    publish(remote, version(tmp_path, "0.2.0", SHARDS), "v0.2.0")
    assert hub.files(REPO, "v0.2.0")["LICENSE"] == b"CC0"


@pytest.mark.parametrize(
    ("method", "path", "what"),
    [
        ("GET", "somebody/small$", 503),
        ("POST", "/repos/create", "drop_after"),
        ("POST", "/preupload/", 429),
        ("POST", "/objects/batch", "drop_before"),
        ("PUT", "", 503),
        *(("POST", COMMIT, what) for what in (503, "drop_before", "drop_after")),
        ("GET", TREE, "drop_before"),
        *(("POST", TAG, what) for what in (429, "drop_after")),
    ],
)
def test_what_fails_and_passes_is_asked_again(
    hub: Hub, remote: Remote, files: list[File], method: str, path: str, what: int | str
) -> None:
    hub.script.append(Fault(method, path, what))  # type: ignore[arg-type]
    commit = publish(remote, files)
    assert hub.script[0].times == 0, "it went wrong once"
    assert commits(hub) == 1, "also when the answer to the commit was lost"
    assert hub.repo(REPO).tags == {"v0.1.0": commit} and holds(hub, files)


def test_somebody_who_commits_meanwhile_is_not_overwritten(hub: Hub, remote: Remote, tmp_path: Path) -> None:
    publish(remote, version(tmp_path / "1", "0.1.0", SHARDS))

    def commits_too(hub: Hub) -> None:
        hub.commit(REPO, hub.files(REPO) | {"LICENSE": b"CC0"})

    hub.script.append(Fault("POST", "/preupload/", then=commits_too))
    second = version(tmp_path / "2", "0.2.0", {"a-00000": b"more rows"})
    publish(remote, second, "v0.2.0")
    assert [call.status for call in hub.asked("POST", COMMIT)][-2:] == [412, 200]
    assert hub.files(REPO, "v0.2.0")["LICENSE"] == b"CC0"


def test_a_hub_that_stays_broken_is_told_in_one_line(hub: Hub, remote: Remote, files: list[File]) -> None:
    for what, explained in (
        (503, r"^somebody/small: the Hub is busy or broken \(503\): run it again later"),
        ("drop_before", r"^somebody/small: the Hub cannot be reached \(.*\): check the network"),
        ("stale_parent", r"^somebody/small: somebody else keeps committing to it: run it again$"),
    ):
        hub.script[:] = [Fault("POST", COMMIT, what, times=99)]  # type: ignore[arg-type]
        with pytest.raises(UserError, match=explained):
            publish(remote, files)
        assert commits(hub) == 0 and not hub.repo(REPO).tags
    hub.script.clear()
    publish(remote, files)
    assert commits(hub) == 1


def test_a_listing_with_other_checksums_is_never_tagged(hub: Hub, remote: Remote, files: list[File]) -> None:
    hub.script.append(Fault("GET", TREE, "wrong_checksum", skip=1))  # after the look before the upload
    with pytest.raises(UserError, match=r"does not hold what was sent .*nothing was tagged: run it again"):
        publish(remote, files)
    assert not hub.repo(REPO).tags
    publish(remote, files)
    assert commits(hub) == 1 and list(hub.repo(REPO).tags) == ["v0.1.0"]


def test_a_tag_that_somebody_else_put_elsewhere_is_told(hub: Hub, remote: Remote, files: list[File]) -> None:

    def tags_too(hub: Hub) -> None:
        repo = hub.repo(REPO)
        repo.tags["v0.1.0"] = next(reversed(list(repo.history(repo.at("main"))))).oid

    hub.script.append(Fault("POST", COMMIT, then=tags_too))
    with pytest.raises(UserError, match=r"somebody else has set v0\.1\.0 to .* bump `version`"):
        publish(remote, files)


def many(folder: Path, number: str, word: bytes) -> list[File]:
    return version(folder, number, {f"a-{n:05d}": b"%s %d" % (word, n) for n in range(250)})


def test_a_large_version_shows_the_old_one_until_the_last_commit(hub: Hub, remote: Remote, tmp_path: Path) -> None:
    first, second = many(tmp_path / "1", "0.1.0", b"old"), many(tmp_path / "2", "0.2.0", b"new")
    publish(remote, first)
    assert commits(hub) == 4, "250 shards: 100, 100, 50, and the rest"
    old = {file.path: file.read() for file in first}
    seen: list[bool] = []

    def look(hub: Hub) -> None:
        now = hub.files(REPO)
        seen.append(all(now.get(path) == data for path, data in old.items()))

    hub.script.append(Fault("POST", COMMIT, times=4, then=look))
    publish(remote, second, "v0.2.0")
    assert seen == [True, True, True, False]
    assert holds(hub, second, "v0.2.0") and holds(hub, first, "v0.1.0")


def test_a_large_version_goes_on_after_the_commits_that_were_taken(hub: Hub, remote: Remote, tmp_path: Path) -> None:
    files = many(tmp_path, "0.1.0", b"rows")
    hub.script.append(Fault("POST", COMMIT, 503, times=99, skip=2))
    with pytest.raises(UserError, match="busy or broken"):
        publish(remote, files)
    assert commits(hub) == 2 and not hub.repo(REPO).tags
    hub.script.clear()
    hub.log.clear()
    publish(remote, files)
    assert commits(hub) == 3 and holds(hub, files), "the last 50 shards fit into one commit with the rest"
    assert not hub.asked("PUT", ""), "all were uploaded before the commit that failed"


def test_a_shard_that_is_not_what_its_manifest_says_is_never_committed(
    hub: Hub, remote: Remote, files: list[File], tmp_path: Path
) -> None:
    (tmp_path / "b-00000.parquet").write_bytes(b"rotten   ")
    with pytest.raises(UserError, match=r"data/b-00000-.* differs from its manifest .*`dvc checkout --force"):
        publish(remote, files)
    (tmp_path / "b-00000.parquet").unlink()
    with pytest.raises(UserError, match=r"b-00000\.parquet is missing: `dvc checkout "):
        publish(remote, files)
    assert commits(hub) == 0


def test_a_repository_with_other_files_is_left_alone(hub: Hub, remote: Remote, files: list[File]) -> None:
    for path in ("data/train.parquet", "train-00000-of-00001.parquet", "train.csv", "data/a-00000-12345678.parquet"):
        commit = hub.commit(REPO, {"README.md": b"Five years of work", path: b"mine"})
        with pytest.raises(UserError, match=rf"holds files that gamut did not publish \('{path}'\): choose another"):
            publish(remote, files)
        assert hub.repo(REPO).branches["main"] == commit
    hub.commit(REPO, {"manifest.json": b'{"some": "thing"}'})
    with pytest.raises(UserError, match=r"its manifest\.json is damaged"):
        publish(remote, files)


def test_a_repository_with_a_card_and_a_licence_alone_is_taken(hub: Hub, remote: Remote, files: list[File]) -> None:
    hub.commit(REPO, {"README.md": b"soon", "LICENSE": b"CC0"})
    publish(remote, files)
    assert hub.files(REPO, "v0.1.0")["LICENSE"] == b"CC0"


def test_two_products_do_not_share_a_repository(remote: Remote, files: list[File], tmp_path: Path) -> None:
    publish(remote, files)
    with pytest.raises(UserError, match=r"holds 'dataset': choose another repository for 'prism'"):
        publish(remote, version(tmp_path, "0.2.0", SHARDS), "v0.2.0", "prism")


def test_main_never_goes_back_to_an_earlier_version(hub: Hub, remote: Remote, tmp_path: Path) -> None:
    publish(remote, version(tmp_path, "0.10.0", SHARDS), "v0.10.0")
    with pytest.raises(UserError, match=r"already holds version 0\.10\.0, later than 0\.9\.0: bump `version`"):
        publish(remote, version(tmp_path, "0.9.0", SHARDS), "v0.9.0")
    assert commits(hub) == 1


def test_who_publishes_another_product_meanwhile_is_not_overwritten(hub: Hub, remote: Remote, tmp_path: Path) -> None:
    ours = version(tmp_path, "0.1.0", SHARDS)
    items = memory_file("data/v1-12345678.jsonl", b"{}", "v1.jsonl")
    theirs = [items, manifest_file("prism", "0.1.0", 3, [items])]

    def publishes_too(hub: Hub) -> None:
        hub.commit(REPO, {file.path: file.read() for file in theirs})

    hub.script.append(Fault("POST", "/preupload/", then=publishes_too))
    with pytest.raises(UserError, match=r"holds 'prism': choose another repository"):
        publish(remote, ours)
    assert {file.path for file in theirs} == set(hub.files(REPO)) - {".gitattributes"}


def held(file: File, large: bool) -> RemoteFile:
    return RemoteFile(file.size, file.sha256 if large else None, git_blob_id(file.read()))


CARD, MANIFEST = memory_file("README.md", b"card"), memory_file("manifest.json", b"{}")
SHARD = memory_file("data/a-00000-12345678.parquet", b"rows")


def test_what_is_there_stays_where_it_is_whether_large_or_small() -> None:
    there = {SHARD.path: held(SHARD, large=True), CARD.path: held(CARD, large=False)}
    assert not protocol.plan_changes([SHARD, CARD], there)


def test_other_bytes_under_the_same_path_are_seen_whether_large_or_small() -> None:
    for large in (True, False):
        there = {CARD.path: held(memory_file("README.md", b"kard"), large)}  # as many bytes, other ones
        assert protocol.plan_changes([CARD], there) == Plan([CARD], [])


def test_what_gamut_put_there_and_no_longer_has_is_deleted_and_nothing_else() -> None:
    strange = memory_file("", b"x")
    paths = ["data/old-00000-1.parquet", "pictures/old.webp", "LICENSE", ".gitattributes", "notes/data/x"]
    there = {path: held(strange, large=False) for path in paths}
    assert protocol.plan_changes([], there).delete == ["data/old-00000-1.parquet", "pictures/old.webp"]


def shards(count: int) -> list[File]:
    return [
        memory_file(f"data/a-{n:05d}-{hashlib.sha256(b'%d' % n).hexdigest()[:8]}.parquet", b"%d" % n)
        for n in range(count)
    ]


def test_a_hundred_files_are_one_commit() -> None:
    whole = Plan([*shards(98), CARD, MANIFEST], ["data/old.parquet"])
    assert list(protocol.split_commits(whole)) == [whole]


def test_of_more_files_the_shards_go_first_and_what_makes_them_a_version_last() -> None:
    table = memory_file("data/_manifest.json", b"{}")
    many = shards(201)
    found = list(protocol.split_commits(Plan([*many, table, CARD, MANIFEST], ["data/old.parquet"])))
    # 201 shards: 100 + 100 + 1, then the three files that change their bytes under the same path, and the deletion
    assert [len(step.add) for step in found] == [100, 100, 1, 3]
    assert [step.delete for step in found] == [[], [], [], ["data/old.parquet"]]
    assert [file for step in found[:3] for file in step.add] == many
    assert found[3].add == [table, CARD, MANIFEST]
