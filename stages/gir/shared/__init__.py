"""What all that stages of GIR-Bench do rests on: its items, how they are put, what is looked for, and its record."""
