#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs into a directory of its own and uses what lies there as a stranger would.
#
#   tests/install/install.sh files|pkg-config|counts|cmake|make SOURCE_ROOT BUILD_ROOT PREFIX
set -eu
part=$1
source_root=$2
build_root=$3
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
prefix=$stage$4
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR

fail() { echo "$*"; exit 1; }

skip() { echo "$*"; exit 77; }

run() { # COMMAND...: shows what it said only when it fails
	"$@" >"$stage/log" 2>&1 </dev/null || {
		status=$?
		cat "$stage/log"
		fail "'$*' failed with status $status"
	}
}

stage_build() { run env DESTDIR="$stage" meson install -C "$build_root" --no-rebuild --quiet; }

check_file() { [ -s "$1" ] || fail "$1 is missing or empty"; }

# The Python packages find the library that was installed with them; the compiled files would not be uninstalled.
check_python() # PREFIX
{
	module=$(find "$1" -path '*/papi/_library.py')
	check_file "$module"
	packages=${module%/papi/*}
	run env -u PAPI_LIBRARY -u LD_LIBRARY_PATH PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$packages" python3 -c \
		'import papi, pypapi.papi_low, importlib.metadata; papi.presets(); importlib.metadata.version("papi-c")'
}

check_tree() # PREFIX
{
	for file in lib/libpapi.so.7.0 lib/libpapi.a lib/pkgconfig/papi.pc lib/cmake/papi/papi-config.cmake \
		lib/cmake/papi/papi-config-version.cmake include/papi.h include/papiStdEventDefs.h include/fpapi.h \
		include/f77papi.h include/f90papi.h share/papi/papi.f90 share/papi/papi_xml_event_info.rng \
		lib/libsde.so.1 lib/libsde.a lib/pkgconfig/sde.pc include/sde_lib.h include/sde_lib.hpp; do
		check_file "$1/$file"
	done
	[ "$(readlink "$1/lib/libpapi.so")" = libpapi.so.7.0 ] || fail 'libpapi.so does not lead to libpapi.so.7.0'
	soname=$(readelf -d "$1/lib/libpapi.so.7.0" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
	[ "$soname" = libpapi.so.7.0 ] || fail "the soname is '$soname'"
	# Every public header of C stands alone with only the installed directory in sight.
	for header in "$1"/include/*.h; do
		case $header in
		*/f77papi.h | */f90papi.h) continue ;;
		esac
		echo "#include <$(basename "$header")>" >"$stage/header.c"
		run cc -std=c99 -Wall -Werror -fsyntax-only -I"$1/include" "$stage/header.c"
	done
	for source in "$source_root"/tools/papi_*.1 "$source_root"/tools/p[er]*ometer.1; do
		page=$(basename "$source")
		# A tool that reads JSON is built where there is a library for it.
		case $page in
		papi_compare.1 | papi_hl_output_writer.1 | perfometer.1)
			[ -x "$build_root/tools/${page%.1}" ] || continue ;;
		esac
		check_file "$1/share/man/man1/$page"
		check_file "$1/share/bash-completion/completions/${page%.1}"
		check_file "$1/share/fish/vendor_completions.d/${page%.1}.fish"
		[ -x "$1/bin/${page%.1}" ] || fail "bin/${page%.1} is missing"
	done
	check_file "$1/share/zsh/site-functions/_papi"
	for name in $("$source_root/doc/man3/aliases.sh" | cut -d' ' -f2); do
		check_file "$1/share/man/man3/$name.3"
	done
	check_file "$1/share/man/man5/papi_events.5"
	check_python "$1"
	run sh "$source_root/doc/check-links.sh" "$1/share/doc/papi"
}

# A tree with a library in lib/ must not need the build directory to run.
check_program() # PROGRAM [LIBRARY DIRECTORY]
{
	output=$(LD_LIBRARY_PATH=${2:-} "$1" 2>&1) || fail "$1 failed: $output"
	printf '%s\n' "$output" | grep -Eqx '[1-9][0-9]* page faults' || fail "$1 printed: $output"
}

needs_libpapi() { readelf -d "$1" | grep -q 'NEEDED.*\[libpapi\.so\.7\.0\]'; }

check_shared() { # PROGRAM LIBRARY-DIRECTORY
	needs_libpapi "$1" || fail "$1 does not need libpapi.so.7.0"
	check_program "$1" "$2"
}

check_static() { # PROGRAM
	! needs_libpapi "$1" || fail "$1 was to be linked with libpapi.a"
	check_program "$1"
}

