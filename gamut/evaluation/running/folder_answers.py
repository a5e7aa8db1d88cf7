"""Whether a folder can be a contestant: its file names distinguish the answers, and enough of them exist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from gamut.asking.limits import MOST_NAMED
from gamut.asking.models.folder.answers import Folder
from gamut.asking.models.folder.paths import digest_of, plain_key
from gamut.asking.requests import Chat, Create, Paint, Request
from gamut.project.budgets import most_failures
from gamut.project.errors import UserError
from gamut.project.model_kinds import FolderModel
from gamut.project.places import path_on_disk
from gamut.project.plain_text import amount
from gamut.project.roles import Played, RoleModel
from gamut.tables.columns import Row

Wanted = Chat | Paint | Create


def require_distinct_names(records: Collection[str], samples: int) -> None:
    """UserError for answers whose files would have one name, such as a sample of one item and another item."""
    fix = "give the items of the edition other ids"
    known: dict[str, str] = {}
    for record in sorted(records):
        if (other := known.setdefault(plain_key(record), record)) != record:
            raise UserError(f"a folder cannot tell {record!a} from {other!a}: only the codes of letters differ: {fix}")
    for record in sorted(records):
        for sample in range(samples):
            if named := known.get(plain_key(f"{record}_{sample}")):
                raise UserError(
                    f"a folder cannot tell {named!r} from sample {sample} of {record!r}, since both would have this "
                    f"name: {fix}"
                )


def folders_of(played: Played) -> list[Folder]:
    """Return the folders of answers that a contestant has, of those that are on this machine."""
    models = (player.model for player in played.players if isinstance(player.model, FolderModel))
    return [Folder(str(played), model.path, model.of) for model in models if path_on_disk(model.path).is_dir()]


def name_as_folders_do(folders: Sequence[Folder], requests: Sequence[tuple[Row, Request]]) -> None:
    """Name rows `<setting>/<item>` if folders have them only under that name. UserError if an item has such a name."""
    items = {row["item"] for row, _ in requests}
    for row, request in requests:
        names = row["record"], f"{row['setting']}/{row['item']}"
        if names[1] in items:
            raise UserError(
                f"a folder cannot tell {names[1]!r} from {row['item']!r} in setting {row['setting']}, since both would "
                "have this name: give the items of the edition other ids"
            )
        there = (name for name in names if any(folder.tells(with_record(request, name)) for folder in folders))
        row["record"] = next(there, names[0])


def with_record(request: Request, record: str) -> Wanted:
    assert isinstance(request, Chat | Paint | Create)
    return replace(request, record=record)


def missing_answers(folder: Folder, requests: Iterable[tuple[Row, Request]]) -> list[tuple[Row, str]]:
    """Return the rows without an answer in the folder, and why."""
    looked_up = ((row, folder.lacking(with_record(request, row["record"]))) for row, request in requests)
    return [(row, why) for row, why in looked_up if why]


def require_one_each(folders: Sequence[Folder], records: Collection[str]) -> None:
    """UserError where a folder would answer two records with one file (`Folder.shared`)."""
    for folder in folders:
        if (found := folder.shared(records)) is not None:
            where, one, other = found
            raise UserError(
                f"{folder.shown}/{where} would answer both {one!r} and {other!r}: add a file named for {other!r}, "
                "an empty one if its answer is missing"
            )


def require_enough_answers(
    stage: str, contestant: str, played: Played, requests: Sequence[tuple[Row, Request]], allowed: int | float
) -> None:
    """UserError if a folder lacks more of a contestant's answers than may fail. It names the first ones."""
    if not isinstance(played, RoleModel) or not isinstance(played.model, FolderModel):
        return
    folder = path_on_disk(played.model.path)
    if not folder.is_dir() or digest_of(folder, played.model.of) != played.model.revision:
        return  # then that is the reason
    missing = missing_answers(Folder(str(played), played.model.path, played.model.of), requests)
    if len(missing) > most_failures(allowed, len(requests)):
        raise UserError(
            f"{stage}: {missing_answers_message(played.model.path, missing, len(requests), allowed)}. "
            "Add them and run `gamut pin`, or "
            f"allow them to be missing: `max_failures: {len(missing)}` in contestants.{contestant} of params.yaml"
        )


def missing_answers_message(path: str, missing: Sequence[tuple[Row, str]], total: int, allowed: int | float) -> str:
    named = "; ".join(f"{row['record']} ({why})" for row, why in missing[:MOST_NAMED])
    more = f" and {len(missing) - MOST_NAMED:,} more" if len(missing) > MOST_NAMED else ""
    may = most_failures(allowed, total)
    counts = Counter(row["setting"] for row, _ in missing)
    where = f" ({', '.join(f'{setting} {count:,}' for setting, count in counts.items())})" if len(counts) > 1 else ""
    return f"{path} lacks {len(missing):,} of {amount(total, 'answer')}{where}, at most {may:,} may fail: {named}{more}"
