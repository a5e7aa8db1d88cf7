"""`gamut add contestant`, `gamut pin`: who is measured comes into params.yaml, with digests that are true."""
