#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, as Debian packages; where there is no apt-get, names it.
#
#   tools/dev/setup.sh          what building and `make demo` need
#   tools/dev/setup.sh check        also what `make check` can use: a tool that is missing skips the tests that want it
#   tools/dev/setup.sh check-all    also what `make check-all` can use
#
# A probe answers each need, not the package database: a compiler from elsewhere counts, and when nothing is
# missing there is no network access and no need for root.
set -eu
cd "$(dirname "$0")/../.."
mode=${1:-build}

say() { printf 'setup: %s\n' "$*" >&2; }

has_command() {
	for name; do
		command -v "$name" && return
	done
	return 1
}

has_compiler() { has_command ${CC:+"${CC%% *}"} cc gcc clang; }

has_file() { [ -e "$1" ]; }

has_header() { echo "#include <$1>" | $(has_compiler | head -n 1) -E -x c -o /dev/null -; }

# meson.build asks for 1.0: older distributions have 0.x, which cannot read it.
has_meson() { meson --version | grep -q '^[1-9]'; }

has_clang_sanitizers()
{
	mkdir -p build
	echo 'int main(void) { return 0; }' | clang -fsanitize=address -x c -o build/.setup-probe -
	status=$?
	rm -f build/.setup-probe
	return $status
}

# The runtime must match the clang that is here; the unversioned package matches the one Debian would install.
clang_runtime_package()
{
	major=$(clang -dumpversion 2>/dev/null | cut -d. -f1) || major=
	echo "libclang-rt${major:+-$major}-dev"
}

need() { # PACKAGE PROBE [ARGUMENT...]: adds the package to $missing when the probe fails
	package=$1
	shift
	"$@" >/dev/null 2>&1 </dev/null || missing="$missing $package"
}

find_required()
{
	missing=
	need gcc has_compiler
	need libc6-dev has_header stdio.h
	need meson has_meson
	need ninja-build has_command ninja ninja-build samu
	need pkg-config has_command pkg-config pkgconf
	need libpfm4-dev has_header perfmon/pfmlib_perf_event.h
	need libzydis-dev has_header Zydis/Zydis.h
	need libcmocka-dev has_header cmocka.h
}

