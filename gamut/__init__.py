"""gamut: text-to-image reasoning datasets and benchmark leaderboards that anyone can rebuild, version and diff."""
