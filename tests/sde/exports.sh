#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: exports.sh LIBRARY
#
# What libsde exports is what sde_lib.h declares, but for the hook that other libraries define, and papi_sde_tools. Its
# soname is the one that programs ask for, and it does without libpapi.
set -eu
LC_ALL=C
export LC_ALL
library=$1
header=$(dirname "$0")/../../include/sde_lib.h

for program in nm readelf; do
	if ! command -v $program >/dev/null 2>&1; then
		echo "skipped: $program is missing (package binutils)"
		exit 77
	fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort >"$work/exported"
{
	grep '^PAPI_SDE_API ' "$header" | grep -o 'papi_sde_[a-z_]*(' | tr -d '(' |
		grep -v '^papi_sde_hook_list_events$'
	echo papi_sde_tools
} | sort >"$work/declared"
[ "$(wc -l <"$work/declared")" -gt 20 ] || { echo "no declarations found in $header"; exit 1; }
diff "$work/declared" "$work/exported" || { echo 'left: declared only; right: exported only'; exit 1; }
readelf -d "$library" >"$work/dynamic"
grep -q 'SONAME.*\[libsde\.so\.1\]' "$work/dynamic" || { echo 'the soname is not libsde.so.1'; exit 1; }
! grep -q 'NEEDED.*libpapi' "$work/dynamic" || { echo 'it needs libpapi'; exit 1; }
