"""What a function does, as plain values: the bytes of the files in which it and what it calls are written, and what
these are bound to. So an edit of a parser is noticed, in whatever file of the project it lies.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, partial
from inspect import unwrap
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from stages.project.errors import UserError

DECIMALS = 12
"""Of numbers in arrays: the last digits differ between processors."""


def source_of(function: Callable[..., Any]) -> list[Any]:
    """Return the digests of the files of a function and of all that it calls, and the plain values that they name, take
    from modules, enclose or have as defaults. Of classes, and of what is written in other packages than it and this
    module, only the name. UserError where a file is not there.
    """
    walk = Walk(frozenset([package_of(source_of), package_of(function)]))
    return [walk.told(function, frozenset()), sorted(walk.files)]


class Walk:
    """A walk through what a function calls: `packages`, in which it goes on; `files`, the digests of those it met."""

    def __init__(self, packages: frozenset[str]) -> None:
        self.packages = packages
        self.files = set[str]()

    def told(self, function: Callable[..., Any], above: frozenset[CodeType]) -> list[Any]:
        """Return where a function stands and what it is bound to; `above`: those by which it is called."""
        if isinstance(function, partial):
            return [self.told(function.func, above), self.plain([function.args, function.keywords], above)]
        bare = unwrap(getattr(function, "__func__", function), stop=lambda one: isinstance(one, FunctionType))
        if not isinstance(bare, FunctionType) or bare.__code__ in above or package_of(bare) not in self.packages:
            return [named(bare)]
        code, above = bare.__code__, above | {bare.__code__}
        if str(bare.__globals__.get("__name__")).partition(".")[0] in self.packages:  # a decorator may be of another
            self.files.add(digest_of(code.co_filename))
        names = sorted(names_in(code))
        used = {name: bare.__globals__[name] for name in names if name in bare.__globals__}
        modules = [one for one in used.values() if isinstance(one, ModuleType) and package_of(one) in self.packages]
        taken = {name: [vars(one)[name] for one in modules if name in vars(one)] for name in names}
        bound = [cell.cell_contents for cell in bare.__closure__ or ()]
        own = self.plain([used, taken, bound, bare.__defaults__, bare.__kwdefaults__], above)
        return [named(bare), code.co_firstlineno, own]  # lambdas of one file have one name

    def plain(self, value: Any, above: frozenset[CodeType]) -> Any:
        """Return a value as JSON has it, functions as what they do; of other objects the name of their class."""
        match value:
            case None | bool() | int() | float() | str():
                return value
            case bytes():
                return value.hex()
            case re.Pattern():
                return [self.plain(value.pattern, above), value.flags]
            case np.ndarray() | np.generic():
                return np.round(value, DECIMALS).tolist()
            case Mapping():
                return {str(key): self.plain(one, above) for key, one in value.items()}
            case list() | tuple():
                return [self.plain(one, above) for one in value]
            case set() | frozenset():
                return sorted((self.plain(one, above) for one in value), key=str)
            case FunctionType() | MethodType() | partial():
                return self.told(value, above)
            case Enum():
                return [value.name, self.plain(value.value, above)]
        if is_dataclass(value) and not isinstance(value, type):
            return [named(value), {one.name: self.plain(getattr(value, one.name), above) for one in fields(value)}]
        return named(unwrap(value))


def package_of(one: Callable[..., Any] | ModuleType) -> str:
    """Return the outermost package in which a function is written, or a module lies."""
    where = one.__name__ if isinstance(one, ModuleType) else getattr(one, "__module__", None)
    return str(where).partition(".")[0]


def named(value: Any) -> str:
    """Return the name of a function or a class, or of an object's class."""
    return str(getattr(value, "__qualname__", type(value).__qualname__))


@cache
def names_in(code: CodeType) -> frozenset[str]:
    """Return the names that a function, and those inside of it, look up outside and in objects."""
    inside = (names_in(one) for one in code.co_consts if isinstance(one, CodeType))
    return frozenset(code.co_names).union(*inside)


@cache
def digest_of(path: str) -> str:
    """Return the sha256 of a file of code, whatever its line ends."""
    try:
        return hashlib.sha256(Path(path).read_text("utf-8").encode()).hexdigest()
    except OSError:
        raise UserError(f"{path}: is not there, and a spec is of what the code in it does") from None
