"""The parameters of GIR-Bench, and those by which cases of new editions are proposed."""

from typing import Annotated

from pydantic import AfterValidator, Field

from gamut.evaluation.defining import parameters
from gamut.evaluation.defining.parameters import BenchmarkParameters, different
from stages.gir.shared.prompts import Setting


class Gir(BenchmarkParameters):
    """GIR-Bench: what every benchmark has, the settings on which cases are put, and how new cases are proposed."""

    settings: Annotated[list[Setting], Field(min_length=1), AfterValidator(different)]


class Params(parameters.Params):
    gir: Gir
