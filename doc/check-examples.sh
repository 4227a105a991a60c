#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: check-examples.sh SOURCE_ROOT COMPILER...
#
# The C examples of the pages of section 3 must compile, without warnings. An example is the inside of a function; what
# it takes for granted is declared here, around it. One that begins with a handler is two functions.
set -eu
root=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
wrong=0

for page in "$root"/doc/man3/*.3; do
	awk '
		/^\.Sh / { inside = $2 == "EXAMPLES" }
		inside && /^\.Bd / { text = 1; next }
		inside && /^\.Ed/ { exit }
		text { gsub(/\\e/, "\\"); gsub(/\\&/, ""); print }' "$page" >"$work/example"
	case $(head -n 1 "$work/example") in
	'' | program*) continue ;;
	esac
	{
		cat <<-'END'
			#include <papi.h>
			#include <pthread.h>
			#include <sde_lib.h>
			#include <stdio.h>
			#include <stdlib.h>
			#include <sys/wait.h>

			extern int set, codes[20], pid, samples[], overflows[];
			extern long long values[4];
			extern char *code_start;
			extern const char *name;
			extern papi_handle_t handle;
			extern void *recorder;
			extern double residual;
			void handle_error(void), work(void), measured(void), not_measured(void), read_input(void);
			void solve(void);
			void show(int code), step(int i);
			void example(void);
		END
		awk '
			/^static void handler/ { handler = 1; print; next }
			!handler && !begun { print "void example(void)\n{"; begun = 1 }
			{ print }
			handler && /^}/ { handler = 0 }
			END { if (!begun) print "void example(void)\n{"; print "}" }' "$work/example"
	} >"$work/example.c"
	count=$((count + 1))
	"$@" -std=gnu11 -Wall -Wextra -Wno-unused -Wno-unused-parameter -Werror -fsyntax-only -I"$root/include" \
		"$work/example.c" || {
		echo "the example of $(basename "$page") does not compile"
		wrong=$((wrong + 1))
	}
done
echo "$count examples, $wrong wrong"
[ $wrong -eq 0 ] && [ $count -gt 20 ]
