"""What pictures are made to count: #1 is worth 3."""

from .context_rules import Rule

RULES: tuple[Rule, ...] = ()
