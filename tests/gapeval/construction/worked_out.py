"""Exercises of arithmetic, units, dates and series, worked out from their words: counted through rather than computed
in one go, as whoever has no formula does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

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
    """Return a text in small letters without spaces, which readers lose: as exercises are told apart and compared."""
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
