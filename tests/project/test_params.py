"""Each mistake in params.yaml gives one line: file, path, value, the nearest right one. Nothing else ever escapes."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.evaluation.defining.benchmark import benchmark_of
from gamut.evaluation.defining.parameters import BenchmarkParameters, Contestant, player_of
from gamut.project.errors import UserError, nearest_choice
from gamut.project.pipeline import EDITIONS
from gamut.project.validation import check_values, read_yaml
from gamut.publish.parameters import check_everything, load_everything
from stages.dataset import pipeline as dataset
from stages.prism.shared import parameters as prism
from tests import fakes
from tests.paths import ROOT

FILE = Path("params.yaml")
FILE_SOURCE = {"kind": "file", "wave": "w", "path": "datasets/sources/a.csv", "columns": {"caption": "c"}}


def changed(path: str, value: Any) -> dict[str, Any]:
    """Right values with one put in at a dotted path; `...` takes the key out."""
    values = copy.deepcopy(fakes.values())
    node: Any = values
    *way, last = [int(key) if key.isdigit() else key for key in path.split("/")]
    for key in way:
        node = node.setdefault(key, {}) if isinstance(node, dict) else node[key]
    if value is ...:
        del node[last]
    else:
        node[last] = value
    return values


def mistake(values: Any) -> str:
    with pytest.raises(UserError) as error:
        check_everything(values, FILE)
    return str(error.value)


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        ("sead", 1, "sead: unknown key; did you mean 'seed'?"),
        ("admit/zzz", 1, "admit.zzz: unknown key; known are: clarity, structure"),
        (
            "models/gpt/sampling",
            {"temprature": 1.0},
            "models.gpt.sampling.temprature: unknown key; did you mean 'temper",
        ),
        ("sources/0/sede", 1, "sources.0.sede: unknown key; did you mean 'seed'?"),
        ("seed", ..., "seed: this key is missing"),
        ("models/gpt/kind", ..., "models.gpt.kind: this key is missing"),
        ("admit/clarity", "7", "admit.clarity: '7' is not right: input should be a valid integer"),
        ("admit/clarity", None, "admit.clarity: None is not right: input should be a valid integer"),
        ("admit/clarity", 11, "admit.clarity: 11 is not right: input should be less than or equal to 10"),
        ("synthesize/width", 63, "synthesize.width: 63 is not right: input should be greater than or equal to 64"),
        ("models/world/kind", "sandbx", "models.world.kind: unknown kind 'sandbx'; did you mean 'sandbox'?"),
        (
            "models/world/kind",
            [1],
            "models.world.kind: unknown kind '[1]'; known are: diffusers, folder, inception, openai, ",
        ),
        ("models/world/faults", {"blur": 1.5}, "models.world.faults.blur: 1.5 is not right: input should be less than"),
        ("models/gpt/sampling", {"top_p": float("nan")}, "models.gpt.sampling.top_p: nan is not right"),
        ("roles/judge", "wrld", "roles.judge: no model 'wrld'; did you mean 'world'?"),
        ("roles/judge", "World", "roles.judge: 'World' does not match ^[a-z0-9_]+$"),
        ("sources", [], "sources: [] is not right: list should have at least 1 item"),
        ("sources/0/wave", "W_1", "sources.0.wave: 'W_1' does not match"),
        ("sources/0/count", 0, "sources.0.count: 0 is not right: input should be greater than or equal to 1"),
        ("sources/0", FILE_SOURCE | {"path": "datasets/sources/a.xls"}, "sources.0.path: 'datasets/sources/a.xls'"),
        (
            "examine/max_failures",
            1.5,
            "examine.max_failures: 1.5: a count (0, 1, 2, ...) or a share below 1 is expected",
        ),
        (
            "examine/max_failures",
            1.0,
            "examine.max_failures: 1.0: a count (0, 1, 2, ...) or a share below 1 is expected",
        ),
        ("examine/max_failures", -1, "examine.max_failures: -1: a count (0, 1, 2, ...) or a share below 1 is expected"),
    ],
)
def test_one_line_a_mistake(path: str, value: Any, line: str) -> None:
    said = mistake(changed(path, value))
    assert said.startswith(f"params.yaml: {line}"), said
    assert "\n" not in said


WORLD = {"class": "generation", "model": {"kind": "sandbox"}}
DIFFUSERS = {"kind": "diffusers", "id": "org/model", "revision": "0" * 40}
OPENAI = {"kind": "openai", "id": "org/writer"}
DUO = {"class": "unified", "models": {"text": OPENAI, "image": DIFFUSERS}}


@pytest.mark.parametrize(
    ("contestants", "prism", "line"),
    [
        ({"gpt": WORLD}, {}, "contestants.gpt: 'gpt' is a model's slug too, which confuses run.toml"),
        ({"correlation": WORLD}, {}, "contestants.correlation: 'correlation' means something else on boards"),
        ({"control_x": WORLD}, {}, "contestants.control_x: 'control_x' means something else on boards"),
        (
            {"a": WORLD, "flux": WORLD | {"variant_of": "b"}},
            {},
            "contestants.flux.variant_of: no contestant 'b'; known are: a",
        ),
        (
            {"a": {"class": "generation", "model": {"kind": "tfidf"}}},
            {},
            "contestants.a.model.kind: 'tfidf' is no generation model: one of diffusers, folder, openai",
        ),
        ({"a": WORLD | {"class": "painter"}}, {}, "contestants.a.class: 'painter' is not known"),
        (
            {"a": WORLD | {"settings": {"prims": ["en"]}}},
            {},
            "a.settings.prims: this benchmark does not exist; did you",
        ),
        ({"a": WORLD | {"settings": {"prism": ["eng"]}}}, {}, "a.settings.prism: there is no setting 'eng'; did you"),
        (
            {"a": {"class": "unified"}},
            {},
            "contestants.a: either `model: …` or, for a pair, `models: {text: …, image: …}`",
        ),
        (
            {"a": DUO | {"model": OPENAI}},
            {},
            "contestants.a: either `model: …` or, for a pair, `models: {text: …, image",
        ),
        (
            {"a": DUO | {"class": "generation"}},
            {},
            "contestants.a: a pair writes and paints: its class must be unified",
        ),
        (
            {"a": {"class": "unified", "models": {"text": OPENAI}}},
            {},
            "contestants.a.models.image: this key is missing",
        ),
        (
            {"a": DUO | {"models": {"text": DIFFUSERS, "image": OPENAI}}},
            {},
            "contestants.a.models.text.kind: 'diffusers' is no model that writes: one of folder, openai",
        ),
        (
            {"a": DUO, "a_text": WORLD},
            {},
            "contestants.a.models.text: run.toml calls it 'a_text', which is another's slug",
        ),
        ({}, {"judges": ["wrld"]}, "prism.judges.0: no model 'wrld'; did you mean 'world'?"),
        ({}, {"judges": ["world", "world"]}, "'world' occurs twice"),
        ({}, {"languages": ["fr"]}, "prism.languages.0: 'fr' is not known; known are: en, zh"),
        ({"a": WORLD}, {"contestants": ["b"]}, "prism.contestants.0: no contestant 'b'; known are: a"),
        ({"a": WORLD}, {"controls_of": ["b"]}, "prism.controls_of.0: no contestant 'b'; known are: a"),
        (
            {"a": WORLD, "b": WORLD},
            {"contestants": ["a"], "controls_of": ["b"]},
            "prism.controls_of.0: 'b' is not measured here: add it to prism.contestants",
        ),
        ({}, {"edition": "../v1"}, "prism.edition: '../v1' does not match"),
        ({}, {"repeats": 0}, "prism.repeats: 0 is not right"),
        ({}, {"instructions": "released"}, "prism: release: this key is missing: name the released script"),
    ],
)
def test_one_line_a_mistake_about_a_benchmark(contestants: Any, prism: Any, line: str) -> None:
    values = fakes.values(contestants=contestants, prism=fakes.values()["prism"] | prism)
    said = mistake(values)
    assert line in said and len(said.splitlines()) == 1


def test_what_a_judge_says_and_what_an_observer_sees_lie_apart() -> None:
    values = changed("models/detector", {"kind": "sandbox"})
    values["prism"] |= {"judges": ["world", "detector"], "observers": {"detector": ["world"]}}
    assert mistake(values) == (
        "params.yaml: prism.judges.1: 'detector' is an observer's role too, and both would have the same folder: "
        "give the model another name"
    )


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [("genius.observers", {"detector": ["world"]}, ".detector: no stage of {file} asks its models: leave it out"),
("gir.judges", ["world"], ": no stage of {file} asks its models: leave it out"),
("gir.observers", {"detector": ["world"], "reader": ["rapidocr"]},
         ".image_embedder: this key is missing: name the models for {file}, or []"),
("aegis.rewriters", ..., ": this key is missing: name the models for {file}, or []"),],
)  # fmt: skip
def test_a_block_names_whom_its_stages_ask(monkeypatch: pytest.MonkeyPatch, key: str, value: Any, said: str) -> None:
    """Of whom no stage asks nobody would learn: everything would be right, and nothing would happen. A stage refuses
    it as `gamut check` does.
    """
    monkeypatch.chdir(ROOT)
    values, (name, own) = read_yaml(FILE), key.split(".")
    values["own"] = {
        name: values["prism"][name] for name in BenchmarkParameters.model_fields if name in values["prism"]
    }
    model = benchmark_of(name).params
    check_values(model, values, FILE)
    if value is ...:
        del values[name][own]
    else:
        values[name][own] = value
    line = f"params.yaml: {key}{said.format(file=f'stages/{name}/dvc.yaml')}"
    assert mistake(values) == line
    with pytest.raises(UserError) as error:
        check_values(model, values, FILE)
    assert str(error.value) == line


def test_where_nobody_judges_nothing_is_said_of_how_judges_are_asked() -> None:
    values = read_yaml(ROOT / FILE)
    values["gir"]["repeats"] = 3
    of_judges = "params.yaml: gir: repeats and judge.one_by_one concern judges, but there are none: leave them out"
    assert mistake(values) == of_judges


def test_everybody_who_is_asked_is_known() -> None:
    contestants = {"bagel": {"class": "unified", "model": {"kind": "openai", "id": "bagel"}}, "world_painter": WORLD}
    role_models = fakes.everything(contestants=contestants).role_models()
    assert [str(role_model) for role_model in role_models[-5:]] == [
        *("painter (bagel)", "editor (bagel)", "captioner (bagel)", "painter (world_painter)", "judge (world)"),
    ]
    assert "judge (world)" not in [
        str(role_model) for role_model in fakes.everything().role_models()
    ]  # nobody is there to be judged


def test_who_proposes_items_is_asked_where_an_edition_is_under_construction(project: Path) -> None:
    def asked(*editions: str) -> set[str]:
        fakes.write_editions(editions=editions, writer="gpt")
        return {str(one) for one in fakes.everything().role_models()}

    assert asked("v1") - asked() == {"writer (gpt)", "text_embedder (gpt)"}  # the translator is world, as the role is


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [("writer", "wrld", "prism.writer: no model 'wrld'; did you mean 'world'?"),
("embedder", "world", "prism.embedder: 'world' is of kind sandbox: one of openai, sentence_tran"),
("samples", 4, "prism.samples: unknown key; did you mean 'sampled'?"),
("sampled", -4, "prism.sampled: -4 is not right: input should be greater than or equal to 0"),],
)  # fmt: skip
def test_one_line_a_mistake_about_editions(project: Path, key: str, value: Any, line: str) -> None:
    fakes.write_editions(**{"editions": ["v1"], key: value})
    assert mistake(fakes.values()).startswith(f"stages/editions/params.yaml: {line}")
    if key in ("writer", "embedder"):  # a model is wanted once something is under construction
        fakes.write_editions(**{key: value})
        fakes.everything()
    EDITIONS.write_text('{"prsm": {}}')
    assert mistake(fakes.values()) == "stages/editions/params.yaml: prsm: unknown key"


def test_a_pair_is_two_models_to_run_toml() -> None:
    everything = fakes.everything(contestants={"duo": DUO})
    found = [str(one) for one in everything.role_models() if one.slug.startswith("duo")]
    assert found == ["captioner (duo_text)", "painter (duo_image)", "editor (duo_image)"]
    pair = player_of("duo", everything.benchmarks["prism"].contestants["duo"], "creator")
    assert str(pair) == "creator (duo)"
    assert [str(player) for player in pair.players] == ["creator (duo_text)", "creator (duo_image)"]


@pytest.mark.parametrize(
    ("named", "of_prism", "of_other"),
    [
        ({}, ["en", "zh"], ["raw", "en"]),
        ({"settings": {"prism": ["zh", "en"]}}, ["en", "zh"], ["raw", "en"]),
        ({"settings": {"other": ["raw"]}}, ["en", "zh"], ["raw"]),
        ({"settings": {"prism": ["zh"], "other": ["clear"]}}, ["zh"], []),  # a setting that is not measured now
    ],
)
def test_where_a_contestant_is_put_to_the_test(named: Any, of_prism: list[str], of_other: list[str]) -> None:
    contestant = Contestant.model_validate(WORLD | named)
    assert contestant.settings_in("prism", ["en", "zh"]) == of_prism
    assert contestant.settings_in("other", ["raw", "en"]) == of_other


def test_a_role_that_nobody_plays() -> None:
    with pytest.raises(UserError, match=r"roles\.editor is not filled"):
        fakes.params().role_model("editor")


def test_a_wave_is_named_once() -> None:
    source = fakes.values()["sources"][0]
    assert mistake(changed("sources", [source, source])) == (
        "params.yaml: sources.1.wave: 'w-part01' is the wave of another source: every source needs its own"
    )


@pytest.mark.parametrize(("value", "kind"), [(0, int), (5, int), (0.0, float), (0.99, float)])
def test_budgets_are_counts_or_shares(value: int | float, kind: type) -> None:
    found = check_everything(changed("examine/max_failures", value), FILE).dataset.examine.max_failures
    assert found == value and type(found) is kind


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "params.yaml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("content", ["", "- a\n", "text\n"])
def test_a_file_that_is_no_mapping(tmp_path: Path, content: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(UserError) as error:
        load_everything(path)
    assert ": : " not in str(error.value)


SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.dates(), st.binary())
JUNK = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=3),
    max_leaves=8,
)
PATHS = [
    *fakes.values(),
    *("models/gpt", "models/gpt/kind", "models/gpt/id", "models/gpt/sampling", "models/world/faults", "roles/judge"),
    *("sources/0", "sources/0/kind", "sources/0/wave", "sources/0/count", "admit/clarity", "examine/max_failures"),
]


@given(st.sampled_from(PATHS), JUNK)
def test_no_junk_escapes_as_anything_but_a_user_error(path: str, junk: Any) -> None:
    try:
        check_everything(changed(path, junk), FILE)
    except UserError as error:
        assert all(line.startswith("params.yaml: ") for line in str(error).splitlines())


@pytest.mark.parametrize(
    ("word", "choices", "words"),
    [
        ("claritty", ["clarity", "structure"], "; did you mean 'clarity'?"),
        ("x", ["b", "a"], "; known are: a, b"),
        ("deed", ["SEED", "Seed"], "; did you mean 'SEED'?"),
        ("x", [], ""),
    ],
)
def test_nearest(word: object, choices: list[object], words: str) -> None:
    assert nearest_choice(word, choices) == words


# Rooms


def test_a_stage_checks_the_shared_part_and_its_own_room_alone() -> None:
    wrong_prism = changed("prism/repeats", 0)
    assert check_values(dataset.Params, wrong_prism, FILE).seed == 3
    with pytest.raises(UserError, match=r"^params\.yaml: prism\.repeats"):
        check_values(prism.Params, wrong_prism, FILE)
    wrong_admit = changed("admit/clarity", 11)
    assert check_values(prism.Params, wrong_admit, FILE).prism.repeats == 1
    assert mistake(wrong_prism | {"admit": wrong_admit["admit"]}).count("\n") == 1  # all of both benchmarks at once
    with pytest.raises(UserError, match=r"^params\.yaml: seed"):
        check_values(prism.Params, changed("seed", -1), FILE)


def test_a_room_s_block_may_be_left_out() -> None:
    without = {key: value for key, value in fakes.values().items() if key not in ("prism", "contestants", "publish")}
    found = check_everything(without, FILE)
    assert (found.benchmarks, found.publish, found.dataset.seed) == ({}, {}, 3)
    assert {str(one) for one in found.role_models()} >= {"painter (world)", "judge (gpt)"}
    with pytest.raises(UserError, match=r"^params\.yaml: the key prism is missing"):
        found.benchmark("prism")


def test_what_publish_does_not_say_has_a_default() -> None:
    def told(product: str, **publish: Any) -> tuple[Any, ...]:
        found = fakes.everything(publish=publish).publication(product)
        return found.title, found.version, found.repo, found.license

    assert told("dataset") == ("A text-to-image reasoning dataset", "0.1.0", None, None)
    assert told("prism") == ("PRISM-Bench", "0.1.0", None, None)
    assert told("prism", prism={"repo": "org/name"}) == ("PRISM-Bench", "0.1.0", "org/name", None)
