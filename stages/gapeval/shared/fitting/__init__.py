"""How far text and picture lie apart: as released, with its numerical spread, and identified, with intervals."""
