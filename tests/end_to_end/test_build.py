"""The straight path with the embedded world: a whole dataset, the same bytes everywhere, nothing asked twice."""

from __future__ import annotations

import io
import json

import pytest
from dvc.repo import Repo
from PIL import Image
from typer.testing import CliRunner

from gamut.command.cli import app
from gamut.evaluation.curating.benchmarks import NAMES
from gamut.evaluation.defining.editions import read_editions, source_sha256
from gamut.tables.reading import manifest, read_rows
from gamut.world.agreement import differences, scene_of
from stages.prism.shared.items import TRACKS
from tests import shipped
from tests.end_to_end.project import LEGACY, PER_TRACK, ROWS_IN, Project, copy_of

IN_ONE_PROCESS = ("python", "-m", "tests.in_one_process", "release")


def test_release_is_whole(original: Project) -> None:
    rows = list(read_rows(original.folder / "datasets/release"))
    assert rows
    for row in rows:
        picture = Image.open(io.BytesIO(row["image"]["bytes"]))
        assert (picture.format, picture.mode, picture.size) == ("JPEG", "RGB", (256, 256))
        assert row["caption"] == row["caption_detail"]
        assert row["caption_detail_cn"]
        for name in ("composition", "entity", "text", "imaginative", "style", "abstract", "original", "detail"):
            english, chinese = row[f"caption_{name}"], row[f"caption_{name}_cn"]
            flag = (row["score_original"] or 0) >= 8 if name == "original" else english is not None
            assert (english is None) == (chinese is None) and row[f"bool_caption_{name}"] == flag


def test_no_text_of_the_release_tells_an_items_scene(original: Project) -> None:
    """No caption of any kind, in either language, also where it says a part of its picture only."""
    texts = [text for _, item in read_editions(original.folder / "datasets/editions") for text in item.held_out]
    tested = [scene for text in texts if (scene := scene_of(text)) is not None]
    assert len(tested) >= PER_TRACK * len(TRACKS)
    looked_at = 0
    for row in read_rows(original.folder / "datasets/release"):
        for text in {row[name] for name in row if name.startswith("caption") and row[name]}:
            told = scene_of(text)
            looked_at += told is not None
            assert told is None or all(differences(told, scene) for scene in tested), (row["id"], text)
    assert looked_at > 2 * manifest(original.folder / "datasets/release")["rows"]


def test_what_is_found_of_planted_paraphrases_stands_in_the_metrics(original: Project) -> None:
    metrics = original.metrics("hold_out")
    assert metrics["pictures"] == sum(original.metrics()["hold_out"].values())
    assert metrics["pairs"]["asked"] == sum(
        metrics["pairs"][name] for name in ("same", "other", "unanswered_held_out", "unanswered_kept")
    )
    assert metrics["recall"]["prefix"]["found"] >= 0.8 and metrics["recall"]["english"]["n"] > 20
    assert metrics["false_alarms"]["share"] <= 0.1


def test_every_candidate_is_accounted_for(original: Project) -> None:
    """captions = prompts kept + left out; prompts kept = pictures = selected + rejected; selected = released."""
    metrics = original.metrics()
    assert sum(metrics["prompts"].values()) == ROWS_IN
    assert metrics["prompts"]["kept"] == sum(metrics["synthesize"].values()) == sum(metrics["select"].values())
    assert metrics["synthesize"]["ok"] == sum(metrics["examine"].values())
    release = metrics["release"]
    assert metrics["select"]["kept"] == sum(metrics["hold_out"].values())
    assert metrics["hold_out"]["kept"] == release["pictures"] + metrics["withheld"]["pictures_without_detail"]
    assert release["pictures"] == manifest(original.folder / "datasets/release")["rows"]


def test_what_the_world_cannot_draw_is_unsupported(original: Project) -> None:
    pictures = {row["prompt"]: row for row in original.rows("synthesize")}
    abstract = pictures["the abstract idea of justice in a courtroom of clouds"]
    assert abstract["status"] == "unsupported"
    assert abstract["reason"]
    assert abstract["image"] is None
    assert pictures["a blue car"]["status"] == "ok"


def test_a_lower_threshold_asks_only_about_the_newly_admitted(built: Project) -> None:
    before = built.asked()
    admitted = sum(row["admitted"] for row in built.rows("admit"))
    release = built.files("datasets/release")
    built.edit(lambda params: params["admit"].update(clarity=0))
    built.run(*IN_ONE_PROCESS)
    newly = sum(row["admitted"] for row in built.rows("admit")) - admitted
    asked = built.asked_since(before)
    assert newly > 0, "choose another seed: no picture of this build has poor clarity"
    assert asked["score"] == newly
    assert set(asked) <= {"score", "proofread", "follow", "annotate", "translate", "resemble", "same_test"}

    before = built.asked()
    built.edit(lambda params: params["admit"].update(clarity=7))
    built.run(*IN_ONE_PROCESS)
    assert built.asked_since(before) == {}
    assert built.files("datasets/release") == release


