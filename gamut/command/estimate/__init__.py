"""`gamut estimate`: what a build would ask and need, before anything is run."""
