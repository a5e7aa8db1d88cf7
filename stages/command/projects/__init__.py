"""Projects of one's own: `gamut init` makes one that runs the installed code, `gamut upgrade` brings it up to date."""
