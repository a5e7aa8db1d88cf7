"""Legacy rows: readable captions of uneven quality whose truth is known, each row for itself."""

from __future__ import annotations

import io
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from gamut.world.agreement import disagreements
from gamut.world.colloquial import reword, say_in_part
from gamut.world.legacy import LegacyRow, legacy_rows
from gamut.world.reading import read
from gamut.world.scene import random_scene

SHARES = {"without_image": 0.1, "mismatched": 0.15, "duplicates": 0.1}
FAULTS = {"low_contrast": 0.15, "blur": 0.1}


def rows(count: int, seed: int = 1, paint: bool = False, **shares: Any) -> list[LegacyRow]:
    return list(legacy_rows(count, seed, **(SHARES | {"faults": FAULTS} | shares), paint=paint))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9))
def test_a_caption_says_a_part_of_its_scene_and_nothing_else(number: int) -> None:
    rng = random.Random(number)
    scene = random_scene(rng)
    said = read(say_in_part(scene, rng))
    assert said is not None
    assert said.groups[0].kind == scene.groups[0].kind
    assert disagreements(said, scene, scene.lettering) == []


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9))
def test_a_reworded_caption_differs_and_says_the_same(number: int) -> None:
    rng = random.Random(number)
    caption = say_in_part(random_scene(rng), rng)
    other = reword(caption, rng)
    assert other != caption
    assert read(other) == read(caption)
    words, others = (sorted(text.lower().replace(",", "").strip(" .!").split()) for text in (caption, other))
    changed = sum(word not in others for word in words)
    assert changed <= (1 if len(words) >= 12 else 0)  # one word, and only among twelve or more


def test_captions_are_of_uneven_quality() -> None:
    captions = [row.caption for row in rows(400, duplicates=0.0)]
    said = [read(caption) for caption in captions]
    assert all(said)
    tidy = sum(caption[0].isupper() and caption.endswith(".") for caption in captions) / 400
    assert 0.2 <= tidy <= 0.5
    assert 0.08 <= sum(caption != caption.strip() or "  " in caption for caption in captions) / 400 <= 0.22
    lettered, lit = (sum(bool(getattr(scene, part)) for scene in said) / 400 for part in ("lettering", "light"))
    assert 0.2 <= lettered <= 0.42  # 0.42 of the scenes have lettering, three quarters of their captions say so
    assert 0.2 <= lit <= 0.4


def test_shares_are_as_asked() -> None:
    # 2,000 draws: a share of 0.15 has a standard deviation of sqrt(0.15 * 0.85 / 2000) = 0.008; four of them are 0.032.
    truths = [row.truth for row in rows(2000)]
    assert abs(sum(truth.mismatched for truth in truths) / 2000 - 0.15) < 0.032
    assert abs(sum(truth.duplicate_of is not None for truth in truths) / 2000 - 0.1) < 0.032
    assert abs(sum("blur" in truth.faults for truth in truths) / 2000 - 0.1) < 0.032


def test_a_larger_count_only_appends_and_painting_changes_no_truth() -> None:
    few, many = rows(12, paint=True), rows(60)
    assert [(row.caption, row.truth) for row in few] == [(row.caption, row.truth) for row in many[:12]]
    assert few == rows(12, paint=True)
    assert all(row.image is None for row in many)
    assert rows(12, seed=2) != many[:12]


def test_rows_are_made_as_they_are_taken() -> None:
    first = next(legacy_rows(10_000_000, 1, **SHARES, faults=FAULTS, paint=False))
    assert first == rows(1)[0]


def test_images_are_jpegs_of_384_pixels_and_some_are_missing() -> None:
    painted = rows(40, paint=True)
    images = [Image.open(io.BytesIO(row.image)) for row in painted if row.image]
    assert {(image.format, image.size) for image in images} == {("JPEG", (384, 384))}
    assert 0 < len(painted) - len(images) < 12
    assert not any(row.truth.legible for row in painted if row.image is None)
    assert [row.image for row in rows(3, paint=True, without_image=1.0)] == [None] * 3


def test_a_mismatched_caption_is_of_a_scene_with_other_things() -> None:
    for row in rows(60, mismatched=1.0):
        said = read(row.caption)
        assert said is not None
        assert row.truth.mismatched
        assert not {group.kind for group in said.groups} & {group.kind for group in row.truth.scene.groups}


def test_a_duplicate_repeats_an_earlier_row_in_other_words() -> None:
    found = rows(300, duplicates=0.3, faults={})
    assert found[0].truth.duplicate_of is None
    repeated = [(row, found[row.truth.duplicate_of]) for row in found if row.truth.duplicate_of is not None]
    assert repeated
    for row, first in repeated:
        assert first.truth.duplicate_of is None
        assert row.caption != first.caption
        assert read(row.caption) == read(first.caption)
        assert (row.truth.scene, row.truth.mismatched) == (first.truth.scene, first.truth.mismatched)
    assert {row.truth.duplicate_of for row in rows(5, duplicates=1.0)} == {None, 0}


@pytest.mark.parametrize("fault", ["blur", "noise", "low_contrast"])
def test_spoilt_lettering_is_not_legible(fault: str) -> None:
    for row in rows(40, faults={fault: 0.5}, without_image=0.0):
        degraded = any(strength > 1 for strength in row.truth.faults.values())  # beyond the limit of visibility
        assert row.truth.legible == (row.truth.scene.lettering is not None and not degraded)
