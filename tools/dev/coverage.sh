#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `make coverage`: builds with gcov's instrumentation in build-coverage, runs the tests, and prints how many lines and
# branches of src/ they reach, with the files that are below the marks first. COVERAGE_SUITES: which suites (all that
# run the library).
#
# The marks are 90 % of lines and 80 % of branches. Branches are those that a reader sees: what the compiler adds for
# exceptions does not exist in C, and lines that say that memory is out are reached by the tests of failing allocation.
set -eu
cd "$(dirname "$0")/../.."
tools/dev/setup.sh check
command -v gcovr >/dev/null || { echo 'coverage: gcovr is missing (Debian package gcovr)' >&2; exit 1; }
suites=${COVERAGE_SUITES:-abi unit system overflow profil multiplex highlevel reference regions definitions tables tools
	run fortran sde replay vpmu}

tools/dev/build.sh build-coverage -Dbuildtype=debug -Db_coverage=true -Db_ndebug=true
find build-coverage -name '*.gcda' -exec rm -f {} +
known=$(meson test -C build-coverage --no-rebuild --list 2>/dev/null)
selection=
for suite in $suites; do
	case $known in
	*"$suite"*) selection="$selection --suite $suite" ;;
	esac
done
# shellcheck disable=SC2086 # words
meson test -C build-coverage --no-rebuild --timeout-multiplier 4 $selection </dev/null |
	grep -E '^(Ok|Fail|Skipped|Timeout)|FAIL|TIMEOUT' || :

gcovr --root . --filter 'src/' --object-directory build-coverage --exclude-throw-branches \
	--gcov-ignore-parse-errors --json-summary-pretty \
	--json-summary build-coverage/coverage.json --txt build-coverage/coverage.txt build-coverage >/dev/null
python3 tools/dev/coverage.py build-coverage/coverage.json
