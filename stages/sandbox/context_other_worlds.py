"""Worlds in which nature goes by other rules, shown in pictures."""

from .context_rules import Rule

RULES: tuple[Rule, ...] = ()
