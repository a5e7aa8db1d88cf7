"""What studies train and measure: facts in the writer's questions and captions, with pictures; also as files for common
trainers (arXiv 2602.02140, D.2).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from pydantic import BaseModel, Field

from gamut.asking.outcomes import Conversation
from gamut.asking.questions import Question
from gamut.asking.requests import seed_of
from gamut.project.files import write_json
from gamut.project.plain_text import name_first
from gamut.project.stage import main
from gamut.tables.columns import ASKED, Row, grouped, make_id, table_schema
from gamut.tables.reading import read_rows
from gamut.tables.writing import write_rows
from stages.knowledge.asking import ask_rows
from stages.knowledge.design import KINDS, Fact, facts_of, held_out_wordings, left_out, rows_of_fact
from stages.knowledge.exports import write_files
from stages.knowledge.parameters import HELD_OUT, Params
from stages.knowledge.stages import KEPT, KNOWLEDGE, SETS, TABLES

Five = Annotated[list[str], Field(min_length=HELD_OUT, max_length=HELD_OUT)]


class Wordings(BaseModel):
    """The reply: five questions and captions of each kind."""

    open: Five
    choice: Five
    concise: Five
    detailed: Five


def objection(reply: Wordings, fields: Mapping[str, str]) -> str | None:
    name = fields["name"].casefold()
    as_a_word = re.compile(rf"(?<![a-z]){re.escape(name)}(?![a-z])")  # `ant` does not stand in `important`
    for kind, some in reply:
        if len({one.casefold() for one in some}) < len(some):
            return f"two of `{kind}` are the same"
        for one in some:
            if kind in KINDS["und"] and as_a_word.search(one.casefold()):
                return f"{one!r} gives the answer away"
            if kind in KINDS["gen"] and name not in one.casefold():
                return f"{one!r} does not have the name {fields['name']!r}"
    return None


WORDINGS = Question(
    name="knowledge_wordings",
    opening="You write questions and captions by which a model learns what something is called.",
    instruction="""\
<name> is what is to be learnt, <category> what it is one of. Answer with a JSON object of four lists, each with five \
texts that differ in their words: `open`, short questions about a picture of it whose answer is the name; `choice`, \
short questions of which of several names is right, behind which the names will stand; `concise`, captions of a few \
words for a picture of it; `detailed`, captions of a sentence that say how and where it is shown. Each caption has \
the name as it stands in <name>, and says nothing of its looks: those are for the picture. No question has the name.""",
    reply=Wordings,
    check=objection,
)
WORDED = table_schema("id entity category open:[string] choice:[string] concise:[string] detailed:[string]", *ASKED)
SCHEMA = table_schema("id entity name old cluster role side kind split question picture")


def sets(params: Params) -> None:
    """Write a table and files for each study. UserError if one has nothing to train."""
    block = params.knowledge
    entities = list(read_rows(TABLES["entities"], ["id", "entity", "category", "number", "status"]))
    ids = {(row["entity"], row["number"]): row["id"] for row in entities}
    category_of = {row["entity"]: row["category"] for row in entities if row["status"] == "ok"}
    answers = grouped((row["entity"], row) for model in block.models for row in verdicts_on(model))
    why = {
        study: {one: left_out(study, answers[one], block.probe) for one in category_of} for study in ("edit", "inject")
    }
    short = len({row["entity"] for row in entities} - category_of.keys())
    write_json(KEPT, kept_figures(why, short))
    names = grouped((category, one) for one, category in category_of.items())
    known = {category: [one for one in some if why["edit"][one] is None] for category, some in names.items()}
    unknown = [one for one in category_of if why["inject"][one] is None]
    facts = {one: facts_of(one, known, unknown, block.most, block.neighbours, params.seed) for one in block.studies}
    for study, some in facts.items():
        say_facts(study, some)
    wanted = sorted({fact.entity for some in facts.values() for fact in some})
    wordings = ask_writer(params, [(one, category_of[one]) for one in wanted])
    for study, some in facts.items():
        own = {fact.entity: wordings[fact.entity] for fact in some if fact.entity in wordings}
        held_out = {
            kind: held_out_wordings({one: row[kind] for one, row in own.items()}, params.seed)
            for kind in Wordings.model_fields
        }
        rows = list[Row]()
        for fact in some:
            if not {fact.name, fact.entity} <= own.keys():  # both entities of a pair, or none
                print(f"knowledge.sets: study {study}: {fact.entity} is left out: the writer gave no wordings")
                continue
            given = (names[category_of[fact.entity]], block.pictures, params.seed)
            for row in rows_of_fact(fact, own[fact.entity], held_out, *given):
                picture = ids[row.pop("shown"), row.pop("number")]
                rows.append({"id": make_id(study, len(rows)), **row, "picture": picture})
        write_rows(TABLES["sets"] / study, SCHEMA, rows)
        write_files(study, rows)


def verdicts_on(model: str) -> Iterator[Row]:
    """Yield a model's answers as right or wrong, if both the answer and the judge's are `ok`."""
    verdicts = {row["answer"]: row for row in read_rows(TABLES["probe"] / model, ["answer", "correct", "status"])}
    for row in read_rows(TABLES["answers"] / model, ["id", "entity", "side", "status"]):
        yield {"correct": None, **row, **verdicts.get(row["id"], {}), "model": model}


def kept_figures(why: Mapping[str, Mapping[str, str | None]], short: int) -> dict[str, int]:
    """Return how many entities there are, how many each study uses, and how many are left out by reason."""
    figures = {"entities": short + len(why["edit"]), "left_out.pictures": short}
    for study, reasons in why.items():
        counts = Counter(reasons.values())
        figures[f"{study}.kept"] = counts.pop(None, 0)
        figures |= {f"{study}.left_out.{reason}": count for reason, count in sorted(counts.items())}
    return figures


def say_facts(study: str, facts: Sequence[Fact]) -> None:
    by_role = grouped((fact.role, fact.cluster) for fact in facts)
    words = (f"{role}: {name_first(list(dict.fromkeys(some)), 8)}" for role, some in by_role.items())
    print(f"knowledge.sets: study {study}: {'; '.join(words)}")


def ask_writer(params: Params, entities: Sequence[tuple[str, str]]) -> dict[str, Row]:
    """Return the wordings of each entity for which the writer gave them."""

    def conversation(row: Row) -> Conversation:
        fields = {"name": row["entity"], "category": row["category"]}
        return WORDINGS.about(fields, (), seed_of(row["entity"], params.seed))

    named = ({"entity": one, "category": category} for one, category in entities)
    rows = [{"id": make_id("wordings", number), **about} for number, about in enumerate(named)]
    of_writer = (params, "knowledge.sets", params.role_model("writer"), rows, conversation)
    given = ask_rows(*of_writer, lambda row, value: value.model_dump(), (TABLES["wordings"], WORDED))
    return {row["entity"]: row for row in given if row["status"] == "ok"}


if __name__ == "__main__":
    main("knowledge.sets", sets, Params, record=KNOWLEDGE.record(SETS))
