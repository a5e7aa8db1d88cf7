"""`gamut add contestant` and `gamut pin`: what comes into params.yaml, and that nothing does on any mistake."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gamut.asking.models.weights import digest
from gamut.command.contestants import adding, blocks
from gamut.command.contestants.outlook import split_benchmarks
from gamut.command.contestants.unified import beyond_families
from gamut.evaluation.bodies.answer import answer
from gamut.evaluation.defining.editions import freeze_edition
from gamut.project import settings
from gamut.project.errors import UserError
from gamut.project.parameters import load
from gamut.project.validation import read_yaml
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import PrismItem
from stages.prism.shared.parameters import Params as PrismParams
from tests import fakes
from tests.in_command import gamut as call

PARAMS = Path("params.yaml")
ITEMS = [PrismItem(id=f"style/{n}", track="style", prompt=f"{n} cubes", prompt_zh=f"{n} 个立方体") for n in range(4)]
COMMIT = "1" * 40
SERVER = ("--model", "org/flux", "--base-url", "http://localhost:8000/v1")
HEAD = "# Every value that can change a result.\n"
CONTESTANTS = """\
contestants:           # who is measured
  good:
    class: generation  # paints
    model: {kind: sandbox}
  # the last comment of all
"""


@pytest.fixture(autouse=True)
def small(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with an edition of four items and one contestant; no git."""
    monkeypatch.setattr(adding, "is_repository", lambda: False)
    values = fakes.values()
    others = [f"{key}: {json.dumps(value)}" for key, value in values.items() if key not in ("contestants", "prism")]
    prism = f"prism: {json.dumps(values['prism'])}\n"
    PARAMS.write_text(HEAD + "\n".join(others) + "\n" + CONTESTANTS + prism)
    freeze_edition("prism", "small", ITEMS)
    return project


def add(*arguments: str) -> str:
    code, said = call("add", "contestant", *arguments)
    assert code == 0, said
    return said


def kept_files() -> dict[str, bytes]:
    """What lies in the project, but for replies and what Python compiles."""
    passing = (".store", "__pycache__")
    return {path: of for path, of in fakes.contents(Path()).items() if not {*Path(path).parts} & {*passing}}


def refused(*arguments: str) -> str:
    """What is said in one line of a command that changes nothing."""
    before = kept_files()
    code, said = call("add", "contestant", *arguments)
    assert code == 1 and said.count("\n") == 1, said
    assert kept_files() == before
    return said.rstrip("\n")


def block(name: str) -> dict[str, Any]:
    return dict(read_yaml(PARAMS)["contestants"][name])


def pictures(folder: str, *names: str) -> Path:
    for name in names:
        path = Path(folder, f"{name}.jpg")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(fakes.jpeg(len(name)))
    return Path(folder)


def model_folder(folder: str, number: int = 0, kind: str = "qwen2") -> Path:
    Path(folder).mkdir(parents=True)
    Path(folder, "config.json").write_text(f'{{"model_type": "{kind}", "number": {number}}}')
    Path(folder, "model.safetensors").write_bytes(fakes.safetensors())
    return Path(folder)


def adapter_folder(folder: str, number: int = 0) -> Path:
    Path(folder).mkdir(parents=True)
    Path(folder, "pytorch_lora_weights.safetensors").write_bytes(fakes.safetensors(number.to_bytes(4)))
    return Path(folder)


IDS = [f"style/{n}" for n in range(4)]


def test_a_folder_comes_with_its_digest_and_nothing_else_changes(small: Path) -> None:
    before = PARAMS.read_text()
    made = pictures("outputs/mine", *IDS)
    said = add("mine", "--folder", "outputs/mine").splitlines()
    new = (
        "  mine:\n    class: generation\n    settings: {prism: [en]}\n"
        f"    model: {{kind: folder, path: outputs/mine, revision: {digest(made)}}}\n"
    )
    head, tail = before.split("  # the last comment of all\n")
    head = head.replace('"contestants": []', '"contestants": [mine]')
    tail = tail.replace('"contestants": []', '"contestants": [mine]')
    assert PARAMS.read_text() == head + new + "  # the last comment of all\n" + tail
    assert said == [
        "params.yaml: contestants.mine is new, of class generation: prism (en)",
        "outputs/mine is outside this repository, and is read from there",
        "prism: answers to en 4 of 4",
        "prism: no score yet: the embedded world (world) looks at answers, but sees only its own toy pictures, not "
        "those of real models: `gamut add judge NAME --model ID --base-url URL` adds models that see them",
        "`gamut check` says what is still missing, `gamut estimate` what a build with it needs",
        "then `dvc repro leaderboard` measures it, and nothing else",
    ]
    answer(PRISM, load(PrismParams), "mine")


