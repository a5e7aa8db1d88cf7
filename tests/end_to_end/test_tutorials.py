"""The tutorials, walked: their commands in order in a clone, and every output that they show.

A page's blocks of `sh` are run in one shell; a block of `text` after one is what it printed, a line of `…` any lines.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
from pathlib import Path

import pytest

from gamut.evaluation.defining.editions import read_edition
from stages.prism.shared.items import TRACKS, PrismItem
from tests.end_to_end.project import PER_TRACK, SIZES, Project, copy_checkout, opened
from tests.end_to_end.walking import REPOSITORY, judge, printed_by, publish_aegis, surroundings
from tests.hub.server import Hub
from tests.paths import ROOT
from tests.prism.captions import write_captions
from tests.stub_server import stub_server

MASKS = (
    (r"\b\d+(?:\.\d+)? (?:B|[kKMG]B)\b", "SIZE"),
    (r"\b\d+(?:\.\d+)? (?:ms|s|seconds?|minutes?|min|h)\b", "TIME"),
    (r"\b[0-9a-f]{8,64}\b", "DIGEST"),
    (r"\bdisk: \d+(?:\.\d+)? GB free.*", "DISK"),
    (r"(?:https?://[\w.:-]+(?=/datasets/)|(?<![\w.])/(?:tmp|home|dev/shm)\b[^\s:,)]*)", "PLACE"),
)
WORDS_OF_A_TUTORIAL = 900


def masked(text: str) -> str:
    """Without what differs from one run to the next: sizes, times, digests, places; and without margins."""
    for pattern, name in MASKS:
        text = re.sub(pattern, name, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def blocks(page: str) -> list[tuple[str, str | None]]:
    """Commands of a page with the output that is shown of them."""
    found = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert len(re.findall(r"^```", page, re.MULTILINE)) == 2 * len(found)
    pairs: list[tuple[str, str | None]] = []
    for kind, text in found:
        if kind == "sh":
            pairs.append((text, None))
        else:
            assert kind == "text" and pairs[-1][1] is None, "an output stands behind its commands"
            pairs[-1] = (pairs[-1][0], text)
    return pairs


def is_shown(shown: str, printed: str) -> bool:
    """Whether the lines that are shown are those that were printed, all of them but where `…` stands."""
    parts = [re.escape(part) for part in re.split(r"^…$", masked(shown), flags=re.MULTILINE)]
    return re.fullmatch(".*".join(parts), masked(printed), re.DOTALL) is not None


def require_walked(page: str, project: Project, replaced: dict[str, str]) -> None:
    """AssertionError where a command of a page fails, or prints other lines than are shown."""
    pairs = blocks(page)
    printed = printed_by([commands for commands, _ in pairs], project.folder, project.environment, replaced)
    wrong = [
        f"$ {commands}\nprinted\n{text}\nshown is\n{shown}"
        for (commands, shown), text in zip(pairs, printed, strict=True)
        if shown is not None and not is_shown(shown, text)
    ]
    assert not wrong, "\n\n".join(wrong)


def tutorial(name: str) -> str:
    page = (ROOT / "docs" / name).read_text()
    assert len(page.split()) <= WORDS_OF_A_TUTORIAL
    return page


PAGE = """\
```sh
echo 'one of 12 in 5 s'
echo two
```

```text
one of 12 in 9 s
…
```
"""


CHANGES = (("of 12", "of 13"), ("in 9 s", "at 9 s"), ("echo two", "false"), ("…\n", ""), ("…", "three"))


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_a_change_of_a_page_is_noticed(tmp_path: Path, old: str, new: str) -> None:
    project = Project(tmp_path, dict(os.environ))
    require_walked(PAGE, project, {})
    with pytest.raises(AssertionError):
        require_walked(PAGE.replace(old, new, 1), project, {})


@pytest.fixture
def to_walk(tmp_path: Path, hub: Hub) -> Project:
    """A folder with this project as a repository in `theirs`, from which git clones; commands speak to a test Hub."""
    theirs = opened(tmp_path / "theirs")
    theirs.folder.mkdir()
    copy_checkout(theirs.folder)
    theirs.run("git", "init", "--quiet")
    theirs.commit()
    as_readers_have_it = {key: value for key, value in theirs.environment.items() if key not in SIZES}
    return Project(tmp_path, as_readers_have_it | surroundings(tmp_path, hub))


def put_model(folder: Path) -> None:
    """Put a tiny Janus with random weights and a LoRA adapter of it into a folder."""
    import torch
    from safetensors.torch import load_file, save_file

    from tests import tiny_unified

    base = tiny_unified.janus(folder / "weights/base")
    generation = json.loads((base / "generation_config.json").read_text())
    generation["eos_token_id"] = generation["eos_token_id"][:5]  # fewer bytes end a reply: none is empty
    (base / "generation_config.json").write_text(json.dumps(generation))
    layer, name = "language_model.layers.0.self_attn.q_proj", "adapter_model.safetensors"
    outputs, inputs = load_file(base / "model.safetensors")[f"model.{layer}.weight"].shape
    chance = torch.Generator().manual_seed(3)
    factors = {"lora_A": torch.randn(2, inputs, generator=chance), "lora_B": torch.randn(outputs, 2, generator=chance)}
    lora = folder / "runs/lora"
    lora.mkdir(parents=True)
    save_file({f"base_model.model.model.{layer}.{key}.weight": of for key, of in factors.items()}, lora / name)
    config = {"peft_type": "LORA", "task_type": "CAUSAL_LM", "r": 2, "lora_alpha": 4, "target_modules": [layer]}
    (lora / "adapter_config.json").write_text(json.dumps(config))


def publish_items(folder: Path, hub: Hub) -> None:
    """Publish a few items as those of both benchmarks are: in a git repository, and on the Hub."""
    prism = opened(folder / "prism-bench.git")
    items = read_edition("prism", "sandbox", PrismItem)
    some = [item for track in TRACKS for item in [one for one in items if one.track == track][:PER_TRACK]]
    write_captions(some, prism.folder / "captions")
    prism.run("git", "init", "--quiet")
    prism.commit()
    publish_aegis(hub)


@pytest.mark.skipif(importlib.util.find_spec("peft") is None, reason="the package peft is not installed")
def test_a_lora_is_measured(to_walk: Project, hub: Hub) -> None:
    folder = to_walk.folder
    put_model(folder)
    publish_items(folder, hub)
    with stub_server(judge) as stub:
        require_walked(
            tutorial("tutorial_measure.md"),
            to_walk,
            {
                REPOSITORY: str(folder / "theirs"),
                "https://github.com/rongyaofang/prism-bench": str(folder / "prism-bench.git"),
                "~/weights/janus": str(folder / "weights/base"),
                "~/runs/lora": str(folder / "runs/lora"),
                "http://judge:8000/v1": stub.url,
            },
        )


def test_captions_become_a_published_dataset(to_walk: Project, hub: Hub) -> None:
    hub.user = "lab"
    replaced = {REPOSITORY: str(to_walk.folder / "theirs"), "/mnt/lab/gamut": str(to_walk.folder / "remote")}
    require_walked(tutorial("tutorial_dataset.md"), to_walk, replaced)
