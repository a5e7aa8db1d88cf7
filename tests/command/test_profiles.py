"""Profiles are laid over the defaults, and never over what a person edited."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from gamut.command import profiles
from gamut.command.effective import absent_keys
from gamut.dataset.shared.source_blocks import FileSource, ImagineSource
from gamut.evaluation.curating.benchmarks import NAMES
from gamut.project import settings
from gamut.project.errors import UserError
from gamut.project.settings import Settings
from gamut.project.validation import check_values, parse_yaml, read_yaml
from gamut.publish.parameters import Everything, check_everything
from stages.prism.shared import parameters as prism
from tests import fakes
from tests.paths import ROOT
from tests.shipped import profile

SHIPPED = [
    *("aegis", "flux-reason-6m", "gapeval", "genius", "gir", "knowledge", "laptop", "openai", "parti", "prism-bench"),
    "train-on-release",
]
DOCUMENTED = [["openai", "aegis", "gir"], ["laptop", "parti"], ["prism-bench", "train-on-release"]]
"""Profiles that documents lay over each other."""
OURS = {"world", "world_painter", "tfidf"}
"""Models that every build starts from."""
PARAMS = Path("params.yaml")


def write_files(name: str, **values: Any) -> None:
    Path(f"profiles/{name}.yaml").write_text(json.dumps(values))


@pytest.fixture(autouse=True)
def folder(project: Path) -> Path:
    """A project with small profiles, of which none is in place."""
    (project / "profiles").mkdir()
    write_files("defaults", **fakes.values())
    write_files("one", seed=1)
    write_files(
        "two", admit={"clarity": 9}, contestants=fakes.two_contestants(), prism={"contestants": ["good", "poor"]}
    )
    (project / "profiles/notes.txt").write_text("no profile")
    return project


def use(*names: str, force: bool = False) -> list[str]:
    return list(profiles.use_profiles(names, force))


def edit(**changes: Any) -> None:
    first, _, rest = PARAMS.read_text().partition("\n")
    PARAMS.write_text(f"{first}\n{json.dumps(parse_yaml(rest) | changes)}")


def test_profiles_are_laid_over_the_defaults_in_order() -> None:
    [said] = use("one")
    assert said.startswith("params.yaml is now made of profiles/one.yaml: their first lines say what they need")
    assert PARAMS.read_text().startswith("# By `gamut use one`: ") and read_yaml(PARAMS) == fakes.values(seed=1)
    use("one", "two")  # what profiles gave can always be had again
    wanted = fakes.values(seed=1, admit={"clarity": 9, "structure": 6}, contestants=fakes.two_contestants())
    assert read_yaml(PARAMS) == wanted
    use("two", "one", "two")
    assert PARAMS.read_text().startswith("# By `gamut use two one`: ") and read_yaml(PARAMS) == wanted
    use("one")
    assert read_yaml(PARAMS) == fakes.values(seed=1)


def test_what_a_person_edited_stays_and_is_named() -> None:
    use("one")
    edit(seed=5, admit={"clarity": 8, "structure": 6})
    *_, said = use("two")
    assert said == "your own edits are kept: seed, admit.clarity; `--force` discards them"
    values = read_yaml(PARAMS)
    assert (values["seed"], values["admit"]["clarity"]) == (5, 8)
    assert values["contestants"] == fakes.two_contestants(), "a key that nobody edited"
    assert len(use("two", force=True)) == 1
    assert read_yaml(PARAMS) == fakes.values(admit={"clarity": 9, "structure": 6}, contestants=values["contestants"])


def test_what_profiles_gave_is_known_when_they_give_something_else() -> None:
    """As after a pull: nobody has taken out a key that was not there, and nobody chose what was the default."""
    use("one")
    edit(seed=5)
    defaults = fakes.values(admit={"clarity": 8, "structure": 5})
    defaults["models"] = defaults["models"] | {"newer": {"kind": "sandbox"}}
    write_files("defaults", **defaults)
    assert use("one")[-1].startswith("your own edits are kept: seed; ")
    assert read_yaml(PARAMS) == defaults | {"seed": 5}
    first = PARAMS.read_text()
    write_files("defaults", **fakes.values())
    PARAMS.write_text(profiles.composed_text(["one"]))  # somebody else has put them in place, and git brought it here
    assert len(use("two")) == 1
    profiles.PROFILES_NOTE.unlink()
    PARAMS.write_text(first)  # a clone does not know: what profiles give now counts
    assert "seed, models.newer, admit.clarity, admit.structure" in use("one")[-1]


def test_of_a_file_that_names_no_profiles_nothing_is_changed() -> None:
    PARAMS.write_text(json.dumps({key: value for key, value in fakes.values(seed=7).items() if key != "contestants"}))
    assert use("two")[-1].startswith("your own edits are kept: seed, admit.clarity, prism.contestants; ")
    values = fakes.values(seed=7)
    assert read_yaml(PARAMS) == values | {"contestants": fakes.two_contestants()}, "new keys are there"


def test_what_would_be_wrong_is_not_put_in_place() -> None:
    write_files("wrong", seed=-1)
    use("one")
    before = PARAMS.read_bytes()
    with pytest.raises(UserError, match=r"^profiles/one\.yaml, profiles/wrong\.yaml: seed: -1 is not right"):
        use("one", "wrong")
    with pytest.raises(UserError, match=r"^there is no profile 'defaults'; known are: one, two, wrong$"):
        use("defaults")
    assert PARAMS.read_bytes() == before
    edit(roles=fakes.values()["roles"] | {"judge": "mine"})
    before = PARAMS.read_bytes()
    edited = r"^params\.yaml: roles\.judge: no model 'mine'.*\nwith your own edits \(roles\.judge\)"
    with pytest.raises(UserError, match=edited):
        use("two")
    assert PARAMS.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seed: 5\n? admit\n: {clarity: 8}\n", "every key has to be on a line of its own"),
        ("models: {world: &w {kind: sandbox}, gpt: *w}\nother:\n  <<: *w\n", "its values cannot be changed without"),
        ("seed: [\n", "line 2: "),
    ],
)
def test_what_cannot_be_read_by_lines_is_said(text: str, said: str) -> None:
    PARAMS.write_text(text)
    with pytest.raises(UserError) as error:
        use("one")
    assert said in str(error.value) and PARAMS.read_text() == text
    use("one", force=True)
    assert read_yaml(PARAMS) == fakes.values(seed=1)


def test_the_committed_parameters_are_the_laptops() -> None:
    with chdir(ROOT):
        text = profiles.composed_text(["laptop"])
        assert PARAMS.read_text() == text and len(text.splitlines()) <= 180


@pytest.mark.parametrize("names", [*([name] for name in SHIPPED), *DOCUMENTED], ids=" ".join)
def test_profiles_are_right_and_say_what_they_are(names: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    everything = check_everything(profile(*names), PARAMS)
    lacking = [key for _, key, _ in absent_keys(everything, profile(*names))]
    assert not [key for key in lacking if key.partition(".")[0] not in {*NAMES} - profile(*names).keys()]
    for name in names:
        assert shipped(name).read_text().startswith(f"# This is the profile `{name}`: ")
        assert len(shipped(name).read_text().splitlines()) <= 80


def stands(values: Any, key: str) -> bool:
    for part in key.split("."):
        if not isinstance(values, dict) or part not in values:
            return False
        values = values[part]
    return True


def test_what_documents_sweep_stands_there() -> None:
    """`dvc exp run -S KEY=VALUE` refuses a key that does not: it would want `+KEY=VALUE`."""
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    swept = {key for document in documents for key in re.findall(r"-S '?(\+?[a-z_.]+)=", document.read_text())}
    assert "categorize.entity" in swept and all(stands(profile("laptop"), key) for key in swept), swept


def test_all_profiles_are_tried() -> None:
    with chdir(ROOT):
        assert profiles.profile_names() == SHIPPED


@pytest.mark.parametrize("key", ["models", "contestants"])
def test_one_name_means_the_same_model_in_every_profile(key: str) -> None:
    """So that profiles can be laid over each other; the world's own are the dataset's."""
    said = {name: (read_yaml(shipped(name)).get(key) or {}) for name in SHIPPED}
    given = {name: profile(name)[key] for name in SHIPPED}
    for slug in {slug for of in said.values() for slug in of} - {"world_painter"}:
        meant = {name: given[name][slug] for name in SHIPPED if slug in said[name]}
        assert all(one == next(iter(meant.values())) for one in meant.values()), meant


@pytest.mark.parametrize("name", ["parti", "openai", "flux-reason-6m"])
def test_a_profile_of_a_dataset_has_no_benchmark(name: str) -> None:
    assert not {*NAMES} & profile(name).keys()


def shipped(name: str) -> Path:
    return ROOT / f"profiles/{name}.yaml"


def given_by(name: str) -> Everything:
    return check_everything(profile(name), PARAMS)


def test_parti_is_the_laptops_dataset_but_for_its_source() -> None:
    laptop, parti = profile("laptop"), profile("parti")
    assert parti.pop("sources") != laptop.pop("sources")
    assert parti.pop("publish")["dataset"] == {"title": "PartiPrompts in a small world"}
    for values in (laptop, parti):
        values["models"].pop("rapidocr", None)  # of a benchmark
        values.pop("contestants")
    assert parti.items() <= laptop.items()
    [source] = given_by("parti").dataset.sources
    assert isinstance(source, FileSource) and source.route == "as_is"


def test_the_papers_set_up() -> None:
    """What the paper and its data say, section by section."""
    paper = given_by("flux-reason-6m").dataset
    roles = {role: paper.models[slug] for role, slug in paper.roles.filled().items() if role != "text_embedder"}
    of_role = {role: model.id for role, model in roles.items()}
    assert of_role == {
        "painter": "black-forest-labs/FLUX.1-dev",  # 2.2
        "seed_writer": "gemini-3.8-flash",  # for gemini-2.5-pro, which is shut down
        "writer": "Qwen/Qwen3-32B",
        "judge": "Qwen/Qwen2.5-VL-32B-Instruct",  # 2.3
        "captioner": "Qwen/Qwen2.5-VL-32B-Instruct",  # 2.4
        "translator": "Qwen/Qwen3-32B",  # 2.5
        "matcher": "Qwen/Qwen3-4B",
    }
    sampling = {role: model.sampling for role, model in roles.items()}
    assert sampling["writer"].temperature > 1 and sampling["judge"].temperature == 0
    served = {role: model for role, model in roles.items() if model.id.startswith("Qwen/")}
    for role, model in served.items():  # nothing is left to generation_config.json, nor to a template's default
        assert None not in (sampling[role].top_p, sampling[role].top_k, sampling[role].repetition_penalty)
        silent = model.extra_body.get("chat_template_kwargs") == {"enable_thinking": False}
        assert silent == model.id.startswith("Qwen/Qwen3-")
    assert {source.wave: getattr(source, "route", "imagine") for source in paper.sources} == {
        "aesthetics-part01": "rewrite",
        "aesthetics-part02": "rewrite",
        "imaginative": "imagine",
        "text": "mine_text",
    }
    assert (paper.seeds.count, paper.imagine.examples) == (200, 10)
    assert (paper.synthesize.width, paper.synthesize.height) == (1024, 1024)
    assert paper.originals.alignment == 8
    assert {model.revision for model in roles.values()} == {""}  # no commit is published


def leaves(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Every line of a YAML file that holds a value, with its own comment and those of the keys that it stands under."""
    above: list[tuple[int, str]] = []
    for line in lines:
        content, _, comment = line.partition("#")
        if not content.strip():
            continue
        indent = len(content) - len(content.lstrip(" -"))
        above = [(depth, words) for depth, words in above if depth < indent]
        above.append((indent, comment))
        if not content.rstrip().endswith(":"):
            yield content.strip(), " ".join(words for _, words in above)


