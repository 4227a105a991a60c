#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs of a Debian system in the guest, each of programs.list: programs.sh [WORD...], only those with a WORD in them
#
# Under papi_run with virtual events each writes what it writes natively, and ends so, and its count is complete. And
# from main to its end, the virtual PMU counts as many instructions of it as the hardware, to the unit (whole.c). A line
# with a + in front has other processes or threads, whose instructions are not counted there, or is not the same in each
# run: papi_run counts it by the hardware, too, and as that counts the dynamic linker as well it is to be somewhat more.
#
# Runs in the folder of the stage, where papi_run and the inputs are.
set -u
export LC_ALL=C PAPI_VPMU=always PYTHONHASHSEED=0 PERL_HASH_SEED=0 HOME=/tmp
stage=$PWD
events=vpmu:::INSTRUCTIONS,vpmu:::LOADS,vpmu:::STORES,vpmu:::BRANCHES,vpmu:::FP_OPERATIONS
# The same addresses in each run: hashes and alignments decide how many instructions there are.
echo 0 >/proc/sys/kernel/randomize_va_space
echo 0 >/proc/sys/kernel/perf_user_access
work=/tmp/work
mkdir -p "$work"
programs=0
wrong=0
exact=0

# run NAME PREFIX COMMAND: what it writes, and how it ends, in files of that name
run()
{
	(cd "$stage/inputs" && eval "$2 $3") >"$work/$1.out" 2>"$work/$1.err" </dev/null
	echo "ended with $?" >>"$work/$1.err"
}

# same NAME: as natively. Shells say which process has ended by a signal.
same()
{
	cmp -s "$work/native.out" "$work/$1.out" || problem="$problem; another output $1"
	cmp -s "$work/native.err" "$work/$1.err" ||
		problem="$problem; $1 it says: $(head -c 300 "$work/$1.err")"
}

# count_of FILE: of the first event that papi_run has counted; the reason why that is none or incomplete.
count_of()
{
	IFS=, read -r event count _ _ _ _ _ _ _ _ error partial _ <<-END
		$(sed -n 2p "$1")
	END
	case $event in
	'') problem="$problem; no report" ;;
	*) [ -z "$error$partial" ] || problem="$problem; $event: $error$partial" ;;
	esac
	[ -n "$count" ] || count=0
}

# By the hardware and virtually, from main on.
count_both()
{
	for by in 0 1; do
		rm -f "$work/whole$by"
		run "whole$by" "WHOLE_BY=$by WHOLE_FILE=$work/whole$by LD_PRELOAD=$stage/libwhole.so" "$1"
	done
	hardware=$(cat "$work/whole0" 2>&1)
	virtual=$(cat "$work/whole1" 2>&1)
}

# An atomic update is done anew if the tick of a clock comes within it (a load and a store that belong together): some
# instructions more, in one of thirty runs of lz4. Counted again, the program does not meet it.
count_whole()
{
	for _ in 1 2 3; do
		count_both "$1"
		[ "$hardware" != "$virtual" ] || break
	done
	same whole0
	same whole1
	case $hardware$virtual in
	*[!0-9]*) problem="$problem; from main on: $hardware by the hardware, $virtual virtually" ;;
	*)
		if [ "$hardware" -eq "$virtual" ]; then
			exact=$((exact + 1))
		else
			problem="$problem; from main on $hardware by the hardware, $virtual virtually"
		fi
		# Constructors, and what papi_run adds to the environment.
		[ "$counted" -ge $((virtual - 500)) ] && [ "$counted" -le $((virtual + virtual / 50 + 100000)) ] ||
			problem="$problem; $counted by papi_run, $virtual from main on"
		;;
	esac
	shown="$virtual of $counted from main on"
}

count_by_papi_run()
{
	run hardware "$stage/papi_run --format csv -o $work/report -e perf::INSTRUCTIONS:u --" "$1"
	same hardware
	count_of "$work/report"
	[ "$count" -ge "$counted" ] && [ "$count" -le $((counted * 3 + 4000000)) ] ||
		problem="$problem; $counted virtually, $count by the hardware"
	shown="$counted, with the dynamic linker $count"
}

check()
{
	problem=
	run native '' "$1"
	rm -f "$work/report"
	run counted "$stage/papi_run --format csv -o $work/report -e $events --" "$1"
	same counted
	count_of "$work/report"
	counted=$count
	"$2" "$1"
	programs=$((programs + 1))
	verdict=ok
	if [ -n "$problem" ]; then
		verdict=FAILED
		wrong=$((wrong + 1))
	fi
	printf '%-6s %s: %s%s\n' "$verdict" "$(printf %.60s "$1")" "$shown" "$problem"
}

wanted()
{
	[ $# -gt 1 ] || return 0
	line=$1
	shift
	for word; do
		case $line in
		*"$word"*) return 0 ;;
		esac
	done
	return 1
}

while IFS= read -r line <&3; do
	wanted "$line" "$@" || continue
	case $line in
	'+ '*) check "${line#+ }" count_by_papi_run ;;
	*) check "$line" count_whole ;;
	esac
done 3<programs.list
echo "$programs programs, $wrong wrong; $exact to the unit"
[ $wrong -eq 0 ] && [ $programs -gt 0 ]
