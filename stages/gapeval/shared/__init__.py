"""What all that stages of GapEval do rests on: its items, how they are put and what judges are asked."""
