#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# PAPI_library_init makes fewer than 40 system calls.
#
#   papi_init_syscalls.sh PROGRAM     PROGRAM initialises the library between two marks
set -u
limit=40
program=$1

skip() {
	echo "skipped: $1"
	exit 77
}

command -v strace >/dev/null || skip 'strace is missing'
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
strace -f -o "$log" true 2>/dev/null || skip 'strace may not trace here'

# An environment that asks for nothing, but for where the library is.
env -i ${LD_LIBRARY_PATH:+"LD_LIBRARY_PATH=$LD_LIBRARY_PATH"} strace -f -o "$log" "$program" || {
	echo "$program failed"
	exit 1
}

calls=$(awk '/"init begins"/ { counting = 1; next }
	/"init ends"/ { ended = 1; exit }
	counting { n++ }
	END { if (ended) print n + 0 }' "$log")
[ -n "$calls" ] || {
	echo 'the marks are missing in what strace wrote'
	exit 1
}
echo "PAPI_library_init makes $calls system calls"
if [ "$calls" -ge "$limit" ]; then
	echo "they should be fewer than $limit:"
	sed -n '/"init begins"/,/"init ends"/p' "$log"
	exit 1
fi
# A library that makes none at all has not looked at the machine: then the marks are in the wrong place.
[ "$calls" -gt 0 ] || {
	echo 'no system call at all: the program does not do what it should'
	exit 1
}
