#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Does for `make check-all`, one after the other and while tests run, what they leave time for: work-ahead.sh
# build-clang|build-asan|build-tsan|clang-tidy|cppcheck|fanalyzer|fuzzers... For each, $CHECK_WORK has what that said in
# NAME.output, and then its exit status in NAME.status.
set -u
cd "$(dirname "$0")/../.." || exit

# Tests that wait for a processor get it first. Where the kernel shares processors among sessions, to be nice is to be
# so in one's own session only, unless that is nice among the others.
{ echo 19 >/proc/self/autogroup; } 2>/dev/null
chrt --idle --pid 0 $$ >/dev/null 2>&1

ahead() # NAME COMMAND...
{
	name=$1
	shift
	status=0
	"$@" >"$CHECK_WORK/$name.output" 2>&1 </dev/null || status=$?
	# It appears whole.
	echo $status >"$CHECK_WORK/$name.part"
	mv "$CHECK_WORK/$name.part" "$CHECK_WORK/$name.status"
}

# Those of this build, and their corpora once; how they end is for those who run them to say.
build_fuzzers()
{
	FUZZ_SECONDS=0 meson test -C build --no-rebuild --suite fuzz --logbase fuzzers-built >/dev/null 2>&1 || true
}

for name; do
	case $name in
	build-clang) CC=clang CXX=clang++ ahead build-clang tools/dev/build.sh build-clang ;;
	# Not optimized further, which would take twice the time to find the same.
	build-asan) BUILD_SUITE=sanitize ahead build-asan tools/dev/build.sh build-asan -Db_sanitize=address,undefined \
		-Dbuildtype=debugoptimized -Doptimization=1 -Db_ndebug=false ;;
	build-tsan) BUILD_SUITE=sanitize ahead build-tsan tools/dev/build.sh build-tsan -Db_sanitize=thread \
		-Dbuildtype=debugoptimized -Doptimization=1 -Db_ndebug=false ;;
	fuzzers) ahead fuzzers build_fuzzers ;;
	*) ANALYSE=$name ahead "$name" tools/dev/analyse.sh ;;
	esac
done
