"""What is said of cards is kept once, of what is shown now, and not where it cannot be; in which order they are put."""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.deciding.cards import APART, Card, Task, add_repeats, choices_of, shuffle
from gamut.deciding.desk import Counts, Desk, Refused
from gamut.project.decisions import Decision, Log, open_log, path_of, read_log
from gamut.project.errors import UserError

PLACES = [("a", 0), ("b", 0), ("c", 0), ("a", 1)]


def cards(ids: Collection[str]) -> Iterator[Card]:
    """Cards of a and b, of which b may be rewritten, but not to "no"; c cannot be read."""
    for one in sorted(ids):
        if one == "c":
            raise UserError("c.parquet: no such file")
        texts = {"text": "old", "other": "old"} if one == "b" else {}
        choices = choices_of(["accept", "reject"])
        yield Card(one, f"{one}!", "?", [], choices, texts=texts, objections=objections)


def objections(texts: object) -> Iterator[str]:
    if "no" in dict(texts).values():
        yield "no is no text"


@pytest.fixture
def log(project: Path) -> Iterator[Log]:
    with open_log("ann", "t") as found:
        yield found


def desk(log: Log) -> Desk:
    return Desk(Task("t", "T", PLACES, cards), log)


def lines() -> list[dict[str, object]]:
    return [line.model_dump(exclude_defaults=True) for line in read_log(path_of("ann", "t"))]


def test_what_is_said_again_is_not_written_again(log: Log) -> None:
    here = desk(log)
    for _ in range(2):
        assert here.decide(0, "a!", "accept", {}, " why ") == []
    assert here.decide(3, "a!", "reject", {}, "") == here.decide(0, "a!", "", {}, "") == []
    assert here.decide(0, "a!", "", {}, "") == [] and here.standing().keys() == {3}
    assert lines() == [
        {"id": "a", "about": "a!", "decision": "accept", "remark": "why"},
        {"id": "a", "round": 1, "about": "a!", "decision": "reject"},
        {"id": "a", "decision": ""},
    ]
    assert desk(log).standing() == here.standing()


def test_a_rewrite_has_a_text_to_which_nobody_objects(log: Log) -> None:
    here = desk(log)

    def said(texts: dict[str, str], number: int = 1, decision: str = "rewrite") -> list[str]:
        return here.decide(number, "ab"[number] + "!", decision, texts, "")

    assert said({}) == ["nothing is rewritten: change a text, or accept"]
    assert said({"text": " "}) == ["text is empty: write it, or reject"]
    assert said({"txt": "new"}) == ["there is no text 'txt' to be rewritten"]
    assert said({"text": "no"}) == ["no is no text"]
    assert (
        said({"text": "new"}, decision="accept")
        == said({"text": "new"}, 0)
        == ["new texts are for the decision `rewrite`, where texts may be rewritten"]
    )
    assert said({}, 0) == ["'rewrite': accept or reject is expected"] and lines() == []
    assert said({"text": "new"}) == [] and lines()[0]["texts"] == {"text": "new"}


def test_what_has_changed_since_is_put_again_and_what_is_gone_is_counted(project: Path) -> None:
    with open_log("ann", "t") as log:
        log.add(Decision(id="a", about="a?", decision="accept"))
        log.add(Decision(id="b", about="b!", decision="accept"))
        log.add(Decision(id="z", about="z!", decision="accept"))
        here = desk(log)
        assert here.counts == Counts(cards=4, decided=1, changed=1, gone=1) and here.standing().keys() == {1}
        with pytest.raises(Refused, match="has changed since it was shown") as refused:
            here.decide(0, "a?", "accept", {}, "")
        assert refused.value.status == 409 and len(lines()) == 3
        assert here.decide(0, "a!", "accept", {}, "") == [] and here.standing().keys() == {0, 1}


def test_a_full_disk_is_told_and_what_was_said_can_be_said_again(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    here = desk(log)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(Refused, match="No space left on device: fix that, then decide again"):
            here.decide(0, "a!", "accept", {}, "")
    assert lines() == [] and not here.standing()
    assert here.decide(0, "a!", "accept", {}, "") == [] and len(lines()) == 1


def test_a_log_that_git_has_replaced_takes_nothing(log: Log) -> None:
    here = desk(log)
    assert here.decide(0, "a!", "accept", {}, "") == []
    log.path.unlink()
    with pytest.raises(Refused, match="was changed meanwhile") as refused:
        here.decide(1, "b!", "accept", {}, "")
    assert refused.value.status == 409 and here.standing().keys() == {0}


def test_what_cannot_be_read_or_comes_too_late_is_refused(log: Log) -> None:
    here = desk(log)
    for number, words in ((2, "c.parquet: no such file"), (4, "there is no card 4"), (-1, "there is no card -1")):
        with pytest.raises(Refused, match=words):
            here.decide(number, "c!", "accept", {}, "")
    here.close()
    with pytest.raises(Refused, match="this page has ended"):
        here.decide(0, "a!", "accept", {}, "")
    assert lines() == []


def test_keys_tell_choices_apart() -> None:
    def keys(*values: str) -> str:
        return " ".join(choice.key for choice in choices_of(values))

    assert keys("accept", "reject") == "a r" and keys("Y", "N") == "y n" and keys("1", "0") == "1 0"
    assert keys(*map(str, range(11))) == "0 1 2 3 4 5 6 7 8 9 x"
    assert keys("right", "rather") == "1 2" == keys("under", "over"), "u is taken"
    assert keys(*(f"w{n}" for n in range(10))) == "1 2 3 4 5 6 7 8 9 "
    assert keys("-1", "0", "1") == " 0 1" and keys("5", "6", "10", "11") == "5 6 x ", "a digit says no other number"
    assert keys("0", "1", "unsure") == "0 1 " and keys("100", "no") == " n"


@given(st.integers(0, 400), st.text(max_size=3))
def test_a_tenth_is_put_twice_far_from_its_first(count: int, seed: str) -> None:
    ids = shuffle([f"card{n}" for n in range(count)], seed)
    places = add_repeats(ids, seed)
    at = {place: number for number, place in enumerate(places)}
    again = [one for one, number in places if number]
    assert [one for one, number in places if not number] == ids and len(at) == len(places) == count + count // 10
    assert all(at[one, 1] - at[one, 0] > min(count // 2, APART) for one in again) and len({*again}) == len(again)


def test_orders_are_drawn_by_seed_and_every_card_is_as_likely_to_be_put_twice() -> None:
    """Of 400 draws of 1 of 10, each of 10 cards has about 40, give or take 6 (four deviations: 24)."""
    ids = [f"card{n}" for n in range(10)]
    assert shuffle(ids, "a") == shuffle(reversed(ids), "a") != shuffle(ids, "b")
    again = [one for seed in range(400) for one, number in add_repeats(shuffle(ids, str(seed)), str(seed)) if number]
    assert all(abs(again.count(one) - 40) < 24 for one in ids)
