#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fuzz.sh TARGET WORK OBJECTS "COMPILER OPTIONS" "LIBRARIES" FILE...
# Builds a target of these files, runs it over its corpus and then for $FUZZ_SECONDS (3) over what the engine makes of
# that. OBJECTS names the objects that targets of the same files share. $FUZZ_ENGINE:
#
#   libfuzzer   clang's, which is the default
#   afl         AFL++, which takes the same functions
#
# Exit status 77 where the engine is not to be had.
set -eu
target=$1
engine=${FUZZ_ENGINE:-libfuzzer}
all=$2/$engine
work=$all/$target
objects=$all/$3
options=$4
libraries=$5
shift 5
root=$(cd "$(dirname "$0")/../.." && pwd)
corpus=$root/tests/fuzz/corpus/$target
dictionary=
[ ! -e "$corpus.dict" ] || dictionary=$corpus.dict
seconds=${FUZZ_SECONDS:-3}

skip()
{
	echo "skipped: $*"
	exit 77
}

failed()
{
	tail -n 60 "$work/log"
	echo "FAILED: $target; to see it again: $work/fuzz $1"
	exit 1
}

case $engine in
libfuzzer)
	compiler=clang
	flags='-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer'
	missing='this clang has no libFuzzer (libclang-rt-dev)'
	;;
afl)
	compiler=afl-clang-fast
	flags='-fsanitize=fuzzer,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer'
	missing='afl-clang-fast does not build here'
	export AFL_QUIET=1 AFL_USE_ASAN=1 AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1
	export AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
	# It refuses to start with options of the caller's that lack these.
	export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}abort_on_error=1:symbolize=0"
	;;
*) echo "$0: there is no engine $engine" >&2; exit 2 ;;
esac

mkdir -p "$objects" "$work/corpus"
command -v $compiler >/dev/null || skip "$compiler is missing"
echo '#include <stddef.h>
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) { return data && size == 1 << 30; }' >"$work/probe.c"
# shellcheck disable=SC2086 # words
$compiler $flags -o "$work/probe" "$work/probe.c" >/dev/null 2>&1 || skip "$missing"
"$work/probe" "$work/probe.c" >/dev/null 2>&1 || skip 'a program with its sanitizers does not run here'

# Objects are named after the whole path, since there are files of one name, and made again when the options, a header
# or the source is newer. One target at a time makes those that it shares.
exec 9>"$objects/lock"
! command -v flock >/dev/null || flock 9
printf '%s\n' "$options" >"$work/options"
cmp -s "$work/options" "$objects/options" || rm -f "$objects"/*.o
mv "$work/options" "$objects/options"
# shellcheck disable=SC2012,SC2046 # no strange names are among them
newest=$(ls -t $(find "$root/include" "$root/src" "$root/tests" -name '*.h') | head -n 1)
# shellcheck disable=SC2016 # the inner shell expands it
printf '%s\n' "$@" | options="-std=gnu11 -D_GNU_SOURCE -g -O1 $flags $options" compiler=$compiler objects=$objects \
	newest=$newest xargs -P "$(nproc)" -I FILE sh -c '
		object=$objects/$(printf %s "$1" | tr -c "A-Za-z0-9\n" _).o
		[ "$object" -nt "$1" ] && [ "$object" -nt "$newest" ] ||
			$compiler $options -c "$1" -o "$object"' compile FILE
exec 9>&-
# shellcheck disable=SC2046 # no strange names are among them
set -- $(for file; do printf '%s\n' "$objects/$(printf %s "$file" | tr -c 'A-Za-z0-9\n' _).o"; done)
# shellcheck disable=SC2086 # words
$compiler $flags -o "$work/fuzz" "$@" $libraries

run_libfuzzer()
{
	"$work/fuzz" -artifact_prefix="$work/" -timeout=20 -rss_limit_mb=2560 -print_final_stats=1 "$@" \
		>"$work/log" 2>&1 || failed "$work/(crash|leak|timeout|oom)-*"
}

run_afl()
{
	rm -rf "$work/found"
	afl-fuzz -V "$seconds" -t 20000 -m none ${dictionary:+-x "$dictionary"} -i "$corpus" -o "$work/found" \
		-- "$work/fuzz" \
		>"$work/log" 2>&1 || failed "$corpus/*"
	for input in "$work"/found/default/crashes/id* "$work"/found/default/hangs/id*; do
		[ ! -e "$input" ] || failed "$input"
	done
}

case $engine in
libfuzzer) run_libfuzzer "$corpus"/* ;;
afl) "$work/fuzz" "$corpus"/* >"$work/log" 2>&1 || failed "$corpus/*" ;;
esac
set -- "$corpus"/*
echo "$target: $# inputs of the corpus replayed"
[ "$seconds" -gt 0 ] || exit 0
case $engine in
libfuzzer)
	run_libfuzzer ${dictionary:+-dict="$dictionary"} -max_total_time="$seconds" "$work/corpus" "$corpus"
	grep -E '^(stat::number_of_executed_units|stat::new_units_added|stat::peak_rss_mb)' "$work/log" | tr '\n' ' '
	;;
afl)
	run_afl
	grep -E '^(execs_done|corpus_found|corpus_count) ' "$work/found/default/fuzzer_stats" | tr -s ' \n' ' '
	;;
esac
echo "in $seconds seconds"
