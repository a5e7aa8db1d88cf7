"""`gamut add contestant`, `gamut add judge`, `gamut pin`: write contestants and their digests into params.yaml."""
