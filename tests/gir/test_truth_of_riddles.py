"""The truth of riddles' pictures as labels, through the module that writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.asking.models import sandbox
from stages.asking.requests import Paint, seed_of
from stages.asking.seeing import Found
from stages.evaluation.defining.editions import freeze
from stages.evaluation.running import answers
from stages.gir.shared.benchmark import GIR
from stages.gir.shared.items import GirItem
from stages.gir.shared.parameters import Params
from stages.gir.truth import values, write_truth
from stages.project.errors import UserError
from stages.project.parameters import check
from stages.tables.columns import make_id
from stages.tables.writing import TableWriter
from tests import fakes
from tests.gir.construction.small_maker import BLOCK, PROPOSE

LABELS = Path("datasets/labels/gir/v1.csv")
HEADER = "contestant,item,side,measure,person,score,sample,question"
SIDE = 256
PLACING = [{"subject": ["cat"], "direction": "left", "object": ["dog"]}]
QUANTITY = GirItem(id="q", prompt="Two ducks.", task="quantity", objects=("duck",), numbers=(2,), absent=("cat",))
SPATIAL = GirItem(id="s", prompt="?", task="spatial", objects=("cat", "dog"), relations=PLACING)  # type: ignore[arg-type]
TEXT = GirItem(id="t", prompt="?", task="text", lettering="slow down")


def at(label: str, left: float) -> Found:
    return Found(label, 1.0, (left, 0, left + 10, 10))


@pytest.mark.parametrize(
    ("item", "things", "lettering", "due"),
    [
        (QUANTITY, [at("duck", 0), at("duck", 20)], "", {"counts": 1}),
        (QUANTITY, [at("duck", 0), at("duck", 20), at("cat", 40)], "", {"counts": 0}),
        (SPATIAL, [at("cat", 0), at("dog", 40)], "", {"places": 1, "relations": 1}),
        (SPATIAL, [at("cat", 40), at("dog", 0)], "", {"places": 0, "relations": 0}),
        (TEXT, [], "SLOW DOWM", {"words": 0.5}),
        (TEXT, [], "", {"words": 0}),
    ],
)
def test_values_are_the_measures_of_what_is_there(
    item: GirItem, things: list[Found], lettering: str, due: dict[str, float]
) -> None:
    assert values(item, b"", things, lettering) == due


def params_of(model: object = None) -> Params:
    block = BLOCK | {"answer": {"width": SIDE, "height": SIDE, "max_failures": 0}, "propose": PROPOSE}
    miscounting = {"class": "unified", "model": model or {"kind": "sandbox", "faults": {"wrong_count": 1}}}
    return check(Params, fakes.values(gir=block, contestants={"hasty": miscounting}), Path("params.yaml"))


def write_answers(faults: dict[str, float]) -> None:
    freeze("gir", "v1", [QUANTITY])
    with TableWriter(GIR.answers / "hasty", answers.SCHEMA) as table:
        for sample in range(2):
            asked = Paint(QUANTITY.prompt, SIDE, SIDE, seed_of("t2i/q", params_of().seed), sample)
            picture = sandbox.answer(asked, faults, "creator").content
            row = {"id": make_id(f"t2i-{sample}", 0), "item": "q", "side": "t2i", "sample": sample, "status": "ok"}
            row |= {"parts": [{"text": None, "image": {"bytes": picture, "path": None}}], "replies": []}
            table.write(f"t2i-{sample}-00000", [dict.fromkeys(answers.SCHEMA.names) | row])


@pytest.mark.usefixtures("project")
def test_the_truth_of_a_wrong_number_stands_beside_what_people_say() -> None:
    write_answers({"wrong_count": 1})
    LABELS.parent.mkdir(parents=True)
    LABELS.write_text(f"{HEADER}\nhasty,q,t2i,counts,ann,1,0,0\nhasty,q,t2i,counts,truth,1,1,0\n")
    for _ in range(2):  # what was there of the truth goes
        write_truth(params_of())
        told = LABELS.read_text().split()[1:]
        assert told == [f"hasty,q,t2i,counts,{who}" for who in ("ann,1,0,0", "truth,0,0,0", "truth,0,1,0")]


@pytest.mark.usefixtures("project")
def test_answers_that_are_not_what_is_painted_now_are_refused() -> None:
    write_answers({})
    with pytest.raises(UserError, match="hasty to q is not what the embedded world paints now"):
        write_truth(params_of())


@pytest.mark.usefixtures("project")
def test_of_other_contestants_the_truth_is_not_known() -> None:
    write_answers({})
    others = {"kind": "folder", "path": "answers", "revision": f"sha256-{'0' * 64}"}
    with pytest.raises(
        UserError, match=r"contestants\.hasty: what is in its pictures is known of models of kind sandbox"
    ):
        write_truth(params_of(others))
    assert not LABELS.exists()
