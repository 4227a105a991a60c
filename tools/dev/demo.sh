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
# shellcheck disable=SC2086 # a command and its options
exec build/tools/papi_run -- $compress -k -f $input
