"""Labels: which rows a filter should pass, by the truth of the embedded world or by people's file and logs.

A labels file has the columns id, filter and label: 1 if the row should pass (it is good, belongs or matches), 0 if not,
empty without a label. The weight is the number of rows that it stands for. The stratum is the side of a threshold that
it was drawn from; without this column all weights are 1. The column about has the digest of what was shown at the draw.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations, groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gamut.dataset.calibration.filters import FILTERS
from gamut.dataset.shared.joins import table_of, values_by_id
from gamut.dataset.shared.source_blocks import Build, SandboxSource
from gamut.evaluation.scoring.statistics.coefficients import krippendorff_alpha, weighted_kappa
from gamut.project.csv_forms import form_rows, refuse_lines
from gamut.project.decisions import Decisions, majority, path_of, read_decisions
from gamut.project.errors import UserError, nearest_choice
from gamut.project.model_kinds import SandboxModel
from gamut.project.plain_text import amount
from gamut.tables.columns import grouped, make_id, place, prompt_id
from gamut.tables.reading import read_shard, shard_names, shard_rows

BAD, GOOD, DISPUTED, BLANK = KINDS = range(4)
"""What people say of a drawn row: it should not pass; it should (it is good, belongs or matches); equally many say yes
and no; nobody says anything. For the last two the truth is unknown."""
ALL = "all"
"""The stratum of rows that all have a label, or were all equally likely to be drawn."""
TASK = "filters"
COLUMNS = ("id", "filter", "label")
VERDICTS = {"0": BAD, "1": GOOD}
MOST_NAMED = 3
"""How many unusable rows of a log a message names."""


class Label(NamedTuple):
    """The verdict on a row (None without a label), the stratum that it was drawn from, and how many rows of the stratum
    it stands for. `about` is the digest of what was shown, "" if unknown.
    """

    verdict: int | None
    stratum: str = ALL
    weight: float = 1.0
    about: str = ""


Labels = Mapping[str, Mapping[str, Label]]
"""Labels of one shard's rows: by filter, then by id."""
Key = tuple[str, str]
"""A filter and a row's id."""
Rows = Mapping[Key, Label]
"""Rows that were drawn and what is said of them."""


def true_labels(params: Build) -> Iterator[tuple[str, Labels]]:
    """Yield the truth of pictures that the embedded world painted and of its source images; a shard may come twice."""
    painter = params.models[params.roles.painter]
    if isinstance(painter, SandboxModel):
        for shard in shard_names(table_of("synthesize")):
            yield shard, labels_of_pictures(shard, painter.faults)
    for source in params.sources:
        if isinstance(source, SandboxSource) and source.route == "mine_text":
            from gamut.asking.models.world.sandbox import legacy_rows

            truths = (
                (make_id(source.wave, ordinal), Label(GOOD if row.truth.legible else BAD))
                for ordinal, row in enumerate(legacy_rows(source.count, source.seed, paint=False, **source.shares))
            )
            for shard, labels in groupby(truths, key=lambda truth: place(truth[0])[0]):
                yield shard, {"legibility": dict(labels)}


def labels_of_pictures(shard: str, faults: Mapping[str, float]) -> Labels:
    from gamut.asking.models.world.sandbox import alignment_truth, picture_truth

    captions = values_by_id("source_rows", shard, "caption")
    labels: dict[str, dict[str, Label]] = defaultdict(dict)
    for row in read_shard(table_of("synthesize"), shard, ["id", "prompt", "seed", "width", "height", "status"]):
        if row["status"] != "ok" or row["prompt"] is None:  # the source's own picture, of which no truth is known
            continue
        asked = (row["prompt"], row["seed"], faults)
        truth: dict[str, bool | None] = dict(picture_truth(*asked, row["width"], row["height"]))
        if caption := captions[prompt_id(row["id"])]:
            truth["alignment"] = alignment_truth(caption, *asked)
        for name, good in truth.items():
            if good is not None:
                labels[name][row["id"]] = Label(GOOD if good else BAD)
    return labels


# A person's file


