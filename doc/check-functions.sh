#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: check-functions.sh SOURCE_ROOT
#
# The pages of section 3 and the headers must agree: every function and Fortran routine has exactly one page, which
# shows its prototype as the header has it; no page shows anything else; every preset is explained; a page about
# functions has all its sections; and what is referred to is there.
set -eu
LC_ALL=C
export LC_ALL
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=0

complain() # FILE WORDS: a line for each line of the file
{
	while read -r line; do
		echo "$line: $2"
		wrong=$((wrong + 1))
	done <"$1"
}

{
	doc/prototypes.sh c include/*.h
	doc/prototypes.sh fortran src/fortran/papi.f90
} | sort >"$work/promised"
doc/prototypes.sh pages doc/man3/*.3 >"$work/pages"
sed 's/^[^:]*: //' "$work/pages" | sort >"$work/shown"

uniq -d "$work/shown" >"$work/list"
complain "$work/list" 'is on two pages'
sort -u "$work/shown" | comm -23 "$work/promised" - >"$work/list"
complain "$work/list" 'is on no page'
sort -u "$work/shown" | comm -13 "$work/promised" - >"$work/list"
complain "$work/list" 'is on a page, and not in a header'

# The name of each function stands in the NAME of its page, where man -k and the links look for it.
sed -n 's/^\([^:]*\): [^(]*[ *]\([A-Za-z_]*\)(.*/\1 \2/p' "$work/pages" >"$work/functions"
while read -r page function; do
	grep -qx -e ".Nm $function\( ,\)\{0,1\}" "doc/man3/$page.3" || echo "$page: $function"
done <"$work/functions" >"$work/list"
complain "$work/list" 'is not in the NAME of the page'

sed -n 's/^#define \(PAPI_[A-Z0-9_]*\) .*_idx.*/\1/p' include/papiStdEventDefs.h |
	grep -vx PAPI_END | sort >"$work/presets"
sed -n 's/^\.It Dv \(PAPI_[A-Z0-9_]*\)$/\1/p' doc/man3/PAPI_presets.3 | sort >"$work/explained"
comm -23 "$work/presets" "$work/explained" >"$work/list"
complain "$work/list" 'is not in PAPI_presets.3'
comm -13 "$work/presets" "$work/explained" >"$work/list"
complain "$work/list" 'is in PAPI_presets.3 and is no preset'

cut -d: -f1 "$work/pages" | sort -u | while read -r page; do
	for section in NAME LIBRARY SYNOPSIS DESCRIPTION 'THREADS AND SIGNALS' 'SEE ALSO' STANDARDS; do
		grep -qx ".Sh $section" "doc/man3/$page.3" || echo "$page: $section"
	done
	# Who returns nothing has neither of these.
	grep -qx '.Ft void' "doc/man3/$page.3" && [ "$(grep -c '^\.Ft ' "doc/man3/$page.3")" -eq 1 ] && continue
	for section in 'RETURN VALUES' ERRORS; do
		grep -qx ".Sh $section" "doc/man3/$page.3" || echo "$page: $section"
	done
done >"$work/list"
complain "$work/list" 'is a section that is missing'

# References lead to a page of the tree, under any name it has. Those to the system's own pages are in lower case.
{
	doc/man3/aliases.sh doc/man3/*.3 | awk '{ print $2 " 3" }'
	for page in tools/*.1; do
		echo "$(basename "$page" .1) 1"
	done
} | sort >"$work/known"
sed -n 's/^\.Xr \([A-Za-z_]*\) \([13]\).*/\1 \2/p' doc/man3/*.3 tools/*.1 | grep -i '^papi' | sort -u |
	comm -23 - "$work/known" >"$work/list"
complain "$work/list" 'is referred to, and there is no such page'

echo "$(wc -l <"$work/promised") functions, $(cut -d: -f1 "$work/pages" | sort -u | wc -l) pages, $wrong wrong"
[ $wrong -eq 0 ] && [ "$(wc -l <"$work/promised")" -gt 150 ]
