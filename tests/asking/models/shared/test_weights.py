"""Weights on this machine: only the pinned ones are taken, only safetensors, and a refusal is one line to fix by."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub import constants

from gamut.asking.models import weights
from gamut.asking.models.weights import digest, weights_folder
from gamut.project.errors import UserError
from gamut.project.files import git_blob_id, sha256_of
from gamut.project.settings import Endpoint
from tests.fakes import safetensors
from tests.hub.answers import Response
from tests.hub.server import hub_server

COMMIT = "c0ffee" + "0" * 34
NAME, SLUG = "judge (qwen)", "qwen"


def put(folder: Path, files: dict[str, bytes]) -> Path:
    """Write files into a folder."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def moved(folder: Path, to: Path) -> Path:
    to.parent.mkdir(parents=True)
    return folder.rename(to)


MODEL = {"config.json": b"{}", "model.safetensors": safetensors()}
PICKLE = b"\x80\x04N."


@pytest.fixture
def model(project: Path) -> Path:
    return put(project / "qwen", MODEL)


def refusal(folder: Path | None, revision: str = COMMIT) -> str:
    """The one line with which weights are refused; it opens with role and model."""
    with pytest.raises(UserError) as caught:
        weights_folder(NAME, SLUG, "org/qwen", revision, Endpoint(weights=str(folder) if folder else None))
    words = str(caught.value)
    assert words.startswith(NAME) and "\n" not in words
    return words


def test_a_digest_is_that_of_what_sha256sum_prints(project: Path):
    folder = put(project / "m", {"b.txt": b"two", "a/x.json": b"{}", "config.json": b"one"})
    # In order of the relative paths: a/x.json, b.txt, config.json.
    hashes = [hashlib.sha256(data).hexdigest() for data in (b"{}", b"two", b"one")]
    listing = f"{hashes[0]}  a/x.json\n{hashes[1]}  b.txt\n{hashes[2]}  config.json\n"
    assert digest(folder) == "sha256-" + hashlib.sha256(listing.encode()).hexdigest()


def test_a_digest_sees_names_and_contents_but_no_dotfiles(model: Path):
    before = digest(model)
    put(model, {".git/HEAD": b"x", "__pycache__/a.pyc": b"x", ".gitattributes": b"x"})
    assert digest(model) == before
    (model / "model.safetensors").rename(model / "other.safetensors")
    renamed = digest(model)
    (model / "other.safetensors").write_bytes(safetensors(b"\1\1\1\1"))
    assert len({before, renamed, digest(model)}) == 3


