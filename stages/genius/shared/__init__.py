"""What all that stages of GENIUS do rests on: its items, how they are put, and what is reported."""
