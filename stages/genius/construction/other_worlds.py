"""Priors that conflict: another world's growth, gravity, animals, time and weather (section 2.2; figure 12)."""

from __future__ import annotations

from collections.abc import Mapping

from stages.genius.construction.cases import Rule

RULES: Mapping[str, Rule] = {}
