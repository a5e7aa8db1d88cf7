"""Solutions of drawn problems by other ways than the generators': by trying, counting through, and step by step."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations

import numpy as np

from stages.gapeval.construction import levers, mirrors, runs, sequences, tanks
from stages.gapeval.construction.cases import Case
from stages.gapeval.construction.choices import Choice
from stages.gapeval.construction.diagrams import ORDERS, Diagram, Graph, Node


def choice(one: Choice) -> int | None:
    return worked_out(one.question, one.options)


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


def lever(one: levers.Lever) -> str:
    """By the torque about the left end: what the foot bears, and where that weight's middle is."""
    total = sum(kilograms for _, kilograms in one.weights)
    middle = Fraction(sum((mark + levers.ARMS) * kilograms for mark, kilograms in one.weights), total)
    if middle == levers.ARMS:
        return "The beam stays level."
    return f"The {'left' if middle < levers.ARMS else 'right'} side goes down."


def tank(one: tanks.Tank) -> str:
    """By the water that a block under water displaces: 1 gram a millilitre."""
    lifted = [Fraction(volume) - grams > 0 for grams, volume in one.blocks]
    return " ".join(f"{name} {('sinks', 'floats')[floats]}." for name, floats in zip("ABC", lifted, strict=True))


def run(one: runs.Run) -> str:
    x = one.start
    for (left, right), lower in one.ramps:
        if x in range(left, right + 1):
            step = 2 * lower - 1
            while left - runs.REACH < x < right + runs.REACH:
                x += step
    walls = [runs.LEFT + number * runs.BIN for number in range(6)]
    return f"The ball ends in bin {'ABCDE'[sum(x > wall for wall in walls) - 1]}."


def mirror(one: mirrors.Mirror) -> str:
    return told(np.fliplr(np.array(one.left)))


def sequence(one: sequences.Sequence) -> str | None:
    """By arrays: all rules that are told as possible are tried; the next state is where those that fit agree."""
    first, second, third = (np.array(state) for state in one.states[:3])
    if one.told:
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
        case Choice():
            return lettered(one, choice(one))
        case Diagram():
            return lettered(one.choice, diagram(one))
        case levers.Lever():
            return lever(one)
        case tanks.Tank():
            return tank(one)
        case runs.Run():
            return run(one)
        case mirrors.Mirror():
            return mirror(one)
        case sequences.Sequence():
            return sequence(one)
    raise TypeError(type(one))


def lettered(one: Choice, place: int | None) -> str | None:
    return None if place is None else f"{'ABCD'[place]}) {one.options[place]}"


def proved(one: object, case: Case) -> bool:
    return in_words(one) == case.reference_text


_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_SMALLER = {
    ("metres", "centimetres"): 100,
    ("kilograms", "grams"): 1000,
    ("litres", "millilitres"): 1000,
    ("hours", "minutes"): 60,
    ("days", "hours"): 24,
    ("weeks", "days"): 7,
    ("minutes", "seconds"): 60,
}
_N = r"(\d{1,5})"
_SIDE = r"(\d{1,3})"
_WORD = r"([a-z]+?)"


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text).lower()


def worked_out(question: str, options: Sequence[str]) -> int | None:
    """Return the place of the option that is right, from 0; None where the question is not understood, or not one
    option alone is its answer.
    """
    asked, given = squeezed(question), [squeezed(option) for option in options]
    if asked == "whichofthesenumbersisaprimenumber?":
        fitting = [place for place, option in enumerate(given) if _is_prime(option)]
        return fitting[0] if len(fitting) == 1 else None
    for pattern, work in _EXERCISES.items():
        if (found := re.fullmatch(pattern, asked)) and (answer := work(*found.groups())) is not None:
            return given.index(answer) if given.count(answer) == 1 else None
    return None


def _is_prime(said: str) -> bool:
    if not re.fullmatch(_N, said) or (number := int(said)) < 2:
        return False
    return not any(number % factor == 0 for factor in range(2, number))


def _sum(a: str, b: str, c: str) -> str:
    return str(int(a) + int(b) - int(c))


def _product(a: str, b: str) -> str:
    return str(sum(int(a) for _ in range(int(b))))


def _percent(share: str, whole: str) -> str:
    return str(Fraction(int(share), 100) * int(whole))


def _remainder(number: str, divisor: str) -> str | None:
    if int(divisor) == 0:
        return None
    left = int(number)
    while left >= int(divisor):
        left -= int(divisor)
    return str(left)


def _divisor(a: str, b: str) -> str:
    return str(max(n for n in range(1, min(int(a), int(b)) + 1) if int(a) % n == int(b) % n == 0))


