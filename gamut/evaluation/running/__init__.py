"""What contestants and observers are asked, and what they answered."""