def test_large_files_are_hashed_once(model: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(weights, "LARGE_FILE", 4)
    before, path = digest(model), model / "model.safetensors"
    assert not Path(".store").exists(), "written just now, and perhaps once more with the same times"
    monkeypatch.setattr(weights, "CLOCK_SECONDS", -1e9)  # as if that was a while ago
    assert digest(model) == before
    hashed: list[Path] = []
    monkeypatch.setattr(weights, "sha256_of", lambda path: hashed.append(path) or sha256_of(path))
    assert digest(model) == before and path not in hashed, "not read again"
    notes = model.parent / ".store" / "weights.json"
    notes.write_text('{"torn')
    assert digest(model) == before and path in hashed, "damaged notes are made anew"
    assert len(json.loads(notes.read_text())) == 1


@pytest.mark.parametrize("how", ["written over", "put in its place", "linked to another"])
def test_other_weights_of_the_same_size_and_time_are_noticed(model: Path, monkeypatch: pytest.MonkeyPatch, how: str):
    monkeypatch.setattr(weights, "LARGE_FILE", 4)
    monkeypatch.setattr(weights, "CLOCK_SECONDS", -1e9)
    before, path = digest(model), model / "model.safetensors"
    stat = path.stat()
    other = path if how == "written over" else model.with_name("other.safetensors")
    other.write_bytes(safetensors(b"\1\1\1\1"))
    while other.stat().st_ctime_ns == stat.st_ctime_ns or other.stat().st_mtime_ns != stat.st_mtime_ns:
        os.utime(other, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # the clock of files ticks some hundred times a second
    if how == "put in its place":
        other.rename(path)
    elif how == "linked to another":
        path.unlink()
        path.symlink_to(other)
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (stat.st_size, stat.st_mtime_ns)
    assert digest(model) != before


def test_a_folder_with_the_pinned_digest_is_taken(model: Path):
    assert weights_folder(NAME, SLUG, "org/qwen", digest(model), Endpoint(weights=str(model))) == model
    assert weights_folder(NAME, SLUG, "org/qwen", digest(model), Endpoint(weights="qwen")).samefile(model)


def test_other_content_is_refused_with_the_digest_to_pin(model: Path):
    words = refusal(model, f"sha256-{'0' * 64}")
    assert digest(model) in words and "models.qwen.revision" in words and "[models.qwen] weights" in words


def test_a_commit_is_believed_of_a_snapshot_of_that_name(model: Path):
    assert digest(model) in refusal(model)
    snapshot = moved(model, model.parent / "models--org--qwen/snapshots" / COMMIT)
    assert weights_folder(NAME, SLUG, "org/qwen", COMMIT, Endpoint(weights=str(snapshot))) == snapshot
    assert "cannot be shown to be" in refusal(snapshot, "1" * 40)


def test_a_commit_is_believed_of_an_unchanged_download(model: Path, monkeypatch: pytest.MonkeyPatch):
    notes = model / ".cache/huggingface/download"
    notes.mkdir(parents=True)
    etags = {"config.json": git_blob_id, "model.safetensors": lambda content: hashlib.sha256(content).hexdigest()}
    for name, etag_of in etags.items():
        note = f"{COMMIT}\n{etag_of((model / name).read_bytes())}\n{(model / name).stat().st_ctime}\n"
        (notes / f"{name}.metadata").write_text(note)
    assert weights_folder(NAME, SLUG, "org/qwen", COMMIT, Endpoint(weights=str(model))) == model
    copy = model.with_name("copy")
    shutil.copytree(model, copy)
    monkeypatch.setattr(weights, "CLOCK_SECONDS", -1e9)  # as if both were a while ago
    assert weights_folder(NAME, SLUG, "org/qwen", COMMIT, Endpoint(weights=str(copy))) == copy, "the same bytes"
    for name, content in (("model.safetensors", safetensors(b"\1\1\1\1")), ("config.json", b"two")):
        stat = (model / name).stat()
        (model / name).write_bytes(content)
        os.utime(model / name, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        assert "cannot be shown to be" in refusal(model), "changed since, with its time"
        (model / name).write_bytes((copy / name).read_bytes())
    (notes / "config.json.metadata").unlink()
    assert "cannot be shown to be" in refusal(model), "a file that was not downloaded"


def test_what_is_no_model_is_refused(project: Path):
    assert "there is no folder" in refusal(project / "nowhere")
    assert "no model_index.json or config.json" in refusal(put(project / "a", {"model.safetensors": safetensors()}))
    assert "no weights (*.safetensors)" in refusal(put(project / "b", {"config.json": b"{}"}))
    assert "cut off" in refusal(put(project / "c", MODEL | {"model.safetensors": safetensors()[:-1]}))


@pytest.mark.parametrize("pickle", ["pytorch_model.bin", "weights.pth"])
def test_pickles_are_refused(project: Path, pickle: str):
    words = refusal(put(project / "m", {"config.json": b"{}", pickle: PICKLE}))
    assert pickle in words and "safetensors" in words


def test_every_model_of_a_pipeline_needs_weights(project: Path):
    files = {"model_index.json": b"{}", "vae/config.json": b"{}", "vae/weights.bin": PICKLE, "unet/config.json": b"{}"}
    folder = put(project / "m", files | {"unet/model.safetensors": safetensors()})
    assert "vae has its weights only as pickle" in refusal(folder)
    put(folder, {"vae/model.safetensors": safetensors()})
    assert weights_folder(NAME, SLUG, "org/qwen", digest(folder), Endpoint(weights=str(folder))) == folder


def test_a_missing_shard_is_named(model: Path):
    index = {"weight_map": {"a": "model.safetensors", "b": "model-2.safetensors"}}
    (model / "model.safetensors.index.json").write_text(json.dumps(index))
    assert "lacks model-2.safetensors" in refusal(model)


def test_the_cache_of_the_hub_is_used_offline(model: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(model.parent / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert "unset HF_HUB_OFFLINE" in refusal(None)
    snapshot = moved(model, model.parent / "hub/models--org--qwen/snapshots" / COMMIT)
    assert weights_folder(NAME, SLUG, "org/qwen", COMMIT, Endpoint()).samefile(snapshot)
    (snapshot / "model.safetensors").rename(snapshot / "pytorch_model.bin")
    assert "only as pickle" in refusal(None)


@pytest.mark.parametrize(
    ("status", "code", "fix"),
    [
        (403, "GatedRepo", "ask on its page"),
        (404, "RepoNotFound", "models.qwen.id"),
        (401, "", "hf auth login"),
        (418, "", "check the network"),
    ],
)
def test_a_hub_that_refuses(project: Path, monkeypatch: pytest.MonkeyPatch, status: int, code: str, fix: str):
    with hub_server() as hub:
        hub.faults["/api/models/org/qwen"] = Response(status, {"error": "no"}, {"X-Error-Code": code} if code else {})
        monkeypatch.setattr(constants, "ENDPOINT", hub.url)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(project / "hub"))
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setenv("NO_PROXY", "*")
        words = refusal(None)
        assert hub.log, "the Hub was asked"
    assert fix in words and COMMIT in words


def test_only_what_is_loaded_is_fetched(project: Path, monkeypatch: pytest.MonkeyPatch):
    names = [
        "config.json", "model.safetensors", "model.fp16.safetensors", "pytorch_model.bin", "model.py",
        "tokenizer.model", "model_index.json", "unet/config.json", "unet/model.safetensors",
        "original/model.safetensors",
    ]  # fmt: skip
    folder = put(project / "m", MODEL)
    fetched: list[str] = []

    def snapshot(id: str, revision: str, allow_patterns: list[str], ignore_patterns: list[str]) -> str:
        wanted = huggingface_hub.utils.filter_repo_objects(
            names, allow_patterns=allow_patterns, ignore_patterns=ignore_patterns
        )
        fetched[:] = sorted(wanted)
        return str(folder)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    one = ["config.json", "model.safetensors", "model_index.json", "tokenizer.model"]
    parts = ["unet/config.json", "unet/model.safetensors"]
    weights_folder(NAME, SLUG, "org/qwen", COMMIT, Endpoint())
    assert fetched == sorted(one + parts)
    weights_folder(NAME, SLUG, "org/qwen", COMMIT, Endpoint(), trust_remote_code=True)
    assert fetched == sorted([*one, *parts, "model.py"])
    weights_folder(NAME, SLUG, "org/qwen", COMMIT, Endpoint(), pipeline=True)
    assert fetched == sorted(["model_index.json", *parts]), "what lies at a pipeline's top is the same once more"
