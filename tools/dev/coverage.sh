#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `make coverage`: builds with gcov's instrumentation in build-coverage, runs the tests, and prints how many lines and
# branches of src/ they reach, with the files that are below the marks first. COVERAGE_SUITES: which suites (all that
# run the library).
#
# First the translator of the virtual PMU, by its unit tests alone: programs that run translated do not show what is
# wrong in it as well as these do.
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
status=0

run()
{
	meson test -C build-coverage --no-rebuild --timeout-multiplier 4 "$@" </dev/null |
		grep -E '^(Ok|Fail|Skipped|Timeout)|FAIL|TIMEOUT' || :
}

# summarize FOLDER OBJECTS NAME
summarize()
{
	gcovr --root . --filter "$1" --object-directory build-coverage --exclude-throw-branches \
		--gcov-ignore-parse-errors --json-summary-pretty --json-summary "build-coverage/$3.json" \
		--txt "build-coverage/$3.txt" "$2" >/dev/null
	python3 tools/dev/coverage.py "build-coverage/$3.json" "$1" || status=1
}

case $known in
*'vpmu record'*)
	run 'vpmu blocks' 'vpmu decode' 'vpmu record' 'vpmu translate'
	summarize src/components/vpmu/x86_64/translate/ \
		build-coverage/src/components/vpmu/libpapi_vpmu_translator_for_tests.a.p translator
	;;
esac

selection=
for suite in $suites; do
	case $known in
	*"$suite"*) selection="$selection --suite $suite" ;;
	esac
done
# shellcheck disable=SC2086 # words
run $selection
summarize src/ build-coverage coverage
exit $status
