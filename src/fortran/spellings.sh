#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: spellings.sh FILE
#
# Prints the other three spellings of the routines that FILE defines, as aliases: each line of the form
# "void papif_read_(" makes papif_read, papif_read__ and PAPIF_READ. An alias must be in the same object as what it
# stands for, so FILE includes this output as its last line. It costs no code, and works in shared and static libraries.
# Three names that the 7.0 library writes half in capitals are made too, for programs that were linked with those.
set -eu
echo '/* Made by spellings.sh. */'
awk '
	/^void papif_[a-z_]+_\(/ {
		sub(/^void /, "")
		sub(/\(.*/, "")
		routine = substr($0, 1, length($0) - 1)
		list = routine " " routine "__ " toupper(routine)
		if (routine ~ /^papif_(num_hwctrs|num_cmp_hwctrs|unlock)$/)
			list = list " PAPIF_" substr(routine, 7)
		count = split(list, spellings, " ")
		for (i = 1; i <= count; i++)
			printf "PAPI_API extern __typeof__(%s) %s __attribute__((alias(\"%s\")));\n",
				$0, spellings[i], $0
		made++
	}
	END { exit !made }
' "$1"
