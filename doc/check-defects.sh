#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every test that doc/defects.md names must be there: a file, and words that stand in it.
#
#   doc/check-defects.sh SOURCE_ROOT
set -eu
cd "$1"
list=$(mktemp)
trap 'rm -f "$list"' EXIT
grep '^| ' doc/defects.md | grep -o '`[^`]*: [^`]*`' | tr -d '`' >"$list"
status=0
while IFS= read -r line; do
	if ! grep -qF -- "${line#*: }" "${line%%: *}" 2>/dev/null; then
		echo "doc/defects.md: ${line%%: *} has no \"${line#*: }\""
		status=1
	fi
done <"$list"
echo "$(wc -l <"$list") tests named"
[ -s "$list" ] || status=1
exit $status
