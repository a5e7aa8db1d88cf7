"""The data card: what a build is, how it was made, and what was left out and why. Every number in it is computed.

Publishing adds front matter and licence (gamut.publish.card), and puts the pictures beside the card.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gamut.asking.models.opening import identity
from gamut.dataset.reading.rows import route_of
from gamut.dataset.reporting.counts import NEAR
from gamut.dataset.reporting.figures import Counts, Report, reasons_by_step
from gamut.dataset.shared.parameters import CHARACTERISTICS, SamePictures
from gamut.dataset.shared.source_blocks import (
    Build,
    FileSource,
    FolderSource,
    Foreign,
    HubSource,
    ImagineSource,
    Source,
)
from gamut.dataset.steps import ASKING, SCORING, STEPS, safety
from gamut.pipeline.steps import Decides
from gamut.project.markdown import code_span, escape_markdown, markdown_table
from gamut.project.model_kinds import SandboxModel
from gamut.project.plain_text import amount

CARD = Path(__file__).with_name("card.md")
WORLD = """\
> **Made with the embedded world**, which answered as {roles}{others}. It is a small artificial world of pictograms \
whose truth is known: it tests the pipeline. No number here says anything about a real model, and its pictures and \
texts are of no use for training.

"""

NAMES = """ \
The captioner was given each picture's prompt to take names from: a caption may use names that the picture alone does \
not show."""

FOLLOWS = "; how far a picture follows its prompt {}"

NOT_SEARCHED = "They were not searched for persons, trademarks or offensive content."
SEARCHED = """\
A judge, who can be wrong, looked for nudity, violence, real persons, logos and watermarks in pictures, not in \
captions. Thresholds that leave pictures out: {thresholds}."""

CHOSEN = """ \
{samples} pictures were painted of each prompt. Of those that pass all filters the one with the highest mean of {by} \
stays."""

BEST = "of the pictures of its prompt it is the best"
PREFERENCES = """

The table `preferences` has {pairs:,} pairs of pictures of the same prompt. `chosen` is in the release, with the id \
`chosen_id`; `rejected` is another one, whose mean score is lower by {margin:g} or more. `score_chosen` and \
`score_rejected` are means of the scores that `by` names. Filters may have left out the rejected picture, and it was \
not compared with the pictures of benchmarks."""

LENGTHS = """

The table `captions` has more captions of these pictures by `id`, `language` ({language}) and `length` ({length}). The \
captioner wrote the English ones from the picture alone, the translator the others from these."""

SCORES = """

The table `scores` has the same pictures by `id`, with every score by which pictures can be compared, null without \
an answer. The judge gave them, from 0 to 10; models gave, on scales of their own: {of_models}."""

SEEDS = """\
Of {asked:,} seed prompts in {families:,} concept families {kept:,} were kept, and each call of the writer showed \
{examples} of them. It wrote {prompts:,} prompts. Of {embedded:,} of them, evenly out of all, the nearest other one \
has a similarity of {nearest_median} (the median; cosine of embeddings), of one in ten {nearest_90th_percentile} or \
more, and {share_near_another:.1%} have one above {near}. {share_repeating_another:.1%} of all were left out because \
they repeat another.

"""

ROUTES = {
    "as_is": "the source's captions as they are",
    "rewrite": "the source's captions, rewritten by the captioner, who sees the source's image if there is one",
    "mine_text": "source images with legible text, described by the captioner with their text, look and context",
    "keep": "the source's own pictures, not painted anew",
    "imagine": "invented by the writer in the manner of seed prompts",
}
DESCRIPTIONS = {
    "composition": "arrangement: objects, positions, relations, depth",
    "entity": "the things themselves: objects, beings, landmarks",
    "text": "lettering, quoted as it stands in the picture",
    "imaginative": "what is surreal or impossible",
    "style": "medium, technique, manner",
    "abstract": "mood and emotion",
    "detail": "generation chain-of-thought",
    "original": "the source's own caption, where it is true of the picture",
}


