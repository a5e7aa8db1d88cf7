"""Labels of `truth` in the place of people's: what is really in pictures that the embedded world painted as contestant.

    python -m stages.gir.truth

They stand in datasets/labels/gir/<edition>.csv beside those of people, for pictures of riddles, of which world and seed
are known; so what is said of observers on a laptop is how they err. Edits are left out: rules look at most of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from stages.asking.models import sandbox
from stages.asking.requests import Paint, Picture, seed_of
from stages.asking.seeing import Found, Line
from stages.evaluation.bodies.agree import labels_path, people_said
from stages.evaluation.defining.inquiries import Seen
from stages.evaluation.running.answers import parts_of
from stages.evaluation.scoring.labels import COLUMNS, write_labels
from stages.gir.shared.benchmark import GIR
from stages.gir.shared.items import GirItem
from stages.gir.shared.looking import sightings
from stages.gir.shared.parameters import Params
from stages.gir.shared.putting import put
from stages.project.csv_forms import form_rows
from stages.project.errors import UserError, said_in_one_line
from stages.project.model_kinds import SandboxModel
from stages.project.parameters import load
from stages.project.plain_text import amount
from stages.tables.reading import read_rows

TRUTH, SIDE = "truth", "t2i"
ANSWERED = ["item", "side", "sample", "status", "parts"]


def write_truth(params: Params) -> None:
    """Write what is true of every answer to a riddle, in the place of what was there of `truth`."""
    found = [label for contestant in params.contestants for label in truths(params, contestant)]
    path = labels_path(GIR, params)
    people_said(GIR, params)  # as they are: nothing is added to labels that cannot be read
    before = [row for _, row in form_rows(path, COLUMNS, "")] if path.exists() else []
    write_labels(path, [row for row in before if row["person"] != TRUTH], found)
    print(f"{path}: {amount(len(found), 'label')} of {TRUTH}")


def truths(params: Params, contestant: str) -> Iterator[Mapping[str, str]]:
    """Yield rows of labels, one a measure that people would be asked about; UserError for a contestant that is not the
    embedded world, or whose answers are not what it paints.
    """
    model, asked = params.contestants[contestant].model, params.gir.answer
    if not isinstance(model, SandboxModel):
        raise UserError(
            f"contestants.{contestant}: what is in its pictures is known of models of kind sandbox alone: take "
            "it out of params.yaml, or have people tell it, `gamut label gir`"
        )
    items = {str(item.id): item for item in GIR.items(params)}
    for row in read_rows(GIR.answers / contestant, ANSWERED):
        if row["side"] != SIDE or row["status"] != "ok":
            continue
        item, [answer] = items[row["item"]], parts_of(row["parts"])
        prompt = put(item, SIDE, {}).prompt or ""
        request = Paint(prompt, asked.width, asked.height, seed_of(f"{SIDE}/{item.id}", params.seed), row["sample"])
        labels = (*item.objects, *item.absent)
        try:
            picture, things, lettering = sandbox.contents(request, model.faults, labels, model.coupling)
        except ValueError as error:
            raise UserError(f"gir.answer of {contestant} to {item.id}: {error}: `dvc repro` makes it anew") from None
        if picture != answer:
            raise UserError(
                f"gir.answer of {contestant} to {item.id} is not what the embedded world paints now: `dvc repro` makes "
                "it anew"
            )
        for measure, value in values(item, picture, [Found(*thing) for thing in things], lettering).items():
            yield {
                "contestant": contestant,
                "item": str(item.id),
                "side": SIDE,
                "measure": measure,
                "person": TRUTH,
                "score": f"{value:.12g}",
                "sample": str(row["sample"]),
                "question": "0",
            }


def values(item: GirItem, picture: bytes, things: Sequence[Found], lettering: str) -> dict[str, float]:
    """Return what measures of a riddle make of what is in its picture, as of an observer that never errs."""
    line = Line(lettering, 1.0, ((0.0, 0.0),) * 4)
    found: dict[str, float] = {}
    for one in sightings(item, SIDE):
        seen = Seen(Picture(picture), things if one.role == "detector" else [line] if lettering else [])
        judged = one.read([seen], [])
        found |= {
            measure: told.value
            for measure, told, wording in zip(one.measures, judged, one.wording, strict=True)
            if wording is not None
        }
    return found


if __name__ == "__main__":
    with said_in_one_line("gir.truth: "):
        write_truth(load(Params))
