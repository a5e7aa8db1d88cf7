"""Questions about drawn trees and graphs, solved by code, with one right option: traversals, topological orders,
shortest paths (appendix D).
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from math import cos, hypot, pi, sin
from typing import NamedTuple

from PIL import Image, ImageDraw

from stages.gapeval.construction.cases import GREY, INK, PALE, PAPER, WIDTH, Case, empty_sheet, write_text
from stages.gapeval.construction.choices import Choice, page, shuffle_options
from stages.gapeval.construction.questions import WRONG_OPTIONS

RADIUS = 24
"""Radius of a node in pixels."""
STEP = 88
"""Pixels from level to level of a tree."""
TOP = 52
MOST_LEVELS = 5
HEIGHT = 400
"""Pixels of a graph's picture."""
Point = tuple[float, float]


def tree_picture(places: Mapping[str, tuple[int, int]], links: Sequence[tuple[str, str]]) -> Image.Image:
    columns, levels = len(places), max(level for _, level in places.values())
    step = WIDTH / (columns + 1)
    points = {name: ((column + 1) * step, TOP + level * STEP) for name, (column, level) in places.items()}
    image, draw = empty_sheet(WIDTH, TOP * 2 + levels * STEP)
    for one, other in links:
        draw.line((*points[one], *points[other]), fill=GREY, width=4)
    draw_nodes(draw, points)
    return image


def graph_picture(names: Sequence[str], edges: Mapping[tuple[str, str], int], directed: bool) -> Image.Image:
    angles = [2 * pi * (number / len(names)) - pi / 2 for number in range(len(names))]
    points = {
        name: (WIDTH / 2 + 240 * cos(angle), HEIGHT / 2 + 150 * sin(angle))
        for name, angle in zip(names, angles, strict=True)
    }
    image, draw = empty_sheet(WIDTH, HEIGHT)
    for one, other in edges:
        draw.line((*points[one], *points[other]), fill=GREY, width=3)
    for (one, other), length in edges.items():
        (x, y), (u, v) = points[one], points[other]
        if directed:
            draw_arrow(draw, points[one], points[other])
            continue
        middle = ((x + u) / 2, (y + v) / 2)
        draw.ellipse((middle[0] - 17, middle[1] - 17, middle[0] + 17, middle[1] + 17), fill=PAPER)
        write_text(draw, middle, str(length), 26)
    draw_nodes(draw, points)
    return image


def draw_arrow(draw: ImageDraw.ImageDraw, start: Point, end: Point) -> None:
    far = hypot(end[0] - start[0], end[1] - start[1])
    x, y = ((b - a) / far for a, b in zip(start, end, strict=True))
    tip, back = RADIUS + 1, RADIUS + 21
    draw.polygon(
        [
            (end[0] - tip * x, end[1] - tip * y),
            (end[0] - back * x - 9 * y, end[1] - back * y + 9 * x),
            (end[0] - back * x + 9 * y, end[1] - back * y - 9 * x),
        ],
        fill=INK,
    )


def draw_nodes(draw: ImageDraw.ImageDraw, points: Mapping[str, Point]) -> None:
    for name, (x, y) in points.items():
        draw.ellipse((x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS), fill=PALE, outline=INK, width=3)
        write_text(draw, (x, y), name, 28)


SIGNS = "ABCDEFGHKLMNPRSTUVXYZ"
"""Names of nodes: no letter that readers confuse with another one, or with a digit."""
ORDERS = ("preorder", "inorder", "postorder", "level order")
QUESTION = "The picture shows {}, with a question about it and options. Which option is right? Answer with its letter."
PROMPT = (
    "The picture shows {}, with a question about it and options. Return the same picture with a coloured box around "
    "the right option, and leave everything else as it is."
)
TREE, DIRECTED, WEIGHTED = "a binary tree", "a directed graph", "a graph whose edges have lengths"
Path = tuple[str, ...]


class Node(NamedTuple):
    """A node of a binary tree, with the nodes below it."""

    name: str
    left: Node | None
    right: Node | None


class Graph(NamedTuple):
    """Nodes in their order around a circle, and edges from one to another, with lengths if they have some."""

    nodes: Path
    edges: Mapping[tuple[str, str], int]


class Diagram(NamedTuple):
    what: str
    drawing: Node | Graph
    choice: Choice

    @property
    def picture(self) -> Image.Image:
        if isinstance(self.drawing, Node):
            return tree_picture(places_of(self.drawing), links_of(self.drawing))
        return graph_picture(self.drawing.nodes, self.drawing.edges, directed=self.what == DIRECTED)


def sameness(diagram: Diagram) -> tuple[str, str]:
    return repr(diagram.drawing), diagram.choice.question


def draw_diagram(chance: random.Random) -> Diagram | None:
    """Draw a question about a diagram of some kind. None if it has no single answer, or too few wrong options."""
    return chance.choice((draw_traversal, draw_topological_order, draw_shortest_path))(chance)


def draw_traversal(chance: random.Random) -> Diagram | None:
    """Ask for the order in which a traversal visits the nodes of a tree. The wrong options are other traversals."""
    names = chance.sample(SIGNS, chance.randint(5, 8))
    tree, order = grow_tree(names, chance), chance.choice(ORDERS)
    if depth_of(tree) > MOST_LEVELS:
        return None
    right = visit_nodes(tree, order)
    exchanges = [exchange_places(right, a, b) for a, b in combinations(range(len(right)), 2)]
    others = chance.sample(exchanges, len(exchanges))
    wrong = [*(visit_nodes(tree, other) for other in ORDERS), right[::-1], *others]
    question = f"In which order does a {order} traversal visit the nodes of the tree?".replace("a in", "an in")
    return diagram_of(TREE, tree, question, right, wrong, f"{order} by recursion: {', '.join(right)}", chance)


