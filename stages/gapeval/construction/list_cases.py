"""The cases to make, by rule: entities of the pool; numbers and scenes to edit, drawn by seed (2.2)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, model_validator

from gamut.evaluation.construction.slots import Slots
from gamut.project.errors import UserError
from gamut.project.pipeline import EDITIONS
from gamut.project.validation import Strict, read_checked, require_once
from gamut.tables.columns import Row, make_id
from gamut.texts.names import name_word_in
from stages.gapeval.construction import numbers
from stages.gapeval.construction.cases import Prompts, case_columns
from stages.gapeval.construction.parameters import Params, Propose
from stages.gapeval.construction.pictures import CHALLENGES

Domain = Literal["animals", "plants", "landmarks", "instruments", "literature", "culture"]
DOMAINS: tuple[Domain, ...] = get_args(Domain)
Words = Annotated[str, Field(pattern=r"^[^\s.]+( [^\s.]+)*$")]
"""Words of one sentence, without its full stop."""


class Entity(Strict):
    """An entity. Its `name` and `names` are right in words.

    The noun phrase `meant`, with its article, means only this entity and has no word of its names. Its picture is
    painted from `shown`, if the name does not describe a picture, such as that of a book; else from `name`.
    """

    name: Words
    names: list[Words] = Field(default_factory=list)
    meant: Words
    shown: Words | None = None

    @model_validator(mode="after")
    def _is_not_named(self) -> Self:
        if word := name_word_in(self.meant, [self.name, *self.names]):
            raise ValueError(f"{word!r} is a word of its name: leave it out of `meant`")
        return self

    @property
    def painted(self) -> str:
        return self.shown or self.name


class Pool(Strict):
    """Entities by domain. No name and no meaning is in it twice. A domain may be empty."""

    animals: list[Entity] = Field(default_factory=list)
    plants: list[Entity] = Field(default_factory=list)
    landmarks: list[Entity] = Field(default_factory=list)
    instruments: list[Entity] = Field(default_factory=list)
    literature: list[Entity] = Field(default_factory=list)
    culture: list[Entity] = Field(default_factory=list)

    @model_validator(mode="after")
    def _nothing_twice(self) -> Self:
        by_entity = ({one.name, *one.names, one.meant, one.painted} for _, one in self.listed())
        require_once(text.casefold() for texts in by_entity for text in texts)
        return self

    def listed(self) -> Iterator[tuple[Domain, Entity]]:
        for domain in DOMAINS:
            yield from ((domain, entity) for entity in getattr(self, domain))


def read_pool(folder: Path) -> Pool:
    return read_checked(Pool, folder / "knowledge.yaml")


def entity_prompts(entity: Entity) -> Prompts:
    """Return an entity as a case. Other right names follow its name."""
    names = f"{entity.name[0].upper()}{entity.name[1:]}" + (f" ({', '.join(entity.names)})" if entity.names else "")
    return Prompts(f"Name {entity.meant}.", f"Generate an image of {entity.meant}.", f"{names}.")


WITHOUT_WORDS = Prompts("", "", "")
"""The words of a case whose words come later."""


def list_cases(slots: Slots[Params]) -> None:
    """List entities of the pool, numbers of things (the question depends on what will be painted), and scenes to edit,
    every other one by a rule. A person's own pictures replace painted scenes.
    """
    propose = slots.params.propose
    rows, pool = [*entity_rows(propose)], numbers.read_countable(Path(propose.pools))
    pairs = numbers.draw_pairs(slots.seed(), propose.drafts.numerical, pool)
    scenes = numbers.draw_pairs(slots.seed("scenes"), propose.drafts.instruction_following, pool)
    for number, pair in enumerate(pairs):
        words = case_columns(WITHOUT_WORDS, {"proof": {"pair": [*map(list, pair)]}})
        rows.append(row_of("numerical", number, "swap", words, numbers.pair_text(pair, pool.plurals)))
    for number, pair in enumerate(scenes):
        challenge, words = CHALLENGES[number % len(CHALLENGES)], case_columns(WITHOUT_WORDS, {"proof": {}})
        painted = numbers.pair_text(pair, pool.plurals)
        rows.append(row_of("instruction_following", number, challenge, words, painted))
    slots.write(rows)


def entity_rows(propose: Propose) -> Iterator[Row]:
    """Yield each domain's first entity, then the second: a person's pictures have that order. UserError if too few."""
    pool, count = read_pool(Path(propose.pools)), propose.drafts.world_knowledge
    by_domain = {domain: getattr(pool, domain) for domain in DOMAINS}
    turns = max(map(len, by_domain.values()))
    listed = [(domain, some[turn]) for turn in range(turns) for domain, some in by_domain.items() if turn < len(some)]
    if count > len(listed):
        raise UserError(
            f"{EDITIONS}: gapeval.drafts.world_knowledge: {count:,} are expected, but {propose.pools}/knowledge.yaml "
            f"has {len(listed):,}: add some there"
        )
    for number, (domain, entity) in enumerate(listed[:count]):
        words = case_columns(entity_prompts(entity), {"proof": {"entity": entity.name}})
        yield row_of("world_knowledge", number, domain, words, entity.painted)


def row_of(category: str, number: int, subcategory: str, words: Row, painted: str) -> Row:
    kinds = {"category": category, "subcategory": subcategory}
    return {"id": make_id(category, number), "status": "ok", **kinds, **words, "painted": painted}
