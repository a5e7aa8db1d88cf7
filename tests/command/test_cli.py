"""The command: thin, one line for what a person can fix, exit codes that scripts can trust."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from gamut.asking.models.extras import INSTALL_VLLM, install_command
from gamut.command import check, cli, profiles, reply_store
from gamut.command.check import Finding
from gamut.command.left_out import benchmark_items
from gamut.evaluation.defining.editions import freeze_edition
from gamut.project import parameters
from gamut.project.settings import Endpoint, Settings
from gamut.project.validation import read_yaml
from stages.aegis.shared.benchmark import AEGIS
from stages.prism.shared.items import PrismItem
from tests import fakes
from tests.in_command import gamut as call
from tests.paths import ROOT


def finding(monkeypatch: pytest.MonkeyPatch, *found: Finding) -> None:
    monkeypatch.setattr(check, "findings", lambda parameters: iter(found))


FOUND, ABSENT = Finding("git", True, True, "versions"), Finding("extra gpu", False, False, "for models")
MISSING = Finding("judge: gpt", False, True, "set `url`")


def test_check_when_all_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    finding(monkeypatch, FOUND, ABSENT)
    code, said = call("check")
    assert code == 0 and said.startswith(
        "ok      git: versions\nabsent  extra gpu: for models\nall that is needed is here: "
    )
    assert call("check", "--quiet") == (0, "")


def test_check_when_something_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    finding(monkeypatch, FOUND, MISSING)
    code, said = call("check", "--quiet")
    assert code == 1 and said.splitlines() == ["MISSING judge: gpt: set `url`", "1 needed thing is missing"]
    finding(monkeypatch, MISSING, MISSING)
    assert call("check")[1].endswith("2 needed things are missing\n")


def test_check_as_data(monkeypatch: pytest.MonkeyPatch) -> None:
    finding(monkeypatch, FOUND, MISSING)
    done = CliRunner().invoke(cli.app, ["check", "--json"])
    told, end = json.JSONDecoder().raw_decode(done.stdout)
    assert done.exit_code == 1 and done.stdout[end:].strip() == "1 needed thing is missing", "on stderr, but for click"
    assert [one["what"] for one in told["findings"] if not one["found"]] == ["judge: gpt"]
    finding(monkeypatch, FOUND)
    all_values = CliRunner().invoke(cli.app, ["check", "--json", "--all"]).stdout
    values = {one["key"]: one["value"] for one in json.loads(all_values)["values"]}
    assert values["seed"] == 0 and values["prism.judges"] == ["world", "world_strict"]


GPT, PAINTER = {"kind": "openai", "id": "Org/GPT"}, {"kind": "openai", "id": "org/painter"}
NAMED = {
    "same": {"class": "unified", "model": GPT | {"id": "org/gpt"}},
    "writer": {"class": "unified", "models": {"text": GPT, "image": PAINTER}},
    "elsewhere": {"class": "unified", "model": GPT},
    "reader": {"class": "understanding", "model": GPT},
    "world_painter": {"class": "generation", "model": {"kind": "sandbox"}},
}


def test_a_judge_that_is_a_contestant_too_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = {"gpt": GPT, "world": {"kind": "sandbox"}}
    named = [name for name in NAMED if name != "elsewhere"]
    prism = fakes.values()["prism"] | {"judges": ["gpt", "world"], "contestants": named}
    with monkeypatch.context() as there:
        there.setattr("gamut.publish.parameters.NAMES", ("prism", "other"))
        there.chdir(tmp_path)
        freeze_edition("prism", "small", [PrismItem(id="style/0", track="style", prompt="a cat", prompt_zh="猫")])
        found = list(
            check.judging_contestants(
                check.all_benchmark_items(fakes.everything(models=models, contestants=NAMED, prism=prism))
            )
        )
    # elsewhere is asked in another benchmark, reader has a class that is not asked, the world judges by rule
    assert [(one.what, one.remark.split(" and")[0]) for one in found] == [
        ("prism: judge gpt", "is also the contestant same"),
        ("prism: judge gpt", "is also the contestant writer"),
    ]
    finding(monkeypatch, FOUND, *found[:1])
    code, said = call("check", "--quiet")
    assert code == 0 and said == (
        "WARNING prism: judge gpt: is also the contestant same and may favour its own answers: add another judge\n"
    )


def test_who_can_do_nothing_of_a_benchmark_is_refused_in_its_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    freeze_edition("prism", "small", [PrismItem(id="style/0", track="style", prompt="a cat", prompt_zh="猫")])
    everything = fakes.everything(models={"gpt": GPT, "world": {"kind": "sandbox"}}, contestants=NAMED)
    [one] = check.idle_contestants(check.all_benchmark_items(everything))
    assert (one.what, one.found, one.needed) == ("prism: reader", False, True)
    assert one.remark.endswith("(it does understanding): remove it from prism.contestants")


def test_controls_of_who_does_less_than_another_are_warned_of() -> None:
    """The sandbox edition of AEGIS has five items a task, each in two settings."""
    wide = {"class": "unified", "model": GPT}
    contestants = {"narrow": wide | {"tasks": ["understanding", "generation", "editing"]}, "wide": wide}
    values = read_yaml(ROOT / "params.yaml")

    def warnings(controls_of: list[str]) -> list[str]:
        block = values["aegis"] | {"contestants": [*contestants], "controls_of": controls_of}
        own = {"contestants": contestants, "aegis": block}
        params = parameters.check_values(AEGIS.params, {**values, **own}, Path("params.yaml"))
        found = check.check_controls([benchmark_items(AEGIS, params)])
        return [one.remark for one in found if one.warning]

    assert warnings(["wide"]) == []
    [remark] = warnings(["narrow", "wide"])
    assert remark.startswith("cannot give 10 of the answers of aegis") and remark.endswith("controls_of, such as wide")


def test_a_role_over_http_needs_an_address_and_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = fakes.everything()
    monkeypatch.delenv("SOME_KEY", raising=False)

    def judge(**endpoint: Any) -> Finding:
        settings = Settings(models={"gpt": Endpoint(**endpoint)})
        return next(f for f in check.check_models(parameters, settings) if f.what == "judge: gpt")

    assert judge().remark == "set `url` under [models.gpt] in run.toml" and not judge().found
    lacking = judge(url="http://x", key_variable="SOME_KEY")
    remark = "set the environment variable that key_variable of [models.gpt] in run.toml names"
    assert lacking == Finding("judge: gpt", False, True, remark)
    monkeypatch.setenv("SOME_KEY", "secret")
    there = judge(url="http://x", key_variable="SOME_KEY")
    assert there == Finding("judge: gpt", True, True, "org/model at http://x")
    assert [f.what for f in check.check_models(parameters, Settings()) if f.found] == ["the embedded world"]


def role(model: dict[str, Any], name: str = "judge", **endpoint: Any) -> Finding:
    """What is found about a role that this model, `it`, fills."""
    models = fakes.values()["models"] | {"it": model}
    parameters = fakes.everything(models=models, roles=fakes.values()["roles"] | {name: "it"})
    [found] = [
        f
        for f in check.check_models(parameters, Settings(models={"it": Endpoint(**endpoint)}))
        if f.what == f"{name}: it"
    ]
    return found


DIGEST = f"sha256-{'0' * 64}"
LOCAL = {"kind": "transformers", "id": "org/model", "revision": DIGEST}


def test_a_detector_over_http_needs_a_convention_for_boxes() -> None:
    unknown = {"kind": "openai", "id": "org/model"}
    assert role(unknown, "detector", url="http://a").remark == (
        "set models.it.boxes in params.yaml to how this model gives boxes: pixels, pixels_by_28, thousandths, "
        "thousandths_y_first, fractions"
    )
    assert role(unknown | {"boxes": "fractions"}, "detector", url="http://a").found
    assert role(unknown | {"id": "Qwen/Qwen3-VL-8B-Instruct"}, "detector", url="http://a").found
    assert role(unknown, "judge", url="http://a").found


def test_a_role_with_weights_needs_their_folder_and_its_extra(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "is_installed", lambda extra: True)
    assert role(LOCAL).remark == "set `weights` under [models.it] in run.toml to the folder with this digest"
    lacking = role(LOCAL, weights="weights")
    assert lacking.remark == "the file or folder weights is missing: fix `weights` under [models.it] in run.toml"
    assert not lacking.found
    (project / "weights").mkdir()
    assert role(LOCAL, weights="weights").remark == "org/model by transformers from weights"
    monkeypatch.setattr(check, "is_installed", lambda extra: False)
    lacking = role(LOCAL, weights="weights")
    assert (lacking.found, lacking.remark) == (False, install_command("models"))
    painter = LOCAL | {"kind": "diffusers", "quantization": "fp8"}
    assert (
        role(painter, "painter", weights="weights").remark == f"{install_command('models')}; {install_command('speed')}"
    )


def test_a_role_that_vllm_fills_needs_the_program_and_no_other_kind_its_arguments(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "weights").mkdir()
    served, given = LOCAL | {"kind": "vllm"}, {"weights": "weights", "extra_args": ["--enforce-eager"]}
    monkeypatch.setattr(check, "is_installed", lambda extra: True)
    monkeypatch.setattr(check, "find_program", lambda name: None)
    assert (role(served, **given).found, role(served, **given).remark) == (False, INSTALL_VLLM)
    monkeypatch.setattr(check, "find_program", lambda name: "/opt/vllm")
    assert role(served, **given).found
    assert role(LOCAL, **given).remark == (
        "remove `extra_args` from [models.it] in run.toml: only models of kind vllm have them"
    )


def test_weights_on_the_hub_need_the_hub_or_its_cache(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(check, "is_installed", lambda extra: True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(project))
    commit = "0" * 40
    monkeypatch.setattr(constants, "is_offline_mode", lambda: True)
    lacking = role(LOCAL | {"revision": commit})
    assert lacking.remark == "org/model is not in the Hub's cache: unset HF_HUB_OFFLINE, or download it first"
    monkeypatch.setattr(constants, "is_offline_mode", lambda: False)
    assert role(LOCAL | {"revision": commit}).remark == "org/model by transformers from the Hub or its cache"


def test_a_role_that_a_folder_fills_needs_the_folder(project: Path) -> None:
    made = {"kind": "folder", "path": "made", "revision": DIGEST}
    lacking = role(made, "painter")
    assert lacking.remark == "the folder made is missing: add it, or fix models.it.path in params.yaml"
    (project / "made").mkdir()
    assert role(made, "painter") == Finding("painter: it", True, True, "made elsewhere, in made")


def test_a_cluster_needs_its_extra(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "is_installed", lambda extra: False)

    def engine() -> list[Finding]:
        return [finding for finding in check.findings(fakes.everything()) if finding.what == "ray"]

    assert engine() == []
    Path("run.toml").write_text('engine = "ray"')
    assert engine() == [Finding("ray", False, True, install_command("ray"))]


def test_a_source_file_is_looked_for(project: Path) -> None:
    source = {"kind": "file", "wave": "w", "path": "datasets/sources/a.csv", "columns": {"caption": "c"}}
    parameters = fakes.everything(sources=[source])
    [lacking] = check.check_sources(parameters)
    assert not lacking.found and lacking.needed and lacking.what == "datasets/sources/a.csv"
    (project / "datasets/sources").mkdir(parents=True)
    (project / "datasets/sources/a.csv").write_text("c\n")
    assert [f.found for f in check.check_sources(parameters)] == [True]


@pytest.mark.usefixtures("project")
def test_a_mistake_is_one_line_and_exit_1() -> None:
    assert call("check") == (1, "params.yaml does not exist: run this in the project's top folder\n")
    Path("params.yaml").write_text(json.dumps(fakes.values(seed=-1)))
    code, said = call("check")
    assert code == 1 and said.startswith("params.yaml: seed: -1 is not right") and said.count("\n") == 1
    assert call("use", "nothing")[0] == 1


class Commands:
    """Stands in for subprocess.run: notes commands, ends the n-th with a code."""

    def __init__(self, *codes: int) -> None:
        self.codes, self.seen = list(codes), []

    def __call__(self, command: list[str], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
        assert env["PATH"].startswith(str(Path(sys.executable).parent))
        self.seen.append(" ".join(command[2:]))
        return subprocess.CompletedProcess(command, self.codes.pop(0) if self.codes else 0)


def test_retry_asks_the_stage_and_then_all_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reply_store, "forget_failed", lambda stage: 1234)
    monkeypatch.setattr(subprocess, "run", commands := Commands())
    assert call("retry", "score") == (0, "score: 1,234 failed requests are asked again\n")
    assert commands.seen == ["dvc --wait-for-lock repro --force --single-item score", "dvc --wait-for-lock repro"]
    monkeypatch.setattr(subprocess, "run", commands := Commands(7))
    assert call("retry", "score")[0] == 7 and len(commands.seen) == 1


def test_help_is_quick_and_names_every_command() -> None:
    code, said = call("--help")
    assert code == 0 and all(name in said for name in ("check", "use", "retry", "store"))
    light = (
        "import sys, gamut.command.cli\nprint(*sorted({'pyarrow', 'torch', 'aiohttp', 'datasets'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", light], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_quiet_says_nothing_of_what_was_done_and_verbose_where_an_error_arose(monkeypatch: pytest.MonkeyPatch) -> None:
    finding(monkeypatch, FOUND)
    monkeypatch.setattr(profiles, "use_profiles", lambda names, force: iter(["params.yaml is now another"]))
    assert call("use", "parti")[1].startswith("params.yaml is now another\n")
    assert call("-q", "use", "parti") == call("--quiet", "check") == (0, "")
    assert call("-q", "list", "profiles")[1].startswith("profiles"), "what was asked for"
    code, said = call("list", "model")
    assert code == 1 and "Traceback" not in said
    code, told = call("-v", "list", "model")
    assert code == 1 and told.endswith(said) and "Traceback" in told and "listing.py" in told


BELOW = [["store", "prune"], ["store", "seed"], ["add", "contestant"]]
COMMANDS = [*([name] for name in get_command(cli.app).commands), *BELOW]  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_help_flows_and_its_examples_stand_alone(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of a paragraph ends where the next word does not fit: one column is free on either side."""
    monkeypatch.setenv("COLUMNS", str(width))
    for command in [[], *COMMANDS]:
        shown = call(*command, "--help")[1].partition("╭")[0].splitlines()
        for line, below in pairwise(one.strip() for one in shown):
            if line and below and not below.startswith("•"):
                assert len(line) + 1 + len(below.split()[0]) > width - 6, (command, line, below)
        examples = [line.strip() for line in shown if line.strip().startswith("•")]
        assert examples or (len(command) == 1 and command[0] in ("store", "add")), command
        assert all(one.startswith(("• gamut ", "• dvc ")) and "," not in one[-2:] for one in examples), examples


