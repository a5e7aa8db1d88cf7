"""A judge comes into params.yaml, in the place of the embedded world's: all is checked before anything is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gamut.command.contestants.adding import keep_out_of_git, require_apart, run_toml, with_endpoints
from gamut.command.contestants.blocks import CLASS_OF, Request, model_contestant, require_kind, require_named
from gamut.command.contestants.outlook import chosen_settings
from gamut.command.yaml_text import replace_params, with_blocks, with_values
from gamut.evaluation.curating.benchmarks import curations
from gamut.project import settings
from gamut.project.errors import UserError
from gamut.project.files import write_whole
from gamut.project.inputs import regular_file
from gamut.project.model_kinds import SandboxModel
from gamut.project.pipeline import PARAMS
from gamut.project.roles import ABLE
from gamut.project.validation import parse_yaml
from gamut.publish.parameters import Everything, check_everything, load_everything


def add_judge(request: Request) -> Iterator[str]:
    """Put a model into `models`, and its name into `judges` of the named benchmarks, or of all that ask any."""
    everything = load_everything()
    settings.load()
    text = regular_file(PARAMS).read_bytes().decode()
    if request.name in (parse_yaml(text).get("models") or {}):
        raise UserError(f"{PARAMS}: there is a model {request.name!r} already: choose another name")
    require_named(request)
    kind = require_kind(request, "a judge", [kind for kind in CLASS_OF if kind in ABLE["judge"]])
    new = model_contestant(request, kind)
    before = judges_by_benchmark(everything, chosen_settings(everything, request.benchmarks))
    judges = {
        name: [slug for slug in of if not isinstance(everything.benchmarks[name].models[slug], SandboxModel)]
        for name, of in before.items()
    }
    run_file, run_text = run_toml()
    new_run_text = with_endpoints(run_file, run_text, new.endpoints)
    new_text = with_blocks(PARAMS, text, "models", {request.name: new.block["model"]})
    new_text = with_values(PARAMS, new_text, {(name, "judges"): [*of, request.name] for name, of in judges.items()})
    check_everything(parse_yaml(new_text), PARAMS)
    for folder in new.folders:
        require_apart(folder)
    replace_params(text, new_text)
    if new_run_text != run_text:
        write_whole(run_file, new_run_text.encode())
    yield f"{PARAMS}: models.{request.name} is new, and judges {', '.join(before)}"
    for name, of in before.items():
        if gone := [slug for slug in of if slug not in judges[name]]:
            yield f"{name}: it takes the place of {', '.join(gone)} of the embedded world"
    if new_run_text != run_text:
        yield f"{run_file.name}: [models.{request.name}]"
    yield from map(keep_out_of_git, new.folders)
    yield "`gamut check --ask` asks it a question, `gamut estimate` says what it is going to be asked"
    yield "`dvc repro leaderboard` asks it, and nobody else"


def judges_by_benchmark(everything: Everything, chosen: Mapping[str, object]) -> dict[str, list[str]]:
    blocks = {name: curations()[name].benchmark.block(params) for name, params in everything.benchmarks.items()}
    found = {name: blocks[name].judges for name in chosen or blocks if blocks[name].judges}
    if left := [name for name in chosen or ({} if found else blocks) if name not in found]:
        raise UserError(f"no judge looks at answers of {', '.join(left)}: name other --benchmarks")
    return found
