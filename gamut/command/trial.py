"""`gamut try N`: run the whole build on a few records and items, in a temporary folder.

The folder is below `.dvc/tmp`, which git and DVC ignore, and is a DVC repository of its own. The trial uses the
project's reply store and run.toml (`places.project_root`), so the whole build does not pay again for its replies.
"""

from __future__ import annotations

import copy
import os
import shutil
from collections.abc import Iterator, Sequence, Set
from contextlib import chdir
from pathlib import Path
from typing import Any

from rich.console import Console
from ruamel.yaml import YAML

from gamut.command import left_out, recovery, report
from gamut.command.check import findings
from gamut.command.estimate.asks import known_sum
from gamut.command.estimate.report import WIDTH, expected_bill, money, requests_table
from gamut.command.summary import PAGE, summary_lines
from gamut.dataset import steps as dataset
from gamut.evaluation.curating.benchmarks import NAMES
from gamut.evaluation.defining.editions import EDITIONS
from gamut.evaluation.defining.parameters import AnsweringParameters, JudgingParameters
from gamut.pipeline.studies import studies
from gamut.project import pipeline, settings
from gamut.project.build_progress import outputs
from gamut.project.errors import UserError
from gamut.project.locks import only_writer
from gamut.project.model_kinds import BUILT
from gamut.project.parameters import AskingParameters
from gamut.project.pipeline import BENCHMARKS, LIBRARY, PARAMS, PIPELINE
from gamut.project.plain_text import amount, name_first
from gamut.project.validation import read_yaml
from gamut.publish.parameters import Everything, load_everything
from gamut.report.site.folder import MARK, REPORT

PLACE = Path(".dvc/tmp/try")
CONFIG = "[core]\n    no_scm = true\n    analytics = false\n    check_update = false\n"
BROUGHT = (PIPELINE, Path(".dvcignore"), LIBRARY, BENCHMARKS, EDITIONS, Path("datasets/edition_images"))
"""Paths that every trial needs and no stage declares; not all stages declare pictures of editions that they read."""
OF_THE_BUILD = (Path("datasets/decisions"), Path("datasets/labels"), Path("datasets/paraphrases"))
"""People's decisions about rows and items of the whole build: a trial does not have these, so none are copied."""
LARGE = 1_000_000
"""Files of at least so many bytes are linked instead of copied."""
MAY_FAIL = 0.5
"""The share of a stage's records that may fail in a trial: 1 of 5 would already break any rule of a whole build."""


def run_trial(most: int, yes: bool) -> None:
    """Run a trial with at most so many records of each source and items of each edition. UserError at the end if any
    stage failed. After an interruption, the next trial continues from there.
    """
    everything = load_everything()
    require_all_there(everything)
    if everything.studies:
        print("a trial trains nothing: studies, and contestants that they build, are left out")
    with only_writer("try"):
        lay_out_place(most)
        with chdir(PLACE):
            for line in (*recovery.recover(), *left_out.leave_out()):
                print(line, flush=True)
            everything = load_everything()
            require_consent(everything, most, yes)
            last = [] if everything.benchmarks else ["report"]  # without benchmarks, all other stages need contestants
            code = pipeline.run_dvc("repro", "--keep-going", "--quiet", *last)
            if code:
                try:
                    report.write_report(REPORT)
                except UserError as error:
                    print(error)
            said = [*summary_lines()][:-1]
    print("\n".join(said))
    if not code:
        print("`dvc repro` runs the whole build, and does not ask again what was answered here")
    print(f"to look closer: `cd {PLACE}`, then use `gamut show`; `rm -r {PLACE}` deletes the trial")
    if (PLACE / PAGE).exists():
        print(f"look at it: {PLACE / PAGE}")
    if code:
        raise UserError("some stages failed (see above): fix this and run it again; all replies so far are kept")


def require_all_there(everything: Everything) -> None:
    """UserError before anything is run, with the first needed thing that `gamut check` finds missing."""
    if missing := [finding for finding in findings(everything) if finding.needed and not finding.found]:
        more = f" ({len(missing) - 1} more: `gamut check`)" if len(missing) > 1 else ""
        raise UserError(f"nothing was run yet: {missing[0].what}: {missing[0].remark}{more}")


def require_consent(everything: Everything, most: int, yes: bool) -> None:
    """Print what will be asked, as `gamut estimate` counts it. UserError if servers would be asked, or if it costs
    money, without `yes`.
    """
    found = expected_bill(everything, settings.load())
    cost = known_sum([line.cost for line in found.by_model])
    items = f" and {amount(most, 'item')} of each edition" if everything.benchmarks else ""
    print(f"a trial: at most {amount(most, 'row')} of each source{items}")
    Console(width=WIDTH, highlight=False).print(requests_table("About as many requests", found.by_model))
    for line in found.uncounted:
        print(line)
    remote = sorted({one.slug for one in everything.role_models() if one.model.kind == "openai"})
    if yes or not (remote or cost):
        return
    said = f"the trial asks servers ({name_first(remote, 4)})" if remote else "the trial costs money"
    price = f"for about {money(cost)}" if cost else "at prices that run.toml does not name"
    raise UserError(f"nothing was asked yet: {said}, {price}: `gamut try {most} --yes` does it")


