#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `make demo`: builds the library and counts a real program, xz compressing this project's own sources.
set -eu
cd "$(dirname "$0")/../.."
tools/dev/setup.sh
tools/dev/build.sh build

# The same bytes in every run: the order, the owners and the times of the files are left out.
mkdir -p build/demo
input=build/demo/sources.tar
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf $input include src tools tests bench examples doc \
	build/src/libpapi.so.7.0 build/src/libpapi.a

compress='xz -6 -T1'
command -v xz >/dev/null || compress='gzip -9'
echo "papi_run -- $compress $input ($(wc -c <$input) bytes)"
report=build/demo/report
# shellcheck disable=SC2086 # a command and its options
build/tools/papi_run -o $report -- $compress -k -f $input
cat $report

# What the counts mean, for those that could be counted here.
awk -v bytes="$(wc -c <$input)" -v program="${compress%% *}" '
	$2 ~ /^[0-9]/ { count = $2; gsub(",", "", count); counted[$1] = count; shown[$1] = $2 }
	function percent(name) { return 100 * counted[name] / counted["PAPI_TOT_INS"] }
	END {
		print "\nWhat it says:"
		if (!("PAPI_TOT_INS" in counted)) {
			printf "%s used the CPU for %s ms and touched new pages of memory %s times.\n", program,
				shown["perf::TASK-CLOCK"], shown["perf::PAGE-FAULTS"]
			exit
		}
		printf "%s executed %s instructions, %.0f for each byte it compressed.\n",
			program, shown["PAPI_TOT_INS"],
			counted["PAPI_TOT_INS"] / bytes
		if ("PAPI_LD_INS" in counted)
			printf "%.0f in 100 of them load from memory, %.0f store to it, and %.0f branch. Each was\n" \
				"counted, so another run gives the same (papi_run(1), The same in every run).\n",
				percent("PAPI_LD_INS"), percent("PAPI_SR_INS"), percent("PAPI_BR_INS")
		if ("PAPI_TOT_CYC" in counted)
			printf "It completed %.2f of them in a cycle of the processor.\n",
				counted["PAPI_TOT_INS"] / counted["PAPI_TOT_CYC"]
	}' $report
