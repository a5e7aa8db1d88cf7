"""What all stages of PRISM-Bench use: parameters, tracks and items, how they are judged, its record."""
