"""What all that stages of GENIUS do rests on: its items, how they are put, what is reported, and its record."""
