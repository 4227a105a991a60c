#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ten million generated instructions, natively and translated, in two processes at a time: some minutes. Seeds are new
# each day, and a difference names its own.
#
#	tests/vpmu/generated.sh [BUILD [SEED]]
set -eu
program=${1:-build}/tests/vpmu/test_vpmu_generated
seed=${2:-$(date +%Y%m%d)}

# PART BLOCKS: a tenth of them, with a cache of so many blocks; 0: as many as ever
part() {
	PAPI_VPMU_BLOCKS=$2 "$program" 1000000 "$((seed * 100000000 + $1 * 1000001))"
}

for pair in 0 2 4 6 8; do
	part "$pair" 0 &
	part "$((pair + 1))" 2000
	wait $!
done
