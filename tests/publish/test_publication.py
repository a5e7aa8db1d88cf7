"""What params.yaml may say of publishing: versions as semver.org has them, in its order; texts of one line."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import strategies as st
from pydantic import ValidationError

from gamut.publish.parameters import Publication, precedence

CONTROLS = [*map(chr, range(32)), *map(chr, range(127, 160)), "\u2028", "\u2029"]
numbers = st.from_regex(r"0|[1-9][0-9]{0,5}", fullmatch=True)
words = st.from_regex(r"[0-9]{0,2}[A-Za-z-][0-9A-Za-z-]{0,3}", fullmatch=True)
versions = st.builds(
    "{}.{}.{}{}".format,
    st.sampled_from("0129"),
    numbers,
    st.sampled_from(["0", "10"]),
    st.just("") | st.lists(numbers | words, min_size=1, max_size=3).map(lambda parts: "-" + ".".join(parts)),
)


def publication(**given: Any) -> Publication:
    return Publication.model_validate({"repo": "a/b", "version": "0.1.0", "title": "t", "license": None} | given)


@pytest.mark.parametrize(
    "version",
    [
        "1.20.300",
        "1.0.0-rc.1",
        "1.0.0-0a",
        "1.0.0--",
        "1.0.0-01a",
    ],
)
def test_a_version_of_semver(version: str) -> None:
    assert publication(version=version).tag == f"v{version}"


@pytest.mark.parametrize(
    "version",
    [
        "1.0",
        "01.0.0",
        "1.0.0-01",
        "1.0.0-a..b",
        "1.0.0+b",
        "1.0.0\n",
        "0.1.٣",
    ],
)
def test_what_is_no_version(version: str) -> None:
    with pytest.raises(ValidationError, match="version"):
        publication(version=version)


def test_the_order_of_semver_org() -> None:
    """The example of its item 11, between a number that has more digits than Python reads and the release before."""
    order = (
        "0.9.10 1.0.0-0 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 "
        f"1.0.0 1.0.1-a 1.2.0 1.10.0 {'9' * 5000}.0.0"
    ).split()
    assert sorted(sorted(order), key=precedence) == order
    assert all(precedence(low) < precedence(high) for low, high in pairwise(order))


@pytest.mark.parametrize("sign", CONTROLS)
def test_titles_authors_and_links_are_lines_without_control_characters(sign: str) -> None:
    for text in (f"a{sign}b", f"{sign}ab", f"ab{sign}", sign):
        for key, value in (("title", text), ("authors", ["me", text]), ("license_link", text)):
            with pytest.raises(ValidationError, match="one line of text is expected"):
                publication(**{key: value})
