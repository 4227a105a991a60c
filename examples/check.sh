#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs an example and compares what it prints, line by line, with extended regular expressions.
#
#   examples/check.sh PROGRAM PATTERN...
#
# Where the kernel refuses perf_event_open to this user altogether, the example cannot count: skipped.
set -u
program=$1
shift

output=$("$program" 2>&1)
status=$?
if [ $status -ne 0 ]; then
	printf '%s\n' "$output"
	echo "$(basename "$program") exited with status $status"
	[ "$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 3)" -gt 2 ] && [ "$(id -u)" -ne 0 ] && exit 77
	exit 1
fi

printf '%s\n' "$output" | {
	for pattern; do
		IFS= read -r line || line='(no more output)'
		if ! printf '%s\n' "$line" | grep -Eqx -e "$pattern"; then
			printf 'expected a line like: %s\n                 got: %s\n' "$pattern" "$line"
			exit 1
		fi
	done
	if IFS= read -r line; then
		printf 'unexpected further output: %s\n' "$line"
		exit 1
	fi
}
