"""What is put to contestants and observers, and what they answered."""