@pytest.mark.parametrize(
    ("given", "benchmarks"),
    [
        ("a,b", ["a", "b"]),
        ("a:x,b:y,z,c:w", ["a:x", "b:y,z", "c:w"]),
        ("a,b:x", ["a", "b:x"]),
    ],
)
def test_benchmarks_of_one_option(given: str, benchmarks: list[str]) -> None:
    assert split_benchmarks(given) == benchmarks


def test_a_folder_of_both_settings_and_one_of_neither(small: Path) -> None:
    pictures("both", *(f"{setting}/{id}" for setting in ("en", "zh") for id in IDS))
    add("both", "--folder", "both")
    assert "settings" not in block("both") and read_yaml(PARAMS)["prism"]["contestants"][-1] == "both"
    pictures("zh", *IDS)
    add("zh", "--folder", "zh", "--benchmarks", "prism:zh")
    assert block("zh")["settings"] == {"prism": ["zh"]}
    pictures("half", *(f"en/{id}" for id in IDS))
    add("half", "--folder", "half")
    assert block("half")["settings"] == {"prism": ["en"]}
    answer(PRISM, load(PrismParams), "half")
    said = refused("more", "--folder", "half", "--benchmarks", "prism:en,zh")
    assert said.startswith("prism: half lacks 4 of 8 answers, at most 0 may fail: zh/style/0 (no file zh/style/0.png")
    pictures("neither", "a", "b")
    said = refused("neither", "--folder", "neither")
    assert said.startswith("neither has no answers to prism: no file in neither is named after an item of prism/small,")


def test_an_edition_that_is_not_there_is_said_and_no_class_is_blamed(small: Path) -> None:
    Path("datasets/editions/prism/small.jsonl").unlink()
    pictures("made", *IDS)
    for options in (("--folder", "made"), ("--folder", "made", "--benchmarks", "prism"), SERVER):
        assert refused("made", *options).endswith("`gamut import prism … small` makes it")


