"""Steps as records, and what follows from them: their stages, and the text of dvc.yaml."""