def draw_topological_order(chance: random.Random) -> Diagram | None:
    order = tuple(chance.sample(SIGNS, chance.randint(5, 6)))
    edges = dict.fromkeys(pairwise(order), 1)
    others = [pair for pair in combinations(order, 2) if pair not in edges]
    edges |= dict.fromkeys(chance.sample(others, chance.randint(1, 3)), 1)
    graph = Graph(tuple(chance.sample(order, len(order))), edges)
    question = "Every arrow leads from a task to one that comes later. In which order are the tasks done?"
    proof = f"only order: its neighbours {', '.join(map('>'.join, pairwise(order)))} are edges"
    a, b, c, d = chance.sample(range(len(order)), 4)
    first, second = exchange_places(order, a, b), exchange_places(order, c, d)
    wrong = (first, second, exchange_places(first, c, d))  # so each option has the same relations to the other three
    return diagram_of(DIRECTED, graph, question, order, wrong, proof, chance)


def draw_shortest_path(chance: random.Random) -> Diagram | None:
    nodes = tuple(chance.sample(SIGNS, chance.randint(5, 6)))
    chords = [(a, b) for a, b in combinations(range(len(nodes)), 2) if 1 < b - a < len(nodes) - 1]
    edges = [*pairwise(range(len(nodes))), (0, len(nodes) - 1)]
    for a, b in chance.sample(chords, len(chords)):
        crosses = any(a < c < b < d or c < a < d < b for c, d in edges)  # each by its places, the lower one first
        if len(edges) < len(nodes) + 2 and not crosses:
            edges.append((a, b))
    lengths = {(nodes[a], nodes[b]): chance.randint(1, 9) for a, b in edges}
    start, end = chance.sample(nodes, 2)
    graph = Graph(nodes, lengths)
    ways = list(paths_to(graph, (start,), end))
    ranked = sorted((sum(lengths.get(edge) or lengths[edge[::-1]] for edge in pairwise(way)), way) for way in ways)
    if len(ranked) < WRONG_OPTIONS + 1 or ranked[0][0] == ranked[1][0] or len(ranked[0][1]) < 3:
        return None
    question = f"Which is the shortest path from {start} to {end}?"
    proof = f"{ranked[0][0]} long; the next of {len(ranked)} paths is {ranked[1][0]} long"
    return diagram_of(WEIGHTED, graph, question, ranked[0][1], [way for _, way in ranked[1:]], proof, chance)


def diagram_of(
    what: str,
    drawing: Node | Graph,
    question: str,
    right: Path,
    wrong: Sequence[Path],
    proof: str,
    chance: random.Random,
) -> Diagram | None:
    """Return a diagram with its question. None if too few of the wrong options are different."""
    others = [", ".join(one) for one in dict.fromkeys(wrong) if one != right][:WRONG_OPTIONS]
    if len(others) < WRONG_OPTIONS:
        return None
    return Diagram(what, drawing, shuffle_options(question, ", ".join(right), others, proof, chance))


def diagram_case(diagram: Diagram) -> Case:
    choice, picture = diagram.choice, diagram.picture
    whole, marked = (page(choice.question, choice.options, mark, picture) for mark in (None, choice.right))
    question, prompt = (text.format(diagram.what) for text in (QUESTION, PROMPT))
    return Case("diagram", question, prompt, (whole,), choice.right_option, marked, choice.proof)


def exchange_places(order: Path, a: int, b: int) -> Path:
    found = list(order)
    found[a], found[b] = found[b], found[a]
    return tuple(found)


def grow_tree(names: Sequence[str], chance: random.Random) -> Node:
    left = chance.randint(0, len(names) - 1)
    below = (list(names[1 : 1 + left]), list(names[1 + left :]))
    return Node(names[0], *(grow_tree(part, chance) if part else None for part in below))


def depth_of(tree: Node | None) -> int:
    return 1 + max(depth_of(tree.left), depth_of(tree.right)) if tree else 0


def visit_nodes(tree: Node | None, order: str) -> Path:
    if order == "level order":
        names, queue = [], deque([tree])
        while queue:
            if node := queue.popleft():
                names.append(node.name)
                queue += [node.left, node.right]
        return tuple(names)
    if tree is None:
        return ()
    left, right = visit_nodes(tree.left, order), visit_nodes(tree.right, order)
    match order:
        case "preorder":
            return (tree.name, *left, *right)
        case "inorder":
            return (*left, tree.name, *right)
        case _:
            return (*left, *right, tree.name)


def places_of(tree: Node) -> dict[str, tuple[int, int]]:
    """Return the column and level of every node, from 0. Each node has its own column, in order from left to right."""
    levels: dict[str, int] = {}

    def descend(node: Node | None, level: int) -> None:
        if node:
            levels[node.name] = level
            descend(node.left, level + 1)
            descend(node.right, level + 1)

    descend(tree, 0)
    return {name: (column, levels[name]) for column, name in enumerate(visit_nodes(tree, "inorder"))}


def links_of(tree: Node) -> list[tuple[str, str]]:
    below = [child for child in (tree.left, tree.right) if child]
    return [(tree.name, child.name) for child in below] + [link for child in below for link in links_of(child)]


def paths_to(graph: Graph, begun: Path, end: str) -> Iterator[Path]:
    if begun[-1] == end:
        yield begun
        return
    for a, b in [*graph.edges, *((b, a) for a, b in graph.edges)]:
        if a == begun[-1] and b not in begun:
            yield from paths_to(graph, (*begun, b), end)
