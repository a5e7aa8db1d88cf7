"""Ways to ask a model, a module each; `opening` opens what params.yaml names."""
