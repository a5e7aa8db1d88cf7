"""The embedded world as a writer of tasks: what is asked for about topics, with the pictures that it is about."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace

from . import vocabulary as v
from .answering import Unsupported, Values
from .phrases import group_words
from .scene import Group, Scene
from .writing import write

_SCENERY = {
    "living things": ("animal", "plant"),
    "things to be used": ("tool", "thing"),
    "things that move": ("vehicle", "thing"),
    "things to be eaten": ("food", "plant"),
    "things to be heard": ("instrument", "animal"),
    "things that are built": ("building", "shape"),
}
"""Topics of the world's own, and the groups of its vocabulary that they are about."""
_GROUPS = {
    "biology": ("animal", "plant"), "agriculture": ("animal", "plant", "food"), "food": ("food",),
    "music": ("instrument",), "traffic": ("vehicle",), "architecture": ("building",), "mathematics": ("shape",),
    "engineering": ("tool", "vehicle"), "photography": ("thing", "building"), "anime": ("thing", "animal"),
    "game": ("thing", "shape"), "activity": ("thing", "vehicle"), "astronomy_geography": ("building", "plant"),
}  # fmt: skip
"""What things topics of benchmarks are shown with; others with any."""

Task = tuple[str, list[Scene]]
"""A prompt, and what its pictures show."""


def draft_task(fields: Mapping[str, str], seed: int) -> Values:
    """Return a task about a topic that the world's creator can do, drawn by topic, direction and seed, and descriptions
    of the pictures that it names as `<image1>` and so on. Raises Unsupported for another than one of the four tasks.

    Whatever is asked for has a colour: there is a riddle of every kind for each.
    """
    topic, task = fields.get("topic", ""), fields.get("task", "")
    if task not in _DRAFTS:
        raise Unsupported(f"the embedded world knows no task {task!r}; it knows {', '.join(_DRAFTS)}")
    rng = random.Random(f"{seed} draft {topic} {task} {fields.get('direction', '')}")
    prompt, scenes = rng.choice(_DRAFTS[task])(_scene(topic, rng), rng)
    return {"clear_prompt": prompt, "pictures": [write(scene) for scene in scenes]}


def propose_topics(fields: Mapping[str, str]) -> Values:
    """Return the world's own topics, without those that are known already, one a line."""
    known = {line.partition(":")[0].strip() for line in fields.get("known", "").splitlines()}
    about = {name: f"{' and '.join(groups)}s that can be cut out of paper" for name, groups in _SCENERY.items()}
    return {"topics": [{"name": name, "about": about[name]} for name in about if name not in known]}


def _scene(topic: str, rng: random.Random) -> Scene:
    """Return two groups of things of a topic, each with a colour of its own, how they stand, and a light."""
    groups = _GROUPS.get(topic, _SCENERY.get(topic))
    kinds = [kind.name for kind in v.KINDS.values() if (groups is None or kind.group in groups) and _tells(kind)]
    one, other = rng.sample(kinds, 2)
    first, second = rng.sample(list(v.COLOURS), 2)
    things = Group(one, first, rng.randint(2, 4)), Group(other, second, rng.randint(1, 4))
    return Scene(things, rng.choice(list(v.RELATIONS)), light=rng.choice(list(v.LIGHTS)))


def _tells(kind: v.Kind) -> bool:
    """Return whether the plural tells that there are several."""
    return kind.plural != kind.name


def _alone(scene: Scene) -> Scene:
    return replace(scene, groups=scene.groups[:1], relation=None)


def _how_many(scene: Scene, rng: random.Random) -> Task:
    return f"How many {_several(rng.choice(scene.groups))} are there in <image1>?", [scene]


def _is_there(scene: Scene, rng: random.Random) -> Task:
    group = scene.groups[0]
    asked = replace(group, colour=rng.choice([group.colour, _another_colour(scene, rng)]))
    return f"Are there {_words(asked)} in <image1>?", [scene]


def _how_placed(scene: Scene, rng: random.Random) -> Task:
    one, other = scene.groups
    relation = v.RELATIONS[rng.choice([scene.relation or "", v.OPPOSITE[scene.relation or ""]])].en
    return f"Are the {_several(one)} {relation} {_words(other, definite=True)} in <image1>?", [scene]


def _which(scene: Scene, rng: random.Random) -> Task:
    one, other = scene.groups
    pictures = [_alone(scene), replace(scene, groups=(other,), relation=None)]
    rng.shuffle(pictures)
    return f"Here are <image1> and <image2>. Which picture shows {_words(one)}?", pictures


def _painted(scene: Scene, rng: random.Random) -> Task:
    return write(rng.choice([scene, replace(scene, light=None), _alone(scene)])), []


def _painted_from(scene: Scene, rng: random.Random) -> Task:
    one, other = scene.groups
    relation = v.RELATIONS[scene.relation or ""].en
    light = v.LIGHTS[rng.choice(list(v.LIGHTS))].en
    return f"Paint the {_noun(one)} of <image1> {relation} {_words(other)} at {light}.", [_alone(scene)]


def _recoloured(scene: Scene, rng: random.Random) -> Task:
    return f"Make the {_noun(scene.groups[0])} of <image1> {_another_colour(scene, rng)}.", [scene]


def _replaced(scene: Scene, rng: random.Random) -> Task:
    one, other = scene.groups
    new = replace(other, colour=_another_colour(scene, rng))
    return f"Replace the {_noun(one)} of <image1> with {_words(new)}.", [_alone(scene)]


def _added(scene: Scene, rng: random.Random) -> Task:
    one, other = scene.groups
    relation = v.RELATIONS[v.OPPOSITE[scene.relation or ""]].en
    return f"Add {_words(other)} {relation} the {_noun(one)} in <image1>.", [_alone(scene)]


def _told_and_shown(scene: Scene, rng: random.Random) -> Task:
    prompt, pictures = _painted(scene, rng)
    return f"Tell and show: {prompt[0].lower()}{prompt[1:]}", pictures


def _told_and_edited(scene: Scene, rng: random.Random) -> Task:
    prompt, pictures = _recoloured(_alone(scene), rng)
    return f"Tell and show: {prompt[0].lower()}{prompt[1:]}", pictures


_DRAFTS: Mapping[str, tuple[Callable[[Scene, random.Random], Task], ...]] = {
    "understanding": (_how_many, _is_there, _how_placed, _which),
    "generation": (_painted, _painted_from),
    "editing": (_recoloured, _replaced, _added),
    "interleaved": (_told_and_shown, _told_and_edited),
}


def _another_colour(scene: Scene, rng: random.Random) -> str:
    taken = {group.colour for group in scene.groups}
    return rng.choice([colour for colour in v.COLOURS if colour not in taken])


def _words(group: Group, definite: bool = False) -> str:
    """Return a group in words; "the red cars" for a definite one, whatever its number."""
    if definite:
        return f"the {_several(group)}" if group.count > 1 else group_words(group, "en", definite=True)
    return group_words(group, "en")


def _several(group: Group) -> str:
    return f"{group.colour} {v.KINDS[group.kind].plural}"


def _noun(group: Group) -> str:
    return v.KINDS[group.kind].plural if group.count > 1 else group.kind