check_events() # PROGRAM [LIBRARY-DIRECTORY]
{
	output=$(LD_LIBRARY_PATH=${2:-} "$1" 2>&1) || fail "$1 failed: $output"
	printf '%s\n' "$output" | grep -Eqx '1\.414214 after [1-9] steps' || fail "$1 printed: $output"
}

check_pkg_config()
{
	export PKG_CONFIG_PATH="$prefix/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$stage"
	version=$(pkg-config --modversion papi) || fail 'pkg-config does not find papi'
	case $version in
	7.0*) ;;
	*) fail "papi.pc says version $version" ;;
	esac
	# shellcheck disable=SC2046 # flags are words
	run cc -o "$stage/shared" "$source_root/examples/first.c" $(pkg-config --cflags --libs papi)
	check_shared "$stage/shared" "$prefix/lib"
	# shellcheck disable=SC2046
	run cc -static -o "$stage/static" "$source_root/examples/first.c" $(pkg-config --static --cflags --libs papi)
	check_static "$stage/static"
	# shellcheck disable=SC2046
	run cc -o "$stage/events" "$source_root/examples/own_events.c" $(pkg-config --cflags --libs papi sde)
	check_events "$stage/events" "$prefix/lib"
	# shellcheck disable=SC2046
	run cc -static -Wl,--fatal-warnings -o "$stage/events" "$source_root/examples/own_events.c" \
		$(pkg-config --static --cflags --libs papi sde)
	check_events "$stage/events"
}

# Whoever holds the library, the same instructions are counted.
check_counts()
{
	export PKG_CONFIG_PATH="$prefix/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$stage" PAPI_VPMU=always
	source=$source_root/tests/install/counted.c
	flags=$(pkg-config --cflags papi)
	archive="$prefix/lib/libpapi.a $(pkg-config --static --libs papi | sed 's/-lpapi//')"
	# shellcheck disable=SC2086 # flags are words
	{
		run cc -o "$stage/shared" $flags "$source" $(pkg-config --libs papi)
		run cc -o "$stage/inside" $flags "$source" $archive
		run cc -shared -fPIC -DPLUGIN -o "$stage/plugin.so" $flags "$source" $archive
		run cc -DHOST -o "$stage/host" "$source" -ldl
		run cc -static -Wl,--fatal-warnings -o "$stage/static" $flags "$source" $archive
	}
	expected=$(LD_LIBRARY_PATH=$prefix/lib "$stage/shared") || skip "$expected"
	[ "$expected" = "900 instructions, 300 loads" ] || fail "the shared library counts $expected"
	got=$("$stage/inside") && [ "$got" = "$expected" ] || fail "a program that holds the library counts $got"
	got=$("$stage/host" "$stage/plugin.so") && [ "$got" = "$expected" ] ||
		fail "a plugin that holds the library counts $got"
	# Without Zydis in it there is nothing that could decode.
	if got=$("$stage/static"); then
		[ "$got" = "$expected" ] || fail "a static program counts $got"
	else
		case $got in
		*PAPI_TOT_INS*statically*libZydis.a*) ;;
		*) fail "a static program says: $got" ;;
		esac
	fi
}

check_fortran()
{
	export PKG_CONFIG_PATH="$prefix/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$stage"
	for example in first_fixed.F first_module.f90; do
		# shellcheck disable=SC2046 # flags are words
		run gfortran -o "$stage/shared" "$source_root/examples/$example" $(pkg-config --cflags --libs papi)
		check_shared "$stage/shared" "$prefix/lib"
		# Not -static: the runtime of gfortran, linked so, calls functions of threads that it has only weak
		# references to.
		# shellcheck disable=SC2046
		run gfortran -o "$stage/static" "$source_root/examples/$example" $(pkg-config --cflags papi) \
			"$prefix/lib/libpapi.a" $(pkg-config --static --libs papi | sed 's/-lpapi//')
		check_static "$stage/static"
	done
	# Whoever has another compiler makes the module from its source.
	mkdir "$stage/module"
	run gfortran -fsyntax-only -I"$prefix/include" -J"$stage/module" "$prefix/share/papi/papi.f90"
	check_file "$stage/module/papi.mod"
}

check_cmake()
{
	mkdir "$stage/project"
	cp "$source_root/examples/first.c" "$source_root/examples/own_events.c" "$stage/project/"
	cat >"$stage/project/CMakeLists.txt" <<-'END'
		cmake_minimum_required(VERSION 3.13)
		project(first C)
		find_package(papi 7.0 REQUIRED)
		add_executable(shared first.c)
		target_link_libraries(shared papi::papi)
		add_executable(static first.c)
		target_link_libraries(static papi::static)
		add_executable(events own_events.c)
		target_link_libraries(events papi::papi papi::sde)
		find_package(papi 6.0 QUIET)
		if(papi_FOUND)
		  message(FATAL_ERROR "7.0 must not be taken for 6.0")
		endif()
	END
	run cmake -S "$stage/project" -B "$stage/project/build" -Dpapi_DIR="$prefix/lib/cmake/papi"
	run cmake --build "$stage/project/build"
	check_shared "$stage/project/build/shared" "$prefix/lib"
	check_static "$stage/project/build/static"
	check_events "$stage/project/build/events" "$prefix/lib"
}

