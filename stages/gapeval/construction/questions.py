"""Questions whose answers are computed, with wrong options from common mistakes: one function for each kind.

The right option must not stand out. Numbers are wrong by one mistake, by another, or by both, so that each of the four
has the same distances to the other three.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta
from itertools import pairwise, permutations
from math import gcd, lcm
from typing import NamedTuple

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
WRONG_OPTIONS = 3
"""Number of wrong options besides the right one."""
SLIPS = (1, 2, 10)
"""How far a result is wrong if the method was right but the arithmetic was not."""
UNITS = (
    ("metres", "centimetres", 100),
    ("kilograms", "grams", 1000),
    ("litres", "millilitres", 1000),
    ("hours", "minutes", 60),
    ("days", "hours", 24),
    ("weeks", "days", 7),
    ("minutes", "seconds", 60),
)
"""A larger unit, a smaller one, and how many smaller ones make a larger one."""


class Exercise(NamedTuple):
    """A question, its right answer, WRONG_OPTIONS others, and how the right one was computed."""

    question: str
    right: str
    wrong: Sequence[str]
    proof: str


def near_misses(right: int, mistakes: Iterable[int], chance: random.Random) -> list[str]:
    """Return WRONG_OPTIONS wrong numbers, at least 0, off by a mistake, by a slip, or by both. Small right numbers have
    none.
    """
    far = {abs(mistake - right) for mistake in mistakes}
    pairs = [(one, few) for one in sorted(far) for few in SLIPS if one not in (0, few) and one + few <= right]
    pairs = pairs or [pair for pair in permutations(SLIPS, 2) if sum(pair) <= right]
    return [str(right + step) for step in draw_shifts(chance.choice(pairs), chance)] if pairs else []


def draw_shifts(steps: Sequence[int], chance: random.Random) -> tuple[int, int, int]:
    """Return two of these steps, up or down, and their sum. The four numbers then have the same distances to each
    other.
    """
    one, other = (step * chance.choice((-1, 1)) for step in chance.sample(steps, 2))
    return one, other, one + other


def total(chance: random.Random) -> Exercise | None:
    a, b, c = (chance.randint(11, 99) for _ in range(3))
    right = a + b - c
    if right < 0:
        return None
    asked = f"What is {a} plus {b} minus {c}?"
    return Exercise(asked, str(right), near_misses(right, [a - b + c, a + b + c], chance), f"{a} + {b} - {c} = {right}")


def product(chance: random.Random) -> Exercise:
    a, b = chance.randint(6, 29), chance.randint(6, 29)
    mistakes = [a * (b + 1), (a - 1) * b, a * (b - 1)]
    return Exercise(f"What is {a} times {b}?", str(a * b), near_misses(a * b, mistakes, chance), f"{a} * {b} = {a * b}")


def percent(chance: random.Random) -> Exercise:
    share, whole = chance.randrange(5, 100, 5), chance.randrange(20, 1000, 20)
    right = share * whole // 100
    mistakes = [whole - right, right * 2, right + whole // 20]
    asked = f"What is {share} percent of {whole}?"
    return Exercise(asked, str(right), near_misses(right, mistakes, chance), f"{share} * {whole} / 100 = {right}")


def remainder(chance: random.Random) -> Exercise:
    divisor, number = chance.randint(6, 19), chance.randint(50, 400)
    right = number % divisor
    wrong = [
        str(other) for other in chance.sample([other for other in range(divisor) if other != right], WRONG_OPTIONS)
    ]
    asked = f"What is the remainder when {number} is divided by {divisor}?"
    return Exercise(asked, str(right), wrong, f"{number} = {number // divisor} * {divisor} + {right}")


def divisor(chance: random.Random) -> Exercise | None:
    common = chance.randint(2, 12)
    a, b = common * chance.randint(2, 12), common * chance.randint(2, 12)
    if a == b:
        return None
    greatest, least = gcd(a, b), lcm(a, b)
    if chance.random() < 0.5:
        others = [n for n in range(2, max(a, b) + 1) if (a % n == 0 or b % n == 0) and n != greatest]
        asked = f"What is the greatest common divisor of {a} and {b}?"
        return Exercise(asked, str(greatest), near_misses(greatest, others, chance), f"gcd({a}, {b}) = {greatest}")
    asked = f"What is the least common multiple of {a} and {b}?"
    return Exercise(
        asked, str(least), near_misses(least, [a * b, a + b, 2 * least], chance), f"lcm({a}, {b}) = {least}"
    )


def prime(chance: random.Random) -> Exercise:
    numbers = [number for number in range(21, 400, 2) if number % 5]
    primes = [number for number in numbers if all(number % factor for factor in range(3, 20, 2) if factor < number)]
    others = sorted(set(numbers) - set(primes))
    right = chance.choice([prime for prime in primes if others[WRONG_OPTIONS] < prime < others[-WRONG_OPTIONS]])
    below = chance.randint(0, WRONG_OPTIONS)
    smaller, larger = ([other for other in others if (other < right) == side] for side in (True, False))
    wrong = [*chance.sample(smaller, below), *chance.sample(larger, WRONG_OPTIONS - below)]
    asked = "Which of these numbers is a prime number?"
    return Exercise(asked, str(right), [str(number) for number in wrong], f"{right} has no divisor from 2 to 19")


def unit(chance: random.Random) -> Exercise:
    large, small, each = chance.choice(UNITS)
    many, rest = chance.randint(2, 19), chance.randint(1, each - 1)
    right = many * each + rest
    mistakes = [many * 10 + rest, many * each, (many + 1) * each + rest, many * each * 10 + rest]
    asked = f"How many {small} are {many} {large} and {rest} {small if rest > 1 else small.removesuffix('s')}?"
    return Exercise(asked, str(right), near_misses(right, mistakes, chance), f"{many} * {each} + {rest} = {right}")


def weekday(chance: random.Random) -> Exercise:
    today, later = chance.randrange(7), chance.randint(8, 400)
    right = DAYS[(today + later) % 7]
    wrong = chance.sample([day for day in DAYS if day != right], WRONG_OPTIONS)
    asked = f"Today is {DAYS[today]}. Which day of the week is it in {later} days?"
    return Exercise(asked, right, wrong, f"{later} = {later // 7} weeks and {later % 7} days")


def date_text(day: date) -> str:
    """Return a date in words: 3 March 2025."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def later_date(chance: random.Random) -> Exercise:
    first, days = date(chance.randint(1990, 2040), 1, 1) + timedelta(chance.randrange(365)), chance.randint(15, 120)
    right = first + timedelta(days)
    wrong = [date_text(right + timedelta(step)) for step in draw_shifts((1, 2, 3, 7, 30), chance)]
    return Exercise(
        f"Which date is {days} days after {date_text(first)}?", date_text(right), wrong, f"{first} + {days} = {right}"
    )


