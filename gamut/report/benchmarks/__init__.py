"""The pages of one benchmark, from the tables that all benchmarks have: boards, contestants, items, judges."""
