"""What carries a stage that asks through its records: this process, or a Ray cluster."""