def test_every_value_of_the_papers_profile_says_where_it_comes_from() -> None:
    lines = shipped("flux-reason-6m").read_text().splitlines()
    marks = re.compile("our choice|section|released data|as img2dataset names")
    silent = [value for value, comments in leaves(lines) if not marks.search(comments) and "wave:" not in value]
    assert silent == []


def test_openai_is_small_and_its_run_toml_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = shipped("openai")
    hosted = given_by("openai").dataset
    rows = [source.count if isinstance(source, ImagineSource) else source.limit for source in hosted.sources]
    assert sum(rows) <= 200
    run_settings = example(path, tmp_path, monkeypatch)
    assert run_settings.models.keys() == hosted.models.keys() - OURS and run_settings.max_cost
    assert all(endpoint.url and endpoint.key_variable for endpoint in run_settings.models.values())


def test_the_papers_run_toml_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = shipped("flux-reason-6m")
    models = given_by("flux-reason-6m").dataset.models
    assert example(path, tmp_path, monkeypatch).models.keys() == models.keys() - OURS


def test_the_published_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both judges of section 3.2 at temperature 0 and seed 42, in both languages; thinking is a variant."""
    path = shipped("prism-bench")
    published = check_values(prism.Params, profile("prism-bench"), path)
    judges = [published.models[slug] for slug in published.prism.judges]
    assert [judge.id.partition("-20")[0] for judge in judges] == ["gpt-4.1", "Qwen/Qwen2.5-VL-72B-Instruct"]
    assert {judge.sampling.temperature for judge in judges} == {0.0} and published.seed == 42
    assert published.prism.languages == ["en", "zh"]
    assert published.contestants["bagel_cot"].variant_of == "bagel_pictures"
    served = example(path, tmp_path, monkeypatch).models.keys()
    assert served == published.contestants.keys() | set(published.prism.judges)


def example(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The run.toml that stands in a profile's last comment, read as `GAMUT_RUN`."""
    lines = [line for line in path.read_text().splitlines() if line.startswith("#   ")]
    start = next(number for number, line in enumerate(lines) if "max_cost" in line)
    (folder / "run.toml").write_text("\n".join(line[4:] for line in lines[start:]))
    monkeypatch.setenv("GAMUT_RUN", str(folder / "run.toml"))
    return settings.load()
