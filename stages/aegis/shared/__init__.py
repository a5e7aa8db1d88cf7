"""What all stages of AEGIS use: its parameters and items, how they are judged, and its record."""
