"""Pairs of preferences against the truth of the embedded world, for a judge who does not err and one who does.

    python bench/preferences.py                    # 300 prompts, 3 pictures each: a minute
    python bench/preferences.py --prompts 1000 --samples 4

The steps of the build paint and judge the pictures of each prompt, release one, and make pairs. `pairs` is the share of
prompts with a pair. Five truths are known of a picture: it follows its prompt, is clear, is whole, and its lettering
has contrast and sense. Of the pairs `better`, `equal` and `worse` are the shares where more, as many or fewer of them
hold of the chosen picture. `better_by_degree` and `worse_by_degree` tell also pictures apart of which as many hold, by
the strength of all faults, those below the limit of visibility too. Figures stand behind judge and margin. The last
line is JSON.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import contextlib
import json
import tempfile
from collections import Counter
from collections.abc import Mapping

from gamut.asking.models.world.sandbox import painter_faults, picture_truth
from gamut.dataset.shared.joins import table_of
from gamut.project.parameters import load
from gamut.project.validation import read_yaml
from gamut.tables.reading import read_rows, shard_names
from gamut.world.painting import commission
from stages.dataset.pipeline import Params
from stages.dataset.preferences import pairs_of
from tests import in_one_process
from tests.paths import ROOT

TRUTHS = ("follows", "clarity", "structure", "contrast", "sense")
MARGINS = (0.5, 1.0, 1.5, 2.0, 3.0)
ERRING = {"noise": 0.7, "bias": -0.5, "slips": 0.02}  # as `world_strict` of params.yaml
JUDGES = {"does not err": {"kind": "sandbox"}, "errs": {"kind": "sandbox", "judging": ERRING}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prompts", type=int, default=300)
    parser.add_argument("--samples", type=int, default=3)
    options = parser.parse_args()
    figures: dict[str, float] = {"prompts": options.prompts, "samples": options.samples}
    for name, judge in JUDGES.items():
        values = read_yaml(ROOT / "profiles/defaults.yaml")
        values["models"]["judge"], values["roles"]["judge"] = judge, "judge"
        values["sources"] = [{"kind": "sandbox", "wave": "w", "route": "as_is", "count": options.prompts}]
        values["synthesize"] = {"width": 256, "height": 256, "samples": options.samples}
        values["hold_out"]["paraphrases"] = None
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            Path("datasets/editions").mkdir(parents=True)
            Path("params.yaml").write_text(json.dumps(values))
            params = load(Params)
            in_one_process.run("preferences", params)
            for margin in MARGINS:
                found = shares(params, margin, options.prompts)
                print(f"a judge who {name}, margin {margin}: {found}", flush=True)
                figures |= {f"{name}, {margin}, {key}": value for key, value in found.items()}
    print(json.dumps(figures))


def shares(params: Params, margin: float, prompts: int) -> dict[str, float]:
    truths, counts, pairs = truth_of_pictures(params), Counter[str](), 0
    choose = params.choose.model_copy(update={"margin": margin})
    for shard in shard_names(table_of("release")):
        for pair in pairs_of(shard, choose, {}):
            (chosen, strength), (rejected, other) = truths[pair.chosen], truths[pair.rejected]
            counts[relation(chosen, rejected)] += 1
            counts[f"{relation((chosen, -strength), (rejected, -other))}_by_degree"] += 1
            pairs += 1
    names = ("better", "equal", "worse", "better_by_degree", "worse_by_degree")
    of_pairs = {name: round(counts[name] / max(pairs, 1), 4) for name in names}
    return {"pairs": round(pairs / prompts, 4), **of_pairs}


def relation(one: object, other: object) -> str:
    return "equal" if one == other else "better" if one > other else "worse"  # type: ignore[operator]


def truth_of_pictures(params: Params) -> Mapping[str, tuple[int, float]]:
    """Return how many truths hold of each picture, and how strong its faults are, also invisible ones."""
    faults, found = params.models[params.roles.painter].faults, {}
    for row in read_rows(table_of("synthesize"), ["id", "prompt", "seed", "width", "height", "status"]):
        if row["status"] == "ok":
            truth = picture_truth(row["prompt"], row["seed"], faults, row["width"], row["height"])
            drawn = commission(row["prompt"], row["seed"], painter_faults(faults))[1]
            found[row["id"]] = sum(truth.get(name, True) for name in TRUTHS), sum(drawn.values())
    return found


if __name__ == "__main__":
    main()
