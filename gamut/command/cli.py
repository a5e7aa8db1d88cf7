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

HELP = """Build, measure and publish datasets and benchmarks for text-to-image reasoning. `dvc repro` runs the build.

To complete commands with the tab key, run `gamut --install-completion` once.

Examples: `gamut check`, `gamut use parti`, `gamut add contestant mine --folder outputs/mine`, `gamut board`,
`gamut compare careful mine`, `gamut show BENCHMARK style/0`, `gamut retry annotate`, `gamut publish dataset --dry-run`
"""


class OneLineGroup(TyperGroup):
    """A group whose commands report a typing mistake in one line, where Typer prints usage and a frame."""

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
                print(f"{whose}{' '.join(message.split())} (--help explains it)", file=sys.stderr)
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
"""Commands that print what they did, which `-q` hides; what other commands print is their result."""


class InProject(TyperCommand):
    """A command that stops with one line outside a project; its `--help` works anywhere."""

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
    """Return a help with one example a line, to be copied; BENCHMARK becomes a benchmark of this project."""
    head, _, examples = re.sub(r"\bExample: ", "Examples: ", text).partition("Examples: ")
    listed = "\n".join(f"- {one}" for one in re.findall("`[^`]+`", examples))
    listed = listed.replace("BENCHMARK", NAMES[-1] if NAMES else "BENCHMARK")
    return f"{head}Examples:\n\n{listed}" if listed else text


def require_project() -> None:
    """Raise UserError if no project lies next to this library: a project has both `gamut` and `stages`."""
    found = find_spec("stages")
    folders = (found.submodule_search_locations if found else None) or ()
    if not any(Path(folder, "dataset/pipeline.py").is_file() and Path(folder) == ROOT / PROJECT for folder in folders):
        raise UserError(
            "this is not a gamut project (the package `stages` with steps and benchmarks is missing): go to a clone of "
            "gamut's repository or of your fork"
        )


DISTRIBUTION = "gamut-t2i"
"""The distribution that is installed: `gamut` on the package index is another program with the same command."""
MARKDOWN: Any = {"cls": OneLineGroup, "no_args_is_help": True, "rich_markup_mode": "markdown"}
"""Markdown lets the paragraphs of a help fill any width."""
app = typer.Typer(**MARKDOWN, help=example_lines(HELP), pretty_exceptions_enable=False)
store_app = typer.Typer(**MARKDOWN, help="Clean or fill the reply store (.store/, or the folder in GAMUT_STORE).")
app.add_typer(store_app, name="store")
add_app = typer.Typer(**MARKDOWN, help="Add a contestant or a judge to params.yaml.")
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
        bool, typer.Option("--quiet", "-q", help="Print only errors and results, not what was done.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show where in the code an error arose.")] = False,
) -> None:
    """Options that stand before a command, as in `gamut -q use laptop`."""


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
"""Commands whose names are keywords or built-in names of Python."""
for command in COMMANDS:
    app.command(KEYWORDS.get(command), cls=InProject)(command)
for command in (building.prune, building.seed):
    store_app.command(cls=InProject)(command)
add_app.command(cls=InProject)(benchmarking.contestant)
add_app.command(cls=InProject)(benchmarking.judge)


if __name__ == "__main__":
    app(prog_name="gamut")
