#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Debian packages are built, lintian finds nothing, and they are installed in a system that has nothing else, used
# there, and removed: deb.sh SOURCE. That system is a folder with Debian's base in it, fetched by debootstrap from where
# this machine has its packages.
set -eu
source_root=$1

skip() { echo "$*"; exit 77; }
fail() { echo "deb.sh: $*" >&2; exit 1; }

[ "$(id -u)" -eq 0 ] || skip 'only root can install packages in a folder'
for command in debootstrap apt-get unshare cc pkg-config; do
	command -v $command >/dev/null || skip "$command is missing"
done
# shellcheck disable=SC2016 # apt-get has variables of its own; suites of updates have a "-" in their names
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
	sed -n 's/ [a-z]*$//p' | head -n 1)
release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
grep -qx 'ID=debian' /etc/os-release || mirror=
[ -n "${mirror:+$release}" ] || skip 'this is no Debian that knows where its packages are'

# All mounts of the new system end with this process.
if [ -z "${PAPI_TEST_MOUNTS:-}" ]; then
	unshare --mount true 2>/dev/null || skip 'nothing can be mounted here'
	PAPI_TEST_MOUNTS=own exec unshare --mount "$0" "$@"
fi
work=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null; rm -rf "$work"' EXIT
root=$work/root

packages=$work/packages
"$source_root/tools/dev/deb.sh" "$packages" || exit
for name in libpapi7.0 libpapi-dev papi-tools python3-papi papi-doc; do
	[ -e "$(echo "$packages/${name}"_*.deb)" ] || fail "there is no package $name"
done

debootstrap --variant=minbase "$release" "$root" "$mirror" >"$work/log" 2>&1 || {
	grep -qiE 'resolve|connect|Failed getting release' "$work/log" && skip 'debootstrap cannot reach the packages'
	tail -n 20 "$work/log" >&2
	fail 'debootstrap failed'
}
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages"
inside()
{
	chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"
}
inside sh -c 'dpkg --get-selections | sort' >"$work/before"

inside sh -c 'apt-get update -q && apt-get install -y -q --no-install-recommends /packages/*.deb' >"$work/log" 2>&1 || {
	tail -n 20 "$work/log" >&2
	fail 'the packages cannot be installed'
}

# Each does what it is for.
inside papi_version | grep -q '^PAPI Version: 7\.0\.' || fail 'papi_version says another version'
inside papi_avail >/dev/null || fail 'papi_avail does not run'
if inside papi_run --format csv -e PAPI_TOT_INS -- sh -c 'exit 0' 2>"$work/counts"; then
	grep -q '^PAPI_TOT_INS,[1-9]' "$work/counts" || fail "papi_run counts $(cat "$work/counts")"
	inside papi_profile -x -o /profile.db -- sh -c 'exit 0' >/dev/null 2>&1
	inside papi_profile report /profile.db | grep -q 'PAPI_TOT_INS' || fail 'papi_profile shows nothing'
else
	echo 'no instructions can be counted here: papi_run and papi_profile only said so'
fi
inside python3 -c 'import papi, pypapi; assert papi.event("PAPI_TOT_INS").code' ||
	fail 'the Python packages do not work'
[ -e "$root/usr/share/man/man1/papi_run.1.gz" ] || fail 'there is no manual page'
[ -r "$root/usr/share/doc/papi/README.md" ] || fail 'there are no documents'

# What a program is built with, by this machine's compiler.
triplet=$(cc -print-multiarch)
export PKG_CONFIG_SYSROOT_DIR="$root" PKG_CONFIG_LIBDIR="$root/usr/lib/$triplet/pkgconfig"
# shellcheck disable=SC2046 # flags are words
cc -o "$root/first" "$source_root/examples/first.c" $(pkg-config --cflags --libs papi)
inside /first >/dev/null || fail 'a program that was built with libpapi-dev does not run'

# Nothing stays.
inside sh -c 'apt-get purge -y -q ".*papi.*" && apt-get autoremove --purge -y -q' >"$work/log" 2>&1 ||
	fail "the packages cannot be removed: $(tail -n 3 "$work/log")"
inside sh -c 'dpkg --get-selections | sort' | diff "$work/before" - || fail 'other packages are there than before'
left=$(find "$root/usr" "$root/etc" "$root/var/lib" -iname '*papi*' ! -path '*/apt/*')
[ -z "$left" ] || fail "left behind: $left"
