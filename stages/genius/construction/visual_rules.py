"""Visual constraints: pictures stand for numbers, simply or under a condition (section 2.2; figure 12)."""

from __future__ import annotations

from collections.abc import Mapping

from stages.genius.construction.cases import Rule

RULES: Mapping[str, Rule] = {}
