"""All benchmarks' boards in one file of numbers."""

from __future__ import annotations

from pathlib import Path

from gamut.pipeline.entries import uncached_output
from gamut.pipeline.steps import Makes, StepParameters, start
from gamut.project.files import read_metric_file, write_json
from gamut.project.pipeline import BENCHMARKS, PIPELINE
from gamut.project.places import BOARDS, RELATIONS, reason_of

METRICS = Path("metrics/leaderboard.json")


def forget_others(_: StepParameters) -> None:
    for path in sorted([*BOARDS.glob("*.json"), *RELATIONS.glob("*.json")]):
        if not (BENCHMARKS / benchmark_name(path) / PIPELINE).is_file():
            path.unlink()
            print(f"{path} is deleted: the benchmark {benchmark_name(path)!r} does not exist any more")


def leaderboard(_: StepParameters) -> None:
    """Write the boards' flat keys, which begin with benchmark and edition, into one file.

    For a benchmark that is left out of the build, the file has `<benchmark>.left_out` with the reason, as in `gamut
    check`.
    """
    found: dict[str, float | str] = {}
    measured = []
    for path in sorted(BOARDS.glob("*.json")):
        name, values = benchmark_name(path), read_metric_file(path)
        found |= values
        if path == reason_of(name):
            print(f"leaderboard: {name} is left out: {' '.join(map(str, values.values()))}")
        else:
            measured.append(name)
    for path in sorted(RELATIONS.glob("*.json")):
        found |= {f"{benchmark_name(path)}.relations.{key}": value for key, value in read_metric_file(path).items()}
    write_json(METRICS, found)
    print(f"leaderboard: {f'{len(found):,} values of ' if found else ''}{', '.join(measured) or 'no benchmark'}")


def benchmark_name(path: Path) -> str:
    return path.name.partition(".")[0]


STEP = Makes(
    "leaderboard",
    module="gamut.evaluation.bodies.leaderboard",
    run=leaderboard,
    reads=f"{BOARDS} {RELATIONS}",
    outs=(uncached_output(str(METRICS)),),
)

if __name__ == "__main__":
    start(STEP, before=forget_others)
