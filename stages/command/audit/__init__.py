"""`gamut audit`: which items of an edition stand in a dataset, this project's or anybody's; the board without."""
