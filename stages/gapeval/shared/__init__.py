"""What all that stages of GapEval do rests on: its items, how they are put, what judges are asked, and its record."""
