"""Each mistake in params.yaml gives one line: file, path, value, the nearest right one. Nothing else ever escapes."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.dataset.shared import parameters as dataset
from stages.evaluation.defining.benchmark import benchmark_of
from stages.evaluation.defining.parameters import BenchmarkParameters, Contestant, played_by
from stages.prism.shared import parameters as prism
from stages.project.errors import UserError, nearest
from stages.project.parameters import check
from stages.project.validation import read_yaml
from stages.publish.parameters import check_everything, load_everything
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
        node = node[key]
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
        ("admit/clearity", 1, "admit.clearity: unknown key; did you mean 'clarity'?"),
        ("admit/zzz", 1, "admit.zzz: unknown key; known are: clarity, structure"),
        (
            "models/gpt/sampling",
            {"temprature": 1.0},
            "models.gpt.sampling.temprature: unknown key; did you mean 'temper",
        ),
        ("models/world/id", "x", "models.world.id: unknown key"),
        ("sources/0/sede", 1, "sources.0.sede: unknown key; did you mean 'seed'?"),
        ("seed", ..., "seed: this key is missing"),
        ("admit/clarity", ..., "admit.clarity: this key is missing"),
        ("models/gpt/id", ..., "models.gpt.id: this key is missing"),
        ("models/gpt/kind", ..., "models.gpt.kind: this key is missing"),
        ("admit/clarity", "7", "admit.clarity: '7' is not right: input should be a valid integer"),
        ("admit/clarity", 7.0, "admit.clarity: 7.0 is not right: input should be a valid integer"),
        ("admit/clarity", True, "admit.clarity: True is not right: input should be a valid integer"),
        ("admit/clarity", None, "admit.clarity: None is not right: input should be a valid integer"),
        ("admit/clarity", 11, "admit.clarity: 11 is not right: input should be less than or equal to 10"),
        ("seed", -1, "seed: -1 is not right: input should be greater than or equal to 0"),
        ("seed", 2**31, "seed: 2147483648 is not right: input should be less than 2147483648"),
        ("synthesize/width", 63, "synthesize.width: 63 is not right: input should be greater than or equal to 64"),
        ("models/world/kind", "sandbx", "models.world.kind: unknown kind 'sandbx'; did you mean 'sandbox'?"),
        (
            "models/world/kind",
            [1],
            "models.world.kind: unknown kind '[1]'; known are: diffusers, folder, inception, openai, ",
        ),
        (
            "models/world/faults",
            {"blurr": 0.1},
            "models.world.faults.blurr: 'blurr' is not known; did you mean 'blur'?",
        ),
        ("models/world/faults", {"blur": 1.5}, "models.world.faults.blur: 1.5 is not right: input should be less than"),
        ("models/gpt/sampling", {"top_p": float("nan")}, "models.gpt.sampling.top_p: nan is not right"),
        ("models/Bad-Slug", {"kind": "sandbox"}, "models.Bad-Slug: 'Bad-Slug' does not match ^[a-z0-9_]+$"),
        ("roles/judge", "wrld", "roles.judge: no model 'wrld'; did you mean 'world'?"),
        ("roles/judge", "World", "roles.judge: 'World' does not match ^[a-z0-9_]+$"),
        ("sources", [], "sources: [] is not right: list should have at least 1 item"),
        ("sources/0/wave", "W_1", "sources.0.wave: 'W_1' does not match"),
        ("sources/0/wave", "w\n", "sources.0.wave: 'w\\n' does not match"),
        ("sources/0/count", 0, "sources.0.count: 0 is not right: input should be greater than or equal to 1"),
        ("sources/0", FILE_SOURCE | {"path": "/etc/a.csv"}, "sources.0.path: '/etc/a.csv' does not match"),
        (
            "sources/0",
            FILE_SOURCE | {"path": "datasets/sources/../a.csv"},
            "sources.0.path: 'datasets/sources/../a.csv'",
        ),
        ("sources/0", FILE_SOURCE | {"path": "datasets/sources/a.xls"}, "sources.0.path: 'datasets/sources/a.xls'"),
        ("sources/0", FILE_SOURCE | {"limit": 0}, "sources.0.limit: 0 is not right"),
        ("examine/max_failures", 1.5, "examine.max_failures: 1.5: a count (0, 1, 2, ...) or a share below 1 is wanted"),
        ("examine/max_failures", 1.0, "examine.max_failures: 1.0: a count (0, 1, 2, ...) or a share below 1 is wanted"),
        ("examine/max_failures", -1, "examine.max_failures: -1: a count (0, 1, 2, ...) or a share below 1 is wanted"),
        ("examine/max_failures", float("nan"), "examine.max_failures: nan: a count (0, 1, 2, ...) or a share below 1"),
    ],
)
def test_one_line_a_mistake(path: str, value: Any, line: str) -> None:
    said = mistake(changed(path, value))
    assert said.startswith(f"params.yaml: {line}"), said
    assert "\n" not in said


PROPOSE = fakes.values()["prism"]["propose"]
WORLD = {"class": "generation", "model": {"kind": "sandbox"}}
DIFFUSERS = {"kind": "diffusers", "id": "org/model", "revision": "0" * 40}
OPENAI = {"kind": "openai", "id": "org/writer"}
DUO = {"class": "unified", "models": {"text": OPENAI, "image": DIFFUSERS}}


@pytest.mark.parametrize(
    ("contestants", "prism", "line"),
    [
        ({"gpt": WORLD}, {}, "contestants.gpt: 'gpt' is a model's slug too; run.toml could not tell them apart"),
        ({"trial": WORLD}, {}, "contestants.trial: boards have something else under 'trial': choose another name"),
        (
            {"observer_errors": WORLD},
            {},
            "contestants.observer_errors: metrics/<benchmark>/<edition>/observer_errors.json",
        ),
        ({"control_x": WORLD}, {}, "contestants.control_x: boards have something else under 'control_x'"),
        (
            {"a": WORLD, "flux": WORLD | {"variant_of": "b"}},
            {},
            "contestants.flux.variant_of: no contestant 'b'; known are: a",
        ),
        ({"a": WORLD | {"variant_of": "a"}}, {}, "contestants.a.variant_of: no contestant 'a'"),
        (
            {"a": {"class": "generation", "model": {"kind": "tfidf"}}},
            {},
            "contestants.a.model.kind: 'tfidf' is no generation model; wanted is one of diffusers, folder, openai",
        ),
        (
            {"a": {"class": "unified", "model": DIFFUSERS}},
            {},
            "contestants.a.model.kind: 'diffusers' is no unified model; wanted is one of folder, openai, sandbox",
        ),
        (
            {"a": {"class": "unified", "model": DIFFUSERS | {"kind": "vllm"}}},
            {},
            "contestants.a.model.kind: 'vllm' is no unified model; wanted is one of folder, openai, sandbox",
        ),
        ({"a": WORLD | {"class": "painter"}}, {}, "contestants.a.class: 'painter' is not known"),
        (
            {"a": WORLD | {"benchmarks": {"prims": ["en"]}}},
            {},
            "a.benchmarks.prims: there is no such benchmark; did you",
        ),
        ({"a": WORLD | {"benchmarks": {"prism": ["eng"]}}}, {}, "a.benchmarks.prism: there is no side 'eng'; did you"),
        ({"a": WORLD | {"benchmarks": {"prism": []}}}, {}, "contestants.a.benchmarks.prism: [] is not right"),
        ({"a": WORLD | {"benchmarks": {}}}, {}, "contestants.a.benchmarks: {} is not right"),
        ({"a": WORLD | {"benchmarks": {"prism": ["en", "en"]}}}, {}, "'en' stands twice"),
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
            {"a": WORLD | {"model": {"kind": "sandbox", "judging": {"noise": 1}}}},
            {},
            "contestants.a: `judging` is how a judge errs, and a contestant judges nothing: leave it out",
        ),
        ({"a": DUO | {"class": "generation"}}, {}, "contestants.a: a pair writes and paints: its class is unified"),
        (
            {"a": {"class": "unified", "models": {"text": OPENAI}}},
            {},
            "contestants.a.models.image: this key is missing",
        ),
        (
            {"a": DUO | {"models": {"text": DIFFUSERS, "image": OPENAI}}},
            {},
            "contestants.a.models.text.kind: 'diffusers' is no model that writes; wanted is one of folder, openai",
        ),
        (
            {"a": DUO | {"models": {"text": OPENAI, "image": DIFFUSERS | {"kind": "vllm"}}}},
            {},
            "contestants.a.models.image.kind: 'vllm' is no model that paints and edits; wanted is one of",
        ),
        (
            {"a": DUO, "a_text": WORLD},
            {},
            "contestants.a.models.text: 'a_text', as run.toml knows it, is another's slug",
        ),
        ({}, {"judges": ["wrld"]}, "prism.judges.0: no model 'wrld'; did you mean 'world'?"),
        ({}, {"judges": ["world", "world"]}, "'world' stands twice"),
        ({}, {"judges": []}, "prism: neither judges nor observers look at answers: name some"),
        ({}, {"languages": ["fr"]}, "prism.languages.0: 'fr' is not known; known are: en, zh"),
        ({"a": WORLD}, {"controls_of": ["b"]}, "prism.controls_of.0: no contestant 'b'; known are: a"),
        ({}, {"edition": "../v1"}, "prism.edition: '../v1' does not match"),
        ({}, {"repeats": 0}, "prism.repeats: 0 is not right"),
        ({}, {"instructions": "mine"}, "prism.instructions: 'mine' is not known; known are: own, released"),
        ({}, {"instructions": "released"}, "prism: release: the released instructions stand in a script of your clone"),
        (
            {},
            {"instructions": "released", "release": {"path": "a.py", "revision": f"sha256-{'0' * 64}"}},
            "prism.judges.0: the embedded world cannot read released instructions: name another model, or set them to",
        ),
        ({}, {"propose": PROPOSE | {"writer": "wrld"}}, "prism.propose.writer: no model 'wrld'; did you mean 'world'?"),
        (
            {},
            {"propose": PROPOSE | {"embedder": "world"}},
            "prism.propose.embedder: 'world' is of kind sandbox, wanted is one of openai, sentence_transformers, tfidf",
        ),
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
        "params.yaml: prism.judges.1: 'detector' is an observer's role too, and their tables would lie in one folder: "
        "name the model otherwise"
    )


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("genius.observers", {"detector": ["world"]}, ".detector: no stage of {file} asks whom it names: leave it out"),
        ("gir.judges", ["world"], ": no stage of {file} asks whom it names: leave it out"),
        ("prism.rewriters", ["models.world"], ": no stage of {file} asks whom it names: leave it out"),
        ("own.observers", {"reader": ["rapidocr"]}, ".reader: no stage of {file} asks whom it names: leave it out"),
        ("gir.observers", {"detector": ["world"], "reader": ["rapidocr"]},
         ".image_embedder: this key is missing: stages of {file} ask whom it names"),
        ("aegis.rewriters", ..., ": this key is missing: stages of {file} ask whom it names"),
    ],
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
    check(model, values, FILE)
    if value is ...:
        del values[name][own]
    else:
        values[name][own] = value
    line = f"params.yaml: {key}{said.format(file=f'stages/{name}/dvc.yaml')}"
    assert mistake(values) == line
    with pytest.raises(UserError) as error:
        check(model, values, FILE)
    assert str(error.value) == line


def test_where_nobody_judges_nothing_is_said_of_how_judges_are_asked() -> None:
    values = read_yaml(ROOT / FILE)
    values["gir"]["repeats"] = 3
    of_judges = "params.yaml: gir: repeats and judge.one_by_one are of judges, and there are none: leave them out"
    assert mistake(values) == of_judges


@pytest.mark.parametrize(
    ("able", "model"),
    [
        ("generation", DIFFUSERS),
        ("editing", DIFFUSERS),
        ("understanding", DIFFUSERS | {"kind": "vllm"}),
        *(("unified", model) for model in ({"kind": "sandbox"}, {"kind": "openai", "id": "bagel"})),
    ],
)
def test_who_can_play_all_roles_of_its_class_is_a_contestant(able: str, model: dict[str, Any]) -> None:
    assert fakes.params(contestants={"a": {"class": able, "model": model}}).contestants["a"].class_ == able


def test_everybody_who_is_asked_is_known() -> None:
    contestants = {"bagel": {"class": "unified", "model": {"kind": "openai", "id": "bagel"}}, "world_painter": WORLD}
    role_models = fakes.everything(contestants=contestants).role_models()
    assert [str(role_model) for role_model in role_models[-5:]] == [
        *("painter (bagel)", "editor (bagel)", "captioner (bagel)", "painter (world_painter)", "judge (world)"),
    ]
    assert "judge (world)" not in [
        str(role_model) for role_model in fakes.everything().role_models()
    ]  # nobody is there to be judged


def test_who_proposes_items_is_asked_where_an_edition_is_under_construction() -> None:
    def asked(*editions: str) -> set[str]:
        propose = PROPOSE | {"editions": [*editions], "writer": "gpt"}
        found = fakes.everything(prism=fakes.values()["prism"] | {"propose": propose}).role_models()
        return {str(one) for one in found}

    assert asked("v1") - asked() == {"writer (gpt)", "text_embedder (gpt)"}  # the translator is world, as the role is


def test_a_pair_is_two_models_to_run_toml() -> None:
    everything = fakes.everything(contestants={"duo": DUO})
    found = [str(one) for one in everything.role_models() if one.slug.startswith("duo")]
    assert found == ["captioner (duo_text)", "painter (duo_image)", "editor (duo_image)"]
    pair = played_by("duo", everything.benchmarks["prism"].contestants["duo"], "creator")
    assert str(pair) == "creator (duo)"
    assert [str(player) for player in pair.players] == ["creator (duo_text)", "creator (duo_image)"]


@pytest.mark.parametrize(
    ("named", "of_prism", "of_other"),
    [
        ({}, ["en", "zh"], ["raw", "en"]),
        ({"benchmarks": {"prism": ["zh", "en"]}}, ["en", "zh"], []),
        ({"benchmarks": {"other": ["raw"]}}, [], ["raw"]),
        ({"benchmarks": {"prism": ["zh"], "other": ["clear"]}}, ["zh"], []),  # a side that is not measured now
    ],
)
def test_where_a_contestant_is_put_to_the_test(named: Any, of_prism: list[str], of_other: list[str]) -> None:
    contestant = Contestant.model_validate(WORLD | named)
    assert contestant.sides("prism", ["en", "zh"]) == of_prism
    assert contestant.sides("other", ["raw", "en"]) == of_other


def test_a_language_that_is_not_measured_now_may_be_named() -> None:
    prism_ = fakes.values()["prism"] | {"languages": ["en"]}
    fakes.everything(contestants={"a": WORLD | {"benchmarks": {"prism": ["zh"]}}}, prism=prism_)


def test_a_role_that_nobody_plays() -> None:
    with pytest.raises(UserError, match=r"roles\.editor is not filled"):
        fakes.params().role_model("editor")


@pytest.mark.parametrize("path", ["datasets/sources/a/../../../x.csv", "datasets/sources//../x.csv"])
def test_a_source_stays_in_its_folder(path: str) -> None:
    assert "sources.0.path" in mistake(changed("sources/0", FILE_SOURCE | {"path": path}))


def test_a_wave_is_named_once() -> None:
    source = fakes.values()["sources"][0]
    assert mistake(changed("sources", [source, source])) == (
        "params.yaml: sources.1.wave: 'w-part01' is taken by another source; every wave needs its own"
    )


def test_two_mistakes_two_lines() -> None:
    values = changed("admit/clarity", 11)
    values["sede"] = 1
    assert sorted(mistake(values).splitlines()) == [
        "params.yaml: admit.clarity: 11 is not right: input should be less than or equal to 10",
        "params.yaml: sede: unknown key; did you mean 'seed'?",
    ]


@pytest.mark.parametrize(("value", "kind"), [(0, int), (5, int), (0.0, float), (0.99, float)])
def test_budgets_are_counts_or_shares(value: int | float, kind: type) -> None:
    found = check_everything(changed("examine/max_failures", value), FILE).dataset.examine.max_failures
    assert found == value and type(found) is kind


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "params.yaml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"seed: \xff", "not UTF-8 text (invalid start byte at byte 6)"),
        ("a: 1\nb: [", "line 2: expected the node content"),
        ("seed: 1\nseed: 2\n", 'line 2: found duplicate key "seed"'),
        ("a: 1\n---\nb: 2\n", "found another document"),
        ("seed: !!python/object:os.system x\n", "line 1: could not determine a constructor for the tag"),
        ("a: &x 1\nb: *y\n", "line 2: found undefined alias"),
    ],
)
def test_unreadable_yaml_is_named_with_its_line(tmp_path: Path, content: str | bytes, words: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(UserError) as error:
        load_everything(path)
    assert str(error.value).startswith(str(path)) and words in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "content",
    [
        b"seed: \x00\n",
        b"seed: 2001-13-45\n",
        b"seed: !!int abc\n",
        b"seed: " + b"1" * 5000 + b"\n",
    ],
    ids=[
        "control character",
        "impossible date",
        "impossible number",
        "5,000 digits",
    ],
)
def test_values_that_yaml_cannot_make(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UserError):
        load_everything(write(tmp_path, content))


def test_a_folder_in_the_files_place(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        load_everything(tmp_path)


def test_a_missing_file_says_where_to_stand(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file: run this in the project's top folder"):
        load_everything(tmp_path / "params.yaml")


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


@given(st.text("seda: []{}-#&*!|>'\"%@`\n01,?", max_size=40))
def test_junk_as_yaml_text(tmp_path: Path, text: str) -> None:
    with pytest.raises(UserError):
        load_everything(write(tmp_path, text))


@pytest.mark.parametrize(
    ("word", "choices", "words"),
    [
        ("claritty", ["clarity", "structure"], "; did you mean 'clarity'?"),
        ("x", ["b", "a"], "; known are: a, b"),
        ("PRISM", ["aegis", "prism"], "; did you mean 'prism'?"),
        ("deed", ["SEED", "Seed"], "; did you mean 'SEED'?"),
        ("x", [], ""),
        (3, [1, 2], "; known are: 1, 2"),
    ],
)
def test_nearest(word: object, choices: list[object], words: str) -> None:
    assert nearest(word, choices) == words


# Rooms


def test_a_stage_checks_the_shared_part_and_its_own_room_alone() -> None:
    wrong_prism = changed("prism/repeats", 0)
    assert check(dataset.Params, wrong_prism, FILE).seed == 3
    with pytest.raises(UserError, match=r"^params\.yaml: prism\.repeats"):
        check(prism.Params, wrong_prism, FILE)
    wrong_admit = changed("admit/clarity", 11)
    assert check(prism.Params, wrong_admit, FILE).prism.repeats == 1
    assert mistake(wrong_prism | {"admit": wrong_admit["admit"]}).count("\n") == 1  # all of both rooms at once
    with pytest.raises(UserError, match=r"^params\.yaml: seed"):
        check(prism.Params, changed("seed", -1), FILE)


def test_a_room_s_block_may_be_left_out() -> None:
    without = {key: value for key, value in fakes.values().items() if key not in ("prism", "contestants", "publish")}
    found = check_everything(without, FILE)
    assert (found.benchmarks, found.publish, found.dataset.seed) == ({}, {}, 3)
    assert {str(one) for one in found.role_models()} >= {"painter (world)", "judge (gpt)"}
    with pytest.raises(UserError, match=r"^params\.yaml: prism: this key is missing"):
        found.benchmark("prism")
    with pytest.raises(UserError, match=r"^params\.yaml: publish\.dataset: this key is missing"):
        found.publication("dataset")


def test_what_several_rooms_share_is_complained_of_once() -> None:
    assert mistake(changed("seed", -1)).splitlines() == [
        "params.yaml: seed: -1 is not right: input should be greater than or equal to 0"
    ]
