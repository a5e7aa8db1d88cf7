"""People get the questions of judges and observers about answers that are drawn blindly."""
