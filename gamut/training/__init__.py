"""Training models: a recipe, examples, a loop for models that write and paint and one for painters, checkpoints."""
