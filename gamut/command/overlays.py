"""Lay texts of parameters over each other: a profile over the defaults, and a person's edits over another profile.

A text is read as blocks, one for each key: the comments above it, its line, and the lines below it. So the new text
looks as its authors wrote it. Mappings merge key by key; lists and plain values are replaced. A comment stays if the
new value has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from gamut.command.yaml_text import flow_value
from gamut.project.validation import parse_yaml


class Block(NamedTuple):
    """One key. `text`: the lines of its value as written behind the key, None if they have to be written again.
    `parts`: the blocks of a mapping; `flows`: it is written in braces. `column`: of its comment.
    """

    above: tuple[str, ...]
    value: Any
    text: tuple[str, ...] | None
    parts: Mapping[str, Block] | None
    flows: bool
    comment: str
    column: int


Blocks = Mapping[str, Block]


class Text(NamedTuple):
    """A whole text: the lines before its first key, the blocks, and the lines after the last."""

    head: tuple[str, ...]
    blocks: Blocks
    tail: tuple[str, ...]


def read_text(text: str) -> Text:
    """Read a text whose outermost value is a mapping."""
    values, root = parse_yaml(text), YAML().compose(text)
    if root.flow_style or not root.value:
        return Text((), value_blocks(values), ())
    lines = text.splitlines()
    first, end = root.value[0][0].start_mark.line, len(lines)
    while is_remark(lines[end - 1]):
        end -= 1
    return Text(tuple(lines[:first]), blocks_of(lines, root, values, first, end), tuple(lines[end:]))


def blocks_of(lines: Sequence[str], node: MappingNode, values: Mapping[str, Any], first: int, end: int) -> Blocks:
    blocks = {}
    rows = [key.start_mark.line for key, _ in node.value]
    begins = []
    for row in rows:
        begin = row
        while begin > first and is_remark(lines[begin - 1]):
            begin -= 1
        begins.append(begin)
    for (key, value), row, begin, stop in zip(node.value, rows, begins, [*begins[1:], end], strict=True):
        above = tuple(line.strip() for line in lines[begin:row])
        blocks[key.value] = block_of(lines, key, value, values.get(key.value), row, stop)._replace(above=above)
    return blocks


def block_of(lines: Sequence[str], key: ScalarNode, node: Any, value: Any, row: int, stop: int) -> Block:
    indent, line = key.start_mark.column, lines[row]
    behind = line.index(":", key.end_mark.column) + 1
    is_alias = node.start_mark.line < row  # its node is that of the anchor
    is_below = node.start_mark.line > row or (isinstance(node, MappingNode | SequenceNode) and not node.flow_style)
    ends = behind if is_below else max(node.end_mark.column, behind) if node.end_mark.line == row else len(line)
    comment = line[ends:].strip()
    column = len(line) - len(line[ends:].lstrip())
    if is_alias or (comment and not comment.startswith("#")):  # or the beginning of a text of several lines
        ends, comment = len(line), ""
    if isinstance(node, MappingNode) and not node.flow_style and not is_alias:
        return Block((), value, None, blocks_of(lines, node, value, row + 1, stop), False, comment, column)
    text = (line[behind:ends].rstrip(), *(without_indent(one, indent) for one in lines[row + 1 : stop]))
    parts = value_blocks(value) if isinstance(value, Mapping) else None
    return Block((), value, text, parts, parts is not None, comment, column)


def without_indent(line: str, indent: int) -> str:
    return line[min(indent, len(line) - len(line.lstrip())) :]


def is_remark(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def value_blocks(values: Mapping[str, Any]) -> Blocks:
    """Return blocks of values without any text, as for a mapping in braces."""
    return {
        str(key): Block((), value, None, value_blocks(value) if isinstance(value, Mapping) else None, True, "", 0)
        for key, value in values.items()
    }


def values_of(blocks: Blocks) -> dict[str, Any]:
    return {key: block.value for key, block in blocks.items()}


def lines_of(blocks: Blocks, indent: int = 0) -> Iterator[str]:
    margin = " " * indent
    for key, block in blocks.items():
        yield from (f"{margin}{line}".rstrip() for line in block.above)
        if block.parts and not block.flows:
            yield with_comment(f"{margin}{key}:", block)
            yield from lines_of(block.parts, indent + 2)
        else:
            first, *rest = (f" {flow_value(block.value)}",) if block.text is None else block.text
            yield with_comment(f"{margin}{key}:{first}", block)
            yield from (f"{margin}{line}".rstrip() for line in rest)


def with_comment(line: str, block: Block) -> str:
    return f"{line + ' ':<{block.column}}{block.comment}" if block.comment else line


def laid_over(below: Blocks, above: Blocks) -> Blocks:
    return {**below, **{key: block_over(below[key], one) if key in below else one for key, one in above.items()}}


def block_over(below: Block, above: Block) -> Block:
    remark = above if above.comment else below
    whole = above._replace(comment=remark.comment, column=remark.column, above=above.above or below.above)
    if below.parts is None or above.parts is None:
        return whole
    return with_parts(whole, laid_over(below.parts, above.parts), (above, below))


def with_parts(whole: Block, parts: Blocks, sources: Sequence[Block]) -> Block:
    """Replace the parts of a mapping's block. In braces if all `sources` are; a source's text stays if it fits."""
    value = values_of(parts)
    text = next((one.text for one in sources if one.value == value), None)
    return whole._replace(value=value, text=text, parts=parts, flows=all(one.flows for one in sources))


def merged_edits(mine: Blocks, base: Blocks, new: Blocks, path: str = "") -> tuple[Blocks, list[str]]:
    """Merge into `new` a person's edits, the changes from `base` to `mine`; also return the keys of these edits."""
    merged: dict[str, Block] = {}
    kept: list[str] = []
    for key in dict.fromkeys([*new, *mine]):
        one, edits = merged_edit(mine.get(key), base.get(key), new.get(key), f"{path}{key}")
        kept += edits
        if one is not None:
            merged[key] = one
    return merged, kept


