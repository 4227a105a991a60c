#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: coverage.sh SOURCE_ROOT
#
# Every routine of papif.h must be called by a test here and have an interface in the module, and nothing else may.
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -n 's/^PAPI_API void \(papif_[a-z_]*\)_(.*/\1/p' src/fortran/papif.h | sort >"$work/routines"
cat tests/fortran/*.f tests/fortran/*.F tests/fortran/*.f90 | tr A-Z a-z | grep -o 'call papif_[a-z_]*' |
	sed 's/call //' | sort -u >"$work/called"
# The misspelt routine is for old programs, not for the module.
sed -n 's/^ *subroutine \(papif_[a-z_]*\).*/\1/p' src/fortran/papi.f90 | sed 's/_integer$//' | sort -u >"$work/module"
echo papif_unregster_thread >>"$work/module"
sort -o "$work/module" "$work/module"

wrong=0
complain() # WORDS: names on standard input
{
	while read -r name; do
		echo "$name $1"
		wrong=$((wrong + 1))
	done
}
comm -23 "$work/routines" "$work/called" >"$work/list" && complain 'is called by no test' <"$work/list"
comm -23 "$work/routines" "$work/module" >"$work/list" && complain 'is not in papi.f90' <"$work/list"
comm -13 "$work/routines" "$work/module" >"$work/list" && complain 'of papi.f90 is not in papif.h' <"$work/list"
echo "$(wc -l <"$work/routines") routines, $wrong wrong"
[ $wrong -eq 0 ] && [ -s "$work/routines" ]
