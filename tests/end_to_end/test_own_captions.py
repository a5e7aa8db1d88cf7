"""A person with captions and a server, by README's recipe up to the price: what is said, and what git sees of it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.end_to_end.project import Project, copy_checkout, opened
from tests.plausible import plausible_reply
from tests.stub_server import stub_server

RUN = """max_cost = 1
[models.painter]
url = "{url}"
image_price = 0.01
[models.chat]
url = "{url}"
output_price = 0.5
"""


def gamut(project: Project, *arguments: str) -> str:
    """The last line that is said."""
    done = project.run("gamut", *arguments, check=False)
    return (done.stdout + done.stderr).splitlines()[-1]


def test_own_captions_are_a_dataset_alone(tmp_path: Path) -> None:
    copy_checkout(tmp_path)
    project = opened(tmp_path)
    project.run("git", "init", "--quiet")
    project.commit()
    without = "not part of the build, as params.yaml has no block of it (commit .dvcignore): "
    assert gamut(project, "use", "openai").startswith(f"{without}aegis, gapeval, genius, gir, prism")
    captions = "datasets/sources/captions.csv"
    assert gamut(project, "try", "3").startswith(
        f"nothing was run yet: {captions}: rows of wave captions: put it there"
    )
    (tmp_path / captions).write_text("caption\na blue car\nan owl\n")
    missing = (
        "nothing was run yet: painter: painter: set `url` under [models.painter] in run.toml (5 more: `gamut check`)"
    )
    assert gamut(project, "try", "3") == missing
    with stub_server(plausible_reply) as stub:
        (tmp_path / "run.toml").write_text(RUN.format(url=stub.url))
        assert gamut(project, "check", "--ask").startswith("all that is needed is here: ")
        asked = {call.name: call for call in stub.log}
        assert asked.keys() == {"paint", "check"}
        spent = float((tmp_path / ".store/spent").read_text())
        assert 0.01 < spent < 0.02  # a picture, and what was written
        estimate = json.loads(project.run("gamut", "estimate", "--json").stdout)
        assert estimate["benchmarks"] == [] and estimate["rows"]["rows"] == 2 + 50
        assert "nothing was asked yet: the trial asks servers (chat, painter), for about " in gamut(project, "try", "3")
        assert len(stub.log) == 3
    changed = project.run("git", "status", "--porcelain").stdout.split()
    assert changed == ["M", ".dvcignore", "M", "params.yaml", "??", captions]
