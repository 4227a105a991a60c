#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: aliases.sh [PAGE...]
#
# Prints "PAGE NAME", without suffixes, for every name under which a page is to be found: those of its NAME section and
# the Fortran routines of its synopsis. Without an argument: of all pages beside this script.
set -eu
[ $# -gt 0 ] || set -- "$(dirname "$0")"/*.3
awk '
	FNR == 1 { page = FILENAME; sub(/.*\//, "", page); sub(/\.3$/, "", page); print page, page; seen[page] = page }
	/^\.Sh / { section = $2 }
	section == "NAME" && /^\.Nm / { name = $2 }
	section == "SYNOPSIS" && /^PAPIF_/ { name = $0; sub(/\(.*/, "", name) }
	name != "" && seen[name] != page { print page, name; seen[name] = page }
	{ name = "" }' "$@"
