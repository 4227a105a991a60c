#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Whether README.md shows a program exactly as it stands in the tree.
#
#   examples/readme.sh README PROGRAM
set -eu
# The first block of C, without the line of the license that every file opens with.
shown=$(awk '/^```c$/ { inside = 1; next } /^```$/ && inside { exit } inside' "$1")
wanted=$(grep -v '^/\* SPDX-License-Identifier: .*\*/$' "$2")
if [ "$shown" != "$wanted" ]; then
	echo "the first program in $1 is not $2:"
	printf '%s\n' "$shown" | diff - "$2" || true
	exit 1
fi
