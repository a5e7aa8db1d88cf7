"""What has to change on the Hub, and in which commits."""

from __future__ import annotations

import hashlib

from stages.publish import protocol
from stages.publish.files import File, in_memory
from stages.publish.hub import Held, git_blob_id
from stages.publish.protocol import Plan, commits


def held(file: File, large: bool) -> Held:
    return Held(file.size, file.sha256 if large else None, git_blob_id(file.read()))


CARD, MANIFEST = in_memory("README.md", b"card"), in_memory("manifest.json", b"{}")
SHARD = in_memory("data/a-00000-12345678.parquet", b"rows")


def test_what_is_there_stays_where_it_is_whether_large_or_small() -> None:
    there = {SHARD.path: held(SHARD, large=True), CARD.path: held(CARD, large=False)}
    assert not protocol.plan([SHARD, CARD], there)


def test_other_bytes_under_the_same_path_are_seen_whether_large_or_small() -> None:
    for large in (True, False):
        there = {CARD.path: held(in_memory("README.md", b"kard"), large)}  # as many bytes, other ones
        assert protocol.plan([CARD], there) == Plan([CARD], [])


def test_what_gamut_put_there_and_no_longer_has_is_deleted_and_nothing_else() -> None:
    strange = in_memory("", b"x")
    paths = ["data/old-00000-1.parquet", "pictures/old.webp", "LICENSE", ".gitattributes", "notes/data/x"]
    there = {path: held(strange, large=False) for path in paths}
    assert protocol.plan([], there).delete == ["data/old-00000-1.parquet", "pictures/old.webp"]


def shards(count: int) -> list[File]:
    return [
        in_memory(f"data/a-{n:05d}-{hashlib.sha256(b'%d' % n).hexdigest()[:8]}.parquet", b"%d" % n)
        for n in range(count)
    ]


def test_a_hundred_files_are_one_commit() -> None:
    whole = Plan([*shards(98), CARD, MANIFEST], ["data/old.parquet"])
    assert list(commits(whole)) == [whole]


def test_of_more_files_the_shards_go_first_and_what_makes_them_a_version_last() -> None:
    table = in_memory("data/_manifest.json", b"{}")
    many = shards(201)
    found = list(commits(Plan([*many, table, CARD, MANIFEST], ["data/old.parquet"])))
    # 201 shards: 100 + 100 + 1, then the three files that change their bytes under the same path, and the deletion
    assert [len(step.add) for step in found] == [100, 100, 1, 3]
    assert [step.delete for step in found] == [[], [], [], ["data/old.parquet"]]
    assert [file for step in found[:3] for file in step.add] == many
    assert found[3].add == [table, CARD, MANIFEST]
