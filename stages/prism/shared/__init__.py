"""What all that stages of PRISM-Bench do rests on: parameters, tracks and items, how they are judged, its record."""
