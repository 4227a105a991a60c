#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compares the interface of a built library, with the debug information in it, with the one that is recorded here: a
# function that is gone or new, an argument, a member of a struct or a value of an enum that changed is a difference.
#
#   abidiff.sh LIBRARY RECORD [record]    with the last word, records what the library has
#
# Only what exported functions reach takes part, without the places where it was defined, so the compiler, its options
# and the sanitizers make no difference. Exit status 77 when libabigail is missing.
set -eu
library=$1
record=$2

command -v abidiff >/dev/null || { echo 'skipped: abidiff is missing (Debian package abigail-tools)'; exit 77; }
if [ "${3:-}" = record ]; then
	abidw --exported-interfaces-only --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed \
		--no-architecture --type-id-style hash "$library" |
		# The reader of these files takes no comment before the first element.
		sed -e '1a<!-- SPDX-License-Identifier: BSD-3-Clause -->' -e "s|path='[^']*/src/|path='src/|" >"$record"
	exit 0
fi
# A library without debug information has no differences but the names.
readelf -SW "$library" | grep -q '\.debug_info' || { echo "$library has no debug information"; exit 1; }
# Symbols that only gcov and the sanitizers have are not in the debug information. Fortran's have no types worth
# comparing.
abidiff --exported-interfaces-only --no-architecture --no-unreferenced-symbols --fail-no-debug-info \
	"$record" "$library" || {
	status=$?
	echo "The interface differs from $record. If that is meant, and programs that are built already go on working:"
	echo "    $0 $library $record record"
	exit $status
}
