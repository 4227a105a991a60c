#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `make analyse`: what looks for mistakes without running anything: clang-tidy (.clang-tidy), cppcheck
# (tools/dev/cppcheck.txt), gcc -fanalyzer (below). Each that is installed must find nothing; what is let pass stands in
# those files with its reason. ANALYSE: which of them (clang-tidy cppcheck fanalyzer). Exits with 77 when none is there.
set -u
cd "$(dirname "$0")/../.." || exit
build=${BUILD:-build}
[ -e "$build/compile_commands.json" ] || { echo "analyse: there is no build in $build; run make" >&2; exit 1; }
# Assembly of another processor is none that clang could read here.
# Of what runs between two instructions of a program, the translator is ordinary code; of arm64's, the decoder is built
# here, too.
sources=$(find src tools -name '*.c' \( ! -path '*/x86_64/*' -o -path '*/x86_64/translate/*' \) \
	\( ! -path '*/arm64/*' -o -path '*/arm64/decode/*' \) \
	! -name '*_aarch64.c' | sort)
status=0
looked=
jobs=$(nproc)

have() { command -v "$1" >/dev/null || { echo "skipped: $1 is missing"; return 1; }; }

for tool in ${ANALYSE:-clang-tidy cppcheck fanalyzer}; do
	echo "== $tool"
	case $tool in
	clang-tidy)
		have clang-tidy || continue
		looked=yes
		# Options that only gcc knows are no finding; one that looks like an error to clang is left out. A file
		# is looked at once for each of its commands: one is left, without the option that hides what memcpy()
		# does, if there is such a one.
		mkdir -p "$build/clang-tidy"
		python3 - "$build/compile_commands.json" >"$build/clang-tidy/compile_commands.json" <<-'END' || status=1
			import json, sys
			with open(sys.argv[1], encoding="utf-8") as file:
			    commands = sorted(json.load(file), key=lambda each: "-fno-builtin" in each["command"])
			one = {each["file"]: each for each in reversed(commands)}
			print(json.dumps(list(one.values())).replace("-fno-tree-loop-distribute-patterns", ""))
		END
		# shellcheck disable=SC2086 # words
		printf '%s\n' $sources | xargs -P "$jobs" -n 8 clang-tidy -p "$build/clang-tidy" --quiet \
			--extra-arg=-Wno-unknown-warning-option --warnings-as-errors='*' \
			2>"$build/clang-tidy.err" || status=1
		;;
	cppcheck)
		have cppcheck || continue
		looked=yes
		cppcheck -q -j "$jobs" --enable=warning,performance,portability --std=c11 --inline-suppr \
			--error-exitcode=1 \
			--suppressions-list=tools/dev/cppcheck.txt -D__x86_64__ -D__linux__ -D_GNU_SOURCE \
			-Iinclude -Isrc -Itools src tools ||
			status=1
		;;
	fanalyzer)
		have gcc || continue
		looked=yes
		# Not those that follow a program's own data structures through more steps than the analyzer of gcc 12
		# can: it takes a list that is being taken apart for a use after free, and lost for a leak what is in
		# thread-local storage or behind a tagged pointer. AddressSanitizer and valgrind look for these in the
		# running tests.
		# shellcheck disable=SC2086 # words
		printf "%s\n" $sources | grep "^src/" | xargs -P "$jobs" -I FILE \
			gcc -std=gnu11 -D_GNU_SOURCE -O1 -Iinclude -Isrc -Itools \
			-I"$build/src" -I"$build/src/fortran/libpapif_objects.a.p" \
			-fanalyzer -Wno-analyzer-malloc-leak \
			-Wno-analyzer-use-after-free -Wno-analyzer-file-leak -Wno-analyzer-fd-leak \
			-Wno-analyzer-use-of-uninitialized-value -Wno-analyzer-null-argument \
			-Wno-analyzer-possible-null-argument -Wno-analyzer-null-dereference \
			-Wno-analyzer-possible-null-dereference -Werror -S -o /dev/null FILE || status=1
		;;
	esac
done
[ -n "$looked" ] || status=77
exit $status
