"""People are asked what judges are asked and observers look for, about answers drawn blindly."""
