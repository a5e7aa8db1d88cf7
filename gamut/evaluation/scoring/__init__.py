"""From answers and observations to scores, intervals, ranks, agreement and boards."""
