"""The parameters of GIR-Bench."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from stages.evaluation.defining import parameters
from stages.evaluation.defining.parameters import BenchmarkParameters, different
from stages.gir.construction.parameters import Propose

Side = Literal["t2i", "edit", "category", "prompt", "name", "choice"]


class Gir(BenchmarkParameters):
    """GIR-Bench: what every benchmark has, the sides on which cases are put, and how new cases are proposed."""

    sides: Annotated[list[Side], Field(min_length=1), AfterValidator(different)]
    propose: Propose


class Params(parameters.Params):
    """What of params.yaml GIR-Bench reads."""

    gir: Gir

    @model_validator(mode="after")
    def _models_are_able(self) -> Self:
        self._require_able("gir.propose.author", self.gir.propose.author, "creator")
        self._require_able("gir.propose.guesser", self.gir.propose.guesser, "writer")
        return self