def test_import_datasets_is_hugging_face_when_run_from_the_top_folder() -> None:
    code = "import importlib.util as u; print(u.find_spec('datasets').origin)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (
        Path(done.stdout.strip()).name == "__init__.py" and ROOT / "datasets" not in Path(done.stdout.strip()).parents
    )


@pytest.mark.usefixtures("project")
def test_contestants_need_their_edition() -> None:
    assert list(check.check_editions(check.all_benchmark_items(fakes.everything()))) == []  # nobody is measured
    parameters = fakes.everything(contestants=fakes.two_contestants())
    [absent] = check.check_editions(check.all_benchmark_items(parameters))
    assert not absent.found and not absent.needed and absent.what == "datasets/editions/prism/small.jsonl"
    Path(absent.what).parent.mkdir(parents=True)
    Path(absent.what).write_text('{"id": "style/0", "track": "style", "prompt": "a cat", "prompt_zh": "猫"}')
    assert [(found.found, found.remark) for found in check.check_editions(check.all_benchmark_items(parameters))] == [
        (True, "1 item for contestants")
    ]


def test_the_version_is_that_of_pyproject(monkeypatch: pytest.MonkeyPatch) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert call("--version") == (0, f"gamut {version}\n")
    monkeypatch.setattr(cli, "DISTRIBUTION", "gamut-nowhere")
    assert call("--version") == (1, "gamut-nowhere is not installed here: `make install`\n")
