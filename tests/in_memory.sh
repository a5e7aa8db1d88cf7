#!/bin/sh
# Run a command whose temporary files, 3 GB for all tests, lie in memory where that has far more room, and are deleted:
#     tests/in_memory.sh python -m pytest
memory=/dev/shm needed=10000  # MiB
room=$(df -Pm "$memory" 2>/dev/null | awk 'NR == 2 { print $4 }')
free=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo 2>/dev/null)
if [ "${room:-0}" -lt $needed ] || [ "${free:-0}" -lt $needed ] || grep -q " $memory .*noexec" /proc/mounts; then
	exec "$@"
fi
TMPDIR=$(mktemp -d "$memory/gamut.XXXXXX") || exit
export TMPDIR
chmod 755 "$TMPDIR" # some tests become somebody else
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 130' INT TERM HUP
"$@"
