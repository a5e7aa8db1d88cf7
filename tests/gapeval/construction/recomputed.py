"""Solutions of drawn problems by other ways than the generators': by trying, counting through, and step by step."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np

from stages.gapeval.construction import patterns, physics
from stages.gapeval.construction.cases import Case
from stages.gapeval.construction.diagrams import ORDERS, Diagram, Graph, Node


def diagram(one: Diagram) -> int | None:
    fitting = [place for place, option in enumerate(one.choice.options) if fits(one, option.split(", "))]
    return fitting[0] if len(fitting) == 1 else None


def fits(one: Diagram, names: list[str]) -> bool:
    if isinstance(one.drawing, Node):
        [order] = [order for order in ORDERS if f" {order} " in one.choice.question]
        return names == traversed(one.drawing, order)
    if "task" in one.choice.question:
        return [names] == [list(order) for order in permutations(one.drawing.nodes) if in_order(order, one.drawing)]
    start, end = one.choice.question.removesuffix("?").split(" from ")[1].split(" to ")
    [shortest] = shortest_paths(one.drawing, start, end)
    return names == shortest


def traversed(tree: Node, order: str) -> list[str]:
    """By sorting: nodes carry keys of which branch leads where."""
    keyed: list[tuple[str, str]] = []
    stack = [(tree, "")]
    while stack:
        node, way = stack.pop()
        keyed.append((way, node.name))
        stack += [(child, way + side) for child, side in ((node.left, "l"), (node.right, "r")) if child]
    keys = {
        "preorder": lambda way: way,
        "inorder": lambda way: way + "m",  # l < m < r
        "postorder": lambda way: way + "z",
        "level order": lambda way: (len(way), way),
    }
    return [name for _, name in sorted(keyed, key=lambda pair: keys[order](pair[0]))]


def in_order(order: tuple[str, ...], graph: Graph) -> bool:
    return all(order.index(a) < order.index(b) for a, b in graph.edges)


def shortest_paths(graph: Graph, start: str, end: str) -> list[list[str]]:
    both = graph.edges | {(b, a): length for (a, b), length in graph.edges.items()}
    far = {name: 0 if name == end else 10**6 for name in graph.nodes}
    for _ in graph.nodes:
        for (a, b), length in both.items():
            far[a] = min(far[a], far[b] + length)

    def ways(name: str) -> list[list[str]]:
        if name == end:
            return [[end]]
        nexts = [b for (a, b), length in both.items() if a == name and far[a] == far[b] + length]
        return [[name, *rest] for following in nexts for rest in ways(following)]

    return ways(start)


def lever(one: physics.Lever) -> str:
    """By the torque about the left end: what the foot bears, and where that weight's middle is."""
    total = sum(kilograms for _, kilograms in one.weights)
    middle = Fraction(sum((mark + physics.ARMS) * kilograms for mark, kilograms in one.weights), total)
    if middle == physics.ARMS:
        return "The beam stays level."
    return f"The {'left' if middle < physics.ARMS else 'right'} side goes down."


def tank(one: physics.Tank) -> str:
    """By the water that a block under water displaces: 1 gram a millilitre."""
    lifted = [Fraction(volume) - grams > 0 for grams, volume in one.blocks]
    return " ".join(f"{name} {('sinks', 'floats')[floats]}." for name, floats in zip("ABC", lifted, strict=True))


def run(one: physics.Run) -> str:
    x = one.start
    for (left, right), lower in one.ramps:
        if x in range(left, right + 1):
            step = 2 * lower - 1
            while left - physics.REACH < x < right + physics.REACH:
                x += step
    walls = [physics.LEFT + number * physics.BIN for number in range(6)]
    return f"The ball ends in bin {'ABCDE'[sum(x > wall for wall in walls) - 1]}."


def mirror(one: patterns.Mirror) -> str:
    return told(np.fliplr(np.array(one.left)))


def sequence(one: patterns.Sequence) -> str | None:
    """By arrays: all rules that are told as possible are tried; the next state is where those that fit agree."""
    first, second, third = (np.array(state) for state in one.states[:3])
    if one.rule_given:
        return told(generation(third))
    found = {}
    for rule in array_rules():
        if np.array_equal(rule(first), second) and np.array_equal(rule(second), third):
            found[rule(third).tobytes()] = rule(third)
    return told(found.popitem()[1]) if len(found) == 1 else None


def array_rules():
    shifts = [(down, right) for down in range(-2, 3) for right in range(-2, 3)]
    turns = [*(lambda s, k=k: np.rot90(s, k) for k in range(4)), np.fliplr, np.flipud]
    plain = [lambda s, by=by, t=t: np.roll(np.roll(t(s), by[0], 0), by[1], 1) for by in shifts for t in turns]
    more = [lambda s, by=by: longer(s, by) for by in (1, 2, 3, 4)]
    return [*plain, *(lambda s, rule=rule: 1 - rule(s) for rule in plain), *more]


def longer(squares: np.ndarray, by: int) -> np.ndarray:
    row = "".join(map(str, squares.ravel()))
    if "01" in row:
        return squares * 0 - 1  # the filled ones are not the first: no state at all
    return np.array(list((row.rstrip("0") + "1" * by).ljust(len(row), "0")[: len(row)]), int).reshape(squares.shape)


def generation(squares: np.ndarray) -> np.ndarray:
    made = squares.copy()
    for (y, x), filled in np.ndenumerate(squares):
        around = squares[max(0, y - 1) : y + 2, max(0, x - 1) : x + 2].sum() - filled
        made[y, x] = around == 3 or (filled and around == 2)
    return made


def told(squares: np.ndarray) -> str:
    rows = [", ".join(str(x + 1) for x in range(len(row)) if row[x]) or "none" for row in squares.tolist()]
    return " ".join(f"Row {y + 1}: {row}." for y, row in enumerate(rows))


def in_words(one: object) -> str | None:
    match one:
        case Diagram():
            place = diagram(one)
            return None if place is None else f"{'ABCD'[place]}) {one.choice.options[place]}"
        case physics.Lever():
            return lever(one)
        case physics.Tank():
            return tank(one)
        case physics.Run():
            return run(one)
        case patterns.Mirror():
            return mirror(one)
        case patterns.Sequence():
            return sequence(one)
    raise TypeError(type(one))


def proved(one: object, case: Case) -> bool:
    return in_words(one) == case.reference_text
