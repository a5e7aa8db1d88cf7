"""The commands `gamut review` and `gamut label`: options and help only."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from gamut.evaluation.curating.benchmarks import NAMES, curation_of
from gamut.project.errors import UserError, one_line_errors

if TYPE_CHECKING:
    from gamut.deciding.cards import Task

Reviewer = Annotated[str | None, typer.Option(metavar="NAME", help="Who decides; git's user.name where left out.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Of the page; where left out, one that is free.")]
Open = Annotated[bool, typer.Option("--open/--no-open", help="Open the page in this machine's browser.")]
LabelStudio = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Serve nothing: write tasks.json and interface.xml for Label Studio.")
]
Person = Annotated[str | None, typer.Option(metavar="NAME", help="Who said what is read.")]
Read = Annotated[Path | None, typer.Option(metavar="FILE.json", help="What people said in Label Studio, exported.")]
People = Annotated[
    Path | None, typer.Option(metavar="FILE.json", help="Where several annotated, their names: an object by annotator.")
]


@one_line_errors
def review(
    of: Annotated[str, typer.Argument(metavar="BENCHMARK|dataset", help=f"dataset, or one of: {', '.join(NAMES)}.")],
    version: Annotated[
        str | None, typer.Argument(metavar="EDITION", help="Such as v1; where one alone is under construction, that.")
    ] = None,
    reviewer: Reviewer = None,
    port: Port = 0,
    open_: Open = True,
    label_studio: LabelStudio = None,
    read: Read = None,
    person: Person = None,
    people: People = None,
) -> None:
    """Review the proposals for an edition, or the dataset's selected pictures, on a page of this machine.

    Accept (a), reject (r) or rewrite (w). Accept a text that is clear, grammatical and consistent, even if it is
    fantastical. Each decision becomes a line of datasets/decisions/REVIEWER/TASK.jsonl before the next card appears:
    stop it when you like, and go on later. If a text changes, its decision no longer counts.

    --label-studio writes tasks for Label Studio. --read adds decisions from there to people's logs. They are checked
    as on the page; if there is a mistake, nothing is added.

    Examples: `gamut review BENCHMARK v1`, `gamut review dataset`, `gamut review BENCHMARK v1 --label-studio DIR`,
    `gamut review BENCHMARK v1 --read export.json --person ann`
    """
    from gamut.project.parameters import Shared, load

    how = Way(reviewer, port, open_, label_studio, read, person, people).checked()
    if of == "dataset":
        if version is not None:
            raise UserError("`gamut review dataset` has no editions: leave EDITION out")
        from gamut.deciding import dataset_tasks

        how.decide(dataset_tasks.review_pictures(load(Shared).seed))
        return
    curation = curation_of(of, "dataset")
    from gamut.deciding import benchmark_tasks

    if version is None:
        editions = load(curation.proposing).propose.editions if curation.proposing else []
        version = benchmark_tasks.edition_under_construction(curation, editions)
    how.decide(benchmark_tasks.review_proposals(curation, version))


@one_line_errors
def label(
    of: Annotated[str, typer.Argument(metavar="BENCHMARK|filters", help=f"filters, or one of: {', '.join(NAMES)}.")],
    share: Annotated[
        float | None, typer.Option(help="How many of each stratum's items, above 0 and up to 1; 0.1 where left out.")
    ] = None,
    answers: Annotated[int | None, typer.Option(min=1, help="How many answers in all, instead of a share.")] = None,
    read: Read = None,
    person: Person = None,
    people: People = None,
    reviewer: Reviewer = None,
    port: Port = 0,
    open_: Open = True,
    label_studio: LabelStudio = None,
) -> None:
    """Label answers or rows of filters, on a page of this machine.

    For a benchmark it draws answers of all contestants. The page shows no contestants, judges or scores. A tenth of
    the questions comes twice, to measure the person. --share draws answers for that share of the items of every
    stratum and setting, at least one. --answers draws about that many in all, in proportion to the items. The draw is
    kept in datasets/sheets/BENCHMARK/EDITION.key.csv: commit it. Without either option the same answers come again.

    For filters it asks about the rows of the file at calibrate.labels, or those that `gamut calibrate --sample N` drew.

    Each label becomes a line of datasets/decisions/REVIEWER/TASK.jsonl before the next card appears.

    --label-studio writes tasks for Label Studio, as blind as the page. --read adds labels from there to people's logs.

    Examples: `gamut label BENCHMARK`, `gamut label BENCHMARK --answers 200`, `gamut label filters`,
    `gamut label BENCHMARK --label-studio DIR`, `gamut label BENCHMARK --read export.json --people people.json`
    """
    from gamut.project import decisions
    from gamut.project.parameters import load

    how = Way(reviewer, port, open_, label_studio, read, person, people).checked()
    if share is not None and answers is not None:
        raise UserError("--share and --answers cannot be used together: leave one of them out")
    draws = share is not None or answers is not None
    who = "" if read is not None else decisions.reviewer_name(reviewer)
    if of == "filters":
        if draws:
            raise UserError(
                "`gamut label filters` asks about rows of `gamut calibrate --sample N`: leave --share and --answers out"
            )
        from gamut.dataset import steps as dataset
        from gamut.dataset.calibration.sampling import SAMPLE
        from gamut.deciding import dataset_tasks

        of_dataset = load(dataset.Params)
        rows = Path(of_dataset.calibrate.labels or SAMPLE)
        how.decide(dataset_tasks.label_filters(rows, of_dataset.seed, who))
        return
    record = curation_of(of, "filters").benchmark
    params = load(record.params)
    from gamut.deciding import benchmark_tasks

    if read is None:
        drawn, lines = benchmark_tasks.draw_answers(record, params, share, answers)
        print(*lines, sep="\n")
    elif draws:
        raise UserError("--read reads labels of answers drawn before: leave --share and --answers out")
    else:
        drawn = benchmark_tasks.drawn_before(record, params)
    how.decide(benchmark_tasks.label_answers(record, params, drawn, who))


class Way(NamedTuple):
    """How a person decides: on a page that is served, or in Label Studio; and who it is."""

    reviewer: str | None
    port: int
    open: bool
    label_studio: Path | None
    read: Path | None
    person: str | None
    people: Path | None

    def checked(self) -> Way:
        if self.label_studio is not None and self.read is not None:
            raise UserError("--label-studio writes tasks and --read reads decisions: leave one of them out")
        if self.reviewer is not None and self.read is not None:
            raise UserError("--reviewer names who decides on the page: with --read, use --person NAME")
        if self.read is None and (self.person is not None or self.people is not None):
            raise UserError("--person and --people name who decided in --read: add --read FILE, or use --reviewer")
        return self

    def decide(self, task: Task) -> None:
        """Let a person decide a task's cards, or add decisions from Label Studio to its logs."""
        from gamut.deciding.server import sit
        from gamut.project import decisions

        if self.read is not None:
            from gamut.deciding.exports import take_over

            print(*take_over(task, self.read, self.person, self.people), sep="\n")
            return
        who = decisions.reviewer_name(self.reviewer)
        if self.label_studio is not None:
            from gamut.deciding.label_studio import write_tasks

            print(*write_tasks(self.label_studio, task), sep="\n")
        else:
            sit(task, who, self.port, self.open)
