#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every relative link in the documents must lead to a file of the tree, or of what is installed of it.
#
#   doc/check-links.sh SOURCE_ROOT|INSTALLED_DOCUMENTS
set -eu
cd "$1"
count=0
broken=0
for page in *.md doc/*.md doc/*/*.md bench/*.md; do
	[ -e "$page" ] || continue
	# One link target per line: what stands between "](" and ")", without an anchor.
	for target in $(grep -o '](\([^)]*\))' "$page" | sed 's/^](//; s/)$//; s/#.*//'); do
		case $target in
		*://*) continue ;;
		esac
		count=$((count + 1))
		if [ ! -e "$(dirname "$page")/$target" ]; then
			echo "$page: no file $target"
			broken=$((broken + 1))
		fi
	done
done
echo "$count links, $broken broken"
[ "$broken" -eq 0 ] && [ "$count" -gt 0 ]
