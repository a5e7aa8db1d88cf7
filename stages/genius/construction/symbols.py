"""Symbolic constraints: what a symbol does is laid down by pictures, and is to be done (section 2.2)."""

from __future__ import annotations

from collections.abc import Mapping

from stages.genius.construction.cases import Rule

RULES: Mapping[str, Rule] = {}
