#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Configures DIRECTORY when it is new or its options changed, and builds it. Quiet but for warnings and failures.
#
#   tools/dev/build.sh DIRECTORY [MESON OPTION...]     the compiler is $CC, or meson's choice
#
# BUILD_SUITE: only what the tests of that suite need.
set -eu
caller=$PWD
cd "$(dirname "$0")/../.."
case $1 in
/*) directory=$1 ;;
*) directory=$caller/$1 ;;
esac
shift
options=$directory/.meson-options

run() { # COMMAND...: keeps the log, shows it when the command fails
	if ! "$@" >"$directory/build.log" 2>&1 </dev/null; then
		grep -Ev '^(\[[0-9]+/[0-9]+\] |INFO: |ninja: )' "$directory/build.log" >&2
		exit 1
	fi
}

command -v meson >/dev/null || {
	echo "build: meson is missing; tools/dev/setup.sh installs what building needs" >&2
	exit 1
}
mkdir -p "$directory"
if [ ! -e "$directory/build.ninja" ]; then
	run meson setup "$directory" "$@"
	echo "$*" >"$options"
elif [ $# -gt 0 ] && [ "$*" != "$(cat "$options" 2>/dev/null)" ]; then
	run meson configure "$directory" "$@"
	echo "$*" >"$options"
fi

if [ -n "${BUILD_SUITE:-}" ]; then
	ninja=$(command -v ninja || command -v ninja-build || command -v samu)
	# What the tests are made of may have changed.
	run "$ninja" -C "$directory" build.ninja
	# shellcheck disable=SC2046 # words
	run "$ninja" -C "$directory" $(python3 tools/dev/targets.py "$directory" "$BUILD_SUITE")
else
	run meson compile -C "$directory"
fi
warnings=$(grep -c ' warning: ' "$directory/build.log" || true)
if [ "$warnings" -gt 0 ]; then
	grep -A 3 ' warning: ' "$directory/build.log" >&2
	echo "build: $warnings warnings in $directory" >&2
fi
