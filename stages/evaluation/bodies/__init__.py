"""The bodies of the stages that every benchmark's room has; a room's own stage hands its record over."""
