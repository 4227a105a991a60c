#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Prints prototypes, one on a line, in a form in which they can be compared:
#
#   prototypes.sh c HEADER...       the functions that C headers declare
#   prototypes.sh fortran PAPI_F90  the routines of the Fortran module, in the words of the reference
#   prototypes.sh pages PAGE...     what the synopses of man pages say, each after the name of its page
set -eu
kind=$1
shift

case $kind in
c)
	# A declaration begins with the word that exports it and goes on to the semicolon.
	cat "$@" | awk '
		/^PAPI_(SDE_)?API / { text = ""; inside = 1; sub(/^[^ ]* /, "") }
		inside { text = text " " $0 }
		inside && /;/ {
			gsub(/[ \t]+/, " ", text); gsub(/^ |;.*/, "", text); gsub(/\( /, "(", text)
			print text
			inside = 0
		}'
	;;
fortran)
	awk '
		function type_of(declaration)
		{
			if (declaration ~ /^integer\(c_int\)/) return "C_INT"
			if (declaration ~ /^integer\(c_long_long\)/) return "C_LONG_LONG"
			if (declaration ~ /^real\(c_float\)/) return "C_FLOAT"
			if (declaration ~ /^real\(c_double\)/) return "C_DOUBLE"
			if (declaration ~ /^character/) return "C_STRING"
			return "?"
		}
		{ line = $0; sub(/^ */, "", line); sub(/ *!.*/, "", line) }
		joined { line = joined line; joined = "" }
		line ~ /&$/ { joined = substr(line, 1, length(line) - 1); next }
		line ~ /^subroutine / {
			name = line
			sub(/^subroutine /, "", name)
			list = name
			sub(/\(.*/, "", name)
			sub(/^[^(]*\(/, "", list)
			sub(/\).*/, "", list)
			split("", types)
			next
		}
		line ~ /^integer\(c_int\) function / {
			split(line, words, /[ (]+/)
			types[words[4]] = "C_INT FUNCTION"
			next
		}
		line ~ / :: / && line !~ /^import/ {
			count = split(substr(line, index(line, " :: ") + 4), names, /, /)
			for (i = 1; i <= count; i++) {
				array = sub(/\(.*\)/, "", names[i])
				types[names[i]] = type_of(line) (array ? "(*)" : "")
			}
			next
		}
		line == "end subroutine" && name !~ /_integer$/ {
			text = ""
			count = split(list, names, /, /)
			for (i = 1; i <= count; i++)
				text = text (i > 1 ? ", " : "") types[names[i]] " " names[i]
			sub(/^papif_/, "PAPIF_", name)
			print name "(" text ")"
		}' "$@"
	;;
pages)
	awk '
		function unquoted(text)
		{
			sub(/^\.F[a-z] /, "", text)
			gsub(/"/, "", text)
			return text
		}
		FNR == 1 { page = FILENAME; sub(/.*\//, "", page); sub(/\.3$/, "", page) }
		/^\.Sh / { synopsis = $2 == "SYNOPSIS" }
		!synopsis { next }
		/^\.Ft / { type = unquoted($0) }
		/^\.Fo / { text = type (type ~ /\*$/ ? "" : " ") unquoted($0) "("; separator = "" }
		/^\.Fa / { text = text separator unquoted($0); separator = ", " }
		/^\.Fc/ { print page ": " text ")" }
		/^PAPIF_/ { routine = $0 }
		/^    / && routine != "" { sub(/^ +/, ""); routine = routine " " $0 }
		routine ~ /\)$/ { print page ": " routine; routine = "" }' "$@"
	;;
*)
	echo "prototypes.sh: unknown kind '$kind'" >&2
	exit 2
	;;
esac
