"""Your own models: Python files that models of kind `python` name, each opened in its own process (docs/models.md)."""
