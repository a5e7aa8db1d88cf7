"""What a function does, as plain values: its source without what is written for people, what it calls, what it is
bound to. So an edit of a parser is noticed, and one of its comment is not.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, is_dataclass
from dis import get_instructions
from enum import Enum
from functools import cache, partial
from inspect import unwrap
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from stages.project.errors import UserError

DECIMALS = 12
"""Of numbers in arrays: the last digits differ between processors."""


def source_of(function: Callable[..., Any]) -> list[Any]:
    """Return what a function does: its source, with the functions and plain values that it names, its closure and its
    defaults; of modules of its package what it takes from them. Of classes, and of what is written in other packages
    than it and this module, only the name.

    UserError where there is no source.
    """
    return told(function, {package_of(source_of), package_of(function)}, frozenset())


def told(function: Callable[..., Any], packages: Collection[str], above: frozenset[CodeType]) -> list[Any]:
    """See `source_of`; `above` are those that it is called by, which are not told again."""
    if isinstance(function, partial):
        return [told(function.func, packages, above), plain([function.args, function.keywords], packages, above)]
    bare = unwrap(function.__func__ if isinstance(function, MethodType) else function, stop=is_written)
    if not isinstance(bare, FunctionType) or bare.__code__ in above or package_of(bare) not in packages:
        return [named(bare)]
    code, above = bare.__code__, above | {bare.__code__}
    used = {name: bare.__globals__[name] for name in names_in(code) if name in bare.__globals__}
    modules = [one for one in used.values() if isinstance(one, ModuleType) and package_of(one) in packages]
    taken = {name: [vars(one)[name] for one in modules if name in vars(one)] for name in attributes_in(code)}
    used |= {f".{name}": found for name, found in taken.items() if found}
    cells = (cell.cell_contents for cell in bare.__closure__ or ())
    bound = dict(zip(code.co_freevars, cells, strict=True))
    return [written(code), plain([used, bound, bare.__defaults__, bare.__kwdefaults__], packages, above)]


def plain(value: Any, packages: Collection[str], above: frozenset[CodeType]) -> Any:
    """Return a value as JSON has it, functions as what they do; of other objects the name of their class."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case bytes():
            return value.hex()
        case re.Pattern():
            return [plain(value.pattern, packages, above), value.flags]
        case np.ndarray() | np.generic():
            return np.round(value, DECIMALS).tolist()
        case Mapping():
            return {str(key): plain(one, packages, above) for key, one in value.items()}
        case list() | tuple():
            return [plain(one, packages, above) for one in value]
        case set() | frozenset():
            return sorted((plain(one, packages, above) for one in value), key=str)
        case FunctionType() | MethodType() | partial():
            return told(value, packages, above)
        case Enum():
            return [value.name, plain(value.value, packages, above)]
    if is_dataclass(value) and not isinstance(value, type):
        return [named(value), {one.name: plain(getattr(value, one.name), packages, above) for one in fields(value)}]
    return named(unwrap(value))


def package_of(function: Callable[..., Any] | ModuleType) -> str:
    """Return the outermost package in which a function is written, or a module lies."""
    where = function.__name__ if isinstance(function, ModuleType) else getattr(function, "__module__", None)
    return str(where).partition(".")[0]


def is_written(function: Callable[..., Any]) -> bool:
    """Return whether a function has a source: it is bound to what it wraps, which is told with it."""
    return isinstance(function, FunctionType)


def named(value: Any) -> str:
    """Return the name of a function or a class, or of an object's class."""
    return str(getattr(value, "__qualname__", type(value).__qualname__))


@cache
def names_in(code: CodeType) -> frozenset[str]:
    """Return the names that a function, and those inside of it, look up outside."""
    own = {one.argval for one in get_instructions(code) if one.opname == "LOAD_GLOBAL"}
    return frozenset(own).union(*(names_in(one) for one in code.co_consts if isinstance(one, CodeType)))


@cache
def attributes_in(code: CodeType) -> frozenset[str]:
    """Return the names that a function, and those inside of it, look up in objects; of globals too."""
    inside = (attributes_in(one) for one in code.co_consts if isinstance(one, CodeType))
    return frozenset(code.co_names).union(*inside)


@cache
def written(code: CodeType) -> list[str]:
    """Return the source of a function, or of all of this name that begin in its line: without comments, docstrings,
    annotations and layout.
    """
    found = [ast.unparse(node) for node in functions_in(code.co_filename) if begins(node) == begins_at(code)]
    if not found:
        where = f"{code.co_filename}:{code.co_firstlineno}"
        raise UserError(f"{where}: the source of {code.co_name!r} is not there, and a spec is of what it does")
    return found


Written = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def begins(node: Written) -> tuple[int, str]:
    """Return the line in which a function begins, and its name."""
    if isinstance(node, ast.Lambda):
        return node.lineno, "<lambda>"
    return min([node.lineno, *(one.lineno for one in node.decorator_list)]), node.name


def begins_at(code: CodeType) -> tuple[int, str]:
    """Return what `begins` says of the function that was compiled to this."""
    return code.co_firstlineno, code.co_name


@cache
def functions_in(path: str) -> list[Written]:
    """Return all functions of a file, without what is written for people."""
    tree = FormattedStrings().visit(ast.parse("".join(linecache.getlines(path))))
    return [bared(node) for node in ast.walk(tree) if isinstance(node, Written)]


class FormattedStrings(ast.NodeTransformer):
    """Writes formatted strings as calls: from 3.12 on `ast.unparse` puts other quotes around them than 3.11."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.Call:
        """Return a call with the parts of a string; empty ones stand in it with 3.12.1 alone."""
        parts = [one for one in node.values if not (isinstance(one, ast.Constant) and one.value == "")]
        return ast.Call(ast.Name("f-string"), [self.visit(one) for one in parts], [])

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.Call:
        """Return a call with a value, how it is converted, and its format if it has one."""
        parts = [node.value, ast.Constant(node.conversion), *([node.format_spec] if node.format_spec else [])]
        return ast.Call(ast.Name("formatted"), [self.visit(one) for one in parts], [])


def bared(node: Written) -> Written:
    """Take docstring and annotations off a function."""
    arguments = node.args
    for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if one is not None:
            one.annotation = None
    if not isinstance(node, ast.Lambda):
        node.returns = None
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return node
