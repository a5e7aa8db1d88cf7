"""Phrases that are meant literally or figuratively, as pictures show."""

from .context_rules import Rule

RULES: tuple[Rule, ...] = ()
