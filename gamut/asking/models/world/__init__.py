"""The embedded world as a model."""
