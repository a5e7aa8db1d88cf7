"""The command in this process: how it ended and what it printed."""

from __future__ import annotations

from typer.testing import CliRunner

from gamut.command.cli import app


def gamut(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def gamut_lines(*arguments: str) -> tuple[int, list[str]]:
    code, said = gamut(*arguments)
    return code, said.splitlines()
