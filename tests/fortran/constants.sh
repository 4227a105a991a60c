#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: constants.sh SCRIPT PAPI_H DIRECTORY COMPILER...
#
# The three headers for Fortran in DIRECTORY must have the same constants, with the values that a C compiler sees in
# papi.h; other compilers, among them one for another machine, must make the same of it; and fixed form must end before
# column 73. SCRIPT is what made them.
set -eu
script=$1
header=$2
directory=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail()
{
	echo "$*"
	failures=$((failures + 1))
}

sed -n 's/^#define \([A-Z0-9_]*\) (*\([0-9-]*\))*$/\1 \2/p' "$directory/fpapi.h" >"$work/cpp"
sed -n 's/^      PARAMETER (\([A-Z0-9_]*\)=\(.*\))$/\1 \2/p' "$directory/f77papi.h" >"$work/fixed"
sed -n 's/^integer, parameter :: \([A-Z0-9_]*\) = \(.*\)$/\1 \2/p' "$directory/f90papi.h" >"$work/free"
cmp "$work/cpp" "$work/fixed" || fail 'fpapi.h and f77papi.h differ'
cmp "$work/cpp" "$work/free" || fail 'fpapi.h and f90papi.h differ'
[ "$(wc -l <"$work/cpp")" -gt 400 ] || fail "only $(wc -l <"$work/cpp") constants"

{
	echo "#include \"$header\""
	sed 's/\(.*\) \(.*\)/_Static_assert((int)(\1) == (\2), "\1");/' "$work/cpp"
} >"$work/values.c"
"$@" -fsyntax-only "$work/values.c" || fail 'values differ from those of papi.h'

awk 'length($0) > 72 && !/^C/ { print FILENAME ": " $0; bad = 1 } END { exit bad }' "$directory/f77papi.h" ||
	fail 'lines of f77papi.h are too long'

# A value that no one has looked at: a name of each kind, by hand.
for pair in 'PAPI_OK 0' 'PAPI_ESYS -3' 'PAPI_TOT_INS -2147483598' 'PAPI_L1_DCM -2147483647-1' 'PAPI_DOM_ALL 15' \
	'PAPI_TIMESCOPE_POINT 3' 'PAPI_DEV_ATTR__ROCM_UINT_COMP_CAP_MINOR 63' 'PAPIF_DMEM_PAGESIZE 11'; do
	grep -qx -e "$pair" "$work/cpp" || fail "no $pair"
done

for compiler in gcc clang aarch64-linux-gnu-gcc; do
	command -v $compiler >/dev/null || continue
	"$script" cpp "$header" $compiler >"$work/other" || fail "$compiler: no constants"
	cmp "$work/other" "$directory/fpapi.h" || fail "$compiler: other constants"
	echo "$compiler agrees"
done

! "$script" roman "$header" "$@" 2>"$work/error" >/dev/null || fail 'an unknown form was taken'
grep -q roman "$work/error" || fail 'no message about an unknown form'
echo "$(wc -l <"$work/cpp") constants, $failures failures"
[ $failures -eq 0 ]
