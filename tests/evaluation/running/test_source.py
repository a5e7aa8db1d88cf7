"""What a function does: noticed is what could change a value, and nothing that is written for people."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stages.evaluation.running.checklists import polarity
from stages.evaluation.running.source import source_of
from stages.evaluation.running.spec import digest
from stages.project.errors import UserError

PLAIN = """\
import re
from functools import partial

HIGHEST, NUMBER = 10, re.compile("[0-9]+")

def read(reply, scale=1):
    return helped(reply) / HIGHEST * scale

def helped(reply):
    return float(NUMBER.match(reply)[0])

def unused(reply):
    return 0
"""
NUMBERS = count()


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Callable[..., Any]]:
    """The function `read` of a module with this text."""

    def read(text: str) -> Callable[..., Any]:
        name = f"written_{next(NUMBERS)}"
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        function: Callable[..., Any] = module.read
        return function

    return read


Written = Callable[[str], Callable[..., Any]]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def read(reply, scale=1):", 'def read(reply, scale=1):\n    """Return a share."""'),
        ("def read(reply, scale=1):", "def read(  # of a reply\n    reply, scale=1\n):"),
        ("def read(reply, scale=1):", "def read(reply: str, scale: int = 1) -> float:"),
        ("def helped(reply):", 'def helped(reply):\n    # the number\n    """Return the number."""'),
        ("    return helped(reply)", "\n\n    return helped( reply )"),
        ("def read", "# the reader\n\n\ndef read"),
        ("return 0", "return 1"),  # nobody calls it
    ],
)
def test_what_is_for_people_is_not_noticed(written: Written, old: str, new: str) -> None:
    assert old in PLAIN
    assert source_of(written(PLAIN.replace(old, new))) == source_of(written(PLAIN))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/ HIGHEST", "* HIGHEST"),
        ("HIGHEST, NUMBER = 10", "HIGHEST, NUMBER = 5"),
        ("scale=1", "scale=2"),
        ("[0-9]+", "[0-9]"),
        ("float(", "2 * float("),
    ],
)
def test_what_it_does_is_noticed(written: Written, old: str, new: str) -> None:
    assert old in PLAIN
    assert source_of(written(PLAIN.replace(old, new))) != source_of(written(PLAIN))


def test_formatted_strings_are_told_alike_by_all_releases_of_python(written: Written) -> None:
    # 3.11 writes f"no {reply['a']}", 3.12 f'no {reply['a']}'
    texts = ("no {reply['a']!r:>{scale}}", "no {reply['a']!s:>{scale}}", "no {reply['b']!r:>{scale}}", "yes")
    told = [source_of(written(PLAIN.replace("return helped(reply)", f'return f"{text}"')))[0][0] for text in texts]
    assert len({*told}) == len(texts)
    assert "f-string('no ', formatted(reply['a'], 114, f-string('>', formatted(scale, -1))))" in told[0]


@pytest.mark.parametrize(
    "text",
    [
        "from types import ModuleType\nhelping = ModuleType(__name__ + '.helping')\nhelping.most = 10\n"
        "def read(reply):\n    return reply / helping.most",
        "from dataclasses import dataclass\n@dataclass\nclass Rule:\n    most: int\nRULE = Rule(10)\n"
        "def read(reply):\n    return reply / RULE.most",
        "from enum import Enum\nMost = Enum('Most', {'MOST': 10})\nMOST = Most.MOST\n"
        "def read(reply):\n    return reply / MOST.value",
        "from functools import wraps\ndef shared(function):\n    @wraps(function)\n    def read(reply):\n"
        "        return function(reply) / 10\n    return read\n@shared\ndef read(reply):\n    return reply",
    ],
    ids=["module", "dataclass", "enum", "decorator"],
)
def test_what_it_takes_from_elsewhere_is_noticed(written: Written, text: str) -> None:
    assert source_of(written(text)) == source_of(written(text)) != source_of(written(text.replace("10", "5")))


def test_what_it_is_bound_to_is_noticed() -> None:
    assert source_of(polarity([True])) == source_of(polarity([True])) != source_of(polarity([False]))
    shares = [np.array([0.1 + 0.2]), np.array([0.3]), np.array([0.4])]
    first, same, other = [source_of(lambda scores, share=share: scores * share) for share in shares]
    assert first == same != other  # to 12 decimals
    assert source_of(partial(int, base=2)) != source_of(partial(int, base=8))
    odd = [digest(source_of(lambda reply, odd=odd: odd)) for odd in ("\ud800", 2**70, {b"a", None}, {1: float("inf")})]
    assert len({*odd}) == 4
    assert source_of(re.compile("a").match) == ["Pattern.match"]


def test_one_that_calls_itself_comes_to_an_end(written: Written) -> None:
    text = "def read(n):\n    return other(n - 1) if n else 0\n\ndef other(n):\n    return read(n)\n"
    assert source_of(written(text)) != source_of(written(text.replace("else 0", "else 1")))


def test_one_without_a_source_is_said() -> None:
    names: dict[str, Any] = {"__name__": "stages.nowhere"}
    exec("def read(reply):\n    return 0\n", names)
    with pytest.raises(UserError, match="<string>:1: the source of 'read' is not there"):
        source_of(names["read"])