def merged_edit(mine: Block | None, base: Block | None, new: Block | None, path: str) -> tuple[Block | None, list[str]]:
    if mine == base:
        return new, []
    if mine is not None and new is not None and mine.parts is not None and new.parts is not None:
        was = {} if base is None or base.parts is None else base.parts
        parts, kept = merged_edits(mine.parts, was, new.parts, f"{path}.")
        return with_parts(mine if has_remarks(mine, base, new) else new, parts, (new, mine)), kept
    if block_value(mine) == block_value(new):
        return mine if has_remarks(mine, base, new) else new, []
    if block_value(mine) == block_value(base):
        return with_remarks(new, mine, base), []
    return mine, [path]


def with_remarks(new: Block | None, mine: Block | None, base: Block | None) -> Block | None:
    """Return `new` with the comments that a person added to `mine`. Comments on lines that `new` does not have go above
    it; if `new` is None, the comments are lost.
    """
    if new is None or mine is None or not (own := own_remarks(mine) - own_remarks(base) - own_remarks(new)):
        return new
    above = mine.above if own.intersection(mine.above) else new.above
    inside = [remark for line in mine.text or () if (remark := remark_of(line)) in own]
    whole = new._replace(above=(*above, *inside))
    return whole._replace(comment=mine.comment, column=mine.column) if mine.comment in own else whole


def has_remarks(mine: Block | None, base: Block | None, new: Block | None) -> bool:
    """Whether a person has added comments to a block, so that it differs not only in how DVC wrote it."""
    return bool(own_remarks(mine) - own_remarks(base) - own_remarks(new))


def own_remarks(block: Block | None) -> set[str]:
    if block is None:
        return set()
    return {*filter(None, (*block.above, block.comment, *map(remark_of, block.text or ())))}


def remark_of(line: str) -> str:
    return found[0] if (found := re.search(r"(?:^|(?<=\s))#.*", line)) else ""


def block_value(block: Block | None) -> Any:
    return ... if block is None else block.value
