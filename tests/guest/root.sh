#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A Debian arm64 system of small programs, from the system's own package sources: root.sh DIRECTORY [PACKAGE...]
#
# Packages that are named are in it as well.
#
#   root/         its files, without documents and translations
#   root.cpio     the same, as the guest's first file system
#   packages      those that were named
#
# Packages are unpacked and nothing of them is run. What is there already is not downloaded again. Exit status 77, with
# the reason on one line, when something is not to be had.
set -eu

[ $# -ge 1 ] || { echo "usage: $0 DIRECTORY [PACKAGE...]" >&2; exit 2; }
mkdir -p "$1"
directory=$(cd "$1" && pwd)
shift
# shellcheck source=tests/guest/apt.sh
. "$(dirname "$0")/apt.sh"

packages='bash bc bsdextrautils busybox bzip2 coreutils dash dc diffutils file findutils gawk grep gzip jq ksh lua5.4
lz4 m4 make mawk mksh patch perl-base python3 sed sqlite3 tar tcl8.6 tcsh xz-utils yash zsh zstd'

[ "$*" != "$(cat "$directory/packages" 2>/dev/null)" ] || [ ! -e "$directory/root.cpio" ] || exit 0
command -v cpio >/dev/null || skip 'cpio is not here to make the file system of the guest'
work=$(mktemp -d "$directory/root.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP INT TERM

foreign_begin "$work"
# shellcheck disable=SC2086 # words
foreign_apt get install -y --download-only --no-install-recommends $packages "$@" >>"$work/log" 2>&1 ||
	skip "the arm64 system's packages cannot be downloaded: $(tail -n 1 "$work/log")"

# Debian has one folder of programs and one of libraries; packages of this release still know two.
root=$work/root
mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib"
for name in bin sbin lib; do
	ln -s usr/$name "$root/$name"
done
for package in "$work"/apt/cache/archives/*.deb; do
	dpkg-deb --fsys-tarfile "$package" |
		tar -x --keep-directory-symlink -C "$root" --exclude './usr/share/doc*' --exclude './usr/share/man*' \
			--exclude './usr/share/locale*' --exclude './usr/share/info*' \
			--exclude './usr/share/zoneinfo*' --exclude '*/gconv/*'
done
# What the packages' own scripts would do.
ln -sf dash "$root/usr/bin/sh"
ln -sf gawk "$root/usr/bin/awk"
[ ! -e "$root/usr/bin/gcc" ] || ln -sf gcc "$root/usr/bin/cc"
printf 'root:x:0:0:root:/tmp:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\n' >"$root/etc/group"
(cd "$root" && find . | LC_ALL=C sort | cpio --quiet -o -H newc) >"$work/root.cpio"

rm -rf "$directory/root"
mv "$root" "$directory/root"
mv "$work/root.cpio" "$directory/root.cpio"
printf '%s\n' "$*" >"$directory/packages"
