"""Kinds of model, a folder or a module for each. `opening` opens the models that params.yaml names."""
