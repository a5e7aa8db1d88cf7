"""The card of a version, README.md: front matter that the Hub and `datasets` read, and what a person reads.

Texts about the data are in `content` and `edition_card`; this module has what every version has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from gamut.project.markdown import escape_markdown
from gamut.publish.parameters import Publication
from gamut.publish.products import Product

SIZES = ("1K", "10K", "100K", "1M", "10M", "100M", "1B", "10B", "100B", "1T")
CARD = Path(__file__).with_name("card.md")
PAPER = """
{why}:

```bibtex
{citation}```
"""


HUB = "https://huggingface.co/datasets"
"""Where links lead, for every endpoint that a version is sent to."""
SPELLED = str.maketrans(
    {
        "\\": r"{\textbackslash}",
        "{": r"{\textbraceleft}",  # \{ would count as an open brace to BibTeX
        "}": r"{\textbraceright}",
        "~": r"{\textasciitilde}",
        "^": r"{\textasciicircum}",
        **{sign: f"\\{sign}" for sign in "#$%&_"},
    }
)
"""Signs that are commands to LaTeX, or braces without a partner to BibTeX."""


@dataclass(frozen=True)
class About:
    """What the card says of one product. `body` is Markdown below the title; `tasks` are from the Hub's list; `paper`
    says why a paper is cited too, with `paper_citation` (BibTeX).
    """

    body: str
    languages: Sequence[str]
    tasks: Sequence[str]
    tags: Sequence[str]
    rebuilding: str
    rights: str
    paper: str = ""
    paper_citation: str | None = None


def card_text(product: Product, about: About) -> str:
    publication = product.publication
    licence = f"`{publication.license}`."
    if publication.license == "other":
        licence = f"{publication.license_name}: {escape_markdown(publication.license_link or '')}."
    card = CARD.read_text(encoding="utf-8").format(
        front_matter=front_matter(product, about),
        title=escape_markdown(publication.title),
        body=about.body.strip(),
        repo=publication.repo,
        tag=publication.tag,
        split=product.split,
        joined="".join(
            f'{one.name} = load_dataset("{publication.repo}", "{one.name}", split="{product.split}", '
            f'revision="{publication.tag}")  # join by {one.key}\n'
            for one in product.configurations[1:]
        ),
        project=f"This version was made with gamut: {escape_markdown(publication.project)}\n\n"
        if publication.project
        else "",
        rebuilding=about.rebuilding,
        licence=licence,
        rights=about.rights,
        citation=bibtex(publication),
    )
    return card + (PAPER.format(why=about.paper, citation=about.paper_citation) if about.paper_citation else "")


def front_matter(product: Product, about: About) -> str:
    from datasets.info import DatasetInfo, DatasetInfosDict
    from datasets.splits import SplitDict, SplitInfo
    from huggingface_hub import DatasetCardData

    publication = product.publication
    data = DatasetCardData(
        pretty_name=publication.title,
        license=publication.license,
        license_name=publication.license_name,
        license_link=publication.license_link,
        language=list(about.languages),
        task_categories=list(about.tasks),
        size_categories=[size_category(product.rows)],
        tags=list(about.tags),
        # Listed one by one: a pattern would also match shards of the next version, which are uploaded before it.
        configs=[
            {"config_name": of.name, "data_files": [{"split": product.split, "path": [file.path for file in of.files]}]}
            for of in product.configurations
        ],
    )
    infos = {
        of.name: DatasetInfo(
            features=dataset_features(of.schema),
            splits=SplitDict({product.split: SplitInfo(product.split, num_bytes=of.size, num_examples=of.rows)}),
            download_size=of.size,
            dataset_size=of.size,
        )
        for of in product.configurations
    }
    DatasetInfosDict(infos).to_dataset_card_data(data)
    return data.to_yaml()


def dataset_features(schema: pa.Schema) -> Any:
    """Return `datasets.Features`. A column of nulls counts as text, because other versions may have text there."""
    from datasets import Features

    columns = [field.with_type(pa.string()) if pa.types.is_null(field.type) else field for field in schema]
    return Features.from_arrow_schema(pa.schema(columns, schema.metadata))


def size_category(rows: int) -> str:
    step = len(str(rows)) - 3
    return f"{SIZES[step - 1]}<n<{SIZES[step]}" if step > 0 else "n<1K"


def bibtex(publication: Publication) -> str:
    """Return an entry without a year, so that the same build gives the same bytes in every year."""
    url = f"{HUB}/{publication.repo}"
    key = re.sub(r"[^A-Za-z0-9]+", "-", f"{url.rpartition('/')[2]}-{publication.version}").strip("-")
    names = (name.translate(SPELLED) for name in publication.authors)
    # BibTeX would take a name with an "and" in it for several.
    author = " and ".join(f"{{{name}}}" if " and " in f" {name.casefold()} " else name for name in names)
    fields = {
        "title": f"{{{publication.title.translate(SPELLED)}}}",  # braces keep its capitals
        **({"author": author} if author else {}),
        "version": publication.version,
        "howpublished": "Hugging Face Hub",
        "url": url,
    }
    return f"@misc{{{key},\n" + ",\n".join(f"  {name} = {{{text}}}" for name, text in fields.items()) + "\n}\n"
