"""What a project is: errors, files, code, parameters, settings, DVC's files, how a stage starts and ends."""
