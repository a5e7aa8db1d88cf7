"""The command `gamut`: all its commands by name."""

from __future__ import annotations

from typing import Annotated

import typer

from stages.command import benchmarking, building
from stages.command.contestants import commands as contestants
from stages.command.projects import commands as projects
from stages.command.usage import OneLine
from stages.deciding import commands as deciding
from stages.project import installed_code
from stages.project.errors import said_in_one_line
from stages.publish import commands as publishing

HELP = """Build, check and care for text-to-image reasoning datasets. The build itself is `dvc repro`.

Examples: `gamut check`, `gamut use parti`, `gamut add contestant NAME --folder DIR`, `gamut show annotate ID`,
`gamut retry annotate`, `gamut store prune`, `gamut review BENCHMARK v1`, `gamut freeze BENCHMARK v1`,
`gamut label BENCHMARK`, `gamut report`, `gamut publish dataset --dry-run`

A project of your own: `gamut init DIR`. Completion of commands by the tab key: `gamut --install-completion`.
"""
app = typer.Typer(cls=OneLine, no_args_is_help=True, help=HELP, pretty_exceptions_enable=False)
store_app = typer.Typer(cls=OneLine, no_args_is_help=True, help="Care of the reply store (.store/, or GAMUT_STORE).")
app.add_typer(store_app, name="store")
add_app = typer.Typer(cls=OneLine, no_args_is_help=True, help="Put something new into params.yaml.")
app.add_typer(add_app, name="add")


def show_version(wanted: bool) -> None:
    """Print gamut's version and end."""
    if wanted:
        with said_in_one_line():
            print(f"gamut {installed_code.version()}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=show_version, help="Show gamut's version and exit.")
    ] = False,
) -> None:
    """Take what stands before a command."""


COMMANDS = (
    projects.init,
    projects.upgrade,
    building.check,
    building.use,
    building.estimate,
    building.attempt,
    building.retry,
    building.show,
    benchmarking.calibrate,
    deciding.review,
    benchmarking.freeze,
    benchmarking.import_,
    benchmarking.export,
    deciding.label,
    benchmarking.compare,
    benchmarking.audit,
    benchmarking.gap,
    building.report,
    building.summary,
    contestants.pin,
    publishing.publish,
    publishing.diff,
    publishing.fetch,
)
"""In the order in which `gamut --help` lists them."""
NAMED = {building.attempt: "try", benchmarking.import_: "import"}
"""What goes by a word that Python keeps for itself."""
for command in COMMANDS:
    app.command(NAMED.get(command))(command)
for command in (building.prune, building.seed):
    store_app.command()(command)
add_app.command()(contestants.contestant)


if __name__ == "__main__":
    app()
