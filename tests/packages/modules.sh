#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The file for Environment Modules leads to an installation from wherever that lies, and away from it again:
# modules.sh SOURCE.
set -eu
modulecmd=
for place in /usr/lib/*/modulecmd.tcl /usr/share/modules/libexec/modulecmd.tcl /usr/lib/modulecmd.tcl; do
	[ ! -e "$place" ] || modulecmd=$place
done
[ -n "$modulecmd" ] || { echo 'modulecmd.tcl of Environment Modules is missing'; exit 77; }

fail() { echo "modules.sh: $*" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/a place"
mkdir -p "$prefix/share/papi/modulefiles" "$prefix/bin" "$prefix/lib/python3/dist-packages"
cp "$1/packaging/modulefiles/papi" "$prefix/share/papi/modulefiles"
printf '#!/bin/sh\necho found\n' >"$prefix/bin/papi_probe_of_modules"
chmod +x "$prefix/bin/papi_probe_of_modules"

module() { eval "$("$modulecmd" sh "$@")"; }
before=$PATH
module use "$prefix/share/papi/modulefiles"
module load papi
[ "$(papi_probe_of_modules)" = found ] || fail "PATH is $PATH"
[ "$PAPI_DIR" = "$prefix" ] || fail "PAPI_DIR is $PAPI_DIR"
case :$LD_LIBRARY_PATH: in *":$prefix/lib:"*) ;; *) fail "LD_LIBRARY_PATH is $LD_LIBRARY_PATH" ;; esac
case :$PKG_CONFIG_PATH: in *":$prefix/lib/pkgconfig:"*) ;; *) fail "PKG_CONFIG_PATH is $PKG_CONFIG_PATH" ;; esac
case :$PYTHONPATH: in *":$prefix/lib/python3/dist-packages:"*) ;; *) fail "PYTHONPATH is $PYTHONPATH" ;; esac
module whatis papi 2>&1 | grep -q 'counts what a processor does' || fail 'module whatis says nothing'
module unload papi
: "${PAPI_DIR:=}"
[ "$PATH$PAPI_DIR" = "$before" ] || fail "after unloading, PATH is $PATH"
