"""Ways to ask a model, a folder or a module a kind; `opening` opens what params.yaml names."""
