"""What a function does: noticed is what could change a value, in whatever file it stands."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stages.evaluation.running.checklists import polarity
from stages.evaluation.running.spec import digest, source_of
from stages.project.errors import UserError

PLAIN = "def read(reply, scale=1):\n    return float(reply) / scale\n"
NUMBERS = count()


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Callable[..., Any]]:
    """The function `read` of a module with this text, in a package with others by name."""

    def read(text: str, **others: str) -> Callable[..., Any]:
        package = f"written_{next(NUMBERS)}"
        for name, its in {"__init__": "", **others, "reading": text}.items():
            (tmp_path / package).mkdir(exist_ok=True)
            (tmp_path / package / f"{name}.py").write_text(its)
        monkeypatch.syspath_prepend(tmp_path)
        importlib.invalidate_caches()
        function: Callable[..., Any] = importlib.import_module(f"{package}.reading").read
        return function

    return read


Written = Callable[..., Callable[..., Any]]


@pytest.mark.parametrize(
    ("old", "new"), [("/ scale", "* scale"), ("scale=1", "scale=2"), ("(reply)", "(reply)  # a comment")]
)
def test_every_byte_of_its_file_is_noticed(written: Written, old: str, new: str) -> None:
    assert source_of(written(PLAIN)) == source_of(written(PLAIN)) != source_of(written(PLAIN.replace(old, new)))


CALLER = "from . import other\nfrom .helping import helped, MOST\ndef read(reply):\n    return helped(reply) / MOST"
HELPING = "import re\nMOST = 10\nNUMBER = re.compile('[0-9]+')\ndef helped(reply):\n    return NUMBER.match(reply)[0]\n"
OTHER = "LEAST = 0\ndef unused(reply):\n    return 0\n"


def test_files_of_what_it_calls_are_noticed_and_no_others(written: Written) -> None:
    before = source_of(written(CALLER, helping=HELPING, other=OTHER))
    assert source_of(written(CALLER, helping=HELPING, other=OTHER.replace("0", "1"))) == before
    assert source_of(written(CALLER, helping=HELPING.replace("[0-9]+", "[0-9]"), other=OTHER)) != before
    constant = CALLER.replace("helped(reply) / MOST", "reply / MOST")
    written_with = [HELPING, HELPING.replace("10", "9"), HELPING]
    tens = [source_of(written(constant, helping=helping, other=OTHER)) for helping in written_with]
    assert tens[0] == tens[2] != tens[1], "a value from another file counts, though not the file"
    taken = CALLER.replace("helped(reply) / MOST", "reply / other.LEAST")
    assert source_of(written(taken, helping=HELPING, other=OTHER)) != source_of(
        written(taken, helping=HELPING, other=OTHER.replace("0", "1", 1))
    )


@pytest.mark.parametrize(
    "helping",
    [
        "from dataclasses import dataclass\n@dataclass\nclass Rule:\n    most: int\nRULE = Rule(10)\n",
        "from enum import Enum\nMost = Enum('Most', {'MOST': 10})\nRULE = Most.MOST\n",
        "from functools import wraps\ndef shared(function):\n    @wraps(function)\n    def read(reply):\n"
        "        return function(reply) / 10\n    return read\n@shared\ndef RULE(reply):\n    return reply",
    ],
    ids=["dataclass", "enum", "decorator"],
)
def test_what_it_takes_from_elsewhere_is_noticed(written: Written, helping: str) -> None:
    text = "from .helping import RULE\ndef read(reply):\n    return reply, RULE"
    before, after = (source_of(written(text, helping=one)) for one in (helping, helping.replace("10", "5")))
    assert source_of(written(text, helping=helping)) == before != after


def test_what_it_is_bound_to_is_noticed() -> None:
    assert source_of(polarity([True])) == source_of(polarity([True])) != source_of(polarity([False]))
    shares = [np.array([0.1 + 0.2]), np.array([0.3]), np.array([0.4])]
    first, same, other = [source_of(lambda scores, share=share: scores * share) for share in shares]
    assert first == same != other  # to 12 decimals
    assert source_of(partial(int, base=2)) != source_of(partial(int, base=8))
    odd = [digest(source_of(lambda reply, odd=odd: odd)) for odd in ("\ud800", 2**70, {b"a", None}, {1: float("inf")})]
    assert len({*odd}) == 4
    assert source_of(re.compile("a").match) == [["Pattern.match"], []]


def test_one_that_calls_itself_comes_to_an_end(written: Written) -> None:
    text = "def read(n):\n    return other(n - 1) if n else 0\n\ndef other(n):\n    return read(n)\n"
    assert source_of(written(text)) != source_of(written(text.replace("else 0", "else 1")))


def test_one_without_a_file_is_said() -> None:
    names: dict[str, Any] = {"__name__": "stages.nowhere"}
    exec("def read(reply):\n    return 0\n", names)
    with pytest.raises(UserError, match="<string>: is not there"):
        source_of(names["read"])
