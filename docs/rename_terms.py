"""Say in code, tables, parameters, commands and pages what readers of the field say.

    side -> setting            what a contestant is given: put -> prompt
    inquiry -> judge question  sighting -> check        observation -> judgment
    view -> metric             room -> curation (of a benchmark: its card, its review, its released files)
    spoilt -> degraded         trial of judges -> validation

Run once in a clean checkout: python docs/rename_terms.py; what it could not know was mended by hand in the same commit. Names are renamed everywhere; words in prose and strings only where
the term is meant: a picture has sides, a scene has a view, a threshold has two sides.
"""

from __future__ import annotations

import io
import re
import subprocess
import textwrap
import tokenize
from pathlib import Path

WORDS = {
    "side": "setting",
    "inquiry": "judge_question",
    "inquirie": "judge_question",
    "sighting": "check",
    "observation": "judgment",
    "spoilt": "degraded",
}
"""Parts of names between underscores, without the s of the plural."""
NAMES = {
    "Put": "Prompt",
    "put": "prompt",
    "puts": "prompts",
    "PUT": "PROMPT",
    "NOT_PUT": "NOT_ASKED",
    "put_on": "prompted_in",
    "View": "Metric",
    "VIEW": "METRIC",
    "VIEWS": "METRICS",
    "view": "metric",
    "views": "metrics",
    "views_of": "metrics_of_block",
    "view_of": "metric_of",
    "by_view_and_judge": "by_metric_and_judge",
    "of_view": "of_metric",
    "write_views": "write_metric_specs",
    "read_views": "read_metric_specs",
    "ByView": "ByMetric",
    "by_view": "by_metric",
    "with_views": "with_metrics",
    "Room": "Curation",
    "AnyRoom": "AnyCuration",
    "ROOM": "CURATION",
    "ROOMS": "BENCHMARKS",
    "room": "curation",
    "rooms": "curations",
    "room_of": "curation_of",
    "of_rooms": "of_benchmarks",
    "other_rooms": "other_benchmarks",
    "Trial": "Validation",
    "TRIAL": "VALIDATION",
    "flat_trial": "flat_validation",
    "trial_of": "validation_of",
    "failed_trials": "failed_validations",
    "Sighting": "Check",
    "Inquiry": "JudgeQuestion",
    "Spoilt": "Degraded",
    "Observation": "Judgment",
}
KEPT = {"upside_down", "upside", "side_by_side", "inside", "outside", "beside", "aside", "sideways"}

TEST_WORDS = {
    "side": "setting", "sides": "settings", "view": "metric", "views": "metrics", "inquiry": "judge_question",
    "inquiries": "judge_questions", "sighting": "check", "sightings": "checks", "observations": "judgments",
    "trial": "validation", "spoilt": "degraded",
}

GEOMETRY = re.compile(
    r"^(gamut/(world|asking|tables|texts|dataset|project/model_kinds|report/site/thumbnails)"
    r"|stages/(dataset|\w+/construction|gir/shared/(measures|wordings|items)|gir/grids)"
    r"|gamut/evaluation/scoring/statistics/(inference|correlation|prediction_powered)"
    r"|tests/(sandbox/(?!test_keys)|asking|tables|dataset|texts|project|world|gir/(measures|construction|looked_at|published/test_import_grids)"
    r"|gapeval/construction|end_to_end/construction_story|stub_server|families|prism/test_agree)"
    r"|bench/(calibration|statistics))"
)
"""Where a side is one of a picture, a threshold or a comparison."""
PUT_AS_VERB = re.compile(r"^(gamut|tests)/asking/|^tests/(dataset/small_build|hub/|genius/published/|gir/published/)|gamut/deciding/server")
VIEW_OF_PICTURES = re.compile(r"^(gamut/(world|asking|tables|deciding)|stages/\w+/construction|tests/(asking|sandbox|tables))")
ROOM_OF_SPACE = re.compile(
    r"^(gamut/(world|asking|tables|dataset|evaluation/(defining/picture_shards|scoring/statistics))|tests/(asking|sandbox|tables)"
    r"|stages/\w+/construction)"
)
ROOM_AS_FOLDER = re.compile(
    r"^(gamut/project/|gamut/command/(effective|pipeline_files|show/item)|tests/(project|end_to_end|guard)/|tests/command/test_(effective|left_out|show))"
)
TRIAL_OF_JUDGES = re.compile(r"^(gamut/(evaluation|report)|stages|tests/(evaluation|report|aegis|prism|gir|genius|gapeval)|bench|gamut/command/(compar|estimate))")
ROOMS = {
    "one room a benchmark": "one folder a benchmark",
    "<room>": "<folder>",
    "A benchmark is a *room*: a package": "A benchmark is a folder:",
    "| **room** | the package of one benchmark in `stages/` ([house.md](house.md)) |\n": "",
    "those of its room (in": "those of its folder (in",
    "the room's dvc.yaml": "the benchmark's dvc.yaml",
    "A benchmark's room says": "A benchmark's folder says",
    "the name (`room.judge@": "the name (`prism.judge@",
    "its name (`room.judge@": "its name (`prism.judge@",
    "has its own: `room.judge@": "has its own: `prism.judge@",
    "A benchmark's room, as the commands see it": "A benchmark's curation, as the commands see it",
    "by the room's own stages": "by the benchmark's own stages",
    "Rooms are imported": "Curations are imported",
    "Return a benchmark's room;": "Return a benchmark's curation;",
    "that its room hands to": "that its folder hands to",
    "The parameters that all rooms share, and how a room's are read: a stage checks these and its own room's":
        "The parameters that all benchmarks share, and how one's are read: a stage checks these and its own benchmark's",
    "benchmark's room or its construction": "benchmark or its construction",
    "the parameters of its `room`": "the parameters of its `folder`",
    "record of a room's stages": "record of a folder's stages",
    "A project with the room of a benchmark": "A project with the folder of a benchmark",
    "A project with the room alone": "A project with the benchmark alone",
    "reply, in every room.": "reply, in every benchmark.",
    "as if its room stood": "as if its folder stood",
    "stages of either room": "stages of either benchmark",
}
SIDE_BY_SIDE = re.compile(
    r"side by side|side to side|either side of|sides? of the (picture|image|square|beam)|(longer|shorter|left|right|larger|smaller) sides?"
    r"|pixels a side|a side below|on either side|(hand|opposite|far|other) side of"
)


