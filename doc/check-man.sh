#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every man page must be clean for mandoc, whose warnings are the mistakes that other readers show as garbage.
#
#   doc/check-man.sh SOURCE_ROOT
set -eu
cd "$1"
command -v mandoc >/dev/null || {
	echo 'mandoc is missing'
	exit 77
}
set --
for page in tools/*.1 doc/*.5 doc/man3/*.3; do
	[ ! -e "$page" ] || set -- "$@" "$page"
done
[ $# -gt 0 ] || {
	echo 'no man page found'
	exit 1
}
mandoc -T lint -W warning "$@"
echo "$# pages"
