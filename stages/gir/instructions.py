"""What is asked of contestants in the same words about every picture of a puzzle."""

SUDOKU = (
    "Solve this Sudoku: write the missing digits into the empty cells, so that every row, every column and every box "
    "of the grid has each digit from 1 to {size} once. Leave the given digits and the grid as they are."
)
JIGSAW = (
    "This picture was cut into {rows} rows and {columns} columns of tiles, and the tiles were mixed up. Put every tile "
    "back into its place, so that the picture is whole again."
)
REGION = "Paint exactly that region in pure green (0, 255, 0), and leave everything else as it is."
"""Follows a description that ends with a full stop."""
