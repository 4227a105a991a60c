#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fails when the program does more than the baseline beside this file says, by more than limits allows.
#
#   gate.sh            compares; exit status 1: a limit is exceeded, 2: it cannot be compared
#   gate.sh --github   the same, with annotations and a summary
#   gate.sh --update   accepts what is counted now: baseline.json is to be committed
set -eu
cd "$(dirname "$0")"

# Counted in the same way on every machine, with the same caches for what is modelled.
export PAPI_VPMU=always LC_ALL=C
export PAPI_VPMU_CACHE=L1I=32K/8/64,L1D=32K/8/64,L2=1M/16/64,L3=none,ITLB=64/4,DTLB=64/4,ITLB2=none,DTLB2=none
# Machines differ: glibc chooses plain variants of memcpy and its kin on all of them.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX512VL,-ERMS,-FSRM,-AVX_Fast_Unaligned_Load,-SSSE3

cc -O2 -o solver solver.c
papi_run --reproducible --require-complete --save new.json -e PAPI_TOT_INS,PAPI_BR_INS,PAPI_L1_DCM ./solver
papi_compare --limit-file limits "$@" baseline.json new.json
