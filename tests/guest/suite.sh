#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tests of a build for arm64, in the guest, all or those with a NAME in theirs: suite.sh suite DIRECTORY [NAME...]
# Or those of the virtual PMU, or with a NAME, in QEMU's user mode: suite.sh emulate DIRECTORY [NAME...]
#
# The whole tree is cross-built, tests included, against a Debian arm64 system that root.sh makes, and then it and the
# tree are put into that system, where they would be if it had been built there. So a test runs as `make check` runs it
# on an arm64 machine; only the compiler has run here, which would take hours there. In user mode a test is one process
# that QEMU translates, with the kernel of this machine, which it lets do less. Closes with "N passed, N failed, N
# skipped", a line for each failure and the reason of each skip before it.
#
# Variables: GUEST_MACHINES, how many guests share the tests (one for each processor, at most four); GUEST_SECONDS, the
# limit for each (7200). Called by guest.sh, which knows that what is needed is here.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mode=$1
directory=$2
parts=$directory/parts
shift 2
triplet=aarch64-linux-gnu
system=$directory/suite/root
build=$directory/suite/arm64
work=$directory/suite/work
mkdir -p "$directory/suite"

# What the library, its tools and its tests can use, and a compiler for those that build a program.
"$here/root.sh" "$directory/suite" bsdutils gcc hostname libc-bin libc6-dev libcmocka-dev libdw-dev libelf-dev \
	libjansson-dev libmicrohttpd-dev libncurses-dev libpfm4-dev libsqlite3-dev libstdc++-12-dev mount pkg-config \
	procps python3-pytest util-linux || exit

if ! [ -e "$build/build.ninja" ]; then
	# Debian's cross g++ may be missing; clang is a cross compiler for any C++ library it is shown.
	cat >"$directory/suite/cross.ini" <<-END
		[binaries]
		c = ['$triplet-gcc', '--sysroot=$system']
		cpp = ['clang++', '--target=$triplet', '--sysroot=$system']
		ar = '$triplet-ar'
		strip = '$triplet-strip'
		objcopy = '$triplet-objcopy'
		pkgconfig = 'pkg-config'
		[properties]
		sys_root = '$system'
		pkg_config_libdir = '$system/usr/lib/$triplet/pkgconfig:$system/usr/share/pkgconfig'
		needs_exe_wrapper = true
	END
	cat "$here/machine.ini" >>"$directory/suite/cross.ini"
	meson setup --cross-file "$directory/suite/cross.ini" "$build" "$root" >"$directory/log" 2>&1 ||
		{ tail -n 20 "$directory/log"; exit 1; }
fi
ninja -C "$build" >"$directory/log" 2>&1 || { grep -v '^\[' "$directory/log" | tail -n 40; exit 1; }
if [ "$mode" = emulate ]; then
	meson introspect --tests "$build" >"$directory/suite/tests.json"
	exec 9>&-
	exec python3 "$here/suite.py" emulate "$directory/suite/tests.json" "$build" "$system" "$@"
fi

# The tree and the build under their own names, without objects and other builds.
rm -rf "$work"
mkdir -p "$work/stage/files$root" "$work/stage/files$build"
(cd "$root" && if [ -e .git ]; then git ls-files -co --exclude-standard; else
	find . -path './build*' -prune -o -type f -print
fi | cpio --quiet -pdm "$work/stage/files$root")
(cd "$build" && find . -name '*.p' -prune -o -path './meson-*' -prune -o ! -type d ! -name '*.ninja' -print |
	cpio --quiet -pdm "$work/stage/files$build")
cp "$here/suite.py" "$work/stage"
machines=${GUEST_MACHINES:-$(nproc)}
[ "$machines" -le 4 ] || machines=4
meson introspect --tests "$build" >"$work/tests.json"
exec 9>&- # guest.sh's lock: nothing of others is touched from here on
python3 "$here/suite.py" share "$work/tests.json" "$build" "$machines" "$work/stage" "$@" || exit

GUEST_ROOT=$directory/suite/root.cpio
GUEST_SECONDS=${GUEST_SECONDS:-7200}
GUEST_MEMORY=3072
export GUEST_ROOT GUEST_SECONDS GUEST_MEMORY
running=
trap 'trap - EXIT; [ -z "$running" ] || kill $running 2>/dev/null; exit 129' HUP INT TERM
for share in "$work"/stage/share*.json; do
	name=$(basename "$share")
	"$here/boot.sh" "$parts" "$work/stage" "exec python3 suite.py run $name" >"$work/$name.output" 2>&1 &
	running="$running $!"
done
# shellcheck disable=SC2086 # numbers
wait $running || :
python3 "$here/suite.py" report "$work"
