#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tables.sh ENCODE_TERMS FLOORS TABLE...: encodes every term of the tables for every CPU that libpfm4 knows here, prints
# how many presets each CPU has, and compares that with the marks. CPUs that libpfm4 does not know are looked at by the
# test "tables machines", those of other architectures by arm64.sh.
set -u
encode_terms=$1
floors=$2
shift 2
cpus=$(env -u LIBPFM_FORCE_PMU "$encode_terms" "$@") || { echo "$cpus"; exit 1; }
checked=0
failed=0

fail()
{
	echo "FAILED: $*"
	failed=$((failed + 1))
}

# The marks of CPUs of this architecture must be met; a mark for a CPU that has no table is a mistake in one of the two.
for cpu in $cpus; do
	line=$(LIBPFM_FORCE_PMU=$cpu "$encode_terms" "$@")
	status=$?
	[ $status -ne 2 ] || continue
	echo "$line"
	checked=$((checked + 1))
	[ $status -eq 0 ] || fail "$cpu: a term does not encode"
	count=$(echo "$line" | awk '/ presets,/ { print $2 }')
	floor=$(awk -v cpu="$cpu" '$1 == cpu { print $2 }' "$floors")
	[ "$cpu" = any ] || [ "$count" -gt 0 ] || fail "$cpu: has no presets"
	[ -z "$floor" ] || [ "$count" -ge "$floor" ] || fail "$cpu: has $count presets, and its mark is $floor"
done
# shellcheck disable=SC2013 # it is words
for cpu in $(awk '!/^#/ { print $1 }' "$floors"); do
	echo "$cpus" | grep -qxF "${cpu%%:*}" || fail "$cpu: has a mark and no table"
done
echo "$checked CPUs checked, $failed failures"
[ $checked -gt 0 ] || fail 'no CPU was checked'
[ $failed -eq 0 ]