def test_a_list_of_prompts_says_on_which_settings(small: Path) -> None:
    lines = [{"id": n, "prompt": item.prompt_zh, "image_path": f"/x/{n}.jpg"} for n, item in enumerate(ITEMS)]
    pictures("made", *"0123")
    Path("made/list.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with Path("made/list.jsonl").open("a") as file:
        file.write('{"prompt": "five", "image_path": "3.jpg"}\n')
    said = add("made", "--folder", "made")
    assert "prism (zh)" in said and "1 file or line answers nothing that is asked: list.jsonl:5\n" in said
    answer(PRISM, load(PrismParams), "made")


def test_what_a_folder_lacks_is_named_and_may_be_missing_on_purpose(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures("made", "style/0")
    said = refused("made", "--folder", "made")
    assert said.startswith(
        "prism: made lacks 3 of 4 answers, at most 0 may fail: style/1 (no file style/1.png (or .jpg"
    )
    assert said.count("(no file style/") == 1 and " and 2 more: add them, allow this with `--max-failures 3`" in said
    assert "at most 2 may fail" in refused("made", "--folder", "made", "--max-failures", "2")
    pictures("made", "style/9")
    said = add("made", "--folder", "made", "--max-failures", "0.75")
    assert "made: 1 file or line answers nothing that is asked: style/9.jpg" in said
    assert block("made")["max_failures"] == 0.75
    answer(PRISM, load(PrismParams), "made")

    PARAMS.write_text(PARAMS.read_text().replace("max_failures: 0.75", "max_failures: 2"))
    with pytest.raises(UserError) as error:
        answer(PRISM, load(PrismParams), "made")
    said = str(error.value)
    assert said.startswith("prism.answer@made: made lacks 3 of 4 answers, at most 2 may fail: style/1 (no file")
    assert said.endswith("or allow them to be missing: `max_failures: 3` in contestants.made of params.yaml")


def test_a_model_behind_a_server_goes_into_run_toml_too(small: Path) -> None:
    Path("run.toml").write_text('max_cost = 5.0\n\n[models.gpt]\nurl = "http://x/v1"')
    add("flux", *SERVER, "--key-variable", "FLUX_KEY")
    assert block("flux") == {
        "class": "generation",
        "model": {"kind": "openai", "id": "org/flux"},
    }
    assert Path("run.toml").read_text() == (
        'max_cost = 5.0\n\n[models.gpt]\nurl = "http://x/v1"\n'
        '\n[models.flux]\nurl = "http://localhost:8000/v1"\nkey_variable = "FLUX_KEY"\n'
    )


def test_run_toml_that_cannot_be_read_or_says_something_else(small: Path) -> None:
    Path("run.toml").write_text("models = 3 4")
    assert "run.toml cannot be read as TOML" in refused("flux", *SERVER)
    Path("run.toml").write_text('[models.flux]\nurl = "http://other/v1"\n')
    assert "already has another [models.flux]: fix it by hand" in refused("flux", *SERVER)
    Path("run.toml").write_text('models = {gpt = {url = "http://other/v1"}}\n')
    assert "nothing can be added to it" in refused("flux", *SERVER)
    Path("run.toml").write_text('[models.flux]\nurl = "http://localhost:8000/v1"\nattempts = 2\n')
    assert "run.toml" not in add("flux", *SERVER)


def test_a_model_on_the_hub_is_pinned_by_a_commit(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add("flux", "--model", "org/flux", "--kind", "diffusers", "--revision", COMMIT, "--adapter", f"o/lora@{COMMIT}")
    assert block("flux")["model"] == {
        "kind": "diffusers",
        "id": "org/flux",
        "revision": COMMIT,
        "adapter": {"id": "o/lora", "revision": COMMIT},
    }
    monkeypatch.setattr("huggingface_hub.constants.is_offline_mode", lambda: True)
    said = refused("other", "--model", "org/flux", "--kind", "diffusers")
    assert said.startswith("org/flux: the Hub cannot be asked for the commit of main (HF_HUB_OFFLINE is set): give --r")
    said = refused("o", "--model", "org/flux", "--kind", "diffusers", "--revision", COMMIT, "--adapter", "runs/lora")
    assert said.startswith("--adapter runs/lora: this folder does not exist, and on the Hub: runs/lora: the Hub cannot")


def test_checkpoints_are_variants_that_are_compared_with_their_base(small: Path) -> None:
    folders = [adapter_folder(f"runs/checkpoint-{n}", n) for n in (500, 1000, 50)]
    base = ("--model", "org/flux", "--kind", "diffusers", "--revision", COMMIT, "--benchmarks", "prism:en")
    said = add("tuned", *base, "--checkpoints", "runs/checkpoint-*")
    assert list(read_yaml(PARAMS)["contestants"]) == ["good", "tuned", "tuned_50", "tuned_500", "tuned_1000"]
    assert block("tuned")["model"] == {"kind": "diffusers", "id": "org/flux", "revision": COMMIT}
    adapter = {"path": "runs/checkpoint-500", "revision": digest(folders[0])}
    assert block("tuned_500") == {
        "class": "generation",
        "variant_of": "tuned",
        "settings": {"prism": ["en"]},
        "model": {"kind": "diffusers", "id": "org/flux", "revision": COMMIT, "adapter": adapter},
    }
    assert said.endswith("`dvc repro leaderboard` measures them, and nothing else\n")
    more = add("more", *base, "--checkpoints", "runs/checkpoint-500", "--variant-of", "good")
    assert "contestants.more_500 is new" in more and block("more_500")["variant_of"] == "good"
    assert "more" not in read_yaml(PARAMS)["contestants"], "good is the base"


def test_what_stages_build_is_named_and_not_pinned(small: Path) -> None:
    """No digest in params.yaml, which a training would make wrong; nothing in run.toml; DVC keeps them out of git."""
    base = ("--model", "toy", "--kind", "unified", "--weights", "models/bases/toy", "--class", "unified")
    trained = (*base, "--checkpoints", "models/trained/release-0/step-*")
    said = refused("tuned", *trained)
    assert said == "tuned: the folder models/bases/toy does not exist: name one with weights"
    model_folder("models/bases/toy", kind="emu3")
    said = refused("tuned", *trained)
    assert said.startswith(
        "--checkpoints models/trained/release-0/step-*: these are not built yet: run `dvc repro stages/training/"
    )
    adapter_folder("models/trained/release-0/step-9"), model_folder("models/trained/release-0/step-20", kind="emu3")
    add("tuned", *trained)
    of = {name: block(name)["model"] for name in ("tuned", "tuned_0_9", "tuned_0_20")}
    assert [one["id"] for one in of.values()] == ["toy", "toy", "release-0/step-20"]
    assert {one["revision"] for one in of.values()} == {"built"}
    assert of["tuned_0_9"]["adapter"] == {"path": "models/trained/release-0/step-9", "revision": "built"}
    pair = ("--model", "toy", "--kind", "unified", "--weights", "models/bases/toy")
    add("pair", *pair, "--paints", "models/trained/release-0/step-20")
    both = block("pair")["models"]
    assert [(one["id"], one["revision"]) for one in both.values()] == [
        *[("toy", "built"), ("release-0/step-20", "built")]
    ]
    assert not Path("run.toml").exists() and not Path("models/.gitignore").exists()
    unpinned = "'tuned_0_9' has no folder, adapter or weights that a digest pins\n"
    assert call("pin", "tuned_0_9") == (1, unpinned)
    assert call("pin")[1] == "params.yaml pins nothing by a digest\n"


def test_checkpoints_may_be_whole_weights(small: Path) -> None:
    folders = [model_folder(f"runs/step_{n}", n) for n in (1, 2)]
    base = ("--model", "org/qwen", "--kind", "transformers", "--revision", COMMIT, "--class", "generation")
    said = refused("tuned", *base, "--checkpoints", "runs/step_*")
    assert "contestants.tuned.model.kind: 'transformers' is no generation model" in said
    prism = read_yaml(PARAMS)["prism"]
    assert prism  # no benchmark here asks chat models: blocks are looked at by themselves
    [_, *new] = blocks.new_contestants(
        blocks.Request("tuned", model="org/qwen", kind="vllm", revision=COMMIT, checkpoints="runs/step_*")
    )
    assert [one.name for one in new] == ["tuned_1", "tuned_2"]
    assert [one.block["model"]["revision"] for one in new] == [digest(folder) for folder in folders]
    assert [one.endpoints for one in new] == [{f"tuned_{n}": {"weights": f"runs/step_{n}"}} for n in (1, 2)]


def test_what_a_unified_checkpoint_does_its_config_says(small: Path) -> None:
    folder = model_folder("runs/janus", kind="janus")
    add("mine", "--model", "org/janus", "--kind", "unified", "--weights", "runs/janus")
    model = {"kind": "unified", "id": "org/janus", "revision": digest(folder), "painting": {"guidance_scale": 5.0}}
    assert block("mine") == {"class": "unified", "tasks": ["understanding", "generation"], "model": model}
    assert 'weights = "runs/janus"' in Path("run.toml").read_text()
    weights = ("--model", "org/x", "--kind", "unified", "--weights", "runs/janus")
    assert refused("x", *weights, "--class", "editing").startswith("--class editing: janus does only understanding and")
    said = refused("x", *weights, "--tasks", "generation,interleaved")
    assert "a model of kind unified answers with a text or a picture, never with both: write `tasks: [" in said
    other = model_folder("runs/other")
    said = refused("x", "--model", "org/x", "--kind", "unified", "--weights", str(other))
    assert said == "x: org/x is a 'qwen2', but kind unified runs only janus and emu3: name another --kind"
    said = refused("x", "--model", "org/x", "--kind", "unified", "--revision", COMMIT)
    assert said == "x: config.json of org/x, which says what it does, cannot be fetched: give --weights DIR"
    tuned = adapter_folder("runs/checkpoint-5")
    add("tuned", *weights, "--checkpoints", "runs/checkpoint-*")
    adapter = {"path": "runs/checkpoint-5", "revision": digest(tuned)}
    assert block("tuned_5")["model"]["adapter"] == adapter and block("tuned_5")["variant_of"] == "tuned"
    assert block("tuned_5")["tasks"] == ["understanding", "generation"]


def test_two_checkpoints_of_emu3_are_a_pair(small: Path) -> None:
    chats, paints = (model_folder(f"runs/{name}", number, "emu3") for number, name in enumerate(("chat", "gen")))
    base = ("--model", "org/chat", "--kind", "unified", "--weights", "runs/chat")
    assert "give the other as --paints DIR|ID@COMMIT, or say with --class what org/chat does" in refused("emu", *base)
    said = add("emu", *base, "--paints", "runs/gen")
    assert "run.toml: [models.emu_text], [models.emu_image]" in said
    painting = {"guidance_scale": 3.0, "top_k": 2048}
    assert block("emu") == {
        "class": "unified",
        "tasks": ["understanding", "generation"],
        "models": {
            "text": {"kind": "unified", "id": "org/chat", "revision": digest(chats)},
            "image": {"kind": "unified", "id": "gen", "revision": digest(paints), "painting": painting},
        },
    }
    add("both", *base, "--class", "unified")
    assert block("both")["tasks"] == ["understanding", "generation", "editing"]
    said = refused("more", *base, "--paints", "runs/gen", "--adapter", "runs/lora")
    assert said.startswith("--paints: an adapter or checkpoints could be of either model")


def test_who_edits_nothing_is_named_before_anything_runs(small: Path) -> None:
    model_folder("runs/janus", kind="janus")
    add("mine", "--model", "org/janus", "--kind", "unified", "--weights", "runs/janus")
    found = [*beyond_families(load(PrismParams).contestants, settings.load())]
    assert found == []
    text = PARAMS.read_text()
    PARAMS.write_text(text.replace("understanding, generation]", "understanding, editing]"))
    wrong = load(PrismParams).contestants
    assert wrong["mine"].tasks == ["understanding", "editing"]
    [(who, said)] = beyond_families(wrong, settings.load())
    assert who == "mine" and "a janus cannot edit, so edits would fail: write `tasks: [understanding]`" in said
    code, checked = call("check")
    assert code == 1 and "contestants.mine.tasks" in checked and "cannot edit" in checked.replace("\n", " ")


def test_who_paints_says_how(small: Path) -> None:
    model_folder("runs/janus", kind="janus")
    add("mine", "--model", "org/janus", "--kind", "unified", "--weights", "runs/janus")
    text = PARAMS.read_text()
    assert ", painting: {guidance_scale: 5.0}" in text
    PARAMS.write_text(text.replace(", painting: {guidance_scale: 5.0}", ""))
    with pytest.raises(UserError, match=r"kind unified needs `painting: \{guidance_scale: …\}`"):
        load(PrismParams)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("good", *SERVER),
            "params.yaml already has a contestant 'good': choose another name",
        ),
        (("Flux.1", *SERVER), "'Flux.1' cannot be a name: use a-z, 0-9 and _; did you mean 'flux_1'?"),
        (("world", *SERVER), "params.yaml: contestants.world: 'world' is a model's slug too"),
        (("x",), "give exactly one of --folder DIR (answers that were made elsewhere), --model ID and --python"),
        (("x", "--folder", "datasts"), "--folder: the folder datasts does not exist"),
        (("x", *SERVER, "--kind", "opnai"), "--kind: a contestant cannot be of kind 'opnai'; did you mean 'openai'?"),
        (("x", *SERVER, "--benchmarks", "prsm"), "--benchmarks: there is no benchmark 'prsm'; did you mean 'prism'?"),
        (
            ("x", *SERVER, "--benchmarks", "prism:eng"),
            "--benchmarks prism: there is no setting 'eng'; did you mean 'en'?",
        ),
        (("x", *SERVER, "--variant-of", "goood"), "--variant-of: there is no contestant 'goood'; did you mean 'good'?"),
        (
            ("x", *SERVER, "--max-failures", "few"),
            "--max-failures few: give a count (such as 3) or a share below 1 (such as 0.01)",
        ),
        (("x", *SERVER, "--adapter", "a/b"), "--adapter cannot be used with kind openai"),
        (
            ("x", "--model", "a/b"),
            "--model needs --kind (what runs it: openai, diffusers, transformers, unified, vllm), or --base-url",
        ),
        (("x", "--model", "a/b", "--base-url", "localhost:8000"), "run.toml: models.x.url: http(s)://host:port/path"),
        (("x", *SERVER, "--class", "understanding"), "x can answer nothing of prism: its items need generation, wh"),
        (
            ("x", "--model", "a/b", "--kind", "diffusers", "--revision", COMMIT, "--checkpoints", "r-*"),
            "--checkpoints r-*",
        ),
        (("x", "--model", "a/b", "--kind", "diffusers", "--weights", "nowhere"), "x: the folder nowhere does not ex"),
    ],
)
def test_what_does_not_fit_is_said_in_one_line_and_changes_nothing(
    small: Path, arguments: tuple[str, ...], said: str
) -> None:
    assert said in refused(*arguments)


