"""README, walked: its commands in order in a clone of a small build, and what each says.

A line of a block is a command, and so is code in the text that begins with a tool's name. What a comment names is typed
before the comment's line. A block of `toml` is the run.toml of the reader.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import typer
from PIL import Image

from gamut.asking.requests import Chat, Reply, Request
from gamut.command.cli import app
from gamut.command.profiles import PROFILES_NOTE
from tests.end_to_end.project import Project
from tests.end_to_end.walking import REPOSITORY, judge, printed_by, publish_aegis, surroundings
from tests.hub.server import Hub
from tests.paths import ROOT
from tests.plausible import plausible_reply
from tests.stub_server import stub_server

README = (ROOT / "README.md").read_text()
TYPED = re.compile(r"^```(?P<kind>\w*)\n(?P<block>.*?)^```$|`(?P<code>[^`]+)`", re.DOTALL | re.MULTILINE)
TOOL = re.compile(r"(?:\.|dvc|gamut|git|make|pip|python) |gamut\.\w+\(")


def commands(page: str) -> Iterator[str]:
    """Yield what a reader types, from the first heading on."""
    for found in TYPED.finditer(page[page.index("\n## ") :]):
        if found["code"]:
            yield from in_text(found[0])
        elif found["kind"] == "toml":
            yield f"cat > run.toml <<'EOF'\n{found['block']}EOF"
        else:
            assert found["kind"] == "", "a block of commands, or of run.toml"
            for line in found["block"].splitlines():
                command, _, comment = line.partition(" #")
                yield from in_text(comment)
                yield command.strip()


def in_text(text: str) -> list[str]:
    return [code for code in re.findall(r"`([^`]+)`", text) if TOOL.match(code)]


class Step(NamedTuple):
    """A command by its first line; a pattern that some of what it prints has; what README's text has a reader do before
    it; and the code with which it ends.
    """

    command: str
    says: str = r"\A\Z"
    before: str = ":"
    code: int = 0


AS_GIVEN = f"mkdir -p {PROFILES_NOTE.parent} && cp params.yaml {PROFILES_NOTE}"
"""The parameters of the small build are what its profile has given."""
BUILT = f"cp -a '{REPOSITORY}/.store' . && cp -a '{REPOSITORY}/.dvc/cache' .dvc && dvc checkout --quiet && {AS_GIVEN}"
"""So that `make run` finds everything built."""
CAPTIONS = (
    "git checkout --quiet -b captions && printf 'caption\\na blue car\\nan owl\\n' > datasets/sources/captions.csv"
)
FEWER = "sed -i '/^- wave: imaginative/,/count/ s/count: 50/count: 4/' params.yaml"
PICTURES = f"""git checkout --quiet - && {AS_GIVEN} && cp -r ../outputs .
printf '[models.world]\\nconcurrency = 1\\n' >> run.toml"""
COMMITTED = "git add --all && git commit --quiet --message 'my model'"
WITHOUT_AEGIS = "rm -r datasets/edition*/aegis/released*"
"""Its items would be held out of the dataset, of which most would be built anew."""
PUBLICATION = f"""cd ../gamut
sed -i 's/dataset: {{title: [^}}]*/&, repo: lab\\/pictures, license: cc0-1.0/' params.yaml
echo '  pages: {{repo: lab/pages, license: cc0-1.0}}' >> params.yaml
dvc repro --quiet && {COMMITTED}"""
NEW_CLONE = f"git clone --quiet {REPOSITORY} ../paper && cd ../paper && {AS_GIVEN}"

STEPS = (
    Step("git clone <this repository> gamut && cd gamut", "Cloning into 'gamut'"),
    Step("make run", r"^released: 25 pictures(.*\n)+look at it: report/index\.html$", f"make install && {BUILT}"),
    Step(". .venv/bin/activate"),
    Step("gamut check", r"^all that is needed is here"),
    Step("gamut show prism style/0", r"^  scores by world: alignment \d+, aesthetic \d+$"),
    Step("gamut --help", r"│ publish "),
    Step("cat > run.toml <<'EOF'", before=CAPTIONS),
    Step(
        "gamut use openai",
        r"^params\.yaml is now made of profiles/openai\.yaml: (.*\n)+not part of the build, .*: prism$",
    ),
    Step("gamut estimate", r"│ total +│ .* │ 0\.\d\d │$", FEWER),
    Step("gamut check --ask", r"paint .* cost 0\.0530$(.*\n)+all that is needed is here"),
    Step("gamut try 3", r"for about 0\.\d\d: `gamut try 3 --yes` does it$", code=1),
    Step("make run", r"^failures: none$(.*\n)+look at it: report/index\.html$"),
    Step("git add --all && git commit --message 'my captions'", r"create mode 100644 datasets/sources/captions\.csv$"),
    Step("gamut add contestant mine --folder outputs/mine", r"^prism: answers to en 14 of 14$", PICTURES),
    Step("gamut add contestant handmade --python my_model.py", r"^params\.yaml: contestants\.handmade is new"),
    Step("gamut add contestant flux --model ORG/NAME --base-url http://…/v1", r"contestants\.flux is new"),
    Step("gamut add judge qwen --model ORG/NAME --base-url http://…/v1", r"^prism: it replaces world"),
    Step("dvc repro leaderboard", r"^leaderboard: \d+ values of prism$"),
    Step("gamut board && gamut compare careful mine", r"│ mine .*(.*\n)+^PRISM-Bench +\w+ .* en by qwen"),
    Step("gamut import aegis --download", r"^datasets/editions/aegis/released\.jsonl: 10 items"),
    Step('gamut.board("prism")', r"careful +overall"),
    Step("pip install dvc-s3", r"^dvc-s3 \d"),
    Step("dvc remote add --default storage s3://lab/gamut", "Setting 'storage' as a default remote"),
    Step("dvc push", r"^\d+ files pushed$", f"{WITHOUT_AEGIS} && {COMMITTED}"),
    Step("make install", before="git clone --quiet . ../colleague && cd ../colleague"),
    Step("dvc pull && gamut store seed --all", r"replies restored"),
    Step(
        "gamut publish dataset --dry-run",
        r"→ lab/pictures \(a new repository\): 25 rows",
        PUBLICATION,
    ),
    Step("gamut publish pages", r"/spaces/lab/pages shows them$"),
    Step("dvc exp run --name entity-9 -S categorize.entity=9 statistics calibrate", "results have been applied"),
    Step("dvc metrics diff HEAD entity-9", r"^metrics/filters\.json +recall +0\.\d+ +0\.\d+ +-0\.\d+$"),
    Step("gamut use flux-reason-6m", r"^params\.yaml is now made of profiles/flux-reason-6m\.yaml", NEW_CLONE),
    Step("gamut estimate flux-reason-6m", r"^│ total "),
)


def require_known(page: str) -> None:
    assert [command.partition("\n")[0] for command in commands(page)] == [step.command for step in STEPS]


CHANGES = (
    ("gamut estimate  ", "gamut estimate\ngamut list  "),
    (" --dry-run", ""),
    ("`gamut check` says", "`gamut check --all` says"),
    ("```\n\nMore: [docs/dataset.md]", "```\n\n```\ngamut list\n```\n\nMore: [docs/dataset.md]"),
    ("after `make install`", "after make"),
)


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_a_change_of_commands_is_noticed(old: str, new: str) -> None:
    assert README.count(old) == 1
    require_known(README)
    with pytest.raises(AssertionError):
        require_known(README.replace(old, new))


def test_options_that_comments_name_are_there() -> None:
    """Beside a command that is typed without them."""
    lines = [line.partition(" #")[::2] for line in README.splitlines() if line.startswith("gamut ")]
    named = {line: found for line, comment in lines if (found := re.findall(r"--[a-z-]+", comment))}
    assert sum(map(len, named.values())) == 3
    for line, options in named.items():
        command: Any = typer.main.get_command(app)
        for word in line.split()[1:]:
            command = getattr(command, "commands", {}).get(word, command)
        assert {*options} <= {name for parameter in command.params for name in parameter.opts}, line


def answer(request: Request) -> Reply:
    """Every model of README: the judge of a benchmark sees what a picture looks like."""
    is_judged = isinstance(request, Chat) and request.name.startswith("prism_")
    return judge(request) if is_judged else plausible_reply(request)


def put_pictures(folder: Path, project: Project) -> None:
    """Put a picture for each item of PRISM-Bench in a project into a folder, with less contrast than its contestants
    have.
    """
    chance = np.random.default_rng(0)
    for line in (project.folder / "datasets/editions/prism/small.jsonl").read_text().splitlines():
        path = folder / f"{json.loads(line)['id']}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(chance.integers(100, 155, (64, 64, 3), np.uint8)).save(path)


@pytest.mark.timeout(1800)  # where others use the machine too
def test_readme_is_typed(original: Project, hub: Hub, tmp_path: Path) -> None:
    require_known(README)
    put_pictures(tmp_path / "outputs/mine", original)
    publish_aegis(hub)
    hub.user = "lab"
    typed = [
        part
        for step, command in zip(STEPS, commands(README), strict=True)
        for part in (step.before, f"{command} && exit 99 || [ $? = {step.code} ]" if step.code else command)
    ]
    variables = original.environment | surroundings(tmp_path, hub) | {"OPENAI_API_KEY": "sk-1"}
    with stub_server(answer) as stub:
        replaced = {
            REPOSITORY: str(original.folder),
            "https://api.openai.com/v1": stub.url,
            "http://…/v1": stub.url,
            "s3://lab/gamut": str(tmp_path / "remote"),
            'gamut.board("prism")': """python -c 'import gamut; print(gamut.board("prism"))'""",
        }
        printed = printed_by(typed, tmp_path, variables, replaced)[1::2]
    wrong = [
        f"$ {step.command}\nprinted\n{text}\nwanted is\n{step.says}"
        for step, text in zip(STEPS, printed, strict=True)
        if not re.search(step.says, text, re.MULTILINE)
    ]
    assert not wrong, "\n\n".join(wrong)