install_there()
{
	run make -C "$source_root" install build="$stage/build" prefix="$stage/prefix" \
		options='-Dtests=false -Dbuildtype=plain'
}

tree() { (cd "$stage/prefix" && find . | LC_ALL=C sort); }

remove() # WHERE...: `make uninstall` there
{
	make -C "$source_root" --no-print-directory uninstall "$@" 2>&1
}

# Again over what is there, and once more with a file of somebody else in a directory that it made.
check_uninstall()
{
	install_there
	remove prefix="$stage/prefix" || fail 'make uninstall failed'
	tree | diff "$stage/before" - || fail 'make uninstall leaves another tree than make install found'
	[ "$(cat "$stage/prefix/share/man/man1/theirs.1")" = theirs ] ||
		fail 'make uninstall changed a file of somebody else'
	! said=$(remove prefix="$stage/prefix") || fail 'make uninstall removed what is not there'
	case $said in
	*"share/papi/installed is missing"*) ;;
	*) fail "make uninstall says: $said" ;;
	esac
	run make -C "$source_root" install build="$stage/build" prefix=/opt/papi DESTDIR="$stage/destdir" \
		options='-Dtests=false -Dbuildtype=plain'
	echo mine >"$stage/destdir/opt/papi/lib/mine"
	remove prefix=/opt/papi DESTDIR="$stage/destdir" >/dev/null || fail 'make uninstall failed below DESTDIR'
	[ "$(find "$stage/destdir" ! -type d)" = "$stage/destdir/opt/papi/lib/mine" ] ||
		fail "make uninstall left below DESTDIR: $(find "$stage/destdir")"
}

# A prefix that cannot be written is refused at once, in a line that says what to do.
check_refusals()
{
	echo >"$stage/file"
	refused "$stage/file/papi" "$stage/file is in the way"
	if [ "$(id -u)" -eq 0 ]; then
		[ ! -d /proc/self ] || refused /proc/papi 'nothing can be written in /proc: .*prefix=\$HOME/.local'
	else
		mkdir -m 555 "$stage/closed"
		refused "$stage/closed/papi" 'nothing can be written in .*/closed: .*prefix=\$HOME/.local'
	fi
	[ ! -e "$stage/build" ] || fail 'it was built before it was refused'
}

refused() # PREFIX WORDS
{
	! said=$(make -C "$source_root" --no-print-directory install build="$stage/build" prefix="$1" 2>&1) ||
		fail "make install with prefix=$1 did not fail"
	said=$(printf '%s\n' "$said" | grep -v '^make')
	printf '%s\n' "$said" | grep -q "^install: $2" || fail "with prefix=$1, make install says: $said"
	[ "$(printf '%s\n' "$said" | wc -l)" -eq 1 ] || fail "more than a line: $said"
}

case $part in
files)
	stage_build
	check_tree "$prefix"
	;;
pkg-config)
	command -v pkg-config >/dev/null || skip 'pkg-config is missing'
	stage_build
	check_pkg_config
	;;
counts)
	command -v pkg-config >/dev/null || skip 'pkg-config is missing'
	stage_build
	check_counts
	;;
cmake)
	command -v cmake >/dev/null || skip 'cmake is missing'
	stage_build
	check_cmake
	;;
fortran)
	command -v gfortran >/dev/null || skip 'gfortran is missing'
	command -v pkg-config >/dev/null || skip 'pkg-config is missing'
	stage_build
	check_fortran
	;;
make)
	check_refusals
	# What was there before stays: an empty directory of a name that is used, and somebody's file.
	mkdir -p "$stage/prefix/bin" "$stage/prefix/share/man/man1"
	echo theirs >"$stage/prefix/share/man/man1/theirs.1"
	tree >"$stage/before"
	install_there
	check_tree "$stage/prefix"
	grep -qx "prefix=$stage/prefix" "$stage/prefix/lib/pkgconfig/papi.pc" || fail 'papi.pc has another prefix'
	"$stage/prefix/bin/papi_version" >/dev/null || fail 'bin/papi_version does not run where it was installed'
	check_uninstall
	;;
*)
	fail "unknown part '$part'"
	;;
esac
