"""How good the filters are: labels, bounds that hold, suggestions."""
