"""Whether a folder can answer as a contestant: files' names tell its answers apart, and enough of them are there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from gamut.asking.limits import MOST_NAMED
from gamut.asking.models.folder.answers import Folder
from gamut.asking.models.folder.paths import plain_key, unpadded_key
from gamut.asking.models.weights import digest
from gamut.asking.outcomes import Outcome
from gamut.asking.requests import Chat, Create, Paint
from gamut.asking.visiting import Visit
from gamut.project.budgets import most_failures
from gamut.project.errors import UserError
from gamut.project.model_kinds import FolderModel
from gamut.project.places import path_on_disk
from gamut.project.plain_text import amount
from gamut.project.roles import Played, RoleModel
from gamut.tables.columns import Row


def require_distinct_names(records: Collection[str], samples: int) -> None:
    """UserError for answers whose files would be called alike, as a sample of one item and another item."""
    mend = "give the items of the edition other ids"
    known: dict[str, str] = {}
    for record in sorted(records):
        if (other := known.setdefault(plain_key(record), record)) != record:
            raise UserError(f"a folder cannot tell {record!a} from {other!a}, coded letters alone differ: {mend}")
    for record in sorted(records):
        for sample in range(samples):
            if named := known.get(plain_key(f"{record}_{sample}")):
                raise UserError(
                    f"a folder cannot tell {named!r} from sample {sample} of {record!r}, as both would be called so: "
                    f"{mend}"
                )


def look_up_answers(
    folder: Folder, visit: Visit, rows: Iterable[Row]
) -> Iterator[tuple[Row, Chat | Paint | Create, str]]:
    """Yield rows, the request for each, and why a folder has no answer, empty where it has one."""
    for row in rows:
        conversations = next(visit(row), [])
        for conversation in conversations:
            request = conversation.next([])
            if isinstance(request, Outcome):
                continue
            assert isinstance(request, Chat | Paint | Create)
            request = replace(request, record=row["record"])
            yield row, request, folder.lacking(request)


def require_one_each(played: Played, records: Collection[str]) -> None:
    """UserError where a contestant's folder would answer two records with one file (`Folder.shared`)."""
    if all(unpadded_key(record) == record for record in records):
        return
    for player in played.players:
        if isinstance(player.model, FolderModel) and path_on_disk(player.model.path).is_dir():
            require_unshared(Folder(str(played), player.model.path), records)


def require_unshared(folder: Folder, records: Collection[str]) -> None:
    if (found := folder.shared(records)) is not None:
        where, one, other = found
        raise UserError(
            f"{folder.shown}/{where} would answer both {one!r} and {other!r}: put a file there that is called as "
            f"{other!r}, an empty one where its answer is missing"
        )


def require_enough_answers(
    stage: str, contestant: str, played: Played, visit: Visit, rows: Sequence[Row], allowed: int | float
) -> None:
    """UserError where a contestant is a folder that lacks more answers than may fail; it names the first."""
    if not isinstance(played, RoleModel) or not isinstance(played.model, FolderModel):
        return
    folder = path_on_disk(played.model.path)
    if not folder.is_dir() or digest(folder) != played.model.revision:
        return  # that is why, then
    found = look_up_answers(Folder(str(played), played.model.path), visit, rows)
    missing = [(row, why) for row, _, why in found if why]
    if len(missing) > most_failures(allowed, len(rows)):
        raise UserError(
            f"{stage}: {missing_answers_message(played.model.path, missing, len(rows), allowed)}. "
            "Put them there and run `gamut pin`, or "
            f"let them be missing: `max_failures: {len(missing)}` in contestants.{contestant} of params.yaml"
        )


def missing_answers_message(path: str, missing: Sequence[tuple[Row, str]], total: int, allowed: int | float) -> str:
    named = "; ".join(f"{row['record']} ({why})" for row, why in missing[:MOST_NAMED])
    more = f" and {len(missing) - MOST_NAMED:,} more" if len(missing) > MOST_NAMED else ""
    may = most_failures(allowed, total)
    return f"{path} lacks {len(missing):,} of {amount(total, 'answer')}, at most {may:,} may fail: {named}{more}"