def card(params: Build, report: Report) -> str:
    held_out = sum(report["hold_out"].values()) - report["hold_out"]["kept"]
    return CARD.read_text(encoding="utf-8").format(
        params=params,
        report=report,
        world=world(params),
        pictures=kinds_of_pictures(params, report),
        sizes=sizes_in_words(params),
        names=NAMES if params.annotate.prompt_for_names else "",
        chosen=of_several(params, CHOSEN, by=weights_in_words(params.choose.by)),
        preferences=of_several(params, PREFERENCES, **report.get("preferences", {})),
        captions=LENGTHS.format(**{of: counts_in_words(counts) for of, counts in report["captions"].items()})
        if params.captions.lengths
        else "",
        scores=scores(params, report),
        withheld=withheld_sentence(params),
        descriptions=descriptions(report),
        pictures_with=pictures_with(report),
        sources=sources(params, report),
        routes="\n".join(f"* `{name}`: {ROUTES[name]}." for name in ROUTES if name in {*map(route_of, params.sources)}),
        seeds=seeds(params, report),
        models=models(params, report),
        relevance=", ".join(f"{name} {getattr(params.categorize, name)}" for name in CHARACTERISTICS),
        follows=(FOLLOWS.format(params.select.follows) if params.follow.ask else "") + own_thresholds(params),
        searched=searched(params),
        filters=filters(report),
        compared=compared(params.same_pictures),
        duplicates=report["prompts"].get("duplicate", 0),
        near_duplicates=report["prompts"].get("near_duplicate", 0),
        held_out=amount_was(held_out, "picture"),
        editions="".join(
            f"; {escape_markdown(edition)}: {number:,}" for edition, number in report["held_out_for"].items()
        ),
        failures=counts_in_words(report["failures"]),
        declined=counts_in_words(report["declined"]),
        withheld_captions=amount_was(report["withheld"]["captions"], "caption"),
        withheld_pictures=amount_was(report["withheld"]["pictures_without_detail"], "picture"),
    )


def kinds_of_pictures(params: Build, report: Report) -> str:
    kept = sum(report["sources"][one.wave]["released"] for one in params.sources if route_of(one) == "keep")
    return f"pictures ({kept:,} of them the sources' own, the others synthesized)" if kept else "synthesized pictures"


def sizes_in_words(params: Build) -> str:
    """Return in which sizes the painter was asked for pictures."""
    sizes = [f"{one.width}×{one.height}" for one in params.synthesize.drawn]
    own = "; sources' own pictures have theirs" if any(route_of(one) == "keep" for one in params.sources) else ""
    return f"asked for in {' or '.join(sizes)} pixels{own}"


def own_thresholds(params: Build) -> str:
    shipped = ("contrast", "letterforms", "sense", "follows")
    return "".join(f"; {name} {value}" for name, value in params.select if value and name not in shipped)


def searched(params: Build) -> str:
    thresholds = ", ".join(one.name for one in safety.STEP.filters if one.threshold(params)) or "none"
    return SEARCHED.format(thresholds=thresholds) if params.safety.ask else NOT_SEARCHED


def world(params: Build) -> str:
    asked = asked_roles(params)
    roles = [role for role, slug in asked.items() if isinstance(params.models[slug], SandboxModel)]
    if not roles:
        return ""
    others = "; other models had the other roles" if len(roles) < len(asked) else ""
    return WORLD.format(roles=", ".join(roles), others=others)


def of_several(params: Build, text: str, **values: object) -> str:
    """Return a text about several pictures a prompt, "" if there is only one."""
    given = {"samples": params.synthesize.samples, "margin": params.choose.margin}
    return text.format(**given, **values) if params.synthesize.samples > 1 else ""


def scores(params: Build, report: Report) -> str:
    """Return what the table of scores has, "" if it is empty."""
    of_models = ", ".join(f"`{name}`" for name, step in SCORING.items() if getattr(params.roles, step.role)) or "none"
    return SCORES.format(of_models=of_models) if report["scores"]["pictures"] else ""


def weights_in_words(by: Mapping[str, float]) -> str:
    return ", ".join(f"{name} (weight {weight:g})" for name, weight in by.items())


def compared(block: SamePictures) -> str:
    """Return which pictures that look alike stay, if pictures are compared."""
    limits = (
        ("their hashes differ in more than {} of 143 bits", block.bits),
        ("the cosine of their embeddings is below {}", block.similarity),
    )
    stay = [words.format(limit) for words, limit in limits if limit is not None]
    return f" where {' and '.join(stay)}" if stay else ""


def withheld_sentence(params: Build) -> str:
    if not params.withheld:
        return ""
    waves = ", ".join(map(code_span, sorted(params.withheld)))
    return f" The sources of {waves} do not allow us to publish texts: no prompt and no caption of theirs is here."