def _multiple(a: str, b: str) -> str:
    return str(next(n for n in range(int(a), int(a) * int(b) + 1, int(a)) if n % int(b) == 0))


def _unit(small: str, many: str, large: str, rest: str, of: str) -> str | None:
    each = _SMALLER.get((large, small))
    return str(int(many) * each + int(rest)) if each and of in (small, small.removesuffix("s")) else None


def _weekday(today: str, later: str) -> str | None:
    if today not in _DAYS:
        return None
    day = _DAYS.index(today)
    for _ in range(int(later)):
        day = 0 if day == 6 else day + 1
    return _DAYS[day]


def _date(later: str, day: str, month: str, year: str) -> str | None:
    if month not in _MONTHS:
        return None
    d, m, y = int(day), _MONTHS.index(month), int(year)
    for _ in range(int(later)):
        leap = y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)
        lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
        d += 1
        if d > lengths[m]:
            d, m = 1, m + 1
        if m > 11:
            m, y = 0, y + 1
    return f"{d}{_MONTHS[m]}{y}"


def _arrival(hour: str, minute: str, hours: str, minutes: str) -> str:
    now, then = int(minute) + int(minutes), int(hour) + int(hours)
    return f"{(then + now // 60) % 24:02d}:{now % 60:02d}"


def _rectangle(long: str, wide: str, what: str) -> str:
    squares = [(x, y) for x in range(int(long)) for y in range(int(wide))]
    around = sum((x in (0, int(long) - 1)) + (y in (0, int(wide) - 1)) for x, y in squares)
    return str(len(squares) if what == "area" else around)


def _distance(far: str, hours: str, other: str) -> str:
    return f"{Fraction(int(far), int(hours)) * int(other)}kilometres" if int(hours) else ""


def _mean(numbers: str) -> str:
    values = [int(number) for number in re.findall(r"\d+", numbers)]
    return str(Fraction(sum(values), len(values)))


def _next(listed: str) -> str | None:
    numbers = [int(number) for number in listed.split(",")]
    if len(numbers) < 4:
        return None
    last, found = numbers[-1], set()
    a, b = numbers[0], numbers[1]
    starts = dict(enumerate(numbers))
    for grow in range(-100, 101):  # steps that grow by so much each time
        if all(starts[n] == a + n * (b - a) + grow * n * (n - 1) // 2 for n in starts):
            found.add(a + len(numbers) * (b - a) + grow * len(numbers) * (len(numbers) - 1) // 2)
    found |= {last * factor for factor in range(2, 50) if all(n == a * factor**place for place, n in starts.items())}
    if all(starts[n] - starts[n - 1] == starts[n - 2] for n in range(2, len(numbers))):
        found.add(last + numbers[-2])
    if all(starts[n] - starts[n - 1] == starts[n - 2] - starts[n - 3] for n in range(3, len(numbers))):
        found.add(last + numbers[-2] - numbers[-3])
    return str(found.pop()) if len(found) == 1 else None


_EXERCISES: Mapping[str, Callable[..., str | None]] = {
    rf"whatis{_N}plus{_N}minus{_N}\?": _sum,
    rf"whatis{_N}times{_N}\?": _product,
    rf"whatis{_N}percentof{_N}\?": _percent,
    rf"whatistheremainderwhen{_N}isdividedby{_N}\?": _remainder,
    rf"whatisthegreatestcommondivisorof{_N}and{_N}\?": _divisor,
    rf"whatistheleastcommonmultipleof{_N}and{_N}\?": _multiple,
    rf"howmany{_WORD}are{_N}{_WORD}and{_N}{_WORD}\?": _unit,
    rf"todayis{_WORD}\.whichdayoftheweekisitin{_N}days\?": _weekday,
    rf"whichdateis{_N}daysafter(\d\d?){_WORD}(\d{{4}})\?": _date,
    rf"atrainleavesat(\d\d):(\d\d)andtravelsfor{_N}hoursand{_N}minutes\.whendoesitarrive\?": _arrival,
    rf"arectangleis{_SIDE}metreslongand{_SIDE}metreswide\.whatisits(area|perimeter)in(?:square)?metres\?": _rectangle,
    rf"acardrives{_N}kilometresin{_N}hours\.howfardoesitdrivein{_N}hours\?itsspeedstaysthesame\.": _distance,
    r"whatisthemeanof([\d,]+and\d+)\?": _mean,
    r"whichnumbercomesnext:([\d,]+\d)\?": _next,
}
"""By what is asked, without spaces."""
