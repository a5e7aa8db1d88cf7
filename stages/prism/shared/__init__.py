"""What several stages of PRISM-Bench share: its parameters, its tracks and its items."""
