"""Models that torch runs in this process."""
