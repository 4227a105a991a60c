#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: regions.sh PROGRAM
#
# The regions of the Fortran program must be in its output under the names it gave, with the page faults it made. The
# outer one has also those of the library, which makes the record of the inner one meanwhile: three at most.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PAPI_PERFOMETER=off PAPI_EVENTS=perf::PAGE-FAULTS PAPI_OUTPUT_DIRECTORY=$work "$1"
set -- "$work"/papi_hl_output/*.json
[ $# -eq 1 ] || {
	echo "files of the run: $*"
	exit 1
}
for words in '"name": "inner".*"region_count": 3,.*"perf::PAGE-FAULTS": 30' \
	'"name": "outer".*"region_count": 1,.*"perf::PAGE-FAULTS": {.*"read_1": 3[0-3]'; do
	grep -q -e "$words" "$1" || {
		cat "$1"
		echo "no line with $words"
		exit 1
	}
done
! grep -q 'nothing has begun\|never begun\|xxx' "$1"
