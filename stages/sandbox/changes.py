"""Instructions about one picture, as changes of its scene: each rule reads one form of words, and changes one thing.

A rule returns None where the words are none of its own, and raises Unsupported where they are but cannot be done.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from . import vocabulary as v
from .answering import Unsupported
from .material import made
from .naming import NUMBERS, Named, any_of, colours, looks, named, relations
from .phrases import group_words
from .scene import Group, Scene

_COLOUR = f"(?P<colour>{any_of(colours())})"
_NUMBER = f"(?P<number>{any_of(word for word in NUMBERS if word.isascii())})"
_RELATION = f"(?P<relation>{any_of(relations())})"
_SIGN = r"(?:the |an? )?(?:words?|lettering|text|letters|sign|banner|board|hanging banner|wooden sign|wooden board)"
_IT = r"(?:it|the (?:picture|scene|background|light|lighting|time(?: of day)?|style|mood|sky|feeling|atmosphere))"
_WORDS = r'(?:the )?(?:words? )?"(?P<words>[^"]+)"'


def changed(scene: Scene, clause: str) -> Scene | None:
    """Return the scene as an instruction wants it, None in it for what the words leave open; None if not understood."""
    for rule in _RULES:
        if (found := rule(scene, clause)) is not None:
            return found
    return None


def place_of(scene: Scene, thing: Named | None) -> int:
    """Return which group of a scene a noun phrase means, for None ("it") the only one.

    Unsupported where that is none of them, or more than one.
    """
    fits = [number for number, group in enumerate(scene.groups) if thing is None or thing.fits(group)]
    if len(fits) != 1:
        said = f"{thing.colour or ''} {thing.kind}".strip() if thing else "it"
        shown = " and ".join(group_words(group, "en") for group in scene.groups) or "no thing"
        raise Unsupported(f"{said!r} is {'none' if not fits else 'more than one'} of what there is: {shown}")
    return fits[0]


def _recolour(scene: Scene, clause: str) -> Scene | None:
    match = _first(
        clause,
        rf"(?:make|paint|turn|colou?r|recolou?r|dye) (?P<x>.+?) (?:in |into |to )?{_COLOUR}",
        rf"(?:change|make|turn) the colou?r of (?P<x>.+?) (?:in)?(?:to )?{_COLOUR}",
        rf"change (?P<x>.+?)(?:'s colou?r)?(?: from (?:{any_of(colours())}))? (?:in)?to {_COLOUR}",
        rf"(?P<x>.+?) (?:should be|must be|shall be|is|are) {_COLOUR}",
    )
    if match is None or (place := _meant(scene, match["x"])) is None:
        return None
    return _with(scene, place, replace(scene.groups[place], colour=colours()[match["colour"]]))


def _recount(scene: Scene, clause: str) -> Scene | None:
    if match := _first(clause, rf"change the number of (?P<x>.+?) to {_NUMBER}", rf"make (?P<x>.+?) {_NUMBER}"):
        place, count = _meant(scene, match["x"]), NUMBERS[match["number"]]
    elif match := _first(
        clause,
        r"(?:make (?:it|them|that)|there should be|let there be) (?P<x>.+?)(?: instead(?: of .+)?)?",
        r"(?:show|paint|draw) (?P<x>.+?) instead(?: of .+)?",
    ):
        thing = named(match["x"])
        if thing is None or thing.number is None or not scene.groups:
            return None
        place, count = place_of(scene, thing), thing.number
    else:
        return None
    return None if place is None else _counted(scene, place, count)


def _remove(scene: Scene, clause: str) -> Scene | None:
    match = _first(clause, r"(?:remove|delete|erase|take away|take out|get rid of|leave out|drop) (?P<x>.+)")
    if match is None:
        return None
    what = re.sub("^(?:an?|the) ", "", match["x"])
    if re.fullmatch(rf'{_SIGN}|"[^"]+"', match["x"]):
        if scene.lettering is None:
            raise Unsupported("the picture has no lettering that could be removed")
        return made(scene, lettering=None, sign=None)
    wonder = scene.surreal or ""
    if looks().get(what) == ("surreal", wonder) or (wonder and what == wonder.split()[-1]):
        return made(scene, surreal=None)
    what = re.sub(r"^(?:(one|two|three|four) of the)\b", r"\1", match["x"])
    thing = named(what)
    if thing is None:
        return None
    place = place_of(scene, thing)
    left = 0 if thing.definite or thing.number is None else scene.groups[place].count - thing.number
    return _counted(scene, place, left)


def _replace(scene: Scene, clause: str) -> Scene | None:
    match = _first(
        clause,
        r"(?:replace|swap|exchange|substitute) (?P<x>.+?) (?:with|by|for) (?P<y>.+)",
        r"(?:turn|change|transform|convert) (?P<x>.+?) (?:in)?to (?P<y>.+)",
        r"(?:paint|show|put|draw) (?P<y>.+?) (?:instead|in place) of (?P<x>.+)",
    )
    if match is None or (new := named(match["y"])) is None or (place := _meant(scene, match["x"])) is None:
        return None
    if new.definite and any(map(new.fits, scene.groups)):
        return _turned(scene)
    old = scene.groups[place]
    return _with(scene, place, Group(new.kind, new.colour, _some(old.count if new.number is None else new.number)))


def _exchange(scene: Scene, clause: str) -> Scene | None:
    match = _first(
        clause,
        r"(?:swap|exchange|switch)(?: the (?:places|positions) of)? (?P<x>.+?) and (?P<y>.+?)",
        r"let (?P<x>.+?) and (?P<y>.+?) (?:swap|change|exchange) places",
    )
    if match is None:
        return None
    places = {_meant(scene, match[name]) for name in "xy"}
    return None if None in places or len(places) < 2 else _turned(scene)


def _add(scene: Scene, clause: str) -> Scene | None:
    match = _first(
        clause,
        rf"(?:add|put|place|insert|include|copy|move) (?P<x>.+?)(?: (?:in|to|into) it)?"
        rf"(?: {_RELATION} (?P<y>.+?))?(?: (?:in|to|into) it)?",
    )
    if match is None:
        return None
    more = re.sub(rf"^(?:{_NUMBER} more|another(?: {_NUMBER.replace('number', 'other')})?) ", _counted_more, match["x"])
    thing = named(more)
    if thing is None:
        return None
    known = [number for number, group in enumerate(scene.groups) if thing.fits(group)]
    groups, relation = scene.groups, scene.relation
    if known and thing.definite:
        new = known[0]
        if match["y"] is None:
            return None
    elif known and match["y"] is None:
        place = place_of(scene, thing)
        return _counted(scene, place, groups[place].count + _said(thing))
    elif more != match["x"] and not known:
        raise Unsupported(f"there is no {thing.kind} in the picture to which more could be added")
    else:
        groups, relation, new = (*groups, Group(thing.kind, thing.colour, _some(_said(thing)))), None, len(groups)
    if match["y"]:
        old = _meant(scene, match["y"])
        if old is None or old == new or len(groups) > 2:
            return None if old is None else made(scene, groups=groups)
        relation = relations()[match["relation"]]
        relation = v.OPPOSITE[relation] if new else relation
    return made(scene, groups=groups, relation=relation)


def _letter(scene: Scene, clause: str) -> Scene | None:
    match = _first(
        clause,
        rf'(?:change|set|make|let|turn) (?:{_SIGN}|"[^"]+")(?: on (?:it|{_SIGN}))? (?:in)?(?:to |say |read )?{_WORDS}',
        rf'replace (?:{_SIGN}|"[^"]+") (?:with|by) {_WORDS}',
        rf"(?:add|write|put|paint|place) {_WORDS}(?: (?:on|onto|to) (?P<sign>{_SIGN}|it))?",
        rf"(?:add|put|place|paint) (?P<sign>{_SIGN}) (?:that says|that reads|saying|reading|with) {_WORDS}",
    )
    if match is None:
        return None
    sign = looks().get(re.sub("^(?:an?|the) ", "", match.groupdict().get("sign") or ""), ("", scene.sign))[1]
    return made(scene, lettering=match["words"].upper(), sign=sign)


def _look(scene: Scene, clause: str) -> Scene | None:
    match = _first(
        clause,
        rf"(?:make|turn|change|set|paint|show|render|redraw|repaint|put|let|place|add)(?: {_IT})?"
        r"(?: (?:to|into|in|as|at|under|beneath|be|look|an?|the|with|style of))*"
        rf" (?P<look>{any_of(looks())})(?: (?:mood|style|light|feeling|sky))?(?: (?:in|to|into) (?:it|the sky))?",
    )
    if match is None or (found := looks()[match["look"]])[0] == "sign":
        return None
    return made(scene, **{found[0]: found[1]})


_RULES: tuple[Callable[[Scene, str], Scene | None], ...] = (
    _letter, _look, _recolour, _exchange, _replace, _recount, _remove, _add,
)  # fmt: skip


def _first(clause: str, *patterns: str) -> re.Match[str] | None:
    return next((match for pattern in patterns if (match := re.fullmatch(pattern, clause))), None)


def _meant(scene: Scene, words: str) -> int | None:
    """Return which group is meant; None where the words name nothing."""
    if words in ("it", "them"):
        return place_of(scene, None)
    thing = named(words)
    return None if thing is None else place_of(scene, thing)


def _said(thing: Named) -> int:
    if thing.number is None:
        raise Unsupported(f"how many of {thing.kind!r} is not said")
    return thing.number


def _some(count: int) -> int:
    if count not in v.COUNTS:
        raise Unsupported(f"one to five of a thing can be painted, not {count}")
    return count


def _counted(scene: Scene, place: int, count: int) -> Scene:
    """Return the scene with so many of one group; without the group for 0."""
    if count:
        return _with(scene, place, replace(scene.groups[place], count=_some(count)))
    return made(scene, groups=scene.groups[:place] + scene.groups[place + 1 :], relation=None)


def _counted_more(match: re.Match[str]) -> str:
    return f"{match['number'] or match['other'] or 'one'} "


def _with(scene: Scene, place: int, group: Group) -> Scene:
    return made(scene, groups=(*scene.groups[:place], group, *scene.groups[place + 1 :]))


def _turned(scene: Scene) -> Scene:
    """Return the scene with its two groups in each other's place."""
    return made(scene, groups=scene.groups[::-1])
