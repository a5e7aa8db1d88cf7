"""The commands `gamut review` and `gamut label`: a thin face."""

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
    """Put to a person what is proposed for an edition, or the dataset's selected pictures, on a page of this machine.

    Accept (a), reject (r), or rewrite (w); a prompt is accepted when it is unambiguous, grammatical and logically
    sound, even where it is fantastical. Every decision is a line of datasets/decisions/REVIEWER/TASK.jsonl before the
    next card is shown: kill it when you like, and go on later. Decisions about texts that change do not count any more.

    --label-studio writes it as tasks of Label Studio. --read adds what people said there to their logs; everything is
    checked as on the page, and nothing is added where there is a mistake.

    Examples: `gamut review BENCHMARK v1`, `gamut review dataset`, `gamut review BENCHMARK v1 --label-studio DIR`,
    `gamut review BENCHMARK v1 --read export.json --person ann`
    """
    from gamut.project.parameters import Shared, load

    how = Way(reviewer, port, open_, label_studio, read, person, people).checked()
    if of == "dataset":
        if version is not None:
            raise UserError("`gamut review dataset` has no editions")
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
    """Ask a person what judges and observers are asked, or whether rows should pass filters, on a page of this machine.

    Of a benchmark answers of all contestants are drawn; contestants, judges and scores are nowhere on the page, a tenth
    of the questions is put twice, to measure the person. About as many answers, whoever gave them, as are a share of
    the items in every stratum and in every setting, at least one; or about so many answers in all, parted among strata
    and settings as their items are. Which they are stands in datasets/sheets/BENCHMARK/EDITION.key.csv, for git: with
    it the same ones are asked about again, where neither is said. Of filters the rows of the file at calibrate.labels
    are asked about, or those that `gamut calibrate --sample N` drew.

    Every label is a line of datasets/decisions/REVIEWER/TASK.jsonl before the next card is shown.

    --label-studio writes the questions as tasks of Label Studio, as blind as the page; --read adds what people said
    there to their logs, checked as on the page.

    Examples: `gamut label BENCHMARK`, `gamut label BENCHMARK --answers 200`, `gamut label filters`,
    `gamut label BENCHMARK --label-studio DIR`, `gamut label BENCHMARK --read export.json --people people.json`
    """
    from gamut.project import decisions
    from gamut.project.parameters import load

    how = Way(reviewer, port, open_, label_studio, read, person, people).checked()
    if share is not None and answers is not None:
        raise UserError("--share and --answers say the same in two ways: leave one of them out")
    draws = share is not None or answers is not None
    who = "" if read is not None else decisions.reviewer_name(reviewer)
    if of == "filters":
        if draws:
            raise UserError(
                "`gamut label filters` asks about what `gamut calibrate --sample N` drew: leave such options out"
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
        raise UserError("--share and --answers draw, and what is read was drawn before: leave them out")
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
            raise UserError("--label-studio writes for people, --read takes what they said: leave one of them out")
        if self.reviewer is not None and self.read is not None:
            raise UserError("--reviewer is who decides on a page: with --read say --person NAME")
        if self.read is None and (self.person is not None or self.people is not None):
            raise UserError("--person and --people say who said what is read: give --read FILE too, or --reviewer NAME")
        return self

    def decide(self, task: Task) -> None:
        """Have a person decide what a task puts, or add to its logs what people said in Label Studio."""
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
