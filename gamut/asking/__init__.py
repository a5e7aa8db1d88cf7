"""Asking models: requests, questions, the reply store, limits, progress, and the run of a stage that asks."""
