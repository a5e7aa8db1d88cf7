"""run.toml and the environment: where things run, shared by temporary workspaces, wrong ones told in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from gamut.project import places, settings
from gamut.project.errors import UserError


def test_without_a_file_all_is_default(project: Path) -> None:
    found = settings.load()
    assert (found.max_cost, found.models) == (None, {})
    assert found.endpoint("anything").attempts == 5


def test_a_file_is_read(project: Path) -> None:
    (project / "run.toml").write_text('max_cost = 5\n[models.gpt]\nurl = "http://x"\ninput_price = 2\n')
    found = settings.load()
    assert found.max_cost == 5
    assert (found.endpoint("gpt").url, found.endpoint("gpt").input_price) == ("http://x", 2)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("max_cots = 1\n", "max_cots: unknown key; did you mean 'max_cost'?"),
        ("max_cost = inf\n", "max_cost: is not right: input should be a finite number"),
        ("[models.Bad-Slug]\n", "models.Bad-Slug: does not match ^[a-z0-9_]+$"),
        ("[models.gpt]\nkey_varable = 'K'\n", "models.gpt.key_varable: unknown key; did you mean 'key_variable'?"),
        ("max_cost = \n", "cannot be read as TOML"),
        (f"max_cost = {'[' * 9999}", "cannot be read as TOML"),
        (f"max_cost = {'9' * 5000}", "cannot be read as TOML"),
    ],
)
def test_one_line_a_mistake(project: Path, content: str, words: str) -> None:
    (project / "run.toml").write_text(content)
    with pytest.raises(UserError) as error:
        settings.load()
    assert "run.toml" in str(error.value) and words in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("argument", "named", "why"),
    [
        ("--dtype", "dtype", "params.yaml decides that"),
        ("--max_model_len=4096", "max-model-len", "params.yaml decides that"),
        ("--hf-overrides.rope_theta", "hf-overrides", "params.yaml decides that"),
        ("--quantiz", "quantization", "params.yaml decides that"),
        ("-qfp8", "quantization", "params.yaml decides that"),
        ("--port", "port", "gamut sets that itself"),
        ("-sc.method", "speculative-config", "params.yaml decides that"),
        ("--watermark-config", "watermark-config", "params.yaml decides that"),
    ],
)
def test_arguments_that_decide_answers_are_refused(project: Path, argument: str, named: str, why: str) -> None:
    (project / "run.toml").write_text(f'[models.gpt]\nextra_args = ["--enforce-eager", "{argument}", "sk-1"]\n')
    with pytest.raises(UserError) as error:
        settings.load()
    assert str(error.value).endswith(f"run.toml: models.gpt.extra_args: `extra_args` must not have `--{named}`: {why}")
    assert "sk-1" not in str(error.value) and "\n" not in str(error.value)


def test_arguments_for_memory_and_parallelism_are_taken(project: Path) -> None:
    given = ["--gpu-memory-utilization", "0.8", "-tp", "2", "--data-parallel-size=4", "--enforce-eager", "-O3", "-1"]
    given += ["-dcp", "2", "--watermark", "0.1"]
    (project / "run.toml").write_text(f"[models.gpt]\nextra_args = {given}\n")
    endpoint = settings.load().endpoint("gpt")
    assert endpoint.extra_args == given
    assert settings.misplaced_key("gpt", "vllm", endpoint) == ""
    assert settings.misplaced_key("gpt", "openai", endpoint) == (
        "remove `extra_args` from [models.gpt] in run.toml: only models of kind vllm have them"
    )


def test_gamut_run_names_another_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "run.toml").write_text("max_cost = 1\n")
    (project / "other.toml").write_text("max_cost = 2\n")
    monkeypatch.setenv("GAMUT_RUN", "other.toml")
    assert settings.load().max_cost == 2
    monkeypatch.setenv("GAMUT_RUN", "gone.toml")
    with pytest.raises(UserError, match=r"^GAMUT_RUN=gone\.toml: the file does not exist$"):
        settings.load()


def test_the_store_can_lie_elsewhere(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMUT_STORE", "/elsewhere/replies")
    assert places.store_root() == Path("/elsewhere/replies")
    monkeypatch.setenv("GAMUT_STORE", "")
    assert places.store_root() == project / ".store"


@pytest.mark.parametrize("inside", [".dvc/tmp/exps/standalone/tmpabc", ".dvc/tmp/exps/x/.dvc/tmp/exps/y"])
def test_a_temporary_workspace_shares_the_store(project: Path, monkeypatch: pytest.MonkeyPatch, inside: str) -> None:
    workspace = project / inside
    workspace.mkdir(parents=True)
    (project / "run.toml").write_text("max_cost = 7\n")
    monkeypatch.chdir(workspace)
    assert places.store_root() == project / ".store"
    assert settings.load().max_cost == 7
    (project / "run.toml").rename(project / "other.toml")
    monkeypatch.setenv("GAMUT_RUN", "other.toml")
    assert settings.load().max_cost == 7


def test_a_relative_store_is_shared_too(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = project / ".dvc" / "tmp" / "exps" / "standalone" / "tmpabc"
    workspace.mkdir(parents=True)
    monkeypatch.setenv("GAMUT_STORE", "replies")
    at_home = places.store_root().resolve()
    monkeypatch.chdir(workspace)
    assert places.store_root().resolve() == at_home


def test_a_home_is_found_and_nobody_s_is_no_error(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert places.path_on_disk("~/weights") == Path("/home/me/weights")
    assert places.path_on_disk("weights") == project / "weights"
    assert places.path_on_disk("~nobody-has-this/weights") == project / "~nobody-has-this/weights"


def endpoint(project: Path, line: str) -> settings.Endpoint:
    (project / "run.toml").write_text(f"[models.gpt]\n{line}\n")
    return settings.load().endpoint("gpt")


def test_one_address_or_several(project: Path) -> None:
    assert endpoint(project, "").urls == []
    assert endpoint(project, 'url = "http://[::1]:80/v1/"').urls == ["http://[::1]:80/v1"]
    assert endpoint(project, 'url = ["https://a.b/", "http://a_b"]').urls == ["https://a.b", "http://a_b"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('url = "http://a:99999/v1"', "models.gpt: in `url`: Port out of range 0-65535"),
        ('url = ["http://a/", "http://a"]', "models.gpt: an address occurs twice in `url`"),
        ('url = "http://a..b"', "models.gpt.url: http(s)://host:port/path is expected"),
        ("gpus = 1.5", "models.gpt.gpus: a share of one GPU, or a whole number of them, is expected"),
    ],
)
def test_endpoints_that_cannot_be(project: Path, line: str, words: str) -> None:
    with pytest.raises(UserError) as error:
        endpoint(project, line)
    assert words in str(error.value) and "\n" not in str(error.value)


SECRET = "sk-Secret123"


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://host/v1", f"http://me:{SECRET}@h/v1", f"http://h?k={SECRET}"])
def test_an_address_holds_no_secret_and_is_not_shown(project: Path, url: str) -> None:
    (project / "run.toml").write_text(f'[models.gpt]\nurl = "{url}"\n')
    with pytest.raises(
        UserError, match=r"run\.toml: models\.gpt\.url: http\(s\)://host:port/path is expected"
    ) as error:
        settings.load()
    assert url not in str(error.value)


KEYS = [SECRET, "AIzaSyA0_Secret", "hf_abcdefSecret", "0123456789ABCDEF", "a key", "Ä", ""]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_in_place_of_its_variables_name_is_not_shown(project: Path, key: str) -> None:
    (project / "run.toml").write_text(f'[models.gpt]\nkey_variable = "{key}"\n')
    with pytest.raises(UserError) as error:
        settings.load()
    assert str(error.value) == (
        f"{project}/run.toml: models.gpt.key_variable: the name of an environment variable is expected, such as MY_KEY "
        "(capitals, digits and _)"
    )


FIELDS = ("key", "concurrency", "answer_seconds", "gpus", "url")


@pytest.mark.parametrize(
    "content",
    [
        f'engine = "{SECRET}"',
        f'max_cost = "{SECRET}"',
        f'api_key = "{SECRET}"',
        f'models = "{SECRET}"',
        f'models = ["{SECRET}"]',
        f'models.gpt = "{SECRET}"',
        f'models.gpt = ["{SECRET}"]',
        *(f'models.gpt.{field} = "{SECRET}"' for field in FIELDS),
        *(f'models.gpt.{field} = ["{SECRET}"]' for field in FIELDS),
        *(f'models.gpt.{field} = {{key = "{SECRET}"}}' for field in FIELDS),
        f'models.gpt = {{url = "http://a:99999", weights = "{SECRET}"}}',
        f'models."gpt-4" = {{weights = "{SECRET}"}}',
        f"max_cost = {SECRET}",
        f'max_cost = "{SECRET}',
        f'max_cost = 1 "{SECRET}"',
        f'max_cost = 1\nmax_cost = "{SECRET}"',
        f"OPENAI_API_KEY={SECRET}",
        SECRET,
    ],
)
def test_what_stands_in_run_toml_is_never_shown(project: Path, content: str) -> None:
    (project / "run.toml").write_text(content)
    with pytest.raises(UserError) as error:
        settings.load()
    assert "run.toml" in str(error.value) and SECRET not in str(error.value) and "\n" not in str(error.value)


def test_a_key_that_looks_like_a_name_is_not_shown_either(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as Amazon's. Only a variable that exists is named."""
    key = "AKIAIOSFODNN7EXAMPLE"
    monkeypatch.delenv(key, raising=False)
    place = "key_variable of [models.gpt] in run.toml"
    asked = settings.Endpoint(key_variable=key)
    assert settings.lacking_key("gpt", asked) == f"set the environment variable that {place} names"
    for value, words in {
        "": f"put a key into the environment variable {key} ({place}), which holds no key",
        "two\nlines": f"put a key into the environment variable {key} ({place}), which holds no key",
        " sk-1 \n": "",
    }.items():
        monkeypatch.setenv(key, value)
        assert settings.lacking_key("gpt", asked) == words
    assert settings.lacking_key("gpt", settings.Endpoint()) == ""
