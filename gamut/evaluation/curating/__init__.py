"""How editions come to be: candidates, reviews, frozen items."""
