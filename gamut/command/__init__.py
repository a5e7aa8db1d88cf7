"""The command gamut, and what it prints."""
