#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Boots the guest, runs one command in it, and ends as the command did: boot.sh PARTS STAGE COMMAND
#
#   PARTS    what fetch.sh has made
#   STAGE    a directory that the guest sees, and starts the command in, as /stage; its lib/ is searched for libraries
#
# The guest is arm64 Linux under QEMU's software emulation, which has a PMU of six counters and one for cycles: with
# instruction counting one instruction is two cycles and two nanoseconds, so counts are exact and the same in each run.
# One CPU, since with two of them the counts of a thread can hold what the other CPU did.
#
# Variables: GUEST_SECONDS, the limit (1200); GUEST_CPU (neoverse-n1), "neoverse-n1,pmu=off" for one without a PMU;
# GUEST_ROOT, an archive of a system that root.sh has made, whose programs and libraries are there then; GUEST_MEMORY,
# how many MiB the guest has with it (1536).
# Status 125 when the guest ended without running the command to its end.
set -eu

[ $# -eq 3 ] || { echo "usage: $0 PARTS STAGE COMMAND" >&2; exit 2; }
parts=$1
stage=$2
command=$3
libraries=/usr/aarch64-linux-gnu/lib
[ -z "${GUEST_ROOT:-}" ] && memory=768 || memory=${GUEST_MEMORY:-1536} # MiB

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP INT TERM

# The first and only file system: an archive unpacked into memory.
root=$work/root
mkdir -p "$root/busybox" "$root/proc" "$root/sys" "$root/dev" "$root/tmp"
cp "$parts/busybox" "$root/busybox/busybox"
if [ -z "${GUEST_ROOT:-}" ]; then
	mkdir "$root/bin" "$root/lib"
	ln -s ../busybox/busybox "$root/bin/sh"
	for library in ld-linux-aarch64.so.1 libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 libgcc_s.so.1; do
		cp -L "$libraries/$library" "$root/lib/"
	done
fi
cp -a "$stage" "$root/stage"
printf '%s\n' "$command" >"$root/command"
cat >"$root/init" <<'END'
#!/busybox/busybox sh
/busybox/busybox --install -s /busybox
export HOME=/tmp PATH=/usr/bin:/bin:/busybox:/stage LD_LIBRARY_PATH=/stage/lib
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tmpfs none /tmp
mount -t tracefs none /sys/kernel/tracing
stty -opost </dev/console
cd /stage
/bin/sh /command </dev/null
echo "the command ended with $?"
# The serial line drains at its own speed.
sleep 0.3
poweroff -f
END
chmod 755 "$root/init"
{
	[ -z "${GUEST_ROOT:-}" ] || cat "$GUEST_ROOT"
	(cd "$root" && find . | cpio --quiet -o -H newc)
} >"$work/initrd"

: >"$work/raw"
# shift must be a number: chosen automatically, instructions are not counted. No network, whose boot code need not be
# installed. Time in the guest is that of its instructions, and sleeping costs none.
timeout -k 5 "${GUEST_SECONDS:-1200}" qemu-system-aarch64 -M virt,dtb-randomness=off -cpu "${GUEST_CPU:-neoverse-n1}" \
	-smp 1 -m "$memory" -icount shift=1,sleep=off -rtc base=2026-01-01,clock=vm -nic none -display none \
	-monitor none -serial stdio -no-reboot -kernel "$parts/vmlinuz" -initrd "$work/initrd" \
	-append 'console=ttyAMA0 quiet loglevel=0 panic=-1 rdinit=/init' </dev/null >"$work/raw" 2>"$work/errors" &
machine=$!

# Shown as it comes. The last line of the command need not end in a newline.
tail -q -c +1 --pid=$machine -f "$work/raw" | sed -u 's/the command ended with [0-9]*$//' | sed -u '/^$/d'
wait $machine || :
status=$(sed -n 's/.*the command ended with \([0-9]*\).*/\1/p' "$work/raw" | tail -n 1)
if [ -z "$status" ]; then
	cat "$work/errors" >&2
	echo "boot.sh: the guest ended without a status, or took longer than ${GUEST_SECONDS:-1200} s" >&2
	exit 125
fi
exit "$status"
