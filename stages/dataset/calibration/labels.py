"""Labels: which rows a filter should pass. Here the truth of the embedded world, of all that it made itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from stages.dataset.shared.joins import SOURCE_ROWS, SYNTHESIZED
from stages.dataset.shared.parameters import Params, SandboxSource
from stages.project.model_kinds import SandboxModel
from stages.tables.columns import make_id, place
from stages.tables.reading import read_shard, shard_names

BAD, GOOD, DISPUTED, BLANK = KINDS = range(4)
"""What is said of a row that was drawn: it should not pass; it should (it is good, belongs or matches); as many say the
one as the other; nobody says anything. Of the last two nobody knows which it is."""
ALL = "all"
"""The stratum of rows that all have a label, or were all as likely to be drawn."""


class Label(NamedTuple):
    """What is said of a row, None before anybody has said anything; the stratum that it was drawn from, and for how
    many of its rows it stands; what stands for it as it was shown, "" where that is not known.
    """

    said: int | None
    stratum: str = ALL
    weight: float = 1.0
    about: str = ""


Labels = Mapping[str, Mapping[str, Label]]
"""Labels of one shard's rows: by filter, then by id."""


def true_labels(params: Params) -> Iterator[tuple[str, Labels]]:
    """Yield the truth of every picture that the embedded world painted and every source image that was searched for
    text.

    Shard by shard, where a shard may come more than once. Nothing comes when other models paint and no source is of
    the embedded world.
    """
    painter = params.models[params.roles.painter]
    if isinstance(painter, SandboxModel):
        for shard in shard_names(SYNTHESIZED):
            yield shard, labels_of_pictures(shard, painter.faults)
    for source in params.sources:
        if isinstance(source, SandboxSource) and source.route == "mine_text":
            yield from labels_of_legibility(source)


def labels_of_pictures(shard: str, faults: Mapping[str, float]) -> Labels:
    """Return what truly holds of a shard's pictures, which were painted with faults at these rates."""
    from stages.asking.models.sandbox import alignment_truth, picture_truth

    captions = {row["id"]: row["caption"] for row in read_shard(SOURCE_ROWS, shard, ["id", "caption"])}
    labels: dict[str, dict[str, Label]] = {}
    for row in read_shard(SYNTHESIZED, shard, ["id", "prompt", "seed", "width", "height", "status"]):
        if row["status"] != "ok":
            continue
        asked = (row["prompt"], row["seed"], faults)
        truth: dict[str, bool | None] = dict(picture_truth(*asked, row["width"], row["height"]))
        if caption := captions[row["id"]]:
            truth["alignment"] = alignment_truth(caption, *asked)
        for name, good in truth.items():
            if good is not None:
                labels.setdefault(name, {})[row["id"]] = Label(GOOD if good else BAD)
    return labels


def labels_of_legibility(source: SandboxSource) -> Iterator[tuple[str, Labels]]:
    """Yield which images of a source of the embedded world have lettering that can be read."""
    from stages.asking.models.sandbox import legacy_rows

    rows = legacy_rows(
        source.count,
        source.seed,
        without_image=source.without_image,
        mismatched=source.mismatched,
        duplicates=source.duplicates,
        faults=source.faults,
        paint=False,
    )
    truths = (
        (make_id(source.wave, ordinal), Label(GOOD if row.truth.legible else BAD)) for ordinal, row in enumerate(rows)
    )
    for shard, labels in groupby(truths, key=lambda truth: place(truth[0])[0]):
        yield shard, {"legibility": dict(labels)}