def test_a_new_wave_adds_shards_and_asks_about_its_rows_only(built: Project) -> None:
    before, release = built.asked(), built.files("datasets/release")
    prompts = built.files("datasets/prompts")
    wave = LEGACY | {"wave": "aesthetics-part02", "route": "rewrite", "count": 12, "seed": 3}
    built.edit(lambda params: params["sources"].append(wave))
    built.run(*IN_ONE_PROCESS)
    asked, after = built.asked_since(before), built.files("datasets/release")
    assert {name: after[name] for name in release if name != "_manifest.json"} == {
        name: data for name, data in release.items() if name != "_manifest.json"
    }
    assert (
        built.files("datasets/prompts").items() >= {n: d for n, d in prompts.items() if n != "_manifest.json"}.items()
    )
    assert [name for name in after if name not in release] == ["aesthetics-part02-00000.parquet"]
    new = [row for row in built.rows("prompts") if row["wave"] == "aesthetics-part02"]
    kept = sum(row["kept"] for row in new)
    assert asked["rewrite"] == len(new) == 12
    assert asked["synthesize"] == kept and asked["examine"] <= kept
    assert not set(asked) & {"brainstorm", "imagine", "find_text", "mine_text"}


def test_a_frozen_benchmark_is_held_out(built: Project) -> None:
    before = built.asked()
    first, second, *_ = built.rows("release")
    prompts = {row["id"]: row["prompt"] for row in built.rows("synthesize")}
    captions = {row["id"]: row["caption"] for row in built.rows("source_rows")}
    source = source_sha256(captions[second["id"]], prompts[second["id"]])
    items = [
        {"id": 1, "prompt": prompts[first["id"]].upper()},
        {"id": 2, "prompt": "an item of its own", "row": second["id"], "row_sha256": source},
    ]
    folder = built.folder / "datasets/editions/another"
    folder.mkdir()
    (folder / "v1.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    built.run(*IN_ONE_PROCESS)
    left = {row["id"] for row in built.rows("release")}
    out = {row["id"]: (row["edition"], row["item"]) for row in built.rows("hold_out") if not row["kept"]}
    # With more texts embeddings are others, and bring another row near an item that the world cannot read
    assert out.items() >= {first["id"]: ("another/v1", "1"), second["id"]: ("another/v1", "2")}.items()
    assert len(out) <= 3
    assert not left & set(out)
    # An embedder without weights is fitted on items' texts: with more of them it is another one
    assert built.asked_since(before).keys() <= {"embed_items", "resemble", "same_test"}


def test_code_that_changes_no_request_asks_nothing(built: Project) -> None:
    """A fixed parser and a changed comment: the stages run again on the replies they have."""
    before = built.asked()
    built.replace("stages/dataset/translate.py", "translation.strip() if", "translation.strip() or None if")
    built.replace("stages/dataset/examine.py", '"""Phase one', '"""The first phase')
    done = built.run("dvc", "repro", "score", "translate")
    assert "Running stage 'examine'" in done.stdout
    assert "Running stage 'translate'" in done.stdout
    assert "Running stage 'score'" not in done.stdout, "the table has the same bytes, nothing follows"
    assert built.asked_since(before) == {}


def test_a_temporary_experiment_has_the_replies_of_the_project(built: Project) -> None:
    """Several that are queued take turns as trees do that share a store (test_trouble.py)."""
    before = built.asked()
    varied = ["--name", "two", "--set-param", "+annotate.max_failures=0.02"]
    done = built.run("dvc", "exp", "run", "--temp", *varied, "annotate")
    kept = built.run("git", "for-each-ref", "--format=%(refname:lstrip=-1)", "refs/exps").stdout.split()
    assert "two" in kept and "Running stage 'annotate'" in done.stdout, done.stdout
    assert built.asked_since(before) == {}


@pytest.fixture(scope="module")
def other(original: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A copy of a built clone, in which one profile after the other is put in place."""
    project = copy_of(original, tmp_path_factory.mktemp("profiles") / "built")
    (project.folder / "datasets/sources/PartiPrompts.tsv").write_text("Prompt\nan owl\n")
    return project


@pytest.mark.parametrize("profile", ["laptop", "openai", "prism-bench", "genius"])
def test_every_profile_resolves(other: Project, profile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the editions that it names; a benchmark without a block is left out, and no other."""
    params = shipped.profile(profile)
    for name, small in (("prism", "small"), *((name, "sandbox") for name in NAMES if name != "prism")):
        if name in params and params[name]["edition"] != small:
            for kind, end in (("editions", ".jsonl"), ("edition_images", "")):
                folder = other.folder / "datasets" / kind / name
                if (ours := folder / f"{small}{end}").exists():
                    other.run("cp", "-r", str(ours), str(folder / f"{params[name]['edition']}{end}"))
    monkeypatch.chdir(other.folder)
    used = CliRunner().invoke(app, ["use", profile, "--force"])  # in this process, for time's sake
    assert used.exit_code == 0 and "LEFT OUT" not in used.stdout, used.output
    ignored = (other.folder / ".dvcignore").read_text().splitlines()
    left_out = {name for name in NAMES if f"/stages/{name}/dvc.yaml" in ignored}
    assert left_out == {name for name in NAMES if name not in params}
    stages = [stage.addressing for stage in Repo(str(other.folder)).index.stages]  # as `dvc stage list` has them
    boards = {f"stages/{name}/dvc.yaml:board" for name in NAMES if name in params}
    assert {"sources", "release"} | boards == {
        one for one in stages if one in ("sources", "release") or one.endswith(":board")
    }