def part(name: str, geometry: bool) -> str:
    found = re.fullmatch(r"(\w+?)(s?)", name)
    stem, plural = (found[1], found[2]) if found else (name, "")
    lower = stem.lower()
    if lower == "side" and geometry or lower not in WORDS:
        return name
    new = WORDS[lower]
    new = new.upper() if stem.isupper() else new.title().replace("_", "") if stem[0].isupper() else new
    return new + (plural.upper() if stem.isupper() and plural else plural)


def new_name(name: str, file: str) -> str:
    if name in KEPT:
        return name
    if name.startswith("test_"):
        if GEOMETRY.search(file) or ROOM_OF_SPACE.search(file) or VIEW_OF_PICTURES.search(file) or "side_by_side" in name:
            return name
        return "_".join(TEST_WORDS.get(one, one) for one in name.split("_"))
    if name in NAMES:
        barred = {"put": PUT_AS_VERB, "puts": PUT_AS_VERB}.get(name)
        if name in ("view", "views") and VIEW_OF_PICTURES.search(file):
            return name
        if name in ("room", "rooms") and ROOM_OF_SPACE.search(file):
            return name
        if name == "room" and ROOM_AS_FOLDER.search(file):
            return "folder"
        return name if barred and barred.search(file) else NAMES[name]
    if name == "trial":
        return "validation" if TRIAL_OF_JUDGES.search(file) else name
    return "_".join(part(one, bool(GEOMETRY.search(file))) for one in name.split("_"))


