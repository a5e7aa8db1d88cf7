"""The parameters of GIR-Bench, and those by which cases of new editions are proposed."""

from typing import Annotated

from pydantic import AfterValidator, Field

from gamut.evaluation.defining import parameters
from gamut.evaluation.defining.parameters import BenchmarkParameters, different
from stages.gir.shared.putting import Side


class Gir(BenchmarkParameters):
    """GIR-Bench: what every benchmark has, the sides on which cases are put, and how new cases are proposed."""

    sides: Annotated[list[Side], Field(min_length=1), AfterValidator(different)]


class Params(parameters.Params):
    gir: Gir
