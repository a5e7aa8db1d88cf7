"""Data against data: models trained on the release, several times a recipe, and what a recipe does on boards."""