def test_the_project_itself_is_no_folder_of_answers(small: Path) -> None:
    pictures(".", *IDS)
    said = refused("x", "--folder", ".")
    assert said == ". contains this project: name a folder that holds nothing else"


def test_a_link_that_gives_another_file_away_is_refused(small: Path) -> None:
    made = pictures("outputs/mine", *IDS)
    (made / "style/9.txt").symlink_to("/etc/hostname")
    said = refused("mine", "--folder", "outputs/mine")
    assert said.startswith(
        f"mine: {small}/outputs/mine/style/9.txt: this link leads out of the folder: put the file itself"
    )


@pytest.mark.parametrize("name", ["dvc.yaml", "style/dvc.lock", "1.png.dvc"])
def test_what_dvc_would_run_is_no_answer(small: Path, name: str) -> None:
    made = pictures("outputs/mine", *IDS)
    (made / name).write_text("stages: {theirs: {cmd: theirs}}\n")
    said = refused("mine", "--folder", "outputs/mine")
    assert said == f"mine: {small}/outputs/mine/{name}: DVC would obey this file, which is no answer: delete it"


def test_who_is_overtaken_touches_nothing(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def overtaken(everything: Any, new: Any) -> list[str]:
        PARAMS.write_text(PARAMS.read_text() + "# another command was quicker\n")
        return []

    pictures("outputs/mine", *IDS)
    monkeypatch.setattr("gamut.command.contestants.outlook.require_answers", overtaken)
    monkeypatch.setattr(adding, "keep_out_of_git", lambda folder: pytest.fail("it was kept"))
    code, said = call("add", "contestant", "mine", "--folder", "outputs/mine")
    assert (code, said) == (1, "params.yaml has changed meanwhile: run this again\n")


NEXT = "`dvc repro leaderboard` asks the changed models again, and no others"


def test_digests_are_pinned_anew(small: Path) -> None:
    made, lora = pictures("made", *IDS), adapter_folder("lora")
    add("mine", "--folder", "made")
    add("flux", "--model", "org/flux", "--kind", "diffusers", "--revision", COMMIT, "--adapter", "lora")
    before, pinned = PARAMS.read_text(), (digest(made), digest(lora))
    assert call("pin", "--check")[1].endswith("\nparams.yaml is up to date: no model is asked again\n")
    pictures("made", "style/4")
    (lora / "README.md").write_text("by hand")
    code, said = call("pin", "--check")
    assert code == 1 and said.splitlines()[-1] == "2 digests differ: `gamut pin` writes the present ones"
    assert PARAMS.read_text() == before
    with pytest.raises(UserError, match=r"is sha256-.*, but params\.yaml has .*`gamut pin`"):
        answer(PRISM, load(PrismParams), "mine")
    Path("made.dvc").touch()
    code, said = call("pin", "mine")
    assert (code, said.splitlines()[1:]) == (0, ["made is tracked by DVC: run `dvc add made`", NEXT])
    assert PARAMS.read_text() == before.replace(pinned[0], digest(made))
    assert call("pin") == (
        0,
        f"contestants.mine.model.revision: made is unchanged\n"
        f"contestants.flux.model.adapter.revision: lora is now {digest(lora)}, it was {pinned[1]}\n{NEXT}\n",
    )
    assert PARAMS.read_text() == before.replace(pinned[0], digest(made)).replace(pinned[1], digest(lora))
    answer(PRISM, load(PrismParams), "mine")
    assert call("pin", "mien") == (1, "there is no model or contestant 'mien'; did you mean 'mine'?\n")
    assert call("pin", "wrold") == (1, "there is no model or contestant 'wrold'; did you mean 'world'?\n")
    assert call("pin", "world") == (
        1,
        "'world' has no folder, adapter or weights that a digest pins; known are: flux, mine\n",
    )
    (lora / "README.md").unlink()
    lora.rename("moved")
    assert "the folder lora is missing: add it, or fix the adapter's path" in call("check")[1]
    assert "lora is not on this machine; its digest stays" in call("pin")[1]
    assert call("pin", "flux")[1].startswith("contestants.flux.model.adapter.revision: lora does not exist: put it")


def test_weights_are_pinned_by_a_commit_until_they_are_named(small: Path) -> None:
    Path("run.toml").write_text('[models.flux]\nweights = "weights"\n')
    folder = model_folder("weights")
    add("flux", "--model", "org/flux", "--kind", "diffusers", "--revision", COMMIT)
    assert call("pin") == (0, "params.yaml pins nothing by a digest\n")
    assert call("pin", "flux")[0] == 0
    assert block("flux")["model"]["revision"] == digest(folder)


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout


def test_folders_are_kept_out_of_git(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.chdir(small)
    git("init", "-q")
    made = pictures("outputs/mine [1]", *IDS)
    shares = f"so only this machine has it; to share it by DVC, run `dvc add {made}`"
    assert adding.keep_out_of_git(made) == f"{made} is now ignored by git (outputs/.gitignore), {shares}"
    assert adding.keep_out_of_git(made) == f"{made} is already ignored by git, {shares}"
    git("add", "--all")
    assert not [path for path in git("ls-files").splitlines() if "mine" in path]
    pictures("tracked", "a")
    git("add", "tracked")
    assert adding.keep_out_of_git(Path("tracked")).startswith("tracked is tracked by git")
    assert adding.keep_out_of_git(small.parent).endswith("is outside this repository, and is read from there")
    other = pictures("other", "a")
    Path("other.dvc").write_text("outs: []\n")
    assert adding.keep_out_of_git(other) == "other is tracked by DVC (other.dvc): after a change, run `dvc add other`"


MODELS = Path("stages/mine/models")


def test_a_python_file_is_written_as_a_template_that_answers_and_is_added(small: Path) -> None:
    before = PARAMS.read_text()
    said = add("mine", "--python", "my_model.py").splitlines()
    assert block("mine") == {
        "class": "unified",
        "model": {"kind": "python", "file": f"{MODELS}/my_model.py", "function": "answer"},
    }
    assert said[:3] == [
        f"{MODELS}/my_model.py is new: a template, it answers with its prompt or a plain picture: put your model there",
        "prism en/style/0: it answered a picture of 256x256 pixels",
        "params.yaml: contestants.mine is new, of class unified: prism (en, zh)",
    ]
    PARAMS.write_text(before)
    (MODELS / "my_model.py").write_text("def answer(parts, wants, size, seed):\n    return parts[0]\n")
    said = refused("mine", "--python", f"{MODELS}/my_model.py", "--class", "generation")
    assert said == "prism en/style/0: missing_output: it returned a text; expected one picture: nothing is added"
    (MODELS / "my_model.py").write_text("def answer(parts, wants, size, seed):\n    return 1 / 0\n")
    code, said = call("add", "contestant", "mine", "--python", "my_model.py")
    failed = f"transport_error: {MODELS}/my_model.py, line 2: ZeroDivisionError: division by zero: nothing is added"
    assert code == 1 and said.splitlines()[-1] == f"prism en/style/0: {failed}" and PARAMS.read_text() == before


def test_a_python_file_from_elsewhere_is_copied(small: Path) -> None:
    elsewhere, copy = Path("elsewhere/painter.py"), MODELS / "painter.py"
    elsewhere.parent.mkdir()
    elsewhere.write_text(
        "from PIL import Image\n\ndef answer(parts, wants, size, seed):\n    return Image.new('RGB', size)\n"
    )
    said = add("mine", "--python", str(elsewhere), "--class", "generation")
    assert said.startswith(f"{copy} is a copy of {elsewhere}, which is not read any more: change the copy\n")
    assert copy.read_bytes() == elsewhere.read_bytes()
    elsewhere.write_text("another = 1\n")
    assert refused("other", "--python", str(elsewhere)).startswith(f"--python {elsewhere}: {copy} exists and differs")


def test_weights_of_a_python_file_are_pinned_and_pinned_again(small: Path) -> None:
    Path("w.pt").write_bytes(b"1")
    add("mine", "--python", "my_model.py", "--weights", "w.pt")
    assert block("mine")["model"]["revision"] == digest(Path("w.pt"))
    assert settings.load().endpoint("mine").weights == "w.pt"
    Path("w.pt").write_bytes(b"2")
    code, said = call("pin", "mine")
    assert code == 0 and block("mine")["model"]["revision"] == digest(Path("w.pt")), said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--python", "elsewhere/a.py"), "--python elsewhere/a.py does not exist; a name without a folder writes a"),
        (("--python", "a.txt"), "--python a.txt: a Python file below stages/mine/models is expected"),
        (("--python", "a.py", "--kind", "openai"), "--kind cannot be used with a Python file: leave it out"),
        (("--python", "a.py", "--weights", "gone"), "--weights: the file or folder gone does not exist"),
    ],
)
def test_a_python_file_lies_in_its_folder_and_takes_no_options_of_others(
    small: Path, arguments: tuple[str, ...], said: str
) -> None:
    assert refused("x", *arguments).startswith(said)


