"""AEGIS: world knowledge in four tasks, judged question by question along a checklist."""
