"""`gamut review dataset` and `gamut label filters` in Chromium, and what becomes of what is said."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gamut.dataset.calibration.filters import FILTERS, abouts_now
from gamut.dataset.calibration.labels import BAD, GOOD, read_people, well_formed_ids
from gamut.dataset.calibration.sampling import SAMPLE
from gamut.dataset.shared.joins import table_of
from gamut.deciding import dataset_tasks
from gamut.deciding.exports import take_over
from gamut.deciding.label_studio import write_tasks
from gamut.project.decisions import path_of, read_log
from gamut.project.errors import UserError
from gamut.tables.reading import read_rows
from stages.dataset import select
from tests.browser import serious, sideways
from tests.dataset import small_build
from tests.dataset.small_build import I0, L0, M0, M1
from tests.deciding.sitting import begun, look_through, sitting
from tests.deciding.test_label_studio import EXPORT, OUT, chosen, data, export

if TYPE_CHECKING:
    from playwright.sync_api import Browser

DRAWN = (("alignment", L0), ("clarity", L0), ("clarity", I0), ("contrast", M0), ("legibility", M1))


@pytest.fixture
def built(project: Path) -> Path:
    small_build.write()
    SAMPLE.parent.mkdir(parents=True, exist_ok=True)
    SAMPLE.write_text("id,filter,weight,label\n" + "".join(f"{row},{name},1,\n" for name, row in DRAWN))
    return project


def test_a_picture_that_is_rejected_is_left_out_and_can_be_taken_back(browser: Browser, built: Path) -> None:
    task = dataset_tasks.review_pictures(3)
    ids = [one for one, _ in task.places]
    assert sorted(ids) == sorted([I0, L0, M0]) and ids == [one for one, _ in dataset_tasks.review_pictures(3).places]
    with sitting(task) as here, begun(browser, here, width=390) as page:
        for number, one in enumerate(ids):
            page.wait_for_selector(f"[data-card='{number}'] .judged")
            key = "r" if one == L0 else "a"
            look_through(page, number, key)  # captions are judged too
            if one == L0:
                assert "two shiny red apples" in page.text_content("#card") and "original" in page.text_content("#card")
                assert serious(page) == [] and sideways(page) == 0
            page.keyboard.press(key)
        page.wait_for_selector(".done:not([hidden])")
    select.STEP.carry_out(small_build.params())
    kept = {row["id"]: row["reason"] for row in read_rows(table_of("select"), ["id", "kept", "reason"])}
    assert (kept[L0], kept[I0], kept[M0]) == ("excluded_by_human", None, None)
    assert sorted(dataset_tasks.review_pictures(3).places) == sorted(task.places), "who rejected it may think again"


def test_every_filter_asks_what_its_judge_was_asked(browser: Browser, built: Path) -> None:
    asked = {filter_.name: filter_.asks for filter_ in FILTERS}
    task = dataset_tasks.label_filters(SAMPLE, 3, "ann")
    assert [one.partition("/")[0] for one, _ in task.places] == [
        "legibility",
        "clarity",
        "clarity",
        "contrast",
        "alignment",
    ]
    with sitting(task) as here, begun(browser, here, scheme="dark") as page:
        for number, (one, _) in enumerate(task.places):
            page.wait_for_selector(f"[data-shown='{number}']")
            name = one.partition("/")[0]
            assert asked[name] in page.text_content("#card h2")
            assert ("two red apples" in page.text_content("#card")) == (name == "alignment")
            assert page.evaluate("document.querySelector('#card img').naturalWidth") == 64
            page.keyboard.press("0" if name == "contrast" else "1")
        page.wait_for_selector(".done:not([hidden])")
    assert {line.id: line.decision for line in here.lines()} == {
        f"{name}/{row}": "0" if name == "contrast" else "1" for name, row in DRAWN
    }
    said = read_people(SAMPLE, well_formed_ids, abouts_now)
    assert {key: label.verdict for key, label in said.rows.items()} == {
        key: BAD if key[0] == "contrast" else GOOD for key in DRAWN
    }


def test_pictures_and_filters_go_to_label_studio_and_come_back(built: Path) -> None:
    for task, said, count in (
        (dataset_tasks.review_pictures(3), "reject", 3),
        (dataset_tasks.label_filters(SAMPLE, 3, "ann"), "1", 5),
    ):
        list(write_tasks(OUT, task))
        export(chosen(said))
        assert {len({*one}) for one in data()} == {len({*data()[0]})}
        list(take_over(task, EXPORT, "bob", None))
        log = read_log(path_of("bob", task.name))
        assert {(one.id, one.decision) for one in log} == {(card_id, said) for card_id, _ in task.places}
        assert len(log) == count and {one.id: one.about for one in log} == task.digests({one.id for one in log})


def test_mistakes_in_a_sample_are_lines(built: Path) -> None:
    SAMPLE.write_text(f"id,filter\n{L0},claritty\nwhale,clarity\n")
    with pytest.raises(UserError) as error:
        dataset_tasks.label_filters(SAMPLE, 3, "ann")
    assert str(error.value).splitlines() == [
        f"{SAMPLE}, line 2: there is no filter 'claritty'; did you mean 'clarity'?",
        f"{SAMPLE}, line 3: 'whale' is not the id of a row",
    ]
    SAMPLE.unlink()
    with pytest.raises(UserError, match=r"sample\.csv: no such file: `gamut calibrate --sample 50` draws rows"):
        dataset_tasks.label_filters(SAMPLE, 3, "ann")


def test_a_webp_is_shown_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"id": L0, "prompt": "a cat", "seed": 1, "model": "m", "image": {"bytes": b"RIFF1234WEBP", "path": None}}
    monkeypatch.setattr(dataset_tasks, "rows_by_ids", lambda *_: [row])
    monkeypatch.setattr(dataset_tasks, "captions_of", lambda _: [])
    [card] = dataset_tasks.picture_cards([L0])
    assert card.shown[0].part.media_type == "image/webp"
