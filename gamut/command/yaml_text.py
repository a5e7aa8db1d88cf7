"""Change values in a YAML text, or add blocks, and keep everything else as written: comments, order, quotes."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from gamut.project.errors import UserError
from gamut.project.files import write_whole
from gamut.project.inputs import regular_file
from gamut.project.pipeline import PARAMS
from gamut.project.validation import parse_yaml

WORDS = ("true", "false", "yes", "no", "on", "off", "y", "n", "null")
"""Words that some parsers do not read as texts."""
Place = tuple[str, ...]
"""The keys of a value, from the outermost to its own."""


def with_values(path: Path, text: str, changes: Mapping[Place, str | int | list[str]]) -> str:
    """Return a text with these values changed; lists stay as they were written, in brackets or with a member a line.
    UserError if a value is shared, as by an anchor, or a list has comments between its members.
    """
    wanted = deepcopy(parse_yaml(text))
    root = YAML().compose(text)
    spots = list[tuple[int, int, str]]()
    for place, value in changes.items():
        node = node_at(root, place)
        if node is None:
            raise UserError(
                f"{path}: {'.'.join(place)} has no line of its own (merged from elsewhere?): set it by hand"
            )
        start, end = node.start_mark.index, last_of(node)
        by_line = isinstance(node, SequenceNode) and not node.flow_style and "#" not in text[start:end]
        spots.append((start, end, value_text(value, node.start_mark.column if by_line else None)))
        block = wanted
        for key in place[:-1]:
            block = block[key]
        block[place[-1]] = value
    for start, end, new in sorted(spots, reverse=True):  # from the end, so that earlier places stay where they are
        text = f"{text[:start]}{new}{text[end:]}"
    return confirmed_text(path, text, wanted, ", ".join(".".join(place) for place in changes))


def with_blocks(path: Path, text: str, key: str, blocks: Mapping[str, Any]) -> str:
    """Return a text with blocks added at the end of a top-level key, which is added if missing; a block with the same
    name is replaced. UserError if the mapping is written in braces, or is shared.
    """
    wanted = deepcopy(parse_yaml(text))
    known = wanted.get(key) or {}
    for name in [name for name in blocks if name in known]:
        wanted[key][name] = blocks[name]
        text = confirmed_text(path, with_block_replaced(path, text, (key, name), blocks[name]), wanted, key)
    blocks = {name: of for name, of in blocks.items() if name not in known}
    if not blocks:
        return text
    wanted[key] = known | dict(blocks)
    pair = next(((name, value) for name, value in YAML().compose(text).value if name.value == key), None)
    if pair is None:
        new = f"{key}:\n{yaml_lines(blocks, 2)}"
        return confirmed_text(path, insert_lines(text, len(text), new), wanted, key)
    name, value = pair
    if not value.value or value.value in ("null", "~"):
        text = text[: value.start_mark.index] + text[value.end_mark.index :]
        line, column = name.end_mark.index, 2
    elif value.flow_style:
        raise UserError(f"{path}: {key} is written in braces: put each of its blocks on lines of its own first")
    else:
        line, column = last_of(value) - 1, value.value[0][0].start_mark.column
    end = text.find("\n", line)
    return confirmed_text(
        path, insert_lines(text, len(text) if end < 0 else end + 1, yaml_lines(blocks, column)), wanted, key
    )


def with_block_replaced(path: Path, text: str, place: Place, block: Any) -> str:
    above = node_at(YAML().compose(text), place[:-1])
    [(key, value)] = [(key, value) for key, value in above.value if key.value == place[-1]]
    if above.flow_style:
        raise UserError(f"{path}: {place[0]} is written in braces: put each of its blocks on lines of its own first")
    start, end = text.rfind("\n", 0, key.start_mark.index) + 1, text.find("\n", last_of(value) - 1)
    rest = "" if end < 0 else text[end + 1 :]
    return insert_lines(text[:start], start, yaml_lines({place[-1]: block}, key.start_mark.column)) + rest


def with_members(path: Path, text: str, members: Mapping[Place, Sequence[str]]) -> str:
    """Return a text with names added to the end of lists; UserError if one is no list, or is shared."""
    wanted, root = deepcopy(parse_yaml(text)), YAML().compose(text)
    spots: list[tuple[int, str]] = []
    for place, names in members.items():
        node = node_at(root, place)
        if not isinstance(node, SequenceNode):
            raise UserError(f"{path}: {'.'.join(place)} is no list with lines of its own: set it by hand")
        block = wanted
        for key in place[:-1]:
            block = block[key]
        block[place[-1]] = [*block[place[-1]], *names]
        if node.flow_style:
            new = ", ".join(names)
            spots.append((node.end_mark.index - 1, f", {new}" if node.value else new))
        else:
            end = text.find("\n", node.value[-1].end_mark.index - 1)
            lines = "".join(f"{' ' * node.start_mark.column}- {name}\n" for name in names)
            spots.append((len(text) if end < 0 else end + 1, lines))
    for position, new in sorted(spots, reverse=True):
        text = insert_lines(text, position, new) if new.endswith("\n") else text[:position] + new + text[position:]
    return confirmed_text(path, text, wanted, ", ".join(".".join(place) for place in members))


def replace_params(text: str, new_text: str) -> None:
    """Write params.yaml, which was read as `text`; UserError if it has been changed meanwhile."""
    if regular_file(PARAMS).read_bytes().decode() != text:
        raise UserError(f"{PARAMS} has changed meanwhile: run this again")
    write_whole(PARAMS, new_text.encode())


def node_at(root: Any, place: Place) -> Any:
    """Return the node at these keys of mappings and numbers of lists; None if there is none."""
    node = root
    for key in place:
        if isinstance(node, SequenceNode):
            node = node.value[int(key)]
        else:
            node = next((value for name, value in node.value if name.value == key), None)
        if node is None:
            return None
    return node


def value_text(value: str | int | list[str], column: int | None) -> str:
    """A plain value, or a list: in brackets, or each member on a line, its dash at a column."""
    if not isinstance(value, list):
        return str(value)
    return flow_value(value) if column is None else f"\n{' ' * column}".join(f"- {flow_value(one)}" for one in value)


def last_of(node: Node) -> int:
    """Where what stands at a node ends: of lines, with the last one."""
    while isinstance(node, MappingNode | SequenceNode) and not node.flow_style and node.value:
        if isinstance(node, SequenceNode):
            node = node.value[-1]
            continue
        key, node = node.value[-1]
        if node.end_mark.index <= key.end_mark.index:  # the key has no value
            return int(key.end_mark.index)
    return int(node.end_mark.index)


def insert_lines(text: str, position: int, lines: str) -> str:
    break_before = "\n" if position and text[position - 1] != "\n" else ""
    new = break_before + lines
    if "\r\n" in text:
        new = new.replace("\n", "\r\n")
    return text[:position] + new + text[position:]


def yaml_lines(blocks: Mapping[str, Any], column: int) -> str:
    yaml = YAML()
    yaml.width = 1_000_000
    out = io.StringIO()
    yaml.dump(
        {name: CommentedMap({key: flow_node(value) for key, value in of.items()}) for name, of in blocks.items()}, out
    )
    return "".join(f"{' ' * column}{line}\n" for line in out.getvalue().split("\n")[:-1])


def flow_value(value: Any) -> str:
    return "null" if value is None else yaml_lines({"": {"key": value}}, 0).splitlines()[1].partition(": ")[2]


def flow_node(value: Any) -> Any:
    """Return a value written in braces and brackets, with quotes for texts on which parsers may disagree."""
    if isinstance(value, str):
        is_plain = re.fullmatch(r"[A-Za-z][\w./-]*", value, re.ASCII) and value.lower() not in WORDS
        return value if is_plain else DoubleQuotedScalarString(value)
    if isinstance(value, Mapping):
        mapping = CommentedMap({flow_node(key): flow_node(one) for key, one in value.items()})
        mapping.fa.set_flow_style()
        return mapping
    if isinstance(value, list):
        sequence = CommentedSeq(map(flow_node, value))
        sequence.fa.set_flow_style()
        return sequence
    return value


def confirmed_text(path: Path, text: str, wanted: Any, what: str) -> str:
    """Return the text if it holds exactly the wanted values; else UserError."""
    try:
        found = parse_yaml(text)
    except (YAMLError, ValueError, LookupError, TypeError, AttributeError):
        found = None
    if found != wanted:
        raise UserError(f"{path}: {what} cannot be changed without changing more (an anchor?): change it by hand")
    return text
