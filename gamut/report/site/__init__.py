"""What all pages have in common: templates, texts made fit to be shown, thumbnails, files that are written once."""
