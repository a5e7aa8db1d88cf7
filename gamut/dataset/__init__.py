"""What the steps in `stages/dataset` are built on: sources, leaks, calibration, and reports of a build on itself."""
