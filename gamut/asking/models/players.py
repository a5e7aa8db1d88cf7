"""How whoever plays a role is opened: one model, or a pair of two."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gamut.asking.models.opening import OpenedWhenAsked, identity_of
from gamut.asking.requests import Model
from gamut.project.roles import Played, RoleModel
from gamut.project.settings import Settings


def opened_when_asked(played: Played, settings: Settings, texts: Callable[[], Iterable[str]] = tuple) -> Model:
    """Return who plays a role, opened by its first unanswered request; of a pair each by its own."""
    if isinstance(played, RoleModel):
        return OpenedWhenAsked(played, settings, texts)
    from gamut.asking.models.pair import PairModel  # which decodes pictures: few roles are played by two

    writer, painter = (OpenedWhenAsked(player, settings) for player in played.players)
    prices = [settings.endpoint(player.slug) for player in played.players]
    return PairModel(writer, painter, identity_of(played), *prices)
