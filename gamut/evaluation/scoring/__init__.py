"""From answers and judgments to scores, intervals, ranks, agreement and boards."""
