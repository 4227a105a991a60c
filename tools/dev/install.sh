#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `make install` and `make uninstall`:
#
#   install.sh install BUILD PREFIX [MESON OPTION...]     $DESTDIR stands before all that is written
#   install.sh remove PREFIX
#
# What an installation has made, files and then directories, is listed in PREFIX/share/papi/installed, a path per line
# and relative to PREFIX if it lies there, so that removing needs no build. Directories that were there before are not
# in it; those that hold something else by then stay.
set -eu
mode=$1
here=$(cd "$(dirname "$0")" && pwd)

fail() { printf '%s: %s\n' "$mode" "$*" >&2; exit 1; }

# Where a directory is, or would be made.
existing() # DIRECTORY
{
	while [ ! -e "$1" ] && [ ! -L "$1" ]; do
		set -- "$(dirname "$1")"
	done
	printf '%s\n' "$1"
}

# A trial, since permissions do not tell of file systems that are read only.
check_writable() # DIRECTORY
{
	place=$(existing "$1")
	[ -d "$place" ] || fail "$place is in the way: it is no directory; choose another place: make $verb prefix=DIR"
	trial=$place/.papi-$$
	if ! mkdir "$trial" 2>/dev/null; then
		fail "nothing can be written in $place: run it as its owner (sudo make $verb), or choose" \
			'a place of your own:' \
			"make $verb prefix=\$HOME/.local"
	fi
	rmdir "$trial"
}

absolute_destdir() { [ -z "${DESTDIR:-}" ] || DESTDIR=$(realpath -m "$DESTDIR"); }

# From meson's log of what it has made, with the directories that earlier installations here have made.
list_made() # LOG
{
	awk -v before="${DESTDIR:-}" -v prefix="$prefix/" '
		/^#/ { next }
		index($0, before) == 1 { $0 = substr($0, length(before) + 1) }
		index($0, prefix) == 1 { $0 = substr($0, length(prefix) + 1) }
		{ print }' "$1" >"$work/made"
	printf '%s\n' share/papi/installed >>"$work/made"
	[ ! -e "$list" ] || cat "$list" >>"$work/made"
	# Files, then directories from the deepest up.
	awk '!seen[$0]++' "$work/made" | while IFS= read -r path; do
		case $path in
		/*) real=${DESTDIR:-}$path ;;
		*) real=$root/$path ;;
		esac
		if [ -d "$real" ] && [ ! -L "$real" ]; then
			printf '%s\n' "$path" >>"$work/directories"
		elif [ "$path" != share/papi/installed ] && [ -e "$real" ] || [ -L "$real" ]; then
			printf '%s\n' "$path"
		fi
	done >"$work/list"
	echo share/papi/installed >>"$work/list"
	LC_ALL=C sort -r "$work/directories" >>"$work/list"
}

install_build() # BUILD [MESON OPTION...]
{
	build=$1
	shift
	for part in "$root" "$root"/bin "$root"/include "$root"/lib "$root"/share; do
		check_writable "$part"
	done
	"$here/build.sh" "$build" "-Dprefix=$prefix" "$@"
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	: >"$work/directories"
	DESTDIR=${DESTDIR:-} meson install -C "$build" --no-rebuild --quiet
	list_made "$build/meson-logs/install-log.txt"
	mkdir -p "$(dirname "$list")"
	cp "$work/list" "$list"
	chmod 644 "$list"
}

remove_installed()
{
	[ -e "$list" ] || fail "nothing that 'make install' has put there is in $root: $list is missing;" \
		"name the place: make uninstall prefix=DIR"
	check_writable "$root"
	stay=0
	while IFS= read -r path; do
		case $path in
		/*) real=${DESTDIR:-}$path ;;
		*) real=$root/$path ;;
		esac
		if [ -d "$real" ] && [ ! -L "$real" ]; then
			rmdir "$real" 2>/dev/null || stay=$((stay + 1))
		elif [ -e "$real" ] || [ -L "$real" ]; then
			rm -f "$real" || fail "$real cannot be removed: run it as its owner (sudo make uninstall)"
		fi
	done <<-END
		$(cat "$list")
	END
	[ $stay -eq 0 ] || echo "$stay directories hold other things and stay"
}

case $mode in
install) verb=install prefix=$3 ;;
remove) verb=uninstall prefix=$2 mode=uninstall ;;
*) echo "usage: $0 install BUILD PREFIX [MESON OPTION...] | remove PREFIX" >&2; exit 2 ;;
esac
absolute_destdir
prefix=$(realpath -m "$prefix")
root=${DESTDIR:-}$prefix
list=$root/share/papi/installed
if [ $verb = install ]; then
	build=$2
	shift 3
	install_build "$build" "$@"
else
	remove_installed
fi
