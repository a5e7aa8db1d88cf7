"""The ways from a source to a prompt that ask: what each request holds, what comes of each answer."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gamut.asking.outcomes import Outcome
from gamut.asking.requests import Embed, fields_of, pictures_of, seed_of
from gamut.asking.visiting import Answer
from gamut.dataset.reading.rows import SCHEMA as CAPTIONS_SCHEMA
from gamut.dataset.shared.joins import count_ok, route_file, source_rows, source_shards, table_of
from gamut.dataset.shared.texts import Caption
from gamut.project.errors import UserError
from gamut.project.files import write_json
from gamut.tables.columns import Row
from gamut.tables.reading import manifest, read_rows
from gamut.tables.writing import TableWriter
from stages.dataset import brainstorm, embed_prompts, find_text, imagine, legible, mine_text, rewrite, seeds
from stages.dataset.legible import Legible
from tests import fakes
from tests.fakes import drive
from tests.paths import ROOT

PICTURE = b"\xff\xd8picture"
IMAGE = {"bytes": PICTURE, "path": None}


def say(*values: Any) -> Any:
    """A round of answers: parsed replies, or statuses that carry none."""

    def answer(asked: Sequence[Any]) -> list[Answer]:
        assert len(asked) == len(values)
        outcomes = [Outcome(v, reason="because") if isinstance(v, str) else Outcome("ok", v) for v in values]
        return [Answer(outcome, "fake", ()) for outcome in outcomes]

    return answer


# Seed prompts


def test_a_family_gives_a_row_for_every_prompt() -> None:
    record = {"id": "families-00000001", "family": "reversed scale"}
    reply = brainstorm.SeedPrompts(prompts=[" one big ant ", "two small towers", "three tiny seas"])
    [[asked]], rows = drive(brainstorm.invent(fakes.params(seed=5))(record), say(reply))
    assert fields_of(asked.request) == {"family": "reversed scale", "count": "3"}
    assert asked.request.seed == seed_of("families-00000001", 5)
    assert [(row["position"], row["prompt"], row["status"]) for row in rows] == [
        (0, "one big ant", "ok"),
        (1, "two small towers", "ok"),
        (2, "three tiny seas", "ok"),
    ]


def test_of_more_prompts_than_wanted_the_first_are_taken_and_it_is_said() -> None:
    record = {"id": "families-00000001", "family": "reversed scale"}
    reply = brainstorm.SeedPrompts(prompts=["one big ant", "two small towers", "three tiny seas", "four"])
    _, rows = drive(brainstorm.invent(fakes.params())(record), say(reply))
    assert [(row["prompt"], row["status"], row["reason"]) for row in rows] == [
        ("one big ant", "ok", "4 prompts came, the first 3 are taken"),
        ("two small towers", "ok", None),
        ("three tiny seas", "ok", None),
    ]


def test_the_schema_of_seed_prompts_ends_the_list_and_the_parser_takes_more() -> None:
    question = brainstorm.brainstorm_question(2)
    asked = question.about({"family": "dreams", "count": "2"})
    assert asked.request.schema == {
        "type": "object",
        "properties": {"prompts": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}},
        "required": ["prompts"],
        "additionalProperties": False,
    }
    value, complaint = asked.parse('{"prompts": ["one big ant", "two small towers", "three tiny seas"]}')
    assert complaint is None and len(value.prompts) == 3
    assert asked.parse('{"prompts": ["one big ant"]}') == (None, "2 prompts are expected, the list has 1")
    assert (
        brainstorm.brainstorm_question(3).about({"family": "dreams", "count": "3"}).request.schema
        != asked.request.schema
    )


def test_a_family_that_failed_is_one_row() -> None:
    record = {"id": "families-00000000", "family": "dreams"}
    _, rows = drive(brainstorm.invent(fakes.params())(record), say("refused_judge"))
    assert [(row["prompt"], row["status"], row["reason"]) for row in rows] == [(None, "refused_judge", "because")]


@pytest.mark.parametrize(
    ("prompts", "words"),
    [
        (["a b c", "d e f"], None),
        (["a b c"], "2 prompts are expected, the list has 1"),
        (["a b c", "d e f", "g h"], None),  # what is too much is cut off, whatever it is
        (["a b c", "d e"], "at least three words"),
        (["a b c", "d e\nf"], "one line"),
        (["a b c", "d e f\u2028g"], "one line"),  # the examples of `imagine` are told apart by lines
    ],
)
def test_objections_to_seed_prompts(prompts: list[str], words: str | None) -> None:
    found = brainstorm.objection(brainstorm.SeedPrompts(prompts=prompts), {"count": "2"})
    assert found is None if words is None else found and words in found


def candidate(family: str, prompt: str | None, status: str = "ok") -> Row:
    return {"family": family, "prompt": prompt, "status": status}


def test_seeds_are_distinct_and_no_more_than_wanted(project: Path) -> None:
    rows = seeds.decide(
        [
            candidate("a", "a whale of glass above the town"),
            candidate("b", "A whale of glass, above the town!"),
            candidate("a", None, "truncated"),
            candidate("b", "a clock that grows leaves in spring"),
            candidate("a", "a staircase into the sea at dusk"),
        ],
        count=2,
        similarity=0.845,
    )
    assert [(row["id"], row["kept"], row["reason"], row["duplicate_of"]) for row in rows] == [
        ("seeds-00000000", True, None, None),
        ("seeds-00000001", False, "near_duplicate", "seeds-00000000"),
        ("seeds-00000002", False, "brainstorm_truncated", None),
        ("seeds-00000003", True, None, None),
        ("seeds-00000004", False, "surplus", None),
    ]


def write_brainstorm(prompts: dict[str, list[str]]) -> None:
    with TableWriter(table_of("brainstorm"), brainstorm.SCHEMA) as table:
        rows = [
            {"id": f"families-{n:08d}", "family": family, "position": p, "prompt": prompt, "status": "ok"}
            for n, (family, those) in enumerate(prompts.items())
            for p, prompt in enumerate(those)
        ]
        table.write("families-00000", rows)


def test_families_take_turns(project: Path) -> None:
    write_brainstorm({"a": ["one red ant", "two red ants", "three red ants"], "b": ["a blue sea", "two blue seas"]})
    seeds.seeds(fakes.params())  # seeds.count is 4
    assert [(row["family"], row["prompt"], row["kept"]) for row in read_rows(table_of("seeds"))] == [
        ("a", "one red ant", True),
        ("b", "a blue sea", True),
        ("a", "two red ants", True),
        ("b", "two blue seas", True),
        ("a", "three red ants", False),
    ]


def test_too_few_seeds_say_what_to_do(project: Path) -> None:
    write_brainstorm({"a": ["one red ant"], "b": ["One red ant"]})
    with pytest.raises(UserError, match=r"only 1 of 2 seed prompts can be used, but seeds.count needs 4: raise"):
        seeds.seeds(fakes.params())


def test_without_imagined_sources_there_are_no_seeds(project: Path) -> None:
    with pytest.raises(UserError, match=r"the file datasets/routes/imagine.json does not exist: `dvc repro sources` "):
        brainstorm.STEP.carry_out(fakes.params())
    write_json(route_file("imagine"), [])
    brainstorm.STEP.carry_out(fakes.params())
    seeds.seeds(fakes.params())
    assert manifest(table_of("brainstorm"))["rows"] == manifest(table_of("seeds"))["rows"] == 0


# Imagined prompts


def test_examples_are_drawn_by_the_rows_seed_and_recorded() -> None:
    known = {f"seeds-{n:08d}": f"idea number {n}" for n in range(20)}
    many = {"families": ["dreams", "scale"], "prompts_per_family": 10, "max_failures": 0}
    examples = {"examples": 10, "max_failures": 0}
    parameters = fakes.params(seed=5, brainstorm=many, seeds={"count": 20}, imagine=examples)
    [[asked]], [row] = drive(
        imagine.expand(known, parameters)({"id": "i-00000007"}), say(Caption(caption=" a new idea "))
    )
    seed = seed_of("i-00000007", 5)
    shown = random.Random(seed).sample(sorted(known), 10)
    assert row["seeds"] == shown and len(set(shown)) == 10
    assert fields_of(asked.request)["examples"].splitlines() == [known[key] for key in shown]
    assert asked.request.seed == seed
    assert (row["caption"], row["status"]) == ("a new idea", "ok")


def test_attributes_are_drawn_by_the_rows_seed_from_as_many_pools_as_are_wanted() -> None:
    """Of five pools; what is drawn for many rows differs, and examples are those of the same seed without any."""
    known, pools = {"seeds-00000000": "idea"}, imagine.pools()

    def drawn(ordinal: int, number: int) -> list[str]:
        parameters = fakes.params(imagine={"examples": 1, "attributes": number})
        visit = imagine.expand(known, parameters)({"id": f"i-{ordinal:08d}"})
        [[asked]], [row] = drive(visit, say(Caption(caption="a new idea")))
        assert fields_of(asked.request)["attributes"].splitlines() == row["attributes"] and row["seeds"] == [*known]
        found: list[str] = row["attributes"]
        return found

    assert [len(drawn(1, number)) for number in (0, 3, 5, 9)] == [0, 3, 5, 5] and drawn(1, 3) == drawn(1, 3)
    assert [line.partition(": ")[0] for line in drawn(1, 5)] == [*pools]
    of_rows = [drawn(ordinal, 3) for ordinal in range(40)]
    assert len({tuple(lines) for lines in of_rows}) == 40
    assert all(line.partition(": ")[2] in pools[line.partition(": ")[0]] for lines in of_rows for line in lines)


def test_more_examples_than_seed_prompts_are_one_line() -> None:
    visit = imagine.expand({"seeds-00000000": "idea"}, fakes.params(imagine={"examples": 2, "attributes": 0}))
    with pytest.raises(UserError, match=r"^imagine\.examples: 2 are expected, but datasets/seeds has 1 seed"):
        next(visit({"id": "i-00000000"}))


def test_pools_are_wide_and_none_of_a_benchmarks() -> None:
    drawn_from = [entry for pool in imagine.pools().values() for entry in pool]
    assert all(20 <= len(set(pool)) == len(pool) <= 60 for pool in imagine.pools().values())
    benchmark = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "stages/prism/pools").glob("*.yaml"))
    assert not [entry for entry in drawn_from if re.search(rf"(?<=[-\[,] ){re.escape(entry)}(?=[\n,\]])", benchmark)]


def test_some_imagined_prompts_are_embedded_evenly_out_of_all(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """4 of 7: the 0th, 1.75th, 3.5th and 5.25th; the one that failed is left out."""
    monkeypatch.setattr(embed_prompts, "SAMPLE", 4)
    with TableWriter(table_of("imagine"), imagine.SCHEMA) as table:
        for shard, numbers in (("a-00000", range(2)), ("b-00000", range(2, 7))):
            rows = [{"id": f"{shard[0]}-{n:08d}", "caption": None if n == 3 else f"prompt {n}"} for n in numbers]
            table.write(shard, [row | {"status": "ok" if row["caption"] else "refused_generation"} for row in rows])
    work = embed_prompts.STEP.work(fakes.params())
    assert [row["prompt"] for row in work.records("prompts-00000")] == [f"prompt {n}" for n in (0, 1, 5)]
    assert work.total == 3
    [[asked]], [row] = drive(work.visit({"id": "prompts-00000000", "prompt": "prompt 0"}), say([0.6, 0.8]))
    assert asked.request == Embed("prompt 0") and row["vector"] == [0.6, 0.8]


def test_an_example_is_no_invention() -> None:
    fields = {"examples": "a whale of glass\na clock with leaves"}
    assert "repeats an example" in str(imagine.objection_to_invention(Caption(caption="A whale of glass "), fields))
    assert imagine.objection_to_invention(Caption(caption="a whale of water"), fields) is None


# Rewritten captions


@pytest.mark.parametrize(
    ("caption", "image", "name", "fields"),
    [
        ("an ant", IMAGE, "rewrite", {"caption": "an ant"}),
        (None, IMAGE, "rewrite", {}),
        ("an ant", None, "rewrite_text", {"caption": "an ant"}),
    ],
)
def test_rewriting_sees_the_image_where_there_is_one(
    caption: str | None, image: Any, name: str, fields: dict[str, str]
) -> None:
    record = {"id": "w-00000000", "caption": caption, "image": image}
    [[asked]], [row] = drive(rewrite.describe_anew(fakes.params())(record), say(Caption(caption="One red ant.\n")))
    assert (asked.request.name, fields_of(asked.request)) == (name, fields)
    assert pictures_of(asked.request) == ([PICTURE] if image else [])
    assert (row["caption"], row["from_image"]) == ("One red ant.", image is not None)


# Mining text


@pytest.mark.parametrize(
    ("status", "score", "reason"),
    [("ok", 7, None), ("ok", 6, "legibility"), ("ok", 0, "legibility"), ("truncated", None, "find_text_truncated")],
)
def test_legible(status: str, score: int | None, reason: str | None) -> None:
    row = {"id": "w-00000000", "status": status, "score_legibility": score}
    decided = legible.decide(row, Legible(legibility=7))
    assert decided == {"id": "w-00000000", "legible": reason is None, "reason": reason}


def source(number: int, route: str, wave: str = "w", **more: Any) -> Row:
    return {"id": f"{wave}-{number:08d}", "wave": wave, "route": route, "status": "ok"} | more


def test_only_legible_images_are_described(project: Path) -> None:
    with TableWriter(table_of("source_rows"), CAPTIONS_SCHEMA) as table:
        table.write("w-00000", [source(n, "mine_text", image=IMAGE) for n in range(3)])
        table.write("x-00000", [])
    with TableWriter(table_of("find_text"), find_text.STEP.schema) as table:
        rows = [{"id": f"w-{n:08d}", "transcription": f"SIGN {n}", "status": "ok"} for n in range(3)]
        table.write("w-00000", [row | {"score_legibility": s} for row, s in zip(rows, (9, 2, 7), strict=True)])
        table.write("x-00000", [])
    legible.STEP.carry_out(fakes.params())
    _, record = records = list(mine_text.legible_images("w-00000"))
    assert [row["id"] for row in records] == ["w-00000000", "w-00000002"]
    assert not list(mine_text.legible_images("x-00000"))
    [[asked]], [row] = drive(mine_text.describe(fakes.params())(record), say(Caption(caption='Neon "SIGN 2" glows.')))
    assert fields_of(asked.request) == {"transcription": "SIGN 2"} and pictures_of(asked.request) == [PICTURE]
    assert row["caption"] == 'Neon "SIGN 2" glows.'
    assert manifest(table_of("legible"))["rows"] == 3


def test_a_mined_caption_quotes_the_writing() -> None:
    assert "must quote" in str(mine_text.MINE_TEXT.check(Caption(caption="A neon sign says SIGN."), {}))


def test_rows_of_one_route(project: Path) -> None:
    with TableWriter(table_of("source_rows"), CAPTIONS_SCHEMA) as table:
        table.write("w-00000", [source(0, "rewrite"), source(1, "rewrite", status="invalid_input")])
        table.write("x-00000", [source(0, "imagine", "x"), source(150, "imagine", "x")])
    for route, name in (("rewrite", "w-00000.parquet"), ("imagine", "x-00000.parquet"), ("mine_text", None)):
        write_json(route_file(route), [{"name": name}] if name else [])
    assert [source_shards(route) for route in ("rewrite", "imagine", "mine_text")] == [["w-00000"], ["x-00000"], []]
    assert [row["id"] for row in source_rows("w-00000", ["id"])] == ["w-00000000"]
    assert [row["id"] for row in source_rows("x-00000", ["id"])] == ["x-00000000", "x-00000150"]
    shards = [source_shards(route) for route in ("rewrite", "imagine", "mine_text")]
    assert [[count_ok("source_rows", shard) for shard in some] for some in shards] == [[1], [2], []]
