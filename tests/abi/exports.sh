#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: exports.sh LIBRARY
#
# Compares what a built libpapi exports with the lists beside this script: it must be every name of exports-7.0.txt and
# exports-ours.txt but for those in exports-later.txt, and nothing else. The soname must be the one that programs ask
# for, and names must have no version, since programs compiled for libpapi.so.7.0 ask for none.

set -eu
LC_ALL=C
export LC_ALL

if [ $# -ne 1 ]; then
	echo "usage: $0 LIBRARY" >&2
	exit 2
fi
library=$1
lists=$(dirname "$0")
soname=libpapi.so.7.0

for program in nm readelf; do
	if ! command -v $program >/dev/null 2>&1; then
		echo "skipped: $program is missing (package binutils)"
		exit 77
	fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# Prints the sorted first words of list files, without comments and empty lines.
names()
{
	sed -e 's/#.*//' "$@" | awk 'NF > 0 { print $1 }' | sort
}

# Complains about every name in file $1; $2 says what is wrong with it.
report()
{
	while read -r name; do
		echo "$name: $2" >&2
		failures=$((failures + 1))
	done <"$1"
}

nm -D --defined-only "$library" >"$work/nm"
awk '{ sub(/@.*/, "", $NF); print $NF }' "$work/nm" | sort >"$work/exported"
names "$lists/exports-7.0.txt" "$lists/exports-ours.txt" >"$work/promised"
names "$lists/exports-later.txt" >"$work/later"

uniq -d "$work/promised" >"$work/twice"
report "$work/twice" "is in the lists twice"
uniq -d "$work/later" >"$work/twice"
report "$work/twice" "is in exports-later.txt twice"
comm -13 "$work/promised" "$work/later" >"$work/unknown"
report "$work/unknown" "is in exports-later.txt but in no other list"

# A reason is what makes the list of missing names one that somebody can work off.
sed -e 's/#.*//' "$lists/exports-later.txt" | awk 'NF == 1 { print $1 }' >"$work/unexplained"
report "$work/unexplained" "has no chapter in exports-later.txt"

comm -12 "$work/exported" "$work/later" >"$work/done"
report "$work/done" "is exported: take it out of exports-later.txt"
comm -23 "$work/promised" "$work/later" | comm -13 "$work/exported" - >"$work/missing"
report "$work/missing" "is not exported: implement it, or mark it PAPI_API in a header"
comm -23 "$work/exported" "$work/promised" >"$work/surplus"
report "$work/surplus" "is exported but in no list: make it static or hidden"

found=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
if [ "$found" != $soname ]; then
	echo "soname is '$found', must be $soname" >&2
	failures=$((failures + 1))
fi
if readelf -V "$library" | grep -q '^Version definition section'; then
	echo "the library defines symbol versions" >&2
	failures=$((failures + 1))
fi

echo "$(wc -l <"$work/exported") names exported, $(wc -l <"$work/later") to come, $failures wrong"
[ $failures -eq 0 ]
