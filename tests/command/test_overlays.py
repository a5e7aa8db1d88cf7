"""Texts of parameters laid over each other: values by keys, lines as they were written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.command.overlays import laid_over, lines_of, merged_edits, read_text, value_blocks, values_of
from gamut.project.validation import parse_yaml

BELOW = """\
# what it is for
seed: 0                # of everything

models:                # by slug
  world: {kind: sandbox} # the world
  # a painter
  painter:
    kind: sandbox
    faults: {blur: 0.1, noise: 0.2} # rates
families:
- dreams               # of the night
- scale
admit:
  clarity: 7           # 0..10
  structure: 6
nobody: {}             # who
"""


def over(below: str, above: str) -> str:
    return "\n".join(lines_of(laid_over(read_text(below).blocks, read_text(above).blocks))) + "\n"


def test_a_text_is_read_and_written_as_it_is() -> None:
    text = read_text(BELOW)
    assert text.head == ("# what it is for",) and values_of(text.blocks) == parse_yaml(BELOW)
    assert "\n".join([*text.head, *lines_of(text.blocks)]) + "\n" == BELOW


@pytest.mark.parametrize(
    ("above", "was", "now"),
    [
        ("seed: 42", "seed: 0                # of everything", "seed: 42               # of everything"),
        ("seed: 42 # mine", "seed: 0                # of everything", "seed: 42 # mine"),
        ("admit: {clarity: 9}", "  clarity: 7           # 0..10", "  clarity: 9           # 0..10"),
        (
            "models: {painter: {faults: {blur: 0.5}}}",
            "    faults: {blur: 0.1, noise: 0.2} # rates",
            "    faults: {blur: 0.5, noise: 0.2} # rates",
        ),
        ("families: [one]", "families:\n- dreams               # of the night\n- scale", "families: [one]"),
        (
            "nobody:\n  me:\n    n: 1 # own",
            "nobody: {}             # who",
            "nobody:                # who\n  me:\n    n: 1 # own",
        ),
        ("nobody: null", "nobody: {}             # who", "nobody: null           # who"),
        ("new: [1, 2]", "nobody: {}             # who\n", "nobody: {}             # who\nnew: [1, 2]\n"),
    ],
)
def test_mappings_merge_and_all_else_is_replaced(above: str, was: str, now: str) -> None:
    assert BELOW.count(was) == 1
    assert over(BELOW, above) == BELOW.replace(was, now).removeprefix("# what it is for\n")


def test_a_mapping_that_a_person_emptied_stays_empty() -> None:
    base = "contestants:           # who\n  a:\n    n: 1\nseed: 0\n"
    blocks, kept = merged_edits(*(read_text(one).blocks for one in ("contestants: {}\nseed: 0\n", base, base)))
    assert parse_yaml("\n".join(lines_of(blocks))) == {"contestants": {}, "seed": 0} and kept == ["contestants.a"]


def test_comments_above_a_key_go_where_it_goes() -> None:
    assert over("a: 1\n", "# head\nz: 1\n\n# of b\nb:\n  # of c\n  c: 2\n# the end\n") == (
        "a: 1\nz: 1\n\n# of b\nb:\n  # of c\n  c: 2\n"
    )


def test_odd_layouts_are_kept() -> None:
    text = 'a: "x # y"\nb: |\n  one\n  two\nc:\n  {k: 1,\n   l: [2]} # m\nd:\n  - 1\n  - {n: no}\ne:\nf: one\n  two\n'
    assert "\n".join(lines_of(read_text(text).blocks)) + "\n" == text and values_of(
        read_text(text).blocks
    ) == parse_yaml(text)


NAMES = st.sampled_from(["a", "b", "c"])
VALUES = st.recursive(
    st.one_of(st.none(), st.integers(-3, 3), st.sampled_from(["x", "no", "0.5", "a b"])),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=8,
)
MAPPINGS = st.dictionaries(NAMES, VALUES, max_size=3)


def merged(below: object, above: object) -> object:
    if not isinstance(below, dict) or not isinstance(above, dict):
        return above
    return below | {key: merged(below[key], one) if key in below else one for key, one in above.items()}


@given(MAPPINGS, MAPPINGS)
def test_what_is_written_says_what_merging_gives(below: dict[str, object], above: dict[str, object]) -> None:
    found = laid_over(value_blocks(below), value_blocks(above))
    assert values_of(found) == merged(below, above)
    assert (parse_yaml("\n".join(lines_of(found))) or {}) == merged(below, above)


def kept(mine: str, base: str, new: str) -> tuple[str, list[str]]:
    blocks, edits = merged_edits(read_text(mine).blocks, read_text(base).blocks, read_text(new).blocks)
    return "\n".join(lines_of(blocks)), edits


@pytest.mark.parametrize(
    ("mine", "base", "new", "found", "edits"),
    [
        ("a: 1", "a: 1", "a: 2 # new", "a: 2 # new", []),  # nobody has edited it
        ("a: 3", "a: 1", "a: 2", "a: 3", ["a"]),
        ("a: 3", "a: 1", "a: 1", "a: 3", ["a"]),
        ("a: 2", "a: 1", "a: 2", "a: 2", []),  # as it is now in the profile too
        ("a: 1 # mine", "a: 1", "a: 1", "a: 1 # mine", []),
        ("a: 1 # mine", "a: 1", "a: 2 # new", "a: 2 # mine", []),  # a remark is no edit, and stays
        ("z: 0\n# mine\na: 1", "z: 0\na: 1 # was", "z: 0\n# new\na: 2 # is", "z: 0\n# mine\na: 2 # is", []),
        (
            "z: 0\na:\n- 1 # one\n# two\n- 3",
            "z: 0\na: [1, 3]",
            "z: 0\n# new\na: [2] # is",
            "z: 0\n# new\n# one\n# two\na: [2] # is",
            [],
        ),
        ("m:\n  a: 1 # mine", "m:\n  a: 1", "m: {a: 2, b: 3}", "m:\n  a: 2 # mine\n  b: 3", []),
        ("a: 1 # mine\nb: 1", "a: 1", "b: 1", "b: 1", []),  # with the key that it is about it goes
        ("a:\n- 1", "a: [1] # why", "a: [1] # how", "a: [1] # how", []),  # as DVC lays out what it writes
        ("a:\n- 1 # mine", "a: [1]", "a: [1]", "a:\n- 1 # mine", []),
        ("{}", "{}", "a: 2", "a: 2", []),  # a new key
        ("a: 1", "a: 1", "{}", "", []),
        ("a: 3", "a: 1", "{}", "a: 3", ["a"]),
        ("{}", "a: 1", "a: 2", "", ["a"]),  # taken out by hand
        ("b: 1", "{}", "a: 2", "a: 2\nb: 1", ["b"]),  # put in by hand
        (
            "m:\n  a: 3\n  b: 1",
            "m:\n  a: 1\n  b: 1",
            "m:\n  a: 1\n  b: 2\n  c: 1",
            "m:\n  a: 3\n  b: 2\n  c: 1",
            ["m.a"],
        ),
        ("m: {a: 3, b: 1}", "m: {a: 1, b: 1}", "m: {a: 1, b: 2} # now", "m: {a: 3, b: 2} # now", ["m.a"]),
        ("m: {a: 1}", "m: {a: 1}", "m: [1]", "m: [1]", []),
        ("s: [1, 2]", "s: [1]", "s: [3]", "s: [1, 2]", ["s"]),
    ],
)
def test_an_edit_stays_and_is_named(mine: str, base: str, new: str, found: str, edits: list[str]) -> None:
    assert kept(mine, base, new) == (found, edits)


@given(MAPPINGS, MAPPINGS, MAPPINGS)
def test_no_edit_is_ever_lost(mine: dict[str, object], base: dict[str, object], new: dict[str, object]) -> None:
    blocks, edits = merged_edits(value_blocks(mine), value_blocks(base), value_blocks(new))
    found = values_of(blocks)
    for key in {*mine, *base, *new}:
        there = [values.get(key, ...) for values in (mine, base, new)]
        if there[0] == there[1] and not (isinstance(there[0], dict) and isinstance(there[2], dict)):
            assert found.get(key, ...) == there[2]
        elif there[0] != there[2] and not all(isinstance(one, dict) for one in (there[0], there[2])):
            assert found.get(key, ...) == there[0] and key in edits
