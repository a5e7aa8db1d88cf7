"""Engines that run a stage that asks: this process, or a Ray cluster."""
