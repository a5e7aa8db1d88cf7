"""AEGIS: world knowledge in four tasks, judged by the questions of a checklist."""
