"""What the steps in `stages/dataset` rest on: sources, leaks, calibration, and what a build says of itself."""
