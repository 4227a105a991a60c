#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Counts the instructions of a call in user space, under valgrind: the same number on every run and under any load.
#
#   bench/instructions.sh PAPI_BENCH [CASE...]
#
# prints for each case what one operation of the library needs, and its baseline. System calls are one instruction
# each. valgrind hides the vDSO, so that a clock_gettime() there is a system call: what the timers add to it is right,
# their time is not to be read from this.
set -eu

bench=${1:?usage: bench/instructions.sh PAPI_BENCH [CASE...]}
shift
times=100

if ! command -v valgrind >/dev/null; then
	echo 'skipped: valgrind is missing'
	exit 77
fi
if [ $# -eq 0 ]; then
	set -- read-4 start-stop-4 accum-4 reset-4 reset-stopped-4 read-stopped-4 read-ts-4 name-to-code code-to-name \
		create-destroy add-cleanup-8 real-nsec real-cyc virt-nsec virt-cyc
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# The instructions of $times operations; that of a set-up, and of valgrind's own start, are not collected.
collect() # CASE
{
	if ! valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no \
		'--toggle-collect=bench_instructions_call*' \
		"$bench" --helper instructions "$1" $times >"$log" 2>&1; then
		grep '^papi_bench:' "$log" >&2 || cat "$log" >&2
		return 1
	fi
	sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$log"
}

nothing=$(collect nothing)
printf '%-18s %12s %12s\n' case library baseline
for name; do
	ours=$(collect "$name")
	baseline=$(collect "kernel:$name")
	awk -v name="$name" -v ours="$ours" -v baseline="$baseline" -v nothing="$nothing" -v times=$times \
		'BEGIN { printf "%-18s %12.1f %12.1f\n", name, (ours - nothing) / times, (baseline - nothing) / times }'
done
