#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# papi_probe, in a folder with it, its library and `subject` of tests/probe/: programs do with probes in all of their
# functions and the C library's what they do without, and their calls are counted; and so they do when probes come into
# them while they run, and go.
set -u

status=0
report=/tmp/probe-report
fail()
{
	echo "probe: $*"
	status=1
}

# How often a function was called and returned, by the report.
expect()
{
	name=$1 calls=$2
	grep -q "\"linkage\": \"$name\"[^}]*\"way\": \"patch\"[^}]*\"calls\": $calls, \"timed\": $calls," $report ||
		fail "$name was not called $calls times"
}

for what in 'calls 50' 'registers 50' 'entries 50' 'longjmp 50' 'coroutines 50' 'signals 50' 'threads 50' 'fork 5' \
	'children 20'; do
	# shellcheck disable=SC2086 # a word and a number
	{
		./subject $what >/tmp/plain
		plain=$?
		./papi_probe --json -o $report -f '*' -f 'libc.so.6!*' ./subject $what >/tmp/probed 2>/tmp/said
	}
	probed=$?
	[ $plain -eq $probed ] || fail "$what ends with $probed, not $plain: $(cat /tmp/said)"
	# The clock is in the last word of some.
	[ "$(sed 's/ [0-9.]*$//' /tmp/plain)" = "$(sed 's/ [0-9.]*$//' /tmp/probed)" ] ||
		fail "$what writes $(cat /tmp/probed), not $(cat /tmp/plain)"
	[ "$what" != 'calls 50' ] || { expect leaf 550; expect ten_leaves 50; expect jumps 50; }
done

mkfifo /tmp/input
./subject busy </tmp/input >/tmp/output &
busy=$!
exec 3>/tmp/input
seen=0 visits=0
while [ $visits -lt 8 ] || { [ $seen -eq 0 ] && [ $visits -lt 40 ]; }; do
	visits=$((visits + 1))
	if ! ./papi_probe --json -o $report -t 0.2 -f '*' -f malloc -f free -p $busy 2>/tmp/said; then
		grep -q 'try again' /tmp/said || fail "$(cat /tmp/said)"
	elif grep -q '"linkage": "leaf"[^}]*"calls": [1-9]' $report &&
		grep -q '"linkage": "malloc"[^}]*"calls": [1-9]' $report; then
		seen=$((seen + 1))
	fi
done
[ $seen -gt 0 ] || fail "of $visits visits none has seen calls"
echo end >&3
exec 3>&-
wait $busy || fail "the program that was visited ends with $?"
[ "$(tail -n 1 /tmp/output)" = good ] || fail "the program that was visited writes $(cat /tmp/output)"
exit $status
