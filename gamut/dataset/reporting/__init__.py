"""How a build reports on itself: figures, plots, data card, pictures."""
