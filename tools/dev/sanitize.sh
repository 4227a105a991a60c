#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tests of suite "sanitize" in a build that watches them: sanitize.sh asan | tsan | ubsan | valgrind
set -eu
cd "$(dirname "$0")/../.."
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:abort_on_error=1:second_deadlock_stack=1
case ${1:-} in
asan) option=address,undefined ;;
tsan) option=thread ;;
ubsan) option=undefined ;;
valgrind) option=none ;;
*) echo "usage: $0 asan | tsan | ubsan | valgrind" >&2; exit 2 ;;
esac
[ "$1" = valgrind ] || export BUILD_SUITE=sanitize
tools/dev/build.sh "build-$1" "-Db_sanitize=$option" -Dbuildtype=debugoptimized -Doptimization=1 -Db_ndebug=false
set -- "$1" -C "build-$1" --no-rebuild --print-errorlogs
if [ "$1" != valgrind ]; then
	shift
	exec meson test "$@" --suite sanitize --timeout-multiplier 4 </dev/null
fi
command -v valgrind >/dev/null || { echo 'valgrind is missing' >&2; exit 77; }
shift
# The model kernel and the definitions: what runs on the real kernel asks it for things that valgrind does not know. So
# do "linux live", which meets another CPU here (valgrind answers cpuid), "perf_event sampling", which sends itself
# signals that say that they come from a descriptor, and those of the translator, which step by the trap flag.
meson test -C build-valgrind --no-rebuild --list --suite unit --suite definitions 2>/dev/null |
	sed -n 's/^papi:[^/]* \/ //p' |
	grep -vx -e 'linux live' -e 'perf_event sampling' -e 'vpmu blocks' -e 'vpmu record' -e 'vpmu translate' |
	xargs -d '\n' meson test "$@" --timeout-multiplier 20 \
		--wrapper "valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
			--child-silent-after-fork=yes"
