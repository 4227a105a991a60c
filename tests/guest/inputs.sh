#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the programs of programs.list work on, the same on every machine: inputs.sh DIRECTORY
set -eu
mkdir -p "$1/tree"
cd "$1"

# Pseudo-random letters.
awk 'function next_number(most) { seed = (seed * 16807) % 2147483647; return seed % most }
	BEGIN { seed = 4711
		for (i = 0; i < 2000; i++) {
			word = ""
			for (n = 2 + next_number(8); n > 0; n--)
				word = word substr("abcdefghijklmnopqrstuvwxyz", 1 + next_number(26), 1)
			print word
		}
	}' >words
awk '{ printf "%s%s", $0, NR % 9 ? (NR % 5 ? " " : "\t") : "\n" } NR == 700 { exit }' words >text
awk 'NR <= 300 { printf "%04d,w%d,%d.5\n", NR, NR % 17, NR * 7919 % 1009 }' words >table
awk -F, 'BEGIN { printf "[" }
	{ printf "%s{\"id\": \"%s\", \"name\": \"%s\", \"value\": %s}", (NR > 1 ? ",\n" : ""), $1, $2, $3 }
	END { print "]" }' table >data.json
awk 'BEGIN { for (i = 1; i < 200; i++) print i, i * 7 % 200 + 200 }' >pairs
awk 'NR % 100 != 50 { print (NR % 200 ? $0 : $0 "changed") }' words >changed
diff words changed >change || :
gzip -n -c words >words.gz
head -n 40 table >short
xz -c words >words.xz
for n in 1 2 3 13 23; do
	head -n $((n * 10)) words >"tree/part$n"
done
cat >program.tcl <<'END'
proc f {n} { if {$n < 2} { return $n }; expr {[f [expr {$n - 1}]] + [f [expr {$n - 2}]]} }
puts [f 12]
puts [lsort -integer {5 3 9 1}]
END
cat >program.bc <<'END'
scale = 50
4 * a(1)
define f(n) { if (n < 2) return (1); return (n * f(n - 1)); }
f(50)
quit
END
cat >program.m4 <<'END'
define(`count', `ifelse($1, 0, `', `$1 count(decr($1))')')dnl
count(100)
len(`abcdef') eval(2 ** 20) translit(`words', `a-z', `A-Z')
END
cat >program.mk <<'END'
all: one two
one:; @echo one
two: one; @echo two
END