def test_a_contestant_is_mended_in_place_and_keeps_what_is_not_said(small: Path) -> None:
    add("bagel", *SERVER, "--variant-of", "good", "--max-failures", "3")
    text = PARAMS.read_text()
    PARAMS.write_text(
        text.replace("{kind: openai, id: org/flux}", "{kind: openai, id: org/flux, sampling: {top_p: 0.5}}")
    )
    add("last", *SERVER)
    said = add("bagel", *SERVER, "--pictures-from", "chat", "--replace")
    assert "contestants.bagel is replaced, of class unified: prism (en, zh)" in said and "by /chat/" in said
    assert block("bagel") == {
        "class": "unified",
        "variant_of": "good",
        "max_failures": 3,
        "model": {"kind": "openai", "id": "org/flux", "sampling": {"top_p": 0.5}, "pictures_from": "chat"},
    }
    assert [*read_yaml(PARAMS)["contestants"]] == ["good", "bagel", "last"]
    assert read_yaml(PARAMS)["prism"]["contestants"] == ["bagel", "last"]
    PARAMS.write_text(PARAMS.read_text().replace("variant_of: good", "settings: {prism: [zh]}"))
    before = block("bagel")
    add("bagel", *SERVER, "--max-failures", "4", "--replace")
    assert block("bagel") == before | {"max_failures": 4}, "class and settings stay too"
    assert refused("bagle", *SERVER, "--replace").startswith("--replace: there is no contestant 'bagle'; did you mean")
    assert "already has another [models.bagel]" in refused("bagel", "--model", "x", "--base-url", "u", "--replace")
    add(
        "bagel", "--folder", pictures("made", *(f"zh/{id}" for id in IDS)).name, "--replace", "--benchmarks", "prism:zh"
    )
    assert block("bagel")["settings"] == {"prism": ["zh"]}
    assert "prism (en, zh)" in add("bagel", *SERVER, "--replace"), "what a folder held narrows no model"
    assert block("bagel").keys() == {"class", "max_failures", "model"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "by /images/generations; if it makes them in chats, as for a unified model, give --pictures-from chat"),
        (("--pictures-from", "chat"), "by /chat/completions; without --pictures-from, by /images/generations"),
    ],
)
def test_how_a_server_is_asked_for_pictures_is_said(small: Path, options: tuple[str, ...], words: str) -> None:
    assert f"the server is asked for pictures {words}" in add("flux", *SERVER, *options)


