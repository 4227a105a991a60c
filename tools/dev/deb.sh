#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the Debian packages of this tree and has lintian look at them: deb.sh DIRECTORY. Nothing is written into the
# source tree but DIRECTORY. 77: what it needs is missing.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "${1:?usage: deb.sh DIRECTORY}"
output=$(cd "$1" && pwd)

for command in dpkg-buildpackage dh lintian; do
	command -v $command >/dev/null || {
		echo "deb.sh: $command is missing: apt-get install dpkg-dev debhelper lintian" >&2
		exit 77
	}
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" "$source/meson.build")
tree=$work/papi-$version
mkdir "$tree"
# What git knows, or where there is no git all but what was built.
if git -C "$source" rev-parse --git-dir >/dev/null 2>&1; then
	(cd "$source" && git ls-files -z --cached --others --exclude-standard | tar -c --null -T -)
else
	tar -c -C "$source" --exclude='./build*' .
fi | tar -x -C "$tree"
cp -R "$tree/packaging/debian" "$tree/debian"
# The date of the source: the same packages are built again from it.
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct 2>/dev/null || stat -c %Y "$source/meson.build")}
date=$(LC_ALL=C date -u -R -d "@$epoch")
sed "s/@VERSION@/$version/; s/@DATE@/$date/" "$tree/debian/changelog.in" >"$tree/debian/changelog"
rm "$tree/debian/changelog.in"

cd "$tree"
# -d: what builds this tree need not have come as packages; meson names what it misses.
dpkg-buildpackage -b -us -uc -d >"$work/log" 2>&1 || {
	tail -n 40 "$work/log" >&2
	exit 1
}
lintian --fail-on error,warning "$work/papi_${version}_$(dpkg --print-architecture).changes"
cp "$work"/*.deb "$output"
ls "$output"/*.deb
