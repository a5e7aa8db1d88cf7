"""How items are asked: one context and one instruction, with their pictures in one of three forms (appendix D.1).

In further settings something is removed, the rule is stated, or contestants reflect (section 3.2, appendix D.2). In the
setting `probe` nothing is painted: the answer says which of four texts is true of a right picture.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Literal, get_args

from gamut.evaluation.defining.pictures import pictures_of_role
from gamut.evaluation.defining.questions import Pictures, Prompt, Reflection
from gamut.evaluation.running.placing import PICTURE_NAME, Form, names_in, place_pictures, split_at_names
from stages.genius.shared.items import LETTER_REQUEST, LETTERS, PROBE_QUESTION, GeniusItem, Probe

CRITIQUE = """\
Nothing is to be painted now. In <picture> stands a picture that was made of what is asked for above. Work out once \
more what is asked for, then say what the picture does not do: what is missing in it, what is wrong, what was to stay \
and did not. End with a sentence that begins with "So what is wanted is" and says what a right picture shows."""
SECOND_ATTEMPT = """\
Make the picture that is asked for above once more. In <picture> stands an earlier one, in <critique> what was found \
to be wrong with it: fix that, and leave the rest as it is."""

Setting = Literal[
    "interleaved", "edit", "fine_grained", "without_context", "without_pictures", "without_texts", "text_hints",
    "multimodal_hints", "post_reflection", "probe",
]  # fmt: skip
SETTINGS: tuple[Setting, ...] = get_args(Setting)
FORMS: Mapping[str, Form] = {"edit": "apart", "interleaved": "at_sentence_ends", "fine_grained": "in_place"}
"""Where pictures are in each setting: all before the text, which calls them by numbers; after the sentence that names
them; where they are named. Further settings use the form of `interleaved`."""
BASE_SETTING: Setting = "interleaved"
"""The setting with which all others are compared."""
HINTS: Mapping[str, str] = {"text_hints": "text_hint", "multimodal_hints": "multimodal_hint"}
"""Settings that state the rule, and its key in an item."""
PROBE: Setting = "probe"
"""The setting that is answered in words."""
UNKNOWN_PICTURE = "the picture"
"""The name of a picture that is not given."""


def settings_of(item: GeniusItem) -> Sequence[str]:
    """Return the settings in which an item can be asked. Some need a hint that names pictures, or a probe."""
    lacking = {"multimodal_hints": hint_of(item, "multimodal_hints") is None, PROBE: item.probe is None}
    return [setting for setting in SETTINGS if not lacking.get(setting)]


def hint_of(item: GeniusItem, setting: str) -> str | None:
    """Return the stated rule. For published items it is what a right picture shows, without its scoring; with pictures
    also what has to stay in which of them. None if that names no picture.
    """
    if own := getattr(item, HINTS[setting]):
        return str(own)
    if setting == "text_hints":
        return call_unknown_pictures(item.rule.shows, [picture.name for picture in item.of_role("input")])
    stays = (
        one.hint if names_in(one.hint) else f"<image:{one.reference}> {one.hint}" for one in item.consistency_hints
    )
    hint = call_unknown_pictures(" ".join([item.rule.shows, *stays]), [picture.name for picture in item.images])
    return hint if names_in(hint) else None


def call_unknown_pictures(text: str, known: Sequence[str]) -> str:
    """Return a text in which unknown pictures have no name."""

    def name(match: re.Match[str]) -> str:
        try:
            split_at_names(match[0], known)
        except ValueError:
            return UNKNOWN_PICTURE
        return match[0]

    return PICTURE_NAME.sub(name, text)


def prompt(item: GeniusItem, setting: str, pictures: Pictures, rounds: int = 1) -> Prompt:
    """Return the prompt, for a picture or in setting `probe` a text. ValueError for a name without a picture, or
    without a probe.
    """
    pictures_given = pictures_of_role(item, pictures, "input")
    names_in_prompt = set(split_at_names(item.prompt, list(pictures_given))[1])
    pictures_in_prompt = {name: picture for name, picture in pictures_given.items() if name in names_in_prompt}
    match setting:
        case "without_context":
            text, pictures_given = item.prompt, pictures_in_prompt
        case "without_texts":
            text = item.prompt
        case "without_pictures":
            text = f"{without_names(item.context, list(pictures_given), names_in_prompt)}\n{item.prompt}"
            pictures_given = pictures_in_prompt
        case "probe":
            text = f"{item.context}\n{item.prompt}"
            lettered = (f"{letter}) {one}" for letter, one in zip(LETTERS, probe_of(item).options, strict=True))
            asked_too = "\n".join([text, PROBE_QUESTION, *lettered, LETTER_REQUEST])
            return Prompt(place_pictures(asked_too, pictures_given, FORMS[BASE_SETTING]), ("text",))
        case "text_hints" | "multimodal_hints":
            hint, references = hint_of(item, setting) or "", pictures_of_role(item, pictures, "reference")
            told = set(split_at_names(hint, [*pictures_given, *references])[1])
            pictures_given |= {name: picture for name, picture in references.items() if name in told}
            text = f"{item.context}\n{hint}\n{item.prompt}"
        case _:
            text = f"{item.context}\n{item.prompt}"
    reflection = Reflection(CRITIQUE, SECOND_ATTEMPT, rounds) if setting == "post_reflection" else None
    return Prompt(place_pictures(text, pictures_given, FORMS.get(setting, FORMS[BASE_SETTING])), reflection=reflection)


def probe_of(item: GeniusItem) -> Probe:
    if item.probe is None:
        raise ValueError(f"item {item.id!r} has no probe, so it is not asked in the setting {PROBE!r}")
    return item.probe


def without_names(context: str, known_names: Sequence[str], kept_names: set[str]) -> str:
    """Return a context that calls removed pictures `the missing picture A` and so on, in the order of naming."""
    names = split_at_names(context, known_names)[1]
    missing = [name for name in dict.fromkeys(names) if name not in kept_names]
    called = {name: f"the missing picture {letter_of(number)}" for number, name in enumerate(missing)}
    each = iter(names)
    return PICTURE_NAME.sub(lambda match: called.get(next(each), match[0]), context)


def letter_of(number: int) -> str:
    """Return the letter of a missing picture, from 0: A to Z, then A2 and so on."""
    turns, place = divmod(number, len(ascii_uppercase))
    return ascii_uppercase[place] + str(turns + 1) * bool(turns)
