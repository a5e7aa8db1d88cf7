"""What all that stages of such a benchmark do rests on: its items, how they are judged, and its record."""
