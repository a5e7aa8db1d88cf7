"""What a build says of itself: figures, plots, data card, pictures."""
