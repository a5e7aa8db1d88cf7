"""What sources hold, row by row: files, folders, the Hub."""