def lay_out_place(most: int) -> None:
    """Copy what stages read into the trial's folder, with few items of each edition. Outputs of stages from an earlier
    trial stay. UserError if there is no project, or if its pipeline cannot be read.
    """
    if not Path(".dvc").is_dir() or not PIPELINE.is_file():
        raise UserError(f"there is no project here ({PIPELINE} and .dvc are missing): go to its folder first")
    stages, known = pipeline.stages().values(), pipeline.all_variables()
    outs = {path for stage in stages for path in outputs(stage)}
    deps = [Path(pipeline.fill_variables(dep, known)) for stage in stages for dep in stage.get("deps", ())]
    for root in (LIBRARY, BENCHMARKS, Path("datasets")):
        for path in sorted((PLACE / root).rglob("*"), reverse=True):
            if not path.is_dir() and not path.name.endswith(".lock") and not is_out(path.relative_to(PLACE), outs):
                path.unlink()
    (PLACE / ".dvc").mkdir(parents=True, exist_ok=True)
    (PLACE / ".dvc" / "config").write_text(CONFIG)
    for root in dict.fromkeys([*BROUGHT, REPORT / MARK, *deps]):
        if root.is_dir() and not is_out(root, outs):
            (PLACE / root).mkdir(parents=True, exist_ok=True)  # even if nothing in it is copied: DVC needs the folder
        for path in files_of(root, outs):
            copy_file(path, PLACE / path, most)
    with (PLACE / PARAMS).open("w", encoding="utf-8") as file:
        YAML(typ="safe", pure=True).dump(trial_values(read_yaml(PARAMS), most), file)


def is_out(path: Path, outs: Set[Path]) -> bool:
    return path in outs or not outs.isdisjoint(path.parents)


def files_of(root: Path, outs: Set[Path]) -> Iterator[Path]:
    """Yield the files below a path that no stage writes. In a folder with outputs, subfolders may be outputs of stages
    that no longer exist: only its files are copied.
    """
    if is_out(root, outs) or root in OF_THE_BUILD or root.name in ("dvc.lock", "__pycache__"):
        return
    if root.is_file():
        yield root
    elif root.is_dir():
        holds_outs = any(out.parent == root for out in outs)
        for path in sorted(root.iterdir()):
            if not (path.is_dir() and holds_outs):
                yield from files_of(path, outs)


def copy_file(source: Path, target: Path, most: int) -> None:
    """Copy a file, of an edition only a few items; a large file is linked if the disk allows it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    if source.suffix == ".jsonl" and source.is_relative_to(EDITIONS):
        lines = [line for line in source.read_bytes().splitlines(keepends=True) if line.strip()]
        target.write_bytes(b"".join(spread_lines(lines, most)))
        return
    try:
        (os.link if source.stat().st_size >= LARGE else shutil.copy2)(source.resolve(), target)
    except OSError:  # another disk
        shutil.copy2(source, target)


def spread_lines(lines: Sequence[bytes], most: int) -> list[bytes]:
    """Return lines spread evenly over all, since an edition has its tracks and tasks one after the other."""
    few = min(most, len(lines))
    return [lines[position * len(lines) // few] for position in range(few)]


def trial_values(values: dict[str, Any], most: int) -> dict[str, Any]:
    """Return params.yaml's values with at most so many rows of each source, and with stages that tolerate failures.

    Labels and paraphrases belong to the whole build, so they are left out. Everything else stays: questions are the
    same as in the whole build, which need not ask them again.
    """
    small = tolerant_values(with_all_budgets(copy.deepcopy(values)))
    for source in small["sources"]:
        key = "count" if source["kind"] in ("sandbox", "imagine") else "limit"
        source[key] = min(source.get(key) or most, most)
    small["calibrate"]["labels"] = None
    if small["hold_out"]["paraphrases"] != "world":
        small["hold_out"]["paraphrases"] = None
    return without_trainings(dict(small))


def without_trainings(values: dict[str, Any]) -> dict[str, Any]:
    """Leave out studies, contestants that stages build, and benchmarks that measure no others."""
    values = {key: value for key, value in values.items() if key not in (*studies(), "recipes")}
    left = {name: block for name, block in (values.get("contestants") or {}).items() if not is_built(block)}
    for block in (block for block in left.values() if block.get("variant_of") not in left):
        block.pop("variant_of", None)
    for name in NAMES:
        if (block := values.get(name) or {}).get("contestants"):
            block |= {key: [one for one in block.get(key, ()) if one in left] for key in ("contestants", "controls_of")}
            if not block["contestants"]:
                del values[name]
    return values | ({"contestants": left} if "contestants" in values else {})


def is_built(values: Any) -> bool:
    return isinstance(values, dict) and (values.get("revision") == BUILT or any(map(is_built, values.values())))


def with_all_budgets(values: dict[str, Any]) -> dict[str, Any]:
    of_dataset: dict[str, Any] = {key: field.annotation for key, field in dataset.Params.model_fields.items()}
    of_benchmark: dict[str, Any] = {"answer": AnsweringParameters, "judge": JudgingParameters}
    for blocks, classes in [(values, of_dataset), *((values[name], of_benchmark) for name in NAMES if name in values)]:
        for key, of in classes.items():
            if isinstance(of, type) and issubclass(of, AskingParameters):
                blocks[key] = {"max_failures": of.model_fields["max_failures"].default} | (blocks.get(key) or {})
    return values


def tolerant_values(values: Any) -> Any:
    if isinstance(values, list):
        return [tolerant_values(value) for value in values]
    if not isinstance(values, dict):
        return values
    return {
        key: max(value, MAY_FAIL)
        if key == "max_failures" and value is not None and value < 1
        else tolerant_values(value)
        for key, value in values.items()
    }
