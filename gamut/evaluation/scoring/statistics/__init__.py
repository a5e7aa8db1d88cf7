"""Statistics of scores over items: intervals, tests and agreement, one module a statistic."""
