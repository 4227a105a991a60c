#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: names.sh INCLUDE FORTRAN PACKAGE... -- COMPILER...
#
# Every public name of the headers of PAPI 7.0 is in ours: macros of papi.h and sde_lib.h, what they declare (names that
# begin with PAPI_, papi_, SDE_ or cset_), the classes of sde_lib.hpp, and the constants for Fortran. INCLUDE has our
# headers, FORTRAN those for Fortran that the build makes. PACKAGE is where tools/dev/setup.sh has unpacked the Debian
# package libpapi-dev; the first that is there counts. Its headers are given to the compiler's preprocessor, and nothing
# but the names that ours lack is shown of them. Names that begin with an underscore are nobody's business.
set -eu
LC_ALL=C
export LC_ALL
ours=$1
fortran=$2
shift 2
package=
while [ "$1" != -- ]; do
	[ -n "$package" ] || [ ! -e "$1/usr/include/papi.h" ] || package=$1
	shift
done
shift
if [ -z "$package" ]; then
	echo 'skipped: the headers of 7.0 are not here; tools/dev/setup.sh check fetches them where there is apt-get'
	exit 77
fi
theirs=$package/usr/include
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The text of a header, with macro definitions, as far as it comes from the folder: what it includes has names, too.
text() # FOLDER HEADER COMPILER...
{
	folder=$1 header=$2
	shift 2
	case $header in
	*.hpp) printf '#include <sde_lib.h>\n#include <%s>\n' "$header" ;;
	*) printf '#include <%s>\n' "$header" ;;
	esac | "$@" -E -dD -I "$folder" - 2>/dev/null | awk -v folder="$folder/" '
		/^# [0-9]+ "/ { split($0, parts, "\""); here = index(parts[2], folder) == 1; next }
		here { print }'
}

macros() { awk '$1 == "#define" { sub(/\(.*/, "", $2); print $2 }'; }
identifiers() { grep -oE '[A-Za-z_][A-Za-z0-9_]*' || true; }
public() { grep -v '^_' | sort -u; }
failures=0

compare() # WHAT: the names in $work/theirs that are not in $work/ours
{
	[ -s "$work/theirs" ] || { echo "$1: no names found in the package"; failures=$((failures + 1)); }
	comm -23 "$work/theirs" "$work/ours" | comm -23 - "$work/left_out" >"$work/missing"
	while read -r name; do
		echo "$1: $name is missing"
		failures=$((failures + 1))
	done <"$work/missing"
	echo "$1: $(wc -l <"$work/theirs") names compared"
}

version=$(find "$package" -maxdepth 1 -name 'libpapi-dev_*.deb' | sed 's/.*libpapi-dev_\([^_]*\)_.*/\1/')
case $version in
7.0*) ;;
*) echo "the package is of version ${version:-unknown}, not of 7.0" ;;
esac

# Left out: with these the other implementation prints messages about its own working.
printf '%s\n' SDEDBG SDE_ERROR >"$work/left_out"
for header in papi.h sde_lib.h; do
	text "$theirs" $header "$@" -x c >"$work/text"
	text "$ours" $header "$@" -x c >"$work/our_text"
	macros <"$work/text" | public >"$work/theirs"
	identifiers <"$work/our_text" | public >"$work/ours"
	compare "macros of $header"
	grep -v '^#' "$work/text" | identifiers | grep -E '^(PAPI|papi|SDE|cset)_' | public >"$work/theirs"
	compare "declarations of $header"
done

text "$theirs" sde_lib.hpp "$@" -x c++ >"$work/text"
text "$ours" sde_lib.hpp "$@" -x c++ | identifiers | public >"$work/ours"
grep -oE '(class|namespace) +[A-Za-z_]+' "$work/text" | awk '{ print $2 }' | public >"$work/theirs"
compare 'classes of sde_lib.hpp'

for header in fpapi.h f77papi.h f90papi.h; do
	tr '[:lower:]' '[:upper:]' <"$theirs/$header" | identifiers | grep -E '^PAPIF?_' | public >"$work/theirs"
	tr '[:lower:]' '[:upper:]' <"$fortran/$header" | identifiers | public >"$work/ours"
	compare "constants of $header"
done
[ $failures -eq 0 ]
