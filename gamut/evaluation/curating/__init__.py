"""How editions are made: candidates, reviews, frozen items."""