def clock_text(minute: int) -> str:
    return f"{minute // 60 % 24:02d}:{minute % 60:02d}"


def arrival(chance: random.Random) -> Exercise:
    start, hours, minutes = chance.randrange(5 * 60, 18 * 60, 5), chance.randint(2, 5), chance.randrange(5, 60, 5)
    right = start + 60 * hours + minutes
    wrong = [clock_text(right + step) for step in draw_shifts((10, 40, 60, 100), chance)]
    asked = f"A train leaves at {clock_text(start)} and travels for {hours} hours and {minutes} minutes."
    asked += " When does it arrive?"
    return Exercise(asked, clock_text(right), wrong, f"{start} + {60 * hours + minutes} = {right} minutes")


def rectangle(chance: random.Random) -> Exercise:
    long, wide = chance.randint(5, 30), chance.randint(3, 20)
    values = {"area": long * wide, "perimeter": 2 * (long + wide)}
    what, other = chance.sample(sorted(values), 2)
    unit = {"area": "square metres", "perimeter": "metres"}[what]
    asked = f"A rectangle is {long} metres long and {wide} metres wide. What is its {what} in {unit}?"
    wrong = near_misses(values[what], [values[other], long + wide], chance)
    return Exercise(asked, str(values[what]), wrong, f"{what} of {long} by {wide} = {values[what]}")


