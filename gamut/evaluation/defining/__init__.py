"""What a benchmark is: its record, its measures, its parameters, its frozen editions."""
