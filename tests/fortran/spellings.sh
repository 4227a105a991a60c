#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: spellings.sh LIBRARY...
#
# In each library, shared or static, the spellings of a Fortran routine must be one function: the same address, and four
# of them at least.
set -eu
command -v nm >/dev/null || {
	echo 'skipped: nm is missing (package binutils)'
	exit 77
}
for library; do
	case $library in
	*.a) option=-g ;;
	*) option=-D ;;
	esac
	# A static library consists of objects with addresses of their own: nm names the object before its symbols.
	nm $option --defined-only "$library" | awk '
		/^[^ ]+:$/ { object = $0 }
		tolower($3) ~ /^papif_/ {
			routine = tolower($3)
			sub(/_+$/, "", routine)
			spellings[routine]++
			if (routine in place && place[routine] != object $1) {
				print $3 " is another function"
				wrong++
			}
			place[routine] = object $1
		}
		END {
			for (routine in spellings) {
				routines++
				if (spellings[routine] < 4) {
					print routine " has " spellings[routine] " spellings"
					wrong++
				}
			}
			printf "%d routines, %d wrong\n", routines, wrong
			exit wrong || routines < 70
		}'
done
