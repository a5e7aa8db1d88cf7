"""What a project is: errors, files, parameters, settings, DVC's files, how a stage starts and ends."""