def read_labels(path: Path, look_up: Callable[[Iterable[str]], set[str]]) -> Rows:
    """Return the labels of a file; `look_up` returns which ids exist. UserError with one line per mistake."""
    rows = list(form_rows(path, COLUMNS, " (calibrate.labels in params.yaml): put it there, or set it to null"))
    if rows and "weight" not in rows[0][1]:
        raise UserError(
            f"{path}: there is no column weight, the number of rows that each labelled row stands for: if all rows are "
            "labelled, or all were equally likely to be drawn, write 1 in each row"
        )
    known = look_up({row["id"] for _, row in rows})
    labels: dict[Key, Label] = {}
    first: dict[Key, tuple[int, str]] = {}
    samples: dict[str, int | None] = {}
    mistakes: list[tuple[int, str]] = []
    for line, row in rows:
        try:
            label = label_of(row, known)
            earlier, said = first.setdefault((row["filter"], row["id"]), (line, row["label"]))
            if earlier != line:
                how = "contradicts" if {said, row["label"]} == {"0", "1"} else "repeats"
                raise ValueError(f"{how} line {earlier}, which labels {row['id']} for {row['filter']}")
            if samples.setdefault(row["filter"], threshold := threshold_of(label.stratum)) != threshold:
                raise ValueError(f"stratum {label.stratum!r}: earlier rows of {row['filter']} are from another sample")
        except ValueError as mistake:
            mistakes.append((line, str(mistake)))
            continue
        labels[row["filter"], row["id"]] = label
    refuse_lines(path, mistakes)
    return labels


def label_of(row: Mapping[str, str], known_ids: set[str]) -> Label:
    """Return the label of a row; ValueError if the row is wrong."""
    names = [filter_.name for filter_ in FILTERS]
    if row["filter"] not in names:
        raise ValueError(f"there is no filter {row['filter']!r}{nearest_choice(row['filter'], names)}")
    if row["id"] not in known_ids:
        raise ValueError(f"there is no row {row['id']!r} in datasets/source_rows")
    if row["label"] not in ("0", "1", ""):
        raise ValueError(f"label {row['label']!r}: 1 (it should pass) or 0 (it should not) is expected")
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", row["weight"]) or float(row["weight"]) < 1:
        raise ValueError(f"weight {row['weight']!r}: a number of 1 or more is expected, as a row stands for itself")
    weight, stratum = float(row["weight"]), row.get("stratum", ALL)
    if stratum == ALL and weight != 1:
        raise ValueError(f"weight {row['weight']!r}: without a column stratum, the weight of every row is 1")
    if stratum != ALL and threshold_of(stratum) is None:
        raise ValueError(f"stratum {stratum!r}: one such as {stratum_below(6)!r} or {stratum_from(6)!r} is expected")
    if not re.fullmatch(r"(p[0-9a-f]{16})?", about := row.get("about", "")):
        raise ValueError(f"about {about!r}: put back the value that was drawn, or leave it empty")
    return Label(VERDICTS.get(row["label"]), stratum, weight, about)


def stratum_below(threshold: int) -> str:
    return f"below {threshold}"


def stratum_from(threshold: int) -> str:
    return f"from {threshold}"


def threshold_of(stratum: str) -> int | None:
    named = re.fullmatch(r"(?:below|from) ([0-9]|10)", stratum)
    return int(named[1]) if named else None


def known_ids(ids: Iterable[str]) -> set[str]:
    """Return which of the ids exist. Further pictures of a prompt have no row of a source."""
    wanted = grouped(
        (("source_rows" if one == prompt_id(one) else "synthesize", place(one)[0]), one) for one in well_formed_ids(ids)
    )
    there = {(step, shard) for step in {step for step, _ in wanted} for shard in shard_names(table_of(step))}
    return {
        row["id"]
        for step, shard in wanted.keys() & there
        for row in shard_rows(table_of(step), shard, ["id"], {*wanted[step, shard]})
    }


def well_formed_ids(ids: Iterable[str]) -> set[str]:
    """Return those of the ids that can be a row's."""
    return {row_id for row_id in ids if re.fullmatch(r".+-[0-9]{8}(_[1-9a-f])?", row_id)}


# What several people say of the same rows


class Opinion(NamedTuple):
    """What one person says of a row, and the digest of what was shown ("" if unknown)."""

    verdict: int
    about: str


class Agreement(NamedTuple):
    """How far people agree. `twice` rows have labels of two or more people. `kappa` is Cohen's (with more than two
    people the mean of all pairs), `alpha` Krippendorff's; None if undefined.
    """

    twice: int
    kappa: float | None
    alpha: float | None


class LabelsOfPeople(NamedTuple):
    """What people say of the rows of a labels file: one label per row and the agreement by filter. A label's `about` is
    "" if one person's digest is unknown. `changed`: by person, the rows that have changed since.
    """

    rows: Rows
    agreements: Mapping[str, Agreement]
    changed: Mapping[str, Sequence[str]]


