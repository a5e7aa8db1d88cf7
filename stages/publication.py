"""What params.yaml says of publishing: for each product its repository on the Hugging Face Hub, version and licence."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from stages.validation import Strict

RepoId = Annotated[str, StringConstraints(pattern=r"^[\w.-]+/[\w.-]+$", max_length=96)]
NUMBER = r"(0|[1-9][0-9]*)"
IDENTIFIER = rf"({NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
VERSION = rf"{NUMBER}\.{NUMBER}\.{NUMBER}(-{IDENTIFIER}(\.{IDENTIFIER})*)?"
SemanticVersion = Annotated[str, StringConstraints(pattern=f"^{VERSION}$")]
"""As semver.org has it: major.minor.patch, and perhaps a pre-release such as -rc.1."""
LicenceId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.+-]*$")]
"""An identifier of the Hub's list, such as cc-by-4.0; `other` for a licence that is not in it."""
Line = Annotated[str, StringConstraints(pattern=r"^[^\s\p{Cc}]([^\p{Cc}\p{Zl}\p{Zp}]*[^\s\p{Cc}])?$")]
"""A line of text: no control characters, and nothing that anybody takes for the end of a line."""
Rank = tuple[bool, int, str]


def precedence(version: str) -> tuple[list[Rank], bool, list[Rank]]:
    """What puts versions in the order of semver.org: 1.0.0-alpha < 1.0.0-rc.2 < 1.0.0-rc.10 < 1.0.0."""
    core, _, before = version.partition("-")
    return [rank(number) for number in core.split(".")], not before, [rank(part) for part in before.split(".")]


def rank(identifier: str) -> Rank:
    """Numbers come by their value, and before words; those come in the order of ASCII.

    A number of more digits is larger: it begins with none that is zero.
    """
    is_word = not identifier.isdecimal()
    return is_word, 0 if is_word else len(identifier), identifier


class Publication(Strict):
    """How one product is published; `repo` and `license` are null until somebody wants to.

    `license_name` and `license_link` belong to `license: other`. `authors` are cited, in this order.
    """

    repo: RepoId | None
    version: SemanticVersion
    title: Line
    license: LicenceId | None
    license_name: LicenceId | None = None
    license_link: Line | None = None
    authors: list[Line] = Field(default_factory=list)

    @model_validator(mode="after")
    def _licensed(self) -> Publication:
        named = (self.license_name, self.license_link)
        if self.license == "other" and None in named:
            raise ValueError("license: other needs `license_name` and `license_link`, so that a reader finds its text")
        if self.license != "other" and named != (None, None):
            raise ValueError("`license_name` and `license_link` belong to `license: other`")
        return self

    @property
    def tag(self) -> str:
        """The version's tag on the Hub."""
        return f"v{self.version}"


class Publish(Strict):
    """What `gamut publish` can publish, by name: the dataset, and the edition of each benchmark."""

    dataset: Publication
    prism: Publication
