#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# embed.sh FILE [TABLE...]: prints builtin tables as C. FILE is what to read at run time, or - to embed the tables.
file=$1
shift
echo '/* Made by embed.sh from data/events. */'
echo '#include "events/builtin.h"'
if [ "$file" = - ]; then
	echo 'const char *const papi_builtin_file = NULL;'
	echo 'const char papi_builtin_tables[] ='
	# Comments and blank lines stay out; line numbers are those of the embedded text, file names are told by
	# comments.
	LC_ALL=C awk 'FNR == 1 { last = size }
		/^#/ || /^[ \t]*$/ { next }
		{ size += length($0) + 1; gsub(/\\/, "&&"); gsub(/["?]/, "\\\\&"); printf "\t\"%s\\n\"\n", $0 }
		END { print "\t\"\";"; printf "const size_t papi_builtin_last = %d;\n", last }' "$@"
else
	printf 'const char *const papi_builtin_file = "%s";\n' "$(printf %s "$file" | sed 's/[\\"]/\\&/g')"
	echo 'const char papi_builtin_tables[] = "";'
	echo 'const size_t papi_builtin_last = 0;'
fi
echo 'size_t papi_builtin_length(void) { return sizeof(papi_builtin_tables) - 1; }'