def descriptions(report: Report) -> str:
    rows = (
        (f"`caption_{name}`", what, of["captions"], f"{of['share_of_pictures']:.1%}", of["mean_words"])
        for name, what in DESCRIPTIONS.items()
        for of in [report["descriptions"][name]]
    )
    return markdown_table(
        ("column", "what it stresses", "captions", "pictures that have it", "English words, mean"), rows
    )


def pictures_with(report: Report) -> str:
    words = (f"{number:,} with {name.replace('_', ' ')}" for name, number in report["pictures_with"].items())
    return f"Pictures by the number of their captions in each language: {', '.join(words) or 'none'}."


def sources(params: Build, report: Report) -> str:
    numbers = ("candidates", "images_missing", "prompts", "released")
    rows = (
        (
            source.wave,
            route_of(source),
            origin(source)
            + (f", {escape_markdown(source.license)}" if isinstance(source, Foreign) and source.license else ""),
            *(of[name] for name in numbers),
            f"{of['share']:.1%}",
        )
        for source in params.sources
        for of in [report["sources"][source.wave]]
    )
    heads = (name.replace("_", " ") for name in numbers)
    return markdown_table(("wave", "route", "source", *heads, "share of the release"), rows)


def origin(source: Source) -> str:
    if isinstance(source, FileSource | FolderSource):
        return code_span(source.path)
    if isinstance(source, HubSource):
        part = "/".join(filter(None, (source.config, source.split)))
        return f"`{source.repo}` on the Hugging Face Hub, {escape_markdown(part)}, revision {source.revision}"
    return "the writer" if isinstance(source, ImagineSource) else "random scenes of the embedded world"


def seeds(params: Build, report: Report) -> str:
    if not report["novelty"]["prompts"]:
        return ""
    found = {"asked": sum(report["seeds"].values()), "kept": report["seeds"]["kept"]}
    given = {"families": len(params.brainstorm.families), "examples": params.imagine.examples, "near": NEAR}
    return SEEDS.format(**found, **given, **report["novelty"])


def asked_roles(params: Build) -> dict[str, str]:
    """Return the slug of every role that the build asks; benchmarks also ask other roles."""
    asked = {step.role for step in ASKING}
    return {role: slug for role, slug in params.roles.filled().items() if role in asked}


def models(params: Build, report: Report) -> str:
    rows = []
    for role, slug in asked_roles(params).items():
        stages = [step.name for step in ASKING if step.role == role and step.name in report["asked"]]
        used = [list(report["asked"][stage].values()) for stage in stages]
        totals = [sum(numbers) for numbers in zip(*used, strict=True)] or [0, 0, 0]
        rows.append((role, *model(params, role, slug), ", ".join(stages), *totals))
    return markdown_table(("role", "model", "sampling", "stages", "calls", "tokens in", "tokens out"), rows)


def model(params: Build, role: str, slug: str) -> tuple[str, str]:
    found = params.models[slug]
    if isinstance(found, SandboxModel):
        faults = ", ".join(f"{name} {rate}" for name, rate in found.faults.items())
        errs = "" if found.judging is None else ", ".join(f"{name} {size}" for name, size in found.judging)
        said = {"faults injected": faults, "as a judge it errs": errs}
        return "the embedded world", "; ".join(f"{what}: {how}" for what, how in said.items() if how)
    of = identity(found, role)
    revision = f", revision {of['revision']}" if of["revision"] else ""
    sampling = ", ".join(f"{key} {value}" for key, value in of["sampling"].items())
    return escape_markdown(
        f"{of['id']}{revision}" + (f", {of['numerics']}" if of["numerics"] else "")
    ), escape_markdown(sampling) or "its defaults"


def filters(report: Report) -> str:
    own = reasons_by_step(report)
    of_captions = [step.name for step in STEPS if isinstance(step, Decides) and step.of == "caption"]
    passing = {getattr(step, "fault", step.name): step.passes for step in STEPS if step.passes} | {"choose": BEST}
    rows = (
        (f"`{name}`", passing[name], sum(counts.values()), counts.get("kept", 0), counts_in_words(counts))
        for name, counts in sorted(own.items(), key=lambda one: one[0] in of_captions)
        if any(counts.values())
    )
    return markdown_table(("filter", "what passes", "came", "kept", "left out"), rows)


def counts_in_words(counts: Counts) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in counts.items() if name != "kept" and number) or "none"


def amount_was(number: int, thing: str) -> str:
    """`1 thing was`, `2 things were`."""
    return f"{amount(number, thing)} {'was' if number == 1 else 'were'}"