def test_a_judge_takes_the_place_of_toys(small: Path) -> None:
    models = read_yaml(PARAMS)["models"]
    lines = "".join(f"  {slug}: {json.dumps(model)}\n" for slug, model in models.items())
    PARAMS.write_text(PARAMS.read_text().replace(f"models: {json.dumps(models)}\n", f"models: # by slug\n{lines}"))
    code, said = call(
        "add", "judge", "eyes", "--model", "org/eyes", "--base-url", "http://h/v1", "--key-variable", "KEY"
    )
    assert code == 0, said
    assert said.splitlines()[:3] == [
        "params.yaml: models.eyes is new; it judges prism",
        "prism: it replaces world of the embedded world",
        "run.toml: [models.eyes]",
    ]
    values = read_yaml(PARAMS)
    assert values["models"]["eyes"] == {"kind": "openai", "id": "org/eyes"} and values["prism"]["judges"] == ["eyes"]
    assert Path("run.toml").read_text() == '[models.eyes]\nurl = "http://h/v1"\nkey_variable = "KEY"\n'
    assert "# paints" in PARAMS.read_text() and "# by slug" in PARAMS.read_text()
    code, said = call("add", "judge", "other", "--model", "org/other", "--base-url", "http://h/v1")
    assert code == 0 and read_yaml(PARAMS)["prism"]["judges"] == ["eyes", "other"], "who sees real pictures stays"
    pictures("mine", *IDS)
    assert "embedded world" not in add("mine", "--folder", "mine")
    for name, options, words in (
        ("eyes", (), "already has a model 'eyes'"),
        ("good", (), "contestants.good: 'good' is a model's slug too"),
        ("x", ("--kind", "diffusers"), "a judge cannot be of kind 'diffusers'"),
        ("x", ("--benchmarks", "gir"), "the key gir is missing"),
    ):
        kept = PARAMS.read_bytes()
        code, said = call("add", "judge", name, "--model", "m", "--base-url", "http://h/v1", *options)
        assert code == 1 and words in said and said.count("\n") == 1 and PARAMS.read_bytes() == kept, said
