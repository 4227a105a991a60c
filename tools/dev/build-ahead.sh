#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds for `make check-all`, one after the other, what its tests will want: build-ahead.sh
# build-clang|build-asan|build-tsan... For each, $CHECK_WORK has what the build said in NAME.output, and then its exit
# status in NAME.status.
set -u
cd "$(dirname "$0")/../.." || exit

build() # DIRECTORY MESON-OPTION...
{
	name=$1
	status=0
	tools/dev/build.sh "$@" >"$CHECK_WORK/$name.output" 2>&1 || status=$?
	# It appears whole.
	echo $status >"$CHECK_WORK/$name.part"
	mv "$CHECK_WORK/$name.part" "$CHECK_WORK/$name.status"
}

for directory; do
	case $directory in
	build-clang) CC=clang CXX=clang++ build build-clang ;;
	# Not optimized further, which would take twice the time to find the same.
	build-asan) BUILD_SUITE=sanitize build build-asan -Db_sanitize=address,undefined -Dbuildtype=debugoptimized \
		-Doptimization=1 -Db_ndebug=false ;;
	build-tsan) BUILD_SUITE=sanitize build build-tsan -Db_sanitize=thread -Dbuildtype=debugoptimized \
		-Doptimization=1 -Db_ndebug=false ;;
	esac
done
