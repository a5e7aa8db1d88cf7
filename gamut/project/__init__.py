"""The parts of a project: errors, files, code, parameters, settings, DVC's files, start and end of stages."""