find_wanted()
{
	missing=
	need libjansson-dev has_header jansson.h
	need libmicrohttpd-dev has_header microhttpd.h
	need libncurses-dev has_header curses.h
	need libsqlite3-dev has_header sqlite3.h
	need libdw-dev has_header elfutils/libdwfl.h
	need xz-utils has_command xz
	[ "$mode" != build ] || return 0
	need binutils has_command readelf
	need chromium has_command chromium
	need chromium-driver has_command chromedriver
	need g++ has_command c++ g++ clang++
	need cmake has_command cmake
	need fish has_command fish
	need gdb has_command gdb
	need gfortran has_command gfortran
	need gcc-aarch64-linux-gnu has_command aarch64-linux-gnu-gcc
	need libc6-dev-arm64-cross test -e /usr/aarch64-linux-gnu/include/stdio.h
	need libopenmpi-dev has_command mpicc
	need libseccomp-dev has_header seccomp.h
	need libxml2-utils has_command xmllint
	need mandoc has_command mandoc
	need openmpi-bin has_command mpirun
	need python3-pytest /usr/bin/python3 -c 'import pytest'
	need python3-setuptools /usr/bin/python3 -c 'import setuptools'
	need python3-wheel /usr/bin/python3 -c 'import wheel'
	need qemu-user has_command qemu-aarch64 qemu-aarch64-static
	need strace has_command strace
	need tmux has_command tmux
	need valgrind has_command valgrind
	need zsh has_command zsh
	[ "$mode" = check-all ] || return 0
	need abigail-tools has_command abidiff
	need afl++ has_command afl-clang-fast
	need clang has_command clang
	need "$(clang_runtime_package)" has_clang_sanitizers
	need cpio has_command cpio
	# Debian packages, in a system of their own.
	need debhelper has_command dh
	need debootstrap has_command debootstrap
	need dh-python has_command dh_python3
	need dpkg-dev has_command dpkg-buildpackage
	need lintian has_command lintian
	need dwz has_command dwz
	need environment-modules has_file /usr/lib/*/modulecmd.tcl
	# Readers of exported profiles.
	need chromium has_command chromium
	need golang-go has_command go
	need mypy has_command mypy
	need npm has_command npm
	need python3-jsonschema python3 -c 'import jsonschema'
	# Programs of the corpus that are small.
	for name in busybox dc fzf gawk ksh mksh jq lua5.4 lz4 pigz rsync sqlite3 tcsh yash; do
		need "$name" has_command "$name"
	done
	# The server, too, but none that runs.
	need redis-tools has_command redis-check-rdb
	need qemu-system-arm has_command qemu-system-aarch64
}

# Runs a command as root. Without a terminal nobody could type a password, so sudo must not ask for one.
as_root()
{
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif [ -t 0 ]; then
		sudo -- "$@"
	else
		sudo -n -- "$@"
	fi
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" </dev/null; }

have_package_lists()
{
	for list in /var/lib/apt/lists/*_Packages*; do
		[ -e "$list" ] && return
	done
}

update_once()
{
	[ -z "${updated:-}" ] || return 0
	updated=yes
	apt update
}

# A first try with the package lists that are here; fresh machines have none and old ones name what is gone.
install_packages()
{
	apt install -y --no-install-recommends "$@" || {
		update_once
		apt install -y --no-install-recommends "$@"
	}
}

can_install()
{
	command -v apt-get >/dev/null || { reason='there is no apt-get here'; return 1; }
	[ "$(id -u)" -eq 0 ] && return
	command -v sudo >/dev/null || { reason='you are not root and there is no sudo'; return 1; }
	[ -t 0 ] || sudo -n true 2>/dev/null || { reason='sudo wants a password and there is no terminal'; return 1; }
}

# Keeps the package tools quiet: their words are shown only when they fail.
try_install()
{
	mkdir -p build
	say "installing $*"
	if install_packages "$@" >build/setup.log 2>&1; then
		return 0
	fi
	say "that failed; the end of build/setup.log is:"
	tail -n 8 build/setup.log | sed 's/^/    /' >&2
	return 1
}

install_required()
{
	find_required
	[ -n "$missing" ] || return 0
	if can_install; then
		# shellcheck disable=SC2086 # a list of words
		try_install $missing || true
		find_required
		[ -n "$missing" ] || return 0
		reason='installing did not help'
	fi
	say "cannot go on: $reason. Please provide what these Debian packages hold, then try again:"
	say "   $missing"
	case $missing in
	*meson*) say "(meson must be 1.0 or newer; where the system's is older: pipx install meson)" ;;
	esac
	exit 1
}

install_wanted()
{
	find_wanted
	[ -n "$missing" ] || return 0
	if can_install; then
		# A distribution may lack one of them, which must not cost the others.
		have_package_lists || update_once >/dev/null 2>&1 || true
		known=
		for package in $missing; do
			! apt-cache show "$package" >/dev/null 2>&1 || known="$known $package"
		done
		# shellcheck disable=SC2086
		[ -z "$known" ] || try_install $known || true
		find_wanted
		reason='apt-get could not install them'
	fi
	[ -z "$missing" ] || say "going on without:$missing ($reason); tests that want them are skipped"
}

# Debian's programs for the same library, and the names in its headers, prove that ours is a drop-in. They are unpacked,
# never installed: their own libpapi must not stand in front of the one under test. Prometheus, which scrapes
# perfometer in a test, and nginx, which is visited in one, would begin to serve on this machine.
unpack_debian_packages()
{
	directory=build/debian
	packages=
	[ -x $directory/usr/bin/papi_avail ] || packages='papi-tools'
	[ -e $directory/usr/include/papi.h ] || packages="$packages libpapi-dev"
	if [ "$mode" = check-all ]; then
		[ -x $directory/usr/bin/promtool ] || has_command promtool >/dev/null || packages="$packages prometheus"
		[ -x $directory/usr/sbin/nginx ] || has_command nginx >/dev/null || packages="$packages nginx"
	fi
	[ -n "$packages" ] || return 0
	command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return 0
	mkdir -p $directory
	for package in $packages; do
		say "fetching $package into $directory (not installed)"
		download_debian_package "$package" >build/setup.log 2>&1 ||
			say "going on without $package: $(tail -n 1 build/setup.log)"
	done
}

# Of libpapi-dev the headers alone: nothing may find its library.
download_debian_package()
{
	(cd $directory && apt-get -qq download "$1") ||
		{ can_install && update_once && (cd $directory && apt-get -qq download "$1"); } || return
	dpkg-deb --fsys-tarfile $directory/"$1"_*.deb | tar -x -C $directory --exclude './usr/lib*'
}

# What reads profiles for speedscope, for the test of that export: one package, unpacked and never run as a program.
unpack_speedscope()
{
	directory=build/npm/speedscope
	[ ! -d $directory/package ] || return 0
	command -v npm >/dev/null || return 0
	mkdir -p $directory
	say "fetching speedscope into $directory (not installed)"
	(cd $directory && npm pack --silent speedscope@1.25.0 && tar -xf speedscope-*.tgz) >build/setup.log 2>&1 ||
		say "going on without speedscope: $(tail -n 1 build/setup.log)"
}

install_required
install_wanted
[ "$mode" = build ] || unpack_debian_packages
[ "$mode" != check-all ] || unpack_speedscope
