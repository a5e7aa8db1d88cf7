"""The commands `gamut init` and `gamut upgrade`: a thin face."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from stages.project.errors import UserError, one_line_errors


@one_line_errors
def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder; `.` is this one.")],
) -> None:
    """Make a project of your own, whose stages run the installed code: pipeline, parameters, profiles, README.

    It begins with the laptop's build, which asks no model. It is a git repository, or part of the one that DIR lies in.

    Examples: `gamut init my-dataset`, `gamut init .`
    """
    from stages.command.projects.init import init

    for line in init(folder):
        print(line)


@one_line_errors
def upgrade() -> None:
    """Bring this project up to the version that is installed: its pipeline files, and digests of its code.

    params.yaml stays as it is: keys that are new or gone are named. Of a file that you edited and that is new, the new
    version is put beside it. Last it says what `dvc repro` will run again.

    Example: `pip install --upgrade gamut-t2i && gamut upgrade`
    """
    from stages.command.left_out import leave_out
    from stages.command.projects.upgrade import runs_again, upgrade
    from stages.publish.parameters import load_everything

    for line in upgrade():
        print(line, flush=True)
    for line in leave_out():
        print(line, flush=True)
    try:
        load_everything()
    except UserError as error:
        print(error)
        sys.exit("mend params.yaml, as said above; `dvc status` then says what will run again")
    print(runs_again())
