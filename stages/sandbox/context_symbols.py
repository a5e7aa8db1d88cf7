"""What made-up symbols do: From #1 to #2 is operation A."""

from .context_rules import Rule

RULES: tuple[Rule, ...] = ()
