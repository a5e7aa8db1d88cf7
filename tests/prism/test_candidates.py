"""Candidates: the highest scores of each track, ties by lot, equal texts once; clusters and their representatives."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from gamut.evaluation.construction.drawing import BestTexts
from gamut.evaluation.construction.proposals import write_wave
from gamut.evaluation.construction.slots import Slots
from gamut.tables.columns import Row, make_id
from gamut.tables.reading import manifest, read_rows, shard_names
from gamut.tables.writing import TableWriter
from stages.prism.construction.captions import DESCRIPTION_OF
from stages.prism.construction.cluster import Clusters, candidates, choose_representatives, cluster, embed, represent
from stages.prism.construction.parameters import Params
from stages.prism.construction.proposals import wave_of
from stages.prism.construction.steps import PRISM
from stages.prism.shared.items import TRACKS
from tests import constructing, fakes
from tests.prism.small_dataset import Picture, write_dataset

TEXTS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 99), st.sampled_from("abcdefgh")), max_size=60)


CANDIDATES, EMBEDDINGS, REPRESENTATIVES = (
    Path("datasets/prism/cluster/v1", step) for step in ("candidates", "embed", "represent")
)


def slots(step: str, **changes: Any) -> Slots[Params]:
    return constructing.slots_at(PRISM, fakes.proposing_prompts(**changes), step)


def found(**changes: object) -> dict[str, list[tuple[str, str, int]]]:
    candidates(slots("candidates", **changes))
    rows = list(read_rows(CANDIDATES))
    return {track: [(r["row"], r["text"], r["score"]) for r in rows if r["track"] == track] for track in TRACKS}


def ranked(rows: list[tuple[int, int, str]], count: int) -> list[tuple[int, str, str]]:
    best = BestTexts(count, seed=0, name="style")
    for score, number, text in rows:
        best.add(score, f"w-{number:08d}", text)
    return [(r.score, r.row, r.text) for r in best.ranked()]


def test_every_track_has_its_characteristic() -> None:
    assert DESCRIPTION_OF == {
        "imagination": "imaginative",
        "entity": "entity",
        "text_rendering": "text",
        "style": "style",
        "affection": "abstract",
        "composition": "composition",
        "long_text": "detail",
    }


def test_the_highest_scores_come_first(project: Path) -> None:
    write_dataset(
        Picture(0, {"style": "a cubist cat", "entity": "a cat", "detail": "long a"}, {"style": 7, "entity": 9}, (6, 9)),
        Picture(1, {"style": "a cubist dog", "detail": "long b"}, {"style": 9}, (8, 7)),
        Picture(2, {"style": "a cubist cow", "detail": "long c"}, {"style": 10}, kept=False),
        Picture(3, {"style": "a cubist owl"}, {"style": 10}, status="parse_error"),
        Picture(4, {"abstract": "a sad cat"}, {"abstract": 8}, wave="x"),
    )
    tracks = found()
    assert tracks["style"] == [("w-00000001", "a cubist dog", 9), ("w-00000000", "a cubist cat", 7)]
    assert tracks["long_text"] == [("w-00000001", "long b", 7), ("w-00000000", "long a", 6)], "the lower of the two"
    assert tracks["affection"] == [("x-00000004", "a sad cat", 8)]
    assert tracks["composition"] == []
    ids = [row["id"] for row in read_rows(CANDIDATES)]
    assert ids[-2:] == ["long-text-00000000", "long-text-00000001"], "the rank is in the id"
    shards = shard_names(CANDIDATES)
    assert [name for name in shards if not name.endswith("-00000")] == []


def test_only_so_many_and_equal_texts_once(project: Path) -> None:
    pictures = [Picture(n, {"style": f"text {n % 20}"}, {"style": 5 + (n % 20 == 7)}) for n in range(60)]
    write_dataset(*pictures)
    style = found(candidates=3)["style"]
    assert style[0][1:] == ("text 7", 6) and len({text for _, text, _ in style}) == 3
    first = manifest(CANDIDATES)
    write_dataset(*pictures)
    found(candidates=3)
    assert manifest(CANDIDATES) == first


@given(TEXTS, st.integers(0, 6), st.randoms())
def test_order_has_no_say_and_little_is_in_memory(
    rows: list[tuple[int, int, str]], count: int, chance: random.Random
) -> None:
    mixed = rows.copy()
    chance.shuffle(mixed)
    assert ranked(rows, count) == ranked(mixed, count) == ranked(rows, len(rows))[:count]
    best = BestTexts(count, 0, "style")
    for score, number, text in rows:
        best.add(score, f"w-{number:08d}", text)
        assert len(best.pool) <= max(2 * count, 1)


def test_the_seed_breaks_ties() -> None:
    # 40 equal scores: that two seeds draw the same 5 of them has a chance of 1 in 658,008 (40 over 5)
    drawn = []
    for seed in (0, 1):
        best = BestTexts(5, seed, "style")
        for number in range(40):
            best.add(9, f"w-{number:08d}", f"text {number}")
        drawn.append({r.row for r in best.ranked()})
    assert drawn[0] != drawn[1]


def test_a_tie_is_not_broken_by_position() -> None:
    # Of 1,000 equals 100 are drawn; the mean position of a fair draw is 499.5 with a deviation of 27 (hypergeometric)
    best = BestTexts(100, 0, "style")
    for number in range(1000):
        best.add(9, f"w-{number:08d}", f"text {number}")
    mean = sum(int(r.row[2:]) for r in best.ranked()) / 100
    assert mean == pytest.approx(499.5, abs=4 * 27.4)


PLANTED = np.repeat(np.eye(3), 4, axis=0) + np.random.default_rng(0).normal(0, 0.01, (12, 3))


def write_files(of_tracks: dict[str, list[tuple[str, list[float] | None]]]) -> None:
    with (
        TableWriter(CANDIDATES, slots("candidates").schema) as table,
        TableWriter(EMBEDDINGS, slots("embed").schema) as other,
    ):
        for track in TRACKS:
            rows = [
                {
                    "id": make_id(wave_of(track), rank),
                    "track": track,
                    "row": row,
                    "text": f"{track} of {row}",
                    "score": 9,
                    "status": "ok",
                }
                for rank, (row, _) in enumerate(of_tracks.get(track, []))
            ]
            vectors = [vector for _, vector in of_tracks.get(track, [])]
            write_wave(table, wave_of(track), rows)
            write_wave(
                other,
                wave_of(track),
                [
                    {"id": row["id"], "vector": vector, "status": "ok" if vector else "transport_error"}
                    for row, vector in zip(rows, vectors, strict=True)
                ],
            )


def run(sampled: int = 3) -> tuple[list[Row], dict[str, Any]]:
    represent(slots("represent", sampled=sampled))
    return list(read_rows(REPRESENTATIVES)), json.loads(Path("metrics/editions/prism/v1/cluster.json").read_text())


def planted(wave: str = "w") -> list[tuple[str, list[float] | None]]:
    return [(make_id(wave, number), vector.tolist()) for number, vector in enumerate(PLANTED)]


def test_one_of_each_cluster(project: Path) -> None:
    write_files({"style": planted()})
    rows, metrics = run()
    assert [int(row["row"][-2:]) // 4 for row in rows] == [0, 1, 2] and {row["captions"] for row in rows} == {4}
    assert [row["id"] for row in rows] == [f"style-{row['row'][-8:]}" for row in rows], "a candidate keeps its id"
    assert {name: value for name, value in metrics.items() if name.startswith("style.")} == {
        "style.candidates": 12,
        "style.clusters": 3,
        "style.smallest": 4,
        "style.largest": 4,
        "style.inertia": metrics["style.inertia"],
    }
    assert (metrics["entity.candidates"], metrics["entity.clusters"]) == (0, 0)
    assert "entity.inertia" not in metrics


def test_no_picture_is_chosen_on_two_tracks(project: Path) -> None:
    write_files({"entity": planted(), "style": planted(), "long_text": planted("x")})
    rows, _ = run()
    chosen = {track: [row["row"] for row in rows if row["track"] == track] for track in TRACKS}
    assert len(set(chosen["entity"] + chosen["style"])) == 6
    assert [int(row[-2:]) // 4 for row in chosen["style"]] == [0, 1, 2], "the next nearest of the same cluster"
    assert [row[-2:] for row in chosen["long_text"]] == [row[-2:] for row in chosen["entity"]]


def test_the_next_nearest_is_taken_and_none_where_all_are() -> None:
    # The centroid of 0, 1 and 5 is 2: 1 is the nearest (1 away), then 0 (2 away), then 5 (3 away)
    embeddings = np.array([[0], [1], [5], [9]], np.float32)
    clusters = Clusters(np.array([0, 0, 0, 1]), np.array([1, 3]), 14.0)
    rows = [{"id": f"style-{n:08d}", "row": f"w-{n:08d}"} for n in range(4)]
    taken = [[], [1], [0, 1], [0, 1, 2], [3, 1]]
    chosen = [choose_representatives(rows, embeddings, clusters, {rows[n]["row"] for n in some}) for some in taken]
    assert [[int(row["id"][-1]) for row in some] for some in chosen] == [[1, 3], [0, 3], [2, 3], [3], [0]]
    assert [(row["cluster"], row["captions"]) for row in chosen[0]] == [(0, 3), (1, 1)]


def test_few_candidates_all_stand_for_themselves_and_failures_for_nobody(project: Path) -> None:
    write_files({"style": [*planted()[:2], ("w-00000050", None)]})
    rows, metrics = run()
    assert [row["row"] for row in rows] == ["w-00000000", "w-00000001"]
    assert (metrics["style.candidates"], metrics["style.clusters"]) == (2, 2) and "style.inertia" not in metrics


@pytest.mark.parametrize(("sampled", "chosen"), [(0, 0), (1, 1)])
def test_none_or_one(project: Path, sampled: int, chosen: int) -> None:
    write_files({"style": planted()})
    rows, metrics = run(sampled)
    assert (len(rows), metrics["style.clusters"]) == (chosen, chosen)


def test_tfidf_embeds_every_candidate(project: Path) -> None:
    write_files({"style": planted(), "entity": planted()})
    models = fakes.values()["models"] | {"words": {"kind": "tfidf"}}
    params = fakes.proposing(Params, fakes.PROPOSE | {"embedder": "words"}, models=models)
    embed(constructing.slots_at(PRISM, params, "embed"))
    rows = list(read_rows(EMBEDDINGS))
    assert [row["id"] for row in rows] == [row["id"] for row in read_rows(CANDIDATES)]
    assert all(np.linalg.norm(row["vector"]) == pytest.approx(1, abs=1e-5) for row in rows)
    assert manifest(EMBEDDINGS)["statuses"] == {"ok": 24}


def planted_embeddings(clusters: int = 20, each: int = 50, dimensions: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """Points around well-separated directions of length 1, in mixed order; and which belongs to which."""
    chance = np.random.default_rng(0)
    centres = chance.normal(size=(clusters, dimensions))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    belongs = chance.permutation(np.repeat(np.arange(clusters), each))
    points = centres[belongs] + chance.normal(0, 0.02, (len(belongs), dimensions))
    return points.astype(np.float32), belongs


def test_the_nearest_to_the_centroid_stands_for_its_cluster() -> None:
    # The centroid of 0, 1 and 5 is 2, to which 1 is nearest; that of 100, 101 and 108 is 103, to which 101 is.
    points = np.array([[5], [108], [0], [101], [1], [100]], np.float32)
    found = cluster(points, 2, seed=0)
    assert found.representatives.tolist() == [3, 4]
    assert found.inertia == pytest.approx((4 + 1 + 9) + (9 + 4 + 25))


def test_another_number_of_threads_finds_the_same() -> None:
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(cluster(planted_embeddings()[0], 20, 3).labels.tobytes())
    assert found[0] == found[1]


def test_few_captions_all_stand_for_themselves() -> None:
    points = np.array([[2, 0], [1, 0], [2, 0], [0, 1]], np.float32)
    found = cluster(points, 50, seed=0)
    assert (found.labels.tolist(), found.representatives.tolist(), found.inertia) == ([0, 1, 0, 2], [0, 1, 3], 0)
