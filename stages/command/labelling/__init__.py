"""`gamut label`: people are asked what judges are asked, about answers that are drawn blindly."""
