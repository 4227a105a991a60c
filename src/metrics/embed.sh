#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# embed.sh FILE...: prints groups of metrics as C, without comments and blank lines.
echo '/* Made by embed.sh from data/metrics. */'
echo '#include "metrics/builtin.h"'
echo 'const char papi_builtin_metrics[] ='
LC_ALL=C awk '/^#/ || /^[ \t]*$/ { next }
	{ gsub(/\\/, "&&"); gsub(/["?]/, "\\\\&"); printf "\t\"%s\\n\"\n", $0 }
	END { print "\t\"\";" }' "$@"
echo 'size_t papi_builtin_metrics_length(void) { return sizeof(papi_builtin_metrics) - 1; }'
