"""What all that stages of AEGIS do rests on: its parameters and items, how they are judged, and its record."""
