#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Encodes every term of the preset tables of another architecture with that architecture's libpfm4, which the libpfm4 of
# this machine does not have in it: arm64.sh DIRECTORY [arm64|ppc64el]
# The package is downloaded once, into DIRECTORY, from the system's own package sources through a private apt state;
# nothing is installed. Needed on this machine: apt, dpkg-deb, a cross compiler with its C library, qemu-user.
# Exit status: 0 when all terms encode, 1 when one does not, 77 when something needed is not to be had.
set -eu

skip()
{
	echo "$*"
	exit 77
}

[ $# -ge 1 ] || { echo "usage: $0 DIRECTORY [arm64|ppc64el]" >&2; exit 2; }
architecture=${2:-arm64}
case $architecture in
arm64) triplet=aarch64-linux-gnu emulator=qemu-aarch64 tables='arm-*.csv' ;;
ppc64el) triplet=powerpc64le-linux-gnu emulator=qemu-ppc64le tables='power.csv' ;;
*) echo "$0: $architecture is neither arm64 nor ppc64el" >&2; exit 2 ;;
esac
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
cache=$(cd "$1" && pwd)
package=$cache/libpfm4-$architecture
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP INT TERM

for tool in "$triplet-gcc" "$emulator"; do
	command -v "$tool" >/dev/null || skip "the tables of $architecture are not checked: $tool is not installed"
done

# apt as if this were a machine of that architecture, with its lists and its cache in the work directory.
foreign_apt()
{
	tool=$1
	shift
	"apt-$tool" -q -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" \
		-o APT::Sandbox::User=root \
		-o Dir::State="$work/apt" -o Dir::State::status="$work/apt/status" -o Dir::Cache="$work/apt/cache" "$@"
}

if ! [ -e "$package" ]; then
	for tool in apt-get dpkg-deb; do
		command -v "$tool" >/dev/null ||
			skip "the tables of $architecture are not checked: $tool is not here to get its libpfm4"
	done
	mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
	: >"$work/apt/status"
	# A source that cannot be read just now need not be the one that has the package.
	foreign_apt get update >"$work/log" 2>&1 || :
	(cd "$work" && foreign_apt get download libpfm4-dev >>"$work/log" 2>&1) ||
		skip "the tables of $architecture are not checked: libpfm4-dev:$architecture cannot be downloaded"
	dpkg-deb -x "$work"/libpfm4-dev_*.deb "$work/package"
	mv "$work/package" "$package"
fi

# Static, so that the emulator needs no other library of that architecture.
$triplet-gcc -std=gnu11 -D_GNU_SOURCE -static -I"$root/src" -I"$root/include" -I"$package/usr/include" \
	-o "$work/encode_terms" "$root/tests/tables/encode_terms.c" "$root/src/events/presets.c" \
	-L"$package/usr/lib/$triplet" -lpfm 2>"$work/log" || {
	cat "$work/log" >&2
	echo 'int main(void) { return 0; }' | $triplet-gcc -static -x c -o "$work/empty" - 2>/dev/null ||
		skip "the tables of $architecture are not checked: $triplet-gcc has no C library to link with"
	exit 1
}

status=0
cd "$root/data/events"
# shellcheck disable=SC2086 # it is a pattern
set -- $tables
for cpu in $(env -u LIBPFM_FORCE_PMU "$emulator" "$work/encode_terms" "$@"); do
	LIBPFM_FORCE_PMU=$cpu "$emulator" "$work/encode_terms" "$@" || status=1
done
exit $status
