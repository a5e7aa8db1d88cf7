"""`gamut estimate`: what a build would ask and take, before anything is run."""
