#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds a wheel of the Python packages: wheel.sh DIRECTORY. It needs setuptools and wheel (Debian: python3-setuptools,
# python3-wheel) and no network, and writes nothing into the source tree.
set -eu
source=$(cd "$(dirname "$0")/../../python" && pwd)
mkdir -p "${1:?usage: wheel.sh DIRECTORY}"
output=$(cd "$1" && pwd)
python=${PYTHON:-python3}

"$python" -c 'import setuptools, wheel' 2>/dev/null || {
	echo "wheel.sh: $python has no setuptools or no wheel: apt-get install python3-setuptools python3-wheel" >&2
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$source/src" "$source/pyproject.toml" "$source/../LICENSE" "$work"
cd "$work"
"$python" -c 'import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))' "$output" \
	>"$work/log" 2>&1 || {
	cat "$work/log" >&2
	exit 1
}
echo "$output/$(tail -n 1 "$work/log")"
