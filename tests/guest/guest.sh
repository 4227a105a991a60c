#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The arm64 guest, made in DIRECTORY from packages and from a build of this tree for arm64:
#
#   guest.sh check DIRECTORY            runs the programs of this folder in it, without and with counters that programs
#                                       may read by themselves, and holds the costs of calls against their limits
#   guest.sh programs DIRECTORY [WORD]  programs of a Debian system in it: all of programs.list, or those with the word
#   guest.sh suite DIRECTORY [NAME...]  the tests of `make check` in it: all, or those with a NAME in theirs; suite.sh
#   guest.sh emulate DIRECTORY [NAME...]  likewise, but those of the virtual PMU, each by itself in QEMU's user mode
#   guest.sh bench DIRECTORY            prints what calls cost, in instructions, beside Debian's own libpapi
#   guest.sh run DIRECTORY COMMAND      runs a command in it, in a folder with the programs and the library
#
# Wants: apt, dpkg-deb, cpio, meson, ninja, pkg-config, qemu-system-aarch64, an arm64 cross compiler with its C library;
# emulate qemu-aarch64.
# Exit status: 0 when all is well, 77 when something needed is not to be had.
set -eu

[ $# -ge 2 ] || { sed -n '3,/^set/s/^# \{0,1\}//p' "$0" | head -n 14 >&2; exit 2; }
mode=$1
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$2"
directory=$(cd "$2" && pwd)
parts=$directory/parts
build=$directory/arm64
stage=$directory/stage-$mode
triplet=aarch64-linux-gnu

skip()
{
	echo "the arm64 guest does not run: $*"
	exit 77
}

for tool in qemu-system-aarch64 $triplet-gcc cpio meson ninja pkg-config; do
	command -v $tool >/dev/null || skip "$tool is not installed"
done
[ -e /usr/$triplet/lib/libc.so.6 ] || skip "the cross compiler has no C library (libc6-dev-arm64-cross)"
# Two of its tests may want the parts and the build at once.
exec 9>"$directory/lock"
! command -v flock >/dev/null || flock 9
"$here/fetch.sh" "$parts" || exit
if [ "$mode" = suite ] || [ "$mode" = emulate ]; then
	[ "$mode" = suite ] || command -v qemu-aarch64 >/dev/null || skip "qemu-aarch64 is not installed"
	shift 2
	exec "$here/suite.sh" "$mode" "$directory" "$@"
fi
[ "$mode" != programs ] || "$here/root.sh" "$directory/debian" || exit

# The build for arm64, with the libraries that were fetched.
libraries=$parts/sysroot/usr/lib/$triplet
further=$parts/sysroot/lib/$triplet
cat >"$directory/cross.new" <<END
[binaries]
c = '$triplet-gcc'
ar = '$triplet-ar'
strip = '$triplet-strip'
pkgconfig = 'pkg-config'
[properties]
sys_root = '$parts/sysroot'
pkg_config_libdir = '$libraries/pkgconfig'
[built-in options]
c_args = ['-I$parts/sysroot/usr/include']
c_link_args = ['-L$libraries', '-Wl,-rpath-link,$libraries:$further']
END
cat "$here/machine.ini" >>"$directory/cross.new"
cmp -s "$directory/cross.new" "$directory/cross.ini" || rm -rf "$build"
mv "$directory/cross.new" "$directory/cross.ini"
if ! [ -e "$build/build.ninja" ]; then
	meson setup --cross-file "$directory/cross.ini" "$build" "$root" >"$directory/log" 2>&1 ||
		{ tail -n 20 "$directory/log"; exit 1; }
fi
ninja -C "$build" guest-programs >"$directory/log" 2>&1 ||
	{ grep -v '^\[' "$directory/log" | tail -n 40; exit 1; }

rm -rf "$stage"
mkdir -p "$stage/lib"
find "$build/tests/guest" -maxdepth 1 -type f -name 'guest_*' -perm -u+x -exec cp {} "$stage" \;
find "$build/tests/vpmu" -maxdepth 1 -type f \( -name 'test_vpmu_*' -perm -u+x -o -name 'libvpmu_plugin_*.so' \) \
	-exec cp {} "$stage" \;
cp -P "$build"/src/libpapi.so.7.0* "$stage/lib" 2>/dev/null || :
cp -P "$libraries"/libpfm.so.* "$stage/lib"
for library in libdw libelf libz liblzma libbz2; do
	for place in "$libraries" "$further"; do
		cp -P "$place/$library".so.* "$place/$library"-*.so "$stage/lib" 2>/dev/null || :
	done
done
[ ! -d "$parts/peer" ] || cp -RP "$parts/peer" "$stage/peer"
cp "$build/tools/papi_run" "$build/tools/libpapi_agent.so" "$build/tools/papi_probe" \
	"$build/tools/libpapi_probes.so" "$build/tests/process/libloaded.so" "$build/tests/probe/subject" \
	"$build/tests/run/busy" "$build/tests/run/worker" "$here/inside.sh" "$here/probe.sh" "$stage"
if [ "$mode" = programs ]; then
	cp "$build/tests/guest/libwhole.so" "$stage"
	cp "$here/programs.sh" "$here/programs.list" "$stage"
	"$here/inputs.sh" "$stage/inputs"
fi
exec 9>&-

boot() { "$here/boot.sh" "$parts" "$stage" "$1"; }

case $mode in
run) boot "${3:?usage: guest.sh run DIRECTORY COMMAND}" ;;
programs)
	GUEST_ROOT=$directory/debian/root.cpio
	GUEST_SECONDS=${GUEST_SECONDS:-1500}
	export GUEST_ROOT GUEST_SECONDS
	boot "./programs.sh ${3:-}"
	;;
bench)
	boot './inside.sh costs' >"$directory/costs" || { cat "$directory/costs"; exit 1; }
	awk -f "$here/costs.awk" "$directory/costs"
	;;
check)
	status=0
	boot './inside.sh check && ./inside.sh costs' >"$directory/output" || status=$?
	grep -E '^(ours-[01]|peer) ' "$directory/output" >"$directory/costs" || :
	grep -Ev '^(ours-[01]|peer) ' "$directory/output"
	[ $status -eq 0 ] || exit $status
	GUEST_CPU=max,sve-max-vq=4 boot './inside.sh scalable' || exit
	awk -v check=1 -f "$here/costs.awk" "$directory/costs" || status=1
	exit $status
	;;
*) echo "$0: there is no mode $mode" >&2; exit 2 ;;
esac
