"""What all that stages of GIR-Bench do rests on: its parameters and items, how they are put and what is looked for."""
