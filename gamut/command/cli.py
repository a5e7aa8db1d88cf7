"""The command `gamut`: all its commands by name."""

from __future__ import annotations

import importlib.metadata
import io
import re
import sys
import traceback
from contextlib import nullcontext, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from gamut.command import benchmarking, building
from gamut.deciding import commands as deciding
from gamut.evaluation.curating.benchmarks import NAMES
from gamut.project.code import PROJECT, ROOT
from gamut.project.errors import UserError, errors_in_one_line, nearest_choice
from gamut.publish import commands as publishing

HELP = """Build, check and care for text-to-image reasoning datasets. The build itself is `dvc repro`.

Completion of commands by the tab key: `gamut --install-completion`.

Examples: `gamut check`, `gamut use parti`, `gamut add contestant mine --folder outputs/mine`, `gamut board`,
`gamut compare careful mine`, `gamut show BENCHMARK style/0`, `gamut retry annotate`, `gamut publish dataset --dry-run`
"""


class OneLineGroup(TyperGroup):
    """Commands that say in one line what was mistyped. Typer frames it, below two lines of usage."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        alone = options.pop("standalone_mode", True)
        options["standalone_mode"] = False
        try:
            code = super().main(*arguments, **options)
        except Exception as error:
            say = getattr(error, "format_message", None)  # of click's errors, wherever Typer keeps them
            if say is None or not alone:
                raise
            context, message = getattr(error, "ctx", None), say()
            if type(error).__name__ == "NoArgsIsHelpError":
                print(message, end="\n" if message else "")  # what Typer frames it has printed
            else:
                whose = f"{context.command_path}: " if context is not None else ""
                print(f"{whose}{' '.join(message.split())} (--help tells more)", file=sys.stderr)
            sys.exit(2)
        if not alone:
            return code
        sys.exit(code if isinstance(code, int) else 0)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            ctx.fail(f"there is no command {args[0]!r}{nearest_choice(args[0], self.commands)}")
        return super().resolve_command(ctx, args)


DOING = (
    *("use", "freeze", "import", "export", "contestant", "judge", "pin", "pipeline"),
    *("publish", "fetch", "report", "prune", "seed"),
)
"""Commands that do something and say what they did, which `-q` keeps quiet; what others print is their result."""


class InProject(TyperCommand):
    """A command that says in one line where there is no project to work on; its `--help` needs none."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.help = example_lines(self.help or "")

    def invoke(self, ctx: Any) -> Any:
        with errors_in_one_line():
            require_project()
        flags = ctx.find_root().params
        if "quiet" in ctx.params:
            ctx.params["quiet"] |= flags["quiet"]
        silent = flags["quiet"] and self.name in DOING and not ctx.params.get("as_json")
        try:
            with redirect_stdout(io.StringIO()) if silent else nullcontext():
                return super().invoke(ctx)
        except SystemExit as end:
            if flags["verbose"] and end.__context__ is not None:
                traceback.print_exception(end.__context__)
            raise


def example_lines(text: str) -> str:
    """Return a help with a line an example, each to be copied whole: about a benchmark of this project."""
    head, _, examples = re.sub(r"\bExample: ", "Examples: ", text).partition("Examples: ")
    listed = "\n".join(f"- {one}" for one in re.findall("`[^`]+`", examples))
    listed = listed.replace("BENCHMARK", NAMES[-1] if NAMES else "BENCHMARK")
    return f"{head}Examples:\n\n{listed}" if listed else text


def require_project() -> None:
    """Raise UserError where no project lies beside this library: stages are of both."""
    found = find_spec("stages")
    folders = (found.submodule_search_locations if found else None) or ()
    if not any(Path(folder, "dataset/pipeline.py").is_file() and Path(folder) == ROOT / PROJECT for folder in folders):
        raise UserError(
            "there is no project here, no package `stages` with steps and benchmarks: stand in a clone of gamut's "
            "repository, or of your fork of it"
        )


DISTRIBUTION = "gamut-t2i"
"""What is installed: `gamut` on the package index is another program, with a command of that name too."""
MARKDOWN: Any = {"cls": OneLineGroup, "no_args_is_help": True, "rich_markup_mode": "markdown"}
"""Paragraphs of a help flow at any width."""
app = typer.Typer(**MARKDOWN, help=example_lines(HELP), pretty_exceptions_enable=False)
store_app = typer.Typer(**MARKDOWN, help="Care of the reply store (.store/, or GAMUT_STORE).")
app.add_typer(store_app, name="store")
add_app = typer.Typer(**MARKDOWN, help="Put something new into params.yaml.")
app.add_typer(add_app, name="add")


def show_version(wanted: bool) -> None:
    if wanted:
        with errors_in_one_line():
            try:
                print(f"gamut {importlib.metadata.version(DISTRIBUTION)}")
            except importlib.metadata.PackageNotFoundError:
                raise UserError(f"{DISTRIBUTION} is not installed here: `make install`") from None
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=show_version, help="Show gamut's version and exit.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say nothing but errors and what was asked for.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show where in the code an error arose.")] = False,
) -> None:
    """Take what stands before a command: `gamut -q use laptop`."""


COMMANDS = (
    building.check,
    building.use,
    building.list_,
    building.pipeline,
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
    benchmarking.board,
    benchmarking.compare,
    benchmarking.audit,
    building.report,
    building.summary,
    benchmarking.pin,
    publishing.publish,
    publishing.diff,
    publishing.fetch,
)
"""In the order in which `gamut --help` lists them."""
KEYWORDS = {building.attempt: "try", building.list_: "list", benchmarking.import_: "import"}
"""What goes by a word that Python keeps for itself."""
for command in COMMANDS:
    app.command(KEYWORDS.get(command), cls=InProject)(command)
for command in (building.prune, building.seed):
    store_app.command(cls=InProject)(command)
add_app.command(cls=InProject)(benchmarking.contestant)
add_app.command(cls=InProject)(benchmarking.judge)


if __name__ == "__main__":
    app(prog_name="gamut")
