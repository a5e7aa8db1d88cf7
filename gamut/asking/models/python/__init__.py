"""A function of a Python file, in a process of its own."""
