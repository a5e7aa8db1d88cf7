"""Mistakes in a command line, said in one line with what is nearest, as all mistakes are."""

from __future__ import annotations

import sys
from typing import Any

from typer.core import TyperGroup

from stages.project.errors import nearest


class OneLine(TyperGroup):
    """Commands that say in one line what was mistyped. Typer frames it, below two lines of usage."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run the command line; exit code 2 for a mistake in it."""
        alone = options.pop("standalone_mode", True)
        options["standalone_mode"] = False
        try:
            code = super().main(*arguments, **options)
        except Exception as error:
            say = getattr(error, "format_message", None)  # of click's errors, wherever Typer keeps them
            if say is None or not alone:
                raise
            context, said = getattr(error, "ctx", None), say()
            if type(error).__name__ == "NoArgsIsHelpError":
                print(said, end="\n" if said else "")  # what Typer frames it has printed
            else:
                whose = f"{context.command_path}: " if context is not None else ""
                print(f"{whose}{' '.join(said.split())} (--help tells more)", file=sys.stderr)
            sys.exit(2)
        if not alone:
            return code
        sys.exit(code if isinstance(code, int) else 0)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is named; one that there is not is said with the nearest."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            ctx.fail(f"there is no command {args[0]!r}{nearest(args[0], self.commands)}")
        return super().resolve_command(ctx, args)
