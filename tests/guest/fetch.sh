#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the guest is made of, from the system's own package sources: fetch.sh DIRECTORY
#
#   vmlinuz         Debian's arm64 kernel for virtual machines
#   busybox         its shell and tools, static
#   sysroot/        libpfm4 and libdw for arm64 with their headers, to build against
#   peer/           Debian's own libpapi for arm64, to measure beside ours; it is only ever run, in the guest
#
# Nothing is installed: the packages are downloaded through a private apt state and unpacked. What is there already is
# not downloaded again. Exit status 77, with the reason on one line, when something is not to be had.
set -eu

[ $# -eq 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
mkdir -p "$1"
directory=$(cd "$1" && pwd)
triplet=aarch64-linux-gnu

# shellcheck source=tests/guest/apt.sh
. "$(dirname "$0")/apt.sh"

libraries='libpfm4 libpfm4-dev libdw1 libdw-dev libelf1 libelf-dev zlib1g zlib1g-dev liblzma5 liblzma-dev libbz2-1.0'
! grep -qsxF "$libraries" "$directory/complete" || exit 0
rm -f "$directory/complete"
work=$(mktemp -d "$directory/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP INT TERM

foreign_begin "$work"
kernel=$(foreign_apt cache depends linux-image-cloud-arm64 2>>"$work/log" |
	sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
[ -n "$kernel" ] || skip 'no package source of this machine has linux-image-cloud-arm64'
libpapi=$(foreign_apt cache depends papi-tools 2>>"$work/log" |
	sed -n 's/.*Depends: \(libpapi[0-9.]*[a-z0-9]*\)$/\1/p' | head -n 1)
# shellcheck disable=SC2086 # words
(cd "$work" && foreign_apt get download "$kernel" busybox-static $libraries ${libpapi:+"$libpapi"}) \
	>>"$work/log" 2>&1 || skip "the guest's packages cannot be downloaded: $(tail -n 1 "$work/log")"

# PACKAGE MEMBER: one file of a package on standard output
member() { dpkg-deb --fsys-tarfile "$work/$1"_*.deb | tar -xO --wildcards "$2"; }

member "$kernel" './boot/vmlinuz-*' >"$directory/vmlinuz"
member busybox-static ./bin/busybox >"$directory/busybox"
chmod 755 "$directory/busybox"
rm -rf "$directory/sysroot" "$directory/peer"
for package in $libraries; do
	dpkg-deb -x "$work/$package"_*.deb "$directory/sysroot"
done
if [ -n "$libpapi" ]; then
	mkdir -p "$directory/peer"
	dpkg-deb -x "$work/$libpapi"_*.deb "$work/peer"
	cp -P "$work/peer/usr/lib/$triplet"/lib* "$directory/peer"
fi
echo "$libraries" >"$directory/complete"
