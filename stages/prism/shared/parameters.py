"""The parameters of PRISM-Bench."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import StringConstraints, model_validator

from gamut.evaluation.defining import parameters
from gamut.evaluation.defining.parameters import BenchmarkParameters, Languages
from gamut.project.model_kinds import Digest, Name
from gamut.project.parameters import NearDuplicates
from gamut.project.validation import Strict


class Release(Strict):
    """A script of the released code, in a clone, and its digest."""

    path: Name
    revision: Annotated[str, StringConstraints(pattern=rf"^{Digest}$")]

    @property
    def label(self) -> str:
        """Return its name in specs and on boards: eight digits of the digest."""
        return f"released-{self.revision.removeprefix('sha256-')[:8]}"


class Prism(BenchmarkParameters):
    """PRISM-Bench: the block of every benchmark, the languages of its prompts, and how new ones are proposed.

    `instructions`: the words for judges, this project's own or those of the script that `release` names.
    """

    languages: Languages
    instructions: Literal["own", "released"]
    release: Release | None = None

    @property
    def for_people(self) -> Self:
        return self.model_copy(update={"instructions": "own"})

    @property
    def script(self) -> Release | None:
        return self.release if self.instructions == "released" else None

    @model_validator(mode="after")
    def _released_somewhere(self) -> Self:
        if self.instructions == "released" and self.release is None:
            script = "{path: …/evaluation/eval_gpt41.py, revision: sha256-…}"
            raise ValueError(f"release: this key is missing: name the released script, as {script}")
        return self


class Params(parameters.Params):
    near_duplicates: NearDuplicates
    prism: Prism

    @model_validator(mode="after")
    def _judges_read_instructions(self) -> Self:
        for number, slug in enumerate(self.prism.judges if self.prism.script else ()):
            if self.models[slug].kind == "sandbox":
                said = "the embedded world cannot read released instructions: name another, or use `instructions: own`"
                raise ValueError(f"prism.judges.{number}: {said}")
        return self
