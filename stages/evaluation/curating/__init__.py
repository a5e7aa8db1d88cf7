"""How editions come to be: candidates, representatives, frozen items."""