def distance(chance: random.Random) -> Exercise | None:
    speed, hours, other = chance.randrange(40, 125, 5), chance.randint(2, 6), chance.randint(2, 9)
    if hours == other or speed == 5 * other:  # both mistakes together would be right again
        return None
    asked = f"A car drives {speed * hours} kilometres in {hours} hours. How far does it drive in {other} hours?"
    asked += " Its speed stays the same."
    right = speed * other
    wrong = [f"{right + step} kilometres" for step in draw_shifts((speed, 5 * other), chance)]
    return Exercise(asked, f"{right} kilometres", wrong, f"{speed} * {other} = {right}")


def mean(chance: random.Random) -> Exercise | None:
    numbers = [chance.randint(2, 60) for _ in range(chance.randint(3, 5))]
    right, rest = divmod(sum(numbers), len(numbers))
    if rest:
        return None
    listed = ", ".join(map(str, numbers[:-1])) + f" and {numbers[-1]}"
    wrong = near_misses(right, [sorted(numbers)[len(numbers) // 2], max(numbers) - min(numbers)], chance)
    return Exercise(f"What is the mean of {listed}?", str(right), wrong, f"{sum(numbers)} / {len(numbers)} = {right}")


def series(chance: random.Random) -> Exercise | None:
    a, b, step = chance.randint(1, 20), chance.randint(1, 20), chance.randint(2, 12)
    kind = chance.choice(("steps", "growing", "factor", "two", "turns"))
    numbers = [a]
    for place in range(4):
        last = numbers[-1]
        grown = {"steps": last + step, "growing": last + b + place * step, "factor": last * (2 + step % 3)}
        both = last + (numbers[-2] if place else b)
        grown |= {"two": both, "turns": last + step + b if place % 2 else max(0, last - b)}
        numbers.append(grown[kind])
    if len(found := next_numbers(numbers)) != 1 or max(numbers) > 2000:
        return None
    [right] = found
    wrong = near_misses(right, [2 * numbers[-1] - numbers[-2], right + step, right - step], chance)
    asked = f"Which number comes next: {', '.join(map(str, numbers))}?"
    return Exercise(asked, str(right), wrong, f"all rules that fit {numbers} give {right}")


def next_numbers(numbers: Sequence[int]) -> set[int]:
    """Return possible next numbers: by equal or growing steps, a factor, the sum of two, or two alternating steps."""
    steps = [b - a for a, b in pairwise(numbers)]
    growths = {b - a for a, b in pairwise(steps)}
    candidates = set()
    if len(growths) == 1:
        candidates.add(numbers[-1] + steps[-1] + growths.pop())
    if numbers[0] and all(b == a * (numbers[1] // numbers[0]) for a, b in pairwise(numbers)):
        candidates.add(numbers[-1] * (numbers[1] // numbers[0]))
    if all(a + b == c for a, b, c in zip(numbers, numbers[1:], numbers[2:], strict=False)):
        candidates.add(numbers[-1] + numbers[-2])
    if all(a == b for a, b in zip(steps, steps[2:], strict=False)):
        candidates.add(numbers[-1] + steps[-2])
    return candidates


EXERCISES: tuple[Callable[[random.Random], Exercise | None], ...] = (
    total, product, percent, remainder, divisor, prime, unit, weekday, later_date, arrival, rectangle, distance, mean,
    series,
)  # fmt: skip
"""Every kind of question. They return None if a draw does not give a question."""
