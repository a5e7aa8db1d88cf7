"""What params.yaml says of publishing: for each product its repository on the Hugging Face Hub, version and licence."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from gamut.project.validation import Strict


def matching(pattern: str, wanted: str) -> AfterValidator:

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"{wanted} is wanted")
        return text

    return AfterValidator(check)


def one_line(text: str) -> str:
    if text != text.strip() or not text or any(unicodedata.category(sign) in ("Cc", "Zl", "Zp") for sign in text):
        raise ValueError("one line of text is wanted")
    return text


NUMBER = r"(0|[1-9][0-9]*)"
IDENTIFIER = rf"({NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
VERSION = rf"{NUMBER}\.{NUMBER}\.{NUMBER}(-{IDENTIFIER}(\.{IDENTIFIER})*)?"
RepoId = Annotated[str, matching(r"(?=.{3,96}$)[\w.-]+/[\w.-]+", "a repository's name without address, org/name,")]
SemanticVersion = Annotated[str, matching(VERSION, "major.minor.patch without v, such as 0.1.0,")]
"""As semver.org has it: major.minor.patch, and perhaps a pre-release such as -rc.1."""
LicenceId = Annotated[
    str, matching(r"[a-z0-9][a-z0-9.+-]*", "an identifier of the Hub in small letters, such as cc-by-4.0,")
]
"""An identifier of the Hub's list, such as cc-by-4.0; `other` for a licence that is not in it."""
Line = Annotated[str, AfterValidator(one_line)]
Address = Annotated[str, matching(r"https?://[^\s@]+", "http(s)://host/path without user or password")]
Rank = tuple[bool, int, str]


def precedence(version: str) -> tuple[list[Rank], bool, list[Rank]]:
    """Return what puts versions in the order of semver.org: 1.0.0-alpha < 1.0.0-rc.2 < 1.0.0-rc.10 < 1.0.0."""
    core, _, before = version.partition("-")
    return [rank(number) for number in core.split(".")], not before, [rank(part) for part in before.split(".")]


def rank(identifier: str) -> Rank:
    """Order numbers by their value, and before words; a number of more digits is larger."""
    is_word = not identifier.isdecimal()
    return is_word, 0 if is_word else len(identifier), identifier


class Publication(Strict):
    """How one product is published; `repo` and `license` are for a person to name. Without `title` it is called as
    `Everything.publication` says. `project`: where it is found.
    """

    repo: RepoId | None = None
    version: SemanticVersion = "0.1.0"
    title: Line = ""
    license: LicenceId | None = None
    license_name: LicenceId | None = None
    license_link: Line | None = None
    authors: list[Line] = Field(default_factory=list)
    project: Address | None = None

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
        return f"v{self.version}"
