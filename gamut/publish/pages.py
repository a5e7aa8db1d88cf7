"""`gamut publish pages`: put the report on a static Space of the Hub, in one commit, with the protocol of datasets.

A Space shows what its branch contains: pages have no versions, tags or receipts. The commit names the git revision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gamut.evaluation.defining.editions import Item, path_of, read_edition
from gamut.pipeline.studies import studies
from gamut.project import pipeline
from gamut.project.errors import UserError, in_one_line
from gamut.project.inputs import files_below, leads_out
from gamut.project.locks import only_writer
from gamut.project.markdown import escape_markdown
from gamut.project.plain_text import amount
from gamut.publish import hub, products, protocol, readiness
from gamut.publish.files import REPORT_MARK, File, Say, disk_file, memory_file
from gamut.publish.parameters import PAGES, Everything, Publication, load_everything
from gamut.publish.protocol import Change, Plan, plan_changes
from gamut.publish.publishing import announcement, change_values, require_private
from gamut.publish.receipts import page_url

REPORT = Path("report")
SHOWN = (
    "the pages show all prompts, answers, replies and pictures (as thumbnails), and contestants' blocks of params.yaml"
)
CARD = """\
---
{front_matter}
---

# {title}

{project}The commit that brought these pages names the git revision that they were built from.
"""


def publish_pages(dry_run: bool, private: bool, say: Say) -> dict[str, Any]:
    """Make a Space contain the local pages and no other files of gamut. With `dry_run` nothing is written; with
    `private` only people whom the owner admits see it. Return the same as `publish_version`.
    """
    params = load_everything()
    publication = params.publication(PAGES)
    repo, licence = readiness.require_named(PAGES, publication)
    there, files = hub.open_remote(repo, "space"), page_files(publication, [*params.benchmarks, *studies()])
    if not private and (reason := next(kept_back(params), None)):
        raise UserError(f"{reason}, but the pages show it: use `--private` for a Space that others do not see")
    with only_writer(f"publish.{PAGES}"):
        revision = readiness.require_committed([pipeline.PARAMS, pipeline.lock_of("report")])
        readiness.require_up_to_date(("report",))
        present = hub.repo_exists(there)
        state = protocol.branch_head(there) if present else None
        change = Change(PAGES, None, files, publication.title, f"git revision {revision}\nPublished with gamut.")
        if state is not None:
            protocol.require_own(there, state, change)
            if private:
                require_private(there)
            if not protocol.missing_changes(there, state.commit, files):
                say(f"{there.repo} shows these pages already: nothing to do")
                return change_values(PAGES, there, files, Plan((), ()))
        card = next(file for file in files if file.path == "README.md").read().decode()
        hub.require_valid_card(there, card, licence, f"publish.{PAGES}.license")
        pages = amount(sum(file.path.endswith(".html") for file in files), "page")
        for line in (*announcement(PAGES, pages, there, files, state), SHOWN):
            say(line)
        hub.require_writer(there)
        found = change_values(PAGES, there, files, plan_changes(files, state.files if state else {}, there.kind))
        if dry_run:
            say(f"nothing was written: `gamut publish {PAGES}{' --private' * private}` publishes them")
            return found
        if not present:
            protocol.create_repo(there, private)
        protocol.push_version(there, change, say)
        say(f"{page_url(there.api.endpoint, f'/spaces/{there.repo}')} shows them")
        return found


def page_files(publication: Publication, benchmarks: Iterable[str]) -> list[File]:
    """Return the files to upload: those that the build wrote. For DVC, any other file in these folders is a change,
    which `require_up_to_date` refuses. UserError without a report, or for a link that leads out and is not DVC's.
    """
    first = [REPORT / REPORT_MARK, REPORT / "index.html"]
    if not all(path.is_file() for path in first):
        raise UserError(f"{REPORT}: there are no pages: `dvc repro report` writes them, `dvc pull` fetches them")
    folders = [REPORT / name for name in ("assets", "dataset", *(f"benchmarks/{name}" for name in benchmarks))]
    local = [*first, *(path for folder in folders if folder.is_dir() for path in files_below(folder))]
    if outside := next((path for path in local if leads_out(REPORT, path)), None):
        raise UserError(f"the link {in_one_line(outside)} leads out of {REPORT}: delete it, and run `dvc repro report`")
    card = memory_file("README.md", card_text(publication).encode())
    return [card, *(disk_file(path.relative_to(REPORT).as_posix(), path) for path in local)]


def card_text(publication: Publication) -> str:
    from huggingface_hub import SpaceCardData

    shown = publication.model_dump(include={"title", "license", "license_name", "license_link"})
    data = SpaceCardData(sdk="static", **shown)
    project = f"Made with gamut: {escape_markdown(publication.project)}. " if publication.project else ""
    return CARD.format(front_matter=data.to_yaml(), title=escape_markdown(publication.title), project=project)


def kept_back(params: Everything) -> Iterator[str]:
    """Yield what is on the pages but may not be passed on: items of editions, texts of sources, unsafe pictures."""
    for name in params.benchmarks:
        if (REPORT / "benchmarks" / name).is_dir():
            version = params.edition(name)
            if reason := products.withheld_reason(name, version, read_edition(name, version, Item)):
                yield f"{path_of(name, version)} may not be published: {reason}"
    if waves := params.dataset.withheld:
        yield f"sources: {', '.join(sorted(waves))}: `redistributable: false`"
    if params.dataset.safety.ask:
        yield "what `safety` left out may not be published"
