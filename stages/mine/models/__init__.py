"""Your own models: files that kind `python` names, each opened in a process of its own (docs/models.md)."""