def read_people(
    path: Path, look_up: Callable[[Iterable[str]], set[str]], now: Callable[[Iterable[Key]], Mapping[Key, str]]
) -> LabelsOfPeople:
    """Return what a file and logs say. `look_up` returns which ids exist, `now` the digests of rows as shown now."""
    rows = read_labels(path, look_up)
    return join_labels(rows, path, read_decisions(TASK), now(rows))


def join_labels(
    drawn_rows: Rows, path: Path, decisions: Mapping[str, Decisions], now: Mapping[Key, str]
) -> LabelsOfPeople:
    """Return for each row what most people say in the file and the logs; rows that have changed do not count."""
    voices: dict[Key, dict[str, Opinion]] = {key: {} for key in drawn_rows}
    changed: dict[str, list[str]] = defaultdict(list)
    for person, opinions in opinions_by_person(drawn_rows, path, decisions).items():
        for key, opinion in opinions.items():
            if opinion.about and now.get(key, opinion.about) != opinion.about:
                changed[person].append("/".join(key))
            else:
                voices[key][person] = opinion
    verdicts = {key: {person: one.verdict for person, one in voice.items()} for key, voice in voices.items()}
    # All known digests of a row are equal, so the minimum is "" exactly if one is unknown.
    abouts = {key: min((one.about for one in voice.values()), default="") for key, voice in voices.items()}
    rows = {
        key: label._replace(verdict=majority_verdict(verdicts[key]), about=abouts[key])
        for key, label in drawn_rows.items()
    }
    by_filter = grouped((name, of_row) for (name, _), of_row in verdicts.items() if len(of_row) > 1)
    return LabelsOfPeople(rows, {name: agreement(some) for name, some in by_filter.items()}, changed)


def opinions_by_person(
    drawn_rows: Rows, path: Path, decisions: Mapping[str, Decisions]
) -> dict[str, dict[Key, Opinion]]:
    """Return what a labels file and logs say of the rows of the file, by person, the file first.

    Only first rounds count: a second round measures the person. A decision without a digest is about what was drawn.
    UserError with a line for each log with unknown decisions or with rows that were not drawn.
    """
    found = {
        str(path): {key: Opinion(one.verdict, one.about) for key, one in drawn_rows.items() if one.verdict is not None}
    }
    mistakes = []
    for reviewer, of_reviewer in sorted(decisions.items()):
        found[reviewer] = {}
        others: dict[str, None] = {}  # in order, each once
        strange: dict[str, None] = {}
        for (thing, number), decision in of_reviewer.items():
            name, _, row_id = thing.partition("/")
            if (name, row_id) not in drawn_rows:
                others[thing] = None
            elif decision.decision not in VERDICTS:
                strange[f"{thing}: {decision.decision!r}"] = None
            elif number == 0:
                about = decision.about or drawn_rows[name, row_id].about
                found[reviewer][name, row_id] = Opinion(VERDICTS[decision.decision], about)
        log = path_of(reviewer, TASK)
        if strange:
            mistakes.append(
                f"{log}: {amount(len(strange), 'label')} other than 1 and 0 ({name_some(strange)}): label again"
            )
        if others:
            mistakes.append(
                f"{log}: {amount(len(others), 'row')} not in {path} ({name_some(others)}): at calibrate.labels, name "
                "the file that they were drawn into, or move the log away"
            )
    if mistakes:
        raise UserError("\n".join(mistakes))
    return found


def name_some(things: Collection[str]) -> str:
    return ", ".join([*list(things)[:MOST_NAMED], *(["…"] if len(things) > MOST_NAMED else [])])


def majority_verdict(voices: Mapping[str, int]) -> int | None:
    """Return what most people say of a row, DISPUTED if there is a tie, None if nobody says anything."""
    most = majority(voices.values())
    return DISPUTED if most is None and voices else most


def agreement(rows: Sequence[Mapping[str, int]]) -> Agreement:
    people = sorted({person for said in rows for person in said})
    ratings = np.array([[said.get(person, np.nan) for person in people] for said in rows])
    kappas, alphas = [], []
    for one, other in combinations(range(len(people)), 2):
        both = ratings[~np.isnan(ratings[:, [one, other]]).any(axis=1)]
        with suppress(ValueError):  # which says that it is undefined
            kappas.append(weighted_kappa(both[:, one], both[:, other]))
    with suppress(ValueError):
        alphas.append(krippendorff_alpha(ratings))
    return Agreement(len(rows), *(round(float(np.mean(found)), 6) if found else None for found in (kappas, alphas)))