def new_prose(text: str, file: str) -> str:
    """Return prose or the text of a string with the terms renamed."""
    kept: list[str] = []

    def aside(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"\0{len(kept) - 1}\0"

    text = SIDE_BY_SIDE.sub(aside, text)
    if not GEOMETRY.search(file):
        text = re.sub(r"\b[Oo]n ((?:\w+(?:'s)? ){0,3})(side|sides)\b", lambda m: f"{'I' if m[0][0] == 'O' else 'i'}n {m[1]}{m[2]}", text)
        text = re.sub(r"(?<![A-Za-z])side(s?)(?![A-Za-z])", r"setting\1", text)
        text = re.sub(r"(?<![A-Za-z])SIDE(S?)(?![A-Za-z])", r"SETTING\1", text)
        text = re.sub(r"(?<![A-Za-z])Side(s?)(?![A-Za-z])", r"Setting\1", text)
        text = re.sub(r"\b([Aa])n? setting", r"\1 setting", text)
    for old, new in (("inquiries", "judge questions"), ("inquiry", "judge question"), ("sightings", "checks"),
                     ("sighting", "check"), ("observations", "judgments"), ("observation", "judgment"),
                     ("spoilt", "degraded")):
        if old == "spoilt" and GEOMETRY.search(file) and "world" not in file:
            continue
        text = re.sub(rf"(?<![A-Za-z_]){old}(?![A-Za-z_])", new, text)
        text = re.sub(rf"(?<![A-Za-z_]){old.capitalize()}(?![A-Za-z_])", new.capitalize(), text)
    if not VIEW_OF_PICTURES.search(file) and not GEOMETRY.search(file):
        text = re.sub(r"\bview(s?)\b(?! of (?:the|a) (?:scene|picture))", r"metric\1", text)
        text = re.sub(r"\bView(s?)\b", r"Metric\1", text)
        text = re.sub(r"\bmetrics?\.(name|judge)", r"metric.\1", text)
    for old, new in ROOMS.items():
        text = text.replace(old, new)
    if TRIAL_OF_JUDGES.search(file) or file.endswith((".md", ".html")):
        text = re.sub(r"\b(its|their|a|the|whose|failed|no|that|each) trial\b", r"\1 validation", text)
        text = re.sub(r"\btrials? of judges\b", "validation of judges", text)
        text = re.sub(r'"trial', '"validation', text)
        text = re.sub(r"\btrial\.", "validation.", text)
    return re.sub("\0(\\d+)\0", lambda m: kept[int(m[1])], text)


def new_string(token: str, file: str) -> str:
    prefix = re.match(r"[A-Za-z]*", token)
    if prefix and "f" in prefix[0].lower():
        pieces = re.split(r"(\{\{|\}\}|\{[^{}]*\})", token)
        return "".join(
            new_code(piece, file) if piece.startswith("{") and len(piece) > 2 else new_text(piece, file) for piece in pieces
        )
    return new_text(token, file)


def new_text(text: str, file: str) -> str:
    """Return a string: a bare word is a key or a column, and renamed as names are; backticked names likewise."""
    if found := re.fullmatch(r"([rbRB]?[\"'])(\w+)([\"'])", text):
        word = found[2]
        if word in ("put", "puts", "room", "view", "views") and word not in STRING_KEYS.get(file, ()):
            return text
        return found[1] + new_name(word, file) + found[3]
    text = re.sub(r"`([\w.]+)`", lambda m: "`" + ".".join(new_name(one, file) for one in m[1].split(".")) + "`", text)
    return new_prose(text, file)


STRING_KEYS: dict[str, tuple[str, ...]] = {}


def new_code(code: str, file: str) -> str:
    return re.sub(r"(?<![\w\"'])([A-Za-z_]\w*)", lambda m: new_name(m[1], file), re.sub(
        r"([\"'])(\w+)([\"'])", lambda m: m[1] + new_name(m[2], file) + m[3] if m[2] in ("side", "sides", "observations") else m[0], code))


def new_python(text: str, file: str) -> str:
    lines, out, at = [*io.StringIO(text), ""], [], (1, 0)

    def between(start: tuple[int, int], end: tuple[int, int]) -> str:
        if start[0] >= len(lines):
            return ""
        if start[0] == end[0]:
            return lines[start[0] - 1][start[1] : end[1]]
        whole = "".join(lines[start[0] : end[0] - 1])
        last = lines[end[0] - 1][: end[1]] if end[0] <= len(lines) else ""
        return lines[start[0] - 1][start[1] :] + whole + last

    previous = ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        out.append(between(at, token.start))
        piece = between(token.start, token.end)
        if token.type == tokenize.NAME:
            numpy = token.string == "view" and previous == "." and re.match(r"\.?view\((np\.|\"|')", lines[token.start[0] - 1][token.start[1] :])
            piece = piece if numpy else new_name(piece, file)
        elif token.type == tokenize.STRING:
            piece = new_string(piece, file)
        elif token.type == tokenize.COMMENT:
            piece = new_text(piece, file)
        previous = token.string
        out.append(piece)
        at = token.end
    return "".join(out)


def git(*words: str) -> str:
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout


PATHS = {
    "gamut/evaluation/curating/room.py": "gamut/evaluation/curating/curation.py",
    "gamut/evaluation/curating/rooms.py": "gamut/evaluation/curating/benchmarks.py",
    "gamut/evaluation/defining/inquiries.py": "gamut/evaluation/defining/questions.py",
    "gamut/evaluation/defining/sides.py": "gamut/evaluation/defining/settings.py",
    "gamut/evaluation/scoring/trial.py": "gamut/evaluation/scoring/validation.py",
    "stages/genius/shared/views.py": "stages/genius/shared/metrics.py",
    "stages/gapeval/shared/views.py": "stages/gapeval/shared/metrics.py",
    "stages/gir/shared/putting.py": "stages/gir/shared/prompts.py",
    "stages/genius/shared/putting.py": "stages/genius/shared/prompts.py",
    "gamut/report/benchmarks/sightings.py": "gamut/report/benchmarks/checks.py",
    "docs/toy/datasets/toy/observations/.gitkeep": "docs/toy/datasets/toy/judgments/.gitkeep",
    "tests/command/test_compare_view.py": "tests/command/test_compare_metric.py",
    "tests/evaluation/defining/test_inquiries.py": "tests/evaluation/defining/test_questions.py",
    "tests/evaluation/scoring/test_trial.py": "tests/evaluation/scoring/test_validation.py",
    "tests/report/benchmarks/test_item_sightings.py": "tests/report/benchmarks/test_item_checks.py",
    "bench/trials.py": "bench/validation.py",
    "docs/toy/stages/toy/room.py": "docs/toy/stages/toy/curation.py",
    **{f"stages/{name}/room.py": f"stages/{name}/curation.py" for name in ("aegis", "gapeval", "genius", "gir", "own", "prism")},
    **{f"datasets/{name}/observations/.gitkeep": f"datasets/{name}/judgments/.gitkeep"
       for name in ("aegis", "gapeval", "genius", "gir", "own", "prism")},
}


def with_paths(text: str) -> str:
    for old, new in PATHS.items():
        text = text.replace(old, new)
        text = re.sub(rf"(?<![\w.]){re.escape(old.removesuffix('.py').replace('/', '.'))}(?!\w)", new.removesuffix(".py").replace("/", "."), text)
        package, _, module = old.removesuffix(".py").replace("/", ".").rpartition(".")
        text = re.sub(rf"(from {re.escape(package)} import [^\n]*)\b{module}\b", rf"\1{new.removesuffix('.py').rpartition('/')[2]}", text)
    if re.search(r"from gamut\.evaluation\.curating import [^\n]*\bbenchmarks\b", text):
        text = re.sub(r"\brooms\.(NAMES|rooms|room_of)\b", r"benchmarks.\1", text)
    text = re.sub(r"\broom\.py\b", "curation.py", text)
    text = re.sub(r"stages\.(\w+|\{\w+\})\.room\b", r"stages.\1.curation", text)
    text = re.sub(r"(datasets/[^/\s]+|\.|\*)/observations\b", r"\1/judgments", text)
    return text


PARAMETERS = ("params.yaml", "docs/toy/params.yaml", "stages/editions/params.yaml", "Makefile", "pyproject.toml", "docs/pipeline.svg")


def main() -> None:
    for old, new in PATHS.items():
        git("mv", "-k", old, new) if Path(old).exists() else None
    for file in git("ls-files").splitlines():
        path = Path(file)
        if not path.is_file() or path.is_symlink() or file.startswith(("tests/data/", "datasets/edition")):
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        new = with_paths(text)
        if file.endswith(".py"):
            new = reflow(new_python(new, file))
        elif file in PARAMETERS or file.startswith((".dvc/plots/", "profiles/")):
            new = new_prose(new, file)
        elif file == "datasets/.gitignore":
            new = new.replace("observations", "judgments")
        elif file.endswith((".md", ".html", ".jinja", ".js")) and file != "CHANGELOG.md" and "world" not in file:
            new = new_text(new, file)
        if new != text:
            path.write_text(new, encoding="utf-8")



def reflow(text: str) -> str:
    """Wrap anew the paragraphs of docstrings and comments that a longer word made too long: 120 characters a line."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if len(line) <= 120 or re.match(r"\s*(from|import|def|return|if|for|\w+ = |[\"'{(\[]\w+[\"']:)", line) and '"""' not in line:
            at += 1
            continue
        if not is_prose(lines, at):
            at += 1
            continue
        indent = re.match(r"\s*", line)[0]
        mark = re.match(r"\s*(# )?", line)[0]
        end = at + 1
        while end < len(lines) and lines[end].strip() and lines[end].startswith(mark) and '"""' not in lines[end - 1].strip()[3:] and not re.match(
            r"\s*(\"\"\"|[-*`|] ?|\d\. )", lines[end]) and (mark.strip() or re.match(r"\s*", lines[end])[0] == indent):
            end += 1
        joined = " ".join(one.strip().removeprefix("# ") for one in lines[at:end])
        closing = joined.endswith('"""') and len(joined) > 3 and joined.startswith('"""')
        if closing and len(joined) + len(mark) > 120:
            joined = joined.removesuffix('"""').rstrip()
        new = textwrap.wrap(joined, 112 if closing and len(joined) + len(mark) <= 121 else 120, initial_indent=mark, subsequent_indent=mark, break_long_words=False, break_on_hyphens=False)
        lines[at:end] = [*new, indent + '"""'] if closing else new
        at += len(new)
    return "\n".join(lines)


def is_prose(lines: list[str], at: int) -> bool:
    if lines[at].strip().startswith("# "):
        return True
    opened = sum(line.count('"""') for line in lines[:at])
    return opened % 2 == 1 or lines[at].strip().startswith('"""')


if __name__ == "__main__":
    main()
