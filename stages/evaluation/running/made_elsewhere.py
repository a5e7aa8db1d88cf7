"""What a folder of answers that were made elsewhere lacks of what its contestant is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from stages.asking.limits import NAMED
from stages.asking.models.folder import Folder
from stages.asking.outcomes import Outcome
from stages.asking.requests import Chat, Create, Paint
from stages.asking.visiting import Visit
from stages.project.budgets import most_failures
from stages.project.errors import UserError
from stages.project.model_kinds import FolderModel
from stages.project.roles import Played, RoleModel
from stages.project.settings import on_disk
from stages.tables.columns import Row


def lacking(folder: Folder, visit: Visit, rows: Iterable[Row]) -> Iterator[tuple[Row, str]]:
    """Yield the rows to which a folder has no answer, and why; those that nobody can be asked for are left out."""
    for row in rows:
        conversations = next(visit(row), [])
        for conversation in conversations:
            request = conversation.next([])
            if isinstance(request, Outcome):
                continue
            assert isinstance(request, Chat | Paint | Create)
            if why := folder.lacking(replace(request, record=row["record"])):
                yield row, why


def require_there(
    stage: str, contestant: str, played: Played, visit: Visit, rows: Sequence[Row], allowed: int | float
) -> None:
    """Raise UserError where a contestant is a folder that lacks more answers than may fail, with the first of them."""
    if not isinstance(played, RoleModel) or not isinstance(played.model, FolderModel):
        return
    if not on_disk(played.model.path).is_dir():
        return
    missing = list(lacking(Folder(str(played), played.model.path), visit, rows))
    if len(missing) > most_failures(allowed, len(rows)):
        raise UserError(f"{stage}: {too_few(played.model.path, contestant, missing, len(rows), allowed)}")


def too_few(path: str, contestant: str, missing: Sequence[tuple[Row, str]], total: int, allowed: int | float) -> str:
    """Return what a folder lacks, in words, and what can be done about it."""
    named = "; ".join(f"{row['record']} ({why})" for row, why in missing[:NAMED])
    more = f" and {len(missing) - NAMED:,} more" if len(missing) > NAMED else ""
    return (
        f"{path} lacks {len(missing):,} of {total:,} answers, at most {most_failures(allowed, total):,} may fail: "
        f"{named}{more}. Put them there and run `gamut pin`, or let them be missing: `max_failures: {len(missing)}` in "
        f"contestants.{contestant} of params.yaml"
    )
