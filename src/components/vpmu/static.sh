#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes the static library of objects whose code is in a section of its own. In a program that holds the library the
# engine tells the library's code from the program's by where that section begins and ends: linkers define
# __start_papi_text and __stop_papi_text for a section with such a name.
#
#   static.sh OBJCOPY AR OUTPUT ARCHIVE...    the archives may be thin
set -eu
objcopy=$1
ar=$2
output=$3
shift 3
work=$output.objects
rm -rf "$work" "$output"
mkdir "$work"
for archive; do
	"$ar" t "$archive" | while read -r object; do
		name=$(echo "$object" | tr / _)
		[ ! -e "$work/$name" ] || { echo "static.sh: two objects are called $name" >&2; exit 1; }
		"$objcopy" --rename-section .text=papi_text --rename-section .text.unlikely=papi_text \
			--rename-section .text.hot=papi_text --rename-section .text.startup=papi_text \
			--rename-section .text.exit=papi_text "$object" "$work/$name"
	done
done
"$ar" crs "$output" "$work"/*
rm -rf "$work"
