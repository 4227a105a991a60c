#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: constants.sh FORM HEADER COMPILER...
#
# Prints the constants of the C header for Fortran: all macros and enumerators whose names begin with PAPI_ or PAPIF_
# and whose values are whole numbers. FORM is
#   cpp     #define, for programs that go through the preprocessor: fpapi.h
#   fixed   PARAMETER statements in fixed form: f77papi.h
#   free    PARAMETER statements in free form: f90papi.h
#
# Names come from the preprocessor, values from the compiler: it is given an assembler statement for each name, with the
# constant as operand, and its assembler output is read. So the values are those that a C program sees, whatever
# expressions stand in the header, and nothing is run: a cross compiler serves as well.
set -eu
LC_ALL=C
export LC_ALL
form=$1
header=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") # it is included from elsewhere
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Macros with parameters, without a value, or with quotes in it (attributes) are not numbers.
"$@" -E -dD -P -x c "$header" | awk '
	/^#define PAPIF?_[A-Z0-9_]+ [^"]+$/ { print $2 }
	/^#/ { next }
	/(^|[^a-zA-Z0-9_])enum[^;]*\{/ { inside = 1 }
	inside {
		line = $0
		sub(/.*\{/, "", line)
		count = split(line, words, /[,{}]/)
		for (i = 1; i <= count; i++)
			if (match(words[i], /PAPIF?_[A-Z0-9_]+/) && words[i] ~ /^[ \t]*PAPIF?_[A-Z0-9_]+[ \t]*(=|$)/)
				print substr(words[i], RSTART, RLENGTH)
	}
	/\}/ { inside = 0 }
' | awk '!seen[$0]++' >"$work/names"
{
	echo "#include \"$header\""
	echo 'void list(void);'
	echo 'void list(void)'
	echo '{'
	sed 's/.*/	__asm__ volatile("\\n.ascii \\"=> & %c0 \\"\\n" : : "i"((long long)(int)(&)));/' "$work/names"
	echo '}'
} >"$work/list.c"
"$@" -w -O1 -S -o "$work/list.s" "$work/list.c"

# Some assemblers write # before a constant. The lowest number of an INTEGER has no literal in Fortran.
sed -n 's/.*"=> \([A-Z0-9_]*\) [#$]*\(-\{0,1\}[0-9][0-9]*\) ".*/\1 \2/p' "$work/list.s" |
	sed 's/ -2147483648$/ -2147483647-1/' >"$work/values"
[ "$(wc -l <"$work/values")" -eq "$(wc -l <"$work/names")" ] && [ -s "$work/values" ] || {
	echo "constants.sh: $(wc -l <"$work/names") names and $(wc -l <"$work/values") values" >&2
	exit 1
}

case $form in
cpp)
	echo '/* SPDX-License-Identifier: BSD-3-Clause */'
	echo '/* Constants of PAPI for Fortran, to be included with #include. Made from papi.h. */'
	awk '{ printf($2 ~ /^-/ ? "#define %s (%s)\n" : "#define %s %s\n", $1, $2) }' "$work/values"
	;;
fixed)
	echo 'C     SPDX-License-Identifier: BSD-3-Clause'
	echo 'C     Constants of PAPI for Fortran in fixed form. Made from papi.h.'
	awk '{ print "      INTEGER " $1; print "      PARAMETER (" $1 "=" $2 ")" }' "$work/values"
	;;
free)
	echo '! SPDX-License-Identifier: BSD-3-Clause'
	echo '! Constants of PAPI for Fortran in free form. Made from papi.h.'
	awk '{ print "integer, parameter :: " $1 " = " $2 }' "$work/values"
	;;
*)
	echo "constants.sh: unknown form '$form'" >&2
	exit 2
	;;
esac
