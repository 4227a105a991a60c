#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds, runs tests, and closes with "N passed, N failed, N skipped".
#
#   check.sh        `make check`, for people: the library as it ships, every test once, in a few minutes
#   check.sh all    `make check-all`, for continuous integration: also what takes long or finds little of its own:
#
#     build        also what the above leaves out: the arm64 guest, the whole corpus of programs
#     build-clang  every test that a compiler has a part in, and of the corpus a part (tests/meson.build)
#     build-asan   the tests of suite "sanitize" under AddressSanitizer and UndefinedBehaviorSanitizer
#     build-tsan   the same under ThreadSanitizer
#     analysis     clang-tidy, cppcheck and gcc -fanalyzer, each of which must find nothing
#     fuzzers      each for $FUZZ_SECONDS (30)
#
# While the tests of one build run, which often wait, the next ones are built, the analyses run, and fuzzers are built,
# with the lowest priority.
set -u
cd "$(dirname "$0")/../.." || exit
case ${1:-} in
'') setup=check slow='guest fuzz corpus packages' ;;
all) setup=check-all slow='fuzz part' ;;
*) echo "usage: $0 [all]" >&2; exit 2 ;;
esac
tools/dev/setup.sh $setup || exit

logs=
broken=
clean=0
unavailable=0
builder=
CHECK_WORK=$(mktemp -d) || exit
export CHECK_WORK

# shellcheck disable=SC2317 # by the trap
stop_building() # the process group of what works ahead, with all compilers
{
	[ -z "$builder" ] || kill -- "-$builder" 2>/dev/null
	rm -rf "$CHECK_WORK"
}
trap stop_building EXIT
trap 'exit 129' HUP INT TERM

say() { printf '\n== %s\n' "$*"; }

finish()
{
	echo
	# shellcheck disable=SC2086 # words
	python3 tools/dev/summary.py --passed $clean $broken --skipped $unavailable --outputs "$CHECK_WORK" $logs
	exit
}

can_link() # COMPILER OPTION: whether a program built so also runs
{
	echo 'int main(void) { return 0; }' | "$1" "$2" -x c -o build/.probe - 2>/dev/null && build/.probe 2>/dev/null
}

# Runs the tests of a build; what they did stands in meson's LOG.json.
run_tests() # DIRECTORY LOG TEST-OPTION...
{
	directory=$1
	log=$2
	shift 2
	meson test -C "$directory" --no-rebuild --print-errorlogs --logbase "$log" "$@" </dev/null |
		grep -Ev '^(ninja: |Full log written|[A-Z][A-Za-z ]*: +[0-9]+ *$|$)'
	logs="$logs $directory/meson-logs/$log.json"
}

without() # SUITE...: the options that leave these out
{
	printf -- '--no-suite %s ' "$@"
}

# Waits for what is done ahead, and shows what that said. Its exit status.
done_ahead() # NAME
{
	while [ ! -e "$CHECK_WORK/$1.status" ]; do
		kill -0 "$builder" 2>/dev/null || [ -e "$CHECK_WORK/$1.status" ] || echo 1 >"$CHECK_WORK/$1.status"
		sleep 0.2
	done
	cat "$CHECK_WORK/$1.output"
	return "$(cat "$CHECK_WORK/$1.status")"
}

is_built() # DIRECTORY
{
	done_ahead "$1" && return
	echo "check: $1 does not build"
	broken="$broken --failed $1"
	return 1
}

skip_build() { echo "skipped: $*"; unavailable=$((unavailable + 1)); }

rm -f build*/meson-logs/testlog.json build/meson-logs/fuzzlog.json
say 'all tests of the library as it ships'
tools/dev/build.sh build >"$CHECK_WORK/build.output" 2>&1
echo $? >"$CHECK_WORK/build.status"
is_built build || finish
if [ -z "${1:-}" ]; then
	# shellcheck disable=SC2046,SC2086 # words
	run_tests build testlog $(without $slow)
	finish
fi

command -v clang >/dev/null && clang=build-clang || clang=
can_link cc -fsanitize=address,undefined && asan=build-asan || asan=
can_link cc -fsanitize=thread && tsan=build-tsan || tsan=
# A session of its own is a process group that can be stopped as a whole.
# shellcheck disable=SC2086 # those that are missing are no words
setsid nice -n 19 tools/dev/work-ahead.sh $clang $asan $tsan clang-tidy cppcheck fanalyzer fuzzers &
builder=$!
# shellcheck disable=SC2046,SC2086 # words
run_tests build testlog $(without $slow)

say 'all tests but those that a compiler has no part in, built by clang'
if [ -z "$clang" ]; then
	skip_build 'clang is missing'
elif is_built build-clang; then
	# shellcheck disable=SC2046 # words
	run_tests build-clang testlog $(without install doc house guest tables fuzz corpus packages once)
fi

export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:abort_on_error=1:second_deadlock_stack=1
for pair in "asan:$asan:address,undefined" "tsan:$tsan:thread"; do
	say "suite sanitize, built with -fsanitize=${pair##*:}"
	directory=build-${pair%%:*}
	case $pair in
	*::*) skip_build "this compiler cannot build and run a program with -fsanitize=${pair##*:}" ;;
	*) ! is_built "$directory" || run_tests "$directory" testlog --suite sanitize --timeout-multiplier 4 ;;
	esac
done

say 'analysis: mistakes that are found without running anything'
for tool in clang-tidy cppcheck fanalyzer; do
	done_ahead $tool
	case $? in
	0) clean=$((clean + 1)) ;;
	77) unavailable=$((unavailable + 1)) ;;
	*) echo "check: $tool found something"; broken="$broken --failed $tool" ;;
	esac
done

say "fuzzers, ${FUZZ_SECONDS:=30} seconds each"
done_ahead fuzzers # who does not build does not run either, and says so then
export FUZZ_SECONDS
run_tests build fuzzlog --suite fuzz
finish
