"""`gamut add contestant` and `gamut pin`: who is measured, put into params.yaml, and what pins it kept true."""
