"""How a version is cited: BibTeX of the dataset itself, and of the paper that it follows."""

from __future__ import annotations

import re

from stages.publish.publication import Publication

HUB = "https://huggingface.co/datasets"
"""Where links lead, whatever endpoint a version is sent to."""
SPELLED = {
    "\\": r"{\textbackslash}",
    "{": r"{\textbraceleft}",  # \{ would count as an open brace to BibTeX
    "}": r"{\textbraceright}",
    "~": r"{\textasciitilde}",
    "^": r"{\textasciicircum}",
    **{sign: f"\\{sign}" for sign in "#$%&_"},
}


def address(publication: Publication) -> str:
    if publication.repo is None:
        raise ValueError("a version has a repository")
    return f"{HUB}/{publication.repo}"


def bibtex(publication: Publication) -> str:
    """Return an entry for this version; it has no year, as the same build gives the same bytes in every year."""
    url = address(publication)
    key = re.sub(r"[^A-Za-z0-9]+", "-", f"{url.rpartition('/')[2]}-{publication.version}").strip("-")
    author = " and ".join(
        f"{{{spelled(name)}}}" if is_ambiguous(name) else spelled(name) for name in publication.authors
    )
    fields = {
        "title": f"{{{spelled(publication.title)}}}",  # braces keep its capitals
        **({"author": author} if author else {}),
        "version": publication.version,
        "howpublished": "Hugging Face Hub",
        "url": url,
    }
    return f"@misc{{{key},\n" + ",\n".join(f"  {name} = {{{text}}}" for name, text in fields.items()) + "\n}\n"


def spelled(text: str) -> str:
    """Return a text in which LaTeX finds no commands, and BibTeX no braces without a partner."""
    return "".join(SPELLED.get(sign, sign) for sign in text)


def is_ambiguous(name: str) -> bool:
    return " and " in f" {name.casefold()} "
