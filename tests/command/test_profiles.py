"""Profiles are put in place whole, and never over edits that could not be had again."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from stages.command import profiles
from stages.dataset.shared.source_blocks import FileSource, ImagineSource
from stages.prism.shared import parameters as prism
from stages.project import settings
from stages.project.errors import UserError
from stages.project.parameters import load
from stages.project.settings import Settings
from stages.project.validation import read_yaml
from stages.publish.parameters import load_everything
from tests import fakes
from tests.paths import ROOT

SHIPPED = sorted(ROOT.glob("profiles/*.yaml"))
LAPTOP, OTHER = json.dumps(fakes.values(seed=1)), json.dumps(fakes.values(seed=2))


def git(*arguments: str) -> None:
    who = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, *arguments], check=True)


@pytest.fixture(autouse=True)
def folder(project: Path) -> Path:
    (project / "profiles").mkdir()
    (project / "profiles/laptop.yaml").write_text(LAPTOP)
    (project / "profiles/other.yaml").write_text(OTHER)
    (project / "profiles/notes.txt").write_text("no profile")
    return project


PARAMS = Path("params.yaml")


def test_a_profile_is_put_in_place() -> None:
    profiles.use("laptop")
    assert PARAMS.read_text() == LAPTOP
    profiles.use("other")  # a profile can always be had again
    assert PARAMS.read_text() == OTHER


def test_edits_are_not_lost() -> None:
    PARAMS.write_text(LAPTOP + "\n# mine\n")
    with pytest.raises(UserError, match=r"^params\.yaml has edits that are in no commit: commit them or `git checkout"):
        profiles.use("other")
    assert PARAMS.read_text() == LAPTOP + "\n# mine\n"


def test_committed_edits_can_be_had_again() -> None:
    PARAMS.write_text(LAPTOP + "\n# mine\n")
    git("init", "-q")
    git("add", "params.yaml")
    with pytest.raises(UserError):  # added, but in no commit
        profiles.use("other")
    git("commit", "-q", "-m", "mine")
    profiles.use("other")
    assert PARAMS.read_text() == OTHER
    PARAMS.write_text(LAPTOP + "\n# later\n")
    with pytest.raises(UserError):
        profiles.use("laptop")


def test_a_wrong_profile_is_not_put_in_place() -> None:
    Path("profiles/wrong.yaml").write_text(json.dumps(fakes.values(seed=-1)))
    PARAMS.write_text(LAPTOP)
    with pytest.raises(UserError, match=r"^profiles/wrong\.yaml: seed: -1 is not right"):
        profiles.use("wrong")
    assert PARAMS.read_text() == LAPTOP


def shipped(name: str) -> Path:
    return ROOT / f"profiles/{name}.yaml"


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_profile_is_right_and_says_what_it_is(path: Path) -> None:
    load_everything(path)
    assert f"# This is the profile `{path.stem}`: " in path.read_text()


def test_the_profiles_that_the_readme_promises_are_there() -> None:
    assert [path.stem for path in SHIPPED] == [
        "aegis",
        "flux-reason-6m",
        "gapeval",
        "genius",
        "gir",
        "laptop",
        "openai",
        "parti",
        "prism-bench",
    ]


def test_parti_is_the_laptop_but_for_its_source() -> None:
    laptop, parti = (read_yaml(shipped(name)) for name in ("laptop", "parti"))
    assert parti.pop("sources") != laptop.pop("sources")
    titles = [values["publish"]["dataset"].pop("title") for values in (parti, laptop)]
    assert titles == ["PartiPrompts in a small world", "Text-to-image reasoning in a small world"]
    assert parti == laptop
    [source] = load_everything(shipped("parti")).dataset.sources
    assert isinstance(source, FileSource) and source.route == "as_is"


def test_the_papers_set_up() -> None:
    """What the paper and its data say, section by section."""
    paper = load_everything(shipped("flux-reason-6m")).dataset
    roles = {role: paper.models[slug] for role, slug in paper.roles.filled().items() if role != "text_embedder"}
    of_role = {role: model.id for role, model in roles.items()}
    assert of_role == {
        "painter": "black-forest-labs/FLUX.1-dev",  # 2.2
        "seed_writer": "gemini-3.8-flash",  # for gemini-2.5-pro, which is shut down
        "writer": "Qwen/Qwen3-32B",
        "judge": "Qwen/Qwen2.5-VL-32B-Instruct",  # 2.3
        "captioner": "Qwen/Qwen2.5-VL-32B-Instruct",  # 2.4
        "translator": "Qwen/Qwen3-32B",  # 2.5
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
    hosted = load_everything(path).dataset
    rows = [source.count if isinstance(source, ImagineSource) else source.limit for source in hosted.sources]
    assert sum(rows) <= 200
    run_settings = example(path, tmp_path, monkeypatch)
    assert run_settings.models.keys() == hosted.models.keys() - {"tfidf"} and run_settings.max_cost
    assert all(endpoint.url and endpoint.key_variable for endpoint in run_settings.models.values())


def test_the_papers_run_toml_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = shipped("flux-reason-6m")
    assert example(path, tmp_path, monkeypatch).models.keys() == load_everything(path).dataset.models.keys() - {"tfidf"}


def test_the_published_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both judges of section 3.2 at temperature 0 and seed 42, in both languages; thinking is a variant."""
    path = shipped("prism-bench")
    published = load(prism.Params, path)
    judges = [published.models[slug] for slug in published.prism.judges]
    assert [judge.id.partition("-20")[0] for judge in judges] == ["gpt-4.1", "Qwen/Qwen2.5-VL-72B-Instruct"]
    assert {judge.sampling.temperature for judge in judges} == {0.0} and published.seed == 42
    assert published.prism.languages == ["en", "zh"]
    assert published.contestants["bagel_thinking"].variant_of == "bagel"
    served = example(path, tmp_path, monkeypatch).models.keys()
    assert served == published.contestants.keys() | set(published.prism.judges)


def example(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The run.toml that stands in a profile's last comment, read as `GAMUT_RUN`."""
    lines = [line for line in path.read_text().splitlines() if line.startswith("#   ")]
    start = next(number for number, line in enumerate(lines) if "max_cost" in line)
    (folder / "run.toml").write_text("\n".join(line[4:] for line in lines[start:]))
    monkeypatch.setenv("GAMUT_RUN", str(folder / "run.toml"))
    return settings.load()
