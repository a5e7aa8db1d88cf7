"""Comparing data: models are trained on the release, several times per recipe, and measured on boards."""
