"""What a benchmark's board is computed from tables. No model is asked."""
