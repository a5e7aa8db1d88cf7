"""The page on which people decide: cards as HTML, and a script that keeps what they say."""
