"""Entities as cases of an edition: the first of the list, with others of the domain to choose among (section 3.1)."""

import random
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from stages.evaluation.curating.slots import seed_for
from stages.gir.construction.draw_lettering import words_of
from stages.gir.construction.parameters import Params
from stages.gir.construction.tables import packed, slots_of
from stages.gir.shared.items import DISTRACTORS, SUBSETS, Task
from stages.project.errors import UserError
from stages.project.pipeline import EDITIONS
from stages.project.stage import main
from stages.project.validation import Strict, read_yaml, validated
from stages.tables.columns import Row, make_id

Name = Annotated[str, Field(pattern=r"^\S+( \S+)*$")]
PLAIN = {"a", "an", "the", "and", "or", "of", "in", "on", "at", "by", "for", "from", "to", "with", "as", "its"}
"""Words of names that name nothing."""
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Signs of scripts that put no blanks between words: Thai, Lao, Khmer, Japanese, Chinese."""


class Entity(Strict):
    """An entity: its name as it is put to contestants, and what else is right when it is to be named."""

    name: Name
    names: list[Name] = Field(default_factory=list)

    @property
    def accepted(self) -> list[str]:
        return [self.name, *self.names]


Domain = Annotated[list[Entity], Field(min_length=DISTRACTORS + 1)]


class Entities(Strict):
    """Entities by domain; no name belongs to two of them, whatever its case."""

    zoology: Domain
    botany: Domain
    geography: Domain

    @model_validator(mode="after")
    def _nothing_twice(self) -> Self:
        for domain in (self.zoology, self.botany, self.geography):
            names = [name.casefold() for entity in domain for name in entity.accepted]
            if twice := [name for name in names if names.count(name) > 1]:
                raise ValueError(f"{twice[0]!r} stands there {names.count(twice[0])} times")
        return self


def read_entities(folder: Path) -> Entities:
    path = folder / "entities.yaml"
    return validated(Entities, read_yaml(path), path)


def named_in(text: str, names: Iterable[str]) -> str | None:
    """Return a word of the names that stands in a text, in one or in many; None where there is none."""
    said, whole = set(words_of(text.replace("-", " "))), text.casefold()
    for name in names:
        for word in words_of(name.replace("-", " ")):
            forms = {word, f"{word}s", f"{word}es", f"{word.removesuffix('y')}ies"}
            if word not in PLAIN and (forms & said or (UNSPACED.search(word) and word in whole)):
                return word
    return None


def list_entities(params: Params, edition: str) -> None:
    entities, slots = read_entities(Path(params.propose.pools)), slots_of(params, edition)
    slots.write(
        "list_entities", [row for domain in SUBSETS["ugc"] for row in rows_of(params, edition, domain, entities)]
    )


def rows_of(params: Params, edition: str, domain: Task, entities: Entities) -> list[Row]:
    """In the order of the list, by which a person's own pictures are known; UserError where it has too few."""
    propose, rows = params.propose, []
    count, listed = getattr(propose.drafts, domain), getattr(entities, domain)
    if count > len(listed):
        raise UserError(
            f"{EDITIONS}: gir.drafts.{domain}: {count:,} are wanted, {propose.pools}/entities.yaml has "
            f"{len(listed):,}: add some there"
        )
    for number, entity in enumerate(listed[:count]):
        row_id = make_id(domain, number)
        others = [other.name for other in listed if other is not entity]
        drawn = random.Random(seed_for(params, edition, f"{row_id} distractors")).sample(others, DISTRACTORS)
        case = {"entity": entity.name, "names": entity.accepted, "distractors": drawn}
        rows.append({"id": row_id, "status": "ok", "task": domain, "case": packed(case)})
    return rows


if __name__ == "__main__":
    main("gir.list_entities", list_entities, Params, *sys.argv[1:])
