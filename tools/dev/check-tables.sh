#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Encodes every term of the preset tables with libpfm4, for all CPUs named in them: check-tables.sh [TABLE...]
# CC and CFLAGS are honoured. Exit status 1 when a term does not encode. CPUs of other architectures are named and left
# out: libpfm4 has the lists of the one it was built for.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || set -- "$root"/data/events/*.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

${CC:-cc} -std=gnu11 -D_GNU_SOURCE -Wall -Wextra ${CFLAGS:-} -I"$root/src" -I"$root/include" -o "$work/encode_terms" \
	"$root/tests/tables/encode_terms.c" "$root/src/events/presets.c" -lpfm

status=0
for cpu in $(env -u LIBPFM_FORCE_PMU "$work/encode_terms" "$@"); do
	LIBPFM_FORCE_PMU=$cpu "$work/encode_terms" "$@" || [ $? -eq 2 ] || status=1
done
exit $status
