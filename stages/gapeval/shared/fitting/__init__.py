"""How far text and picture lie apart: as released, and identified, with intervals."""
