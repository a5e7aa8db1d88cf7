"""The parameters of AEGIS."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from gamut.evaluation.defining import parameters
from gamut.evaluation.defining.parameters import BenchmarkParameters, different


class Aegis(BenchmarkParameters):
    """AEGIS: what every benchmark has, the forms in which prompts are put, and how new items are proposed.

    `settings`: `raw` as people put them, `clear`, `checklist`, an oracle: clear, with the answers to all that judges
    ask. Rewriters and describers add their own.
    """

    settings: Annotated[list[Literal["raw", "clear", "checklist"]], Field(min_length=1), AfterValidator(different)]

    @property
    def all_settings(self) -> list[str]:
        return [*self.settings, *self.rewritten_settings]


class Params(parameters.Params):
    aegis: Aegis
