"""What the released scripts wrote of the published items, handed in as a contestant and answered as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gamut.asking.models.weights import digest
from gamut.evaluation.bodies.answer import answer
from gamut.evaluation.defining.editions import path_of, write_items
from gamut.evaluation.running.answers import parts_of
from gamut.project.validation import check_values
from gamut.tables.reading import read_rows
from stages.aegis.shared.benchmark import AEGIS, Params
from stages.aegis.shared.items import TASKS
from tests.aegis.real import real_items
from tests.aegis.test_released import BLOCK
from tests.fakes import jpeg, values

RED = jpeg("red")
ITEMS = {task: [item for item in real_items() if item.task == task][:2] for task in TASKS}
FOLDERS = {task: task for task in TASKS} | {"interleaved": "interleave"}


def write_results() -> None:
    for task, (answered, failed) in ITEMS.items():
        place = f"output-gemini/{FOLDERS[task]}"
        picture = f"{place}/output_images/{answered.id}-0.jpg"
        pictures = [] if task == "understanding" else [picture]
        text = {"understanding": "No <image1> is red. 不是。", "interleaved": "Before\n<image>\nbehind"}.get(
            task, "\n<image>\n"
        )
        lost = {"id": failed.id, "task": task, "output_text": "failed", "output_image_path_list": []}
        made = lost | {"id": answered.id, "output_text": text, "output_image_path_list": pictures}
        Path(picture).parent.mkdir(parents=True)
        Path(picture).write_bytes(RED)
        Path(place, "results.json").write_text(json.dumps([lost, lost, made]))


@pytest.mark.parametrize("class_", ["unified", "generation", "editing", "understanding"])
def test_results_are_answered_as_they_are(project: Path, class_: str) -> None:
    write_items([item for pair in ITEMS.values() for item in pair], path_of("aegis", "small"))
    write_results()
    model = {"kind": "folder", "path": "output-gemini", "revision": digest(Path("output-gemini"))}
    contestants = {"theirs": {"class": class_, "model": model, "max_failures": 4}}
    answer(AEGIS, check_values(Params, values(aegis=BLOCK, contestants=contestants), Path("params.yaml")), "theirs")
    rows = {row["item"]: row for row in read_rows(AEGIS.answers / "theirs")}
    done = TASKS if class_ == "unified" else (class_,)
    expected = {"understanding": ["No <image1> is red. 不是。"], "interleaved": ["Before\n", RED, "\nbehind"]}
    for task in TASKS:
        for item, status in zip(ITEMS[task], ("ok", "missing_output"), strict=True):
            row = rows.pop(str(item.id), None)
            assert (row is not None) == (task in done)
            if row is not None:
                assert row["status"] == status, row["reason"]
                assert parts_of(row["parts"] or ()) == (expected.get(task, [RED]) if status == "ok" else [])
                assert status == "ok" or row["reason"].endswith("results.json: entry 1 says that it failed")
    assert not rows
