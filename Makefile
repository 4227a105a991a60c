# SPDX-License-Identifier: BSD-3-Clause
# The short way in; meson and ninja do the work.
#   make install prefix=/opt/papi DESTDIR=/tmp/stage options='-Dtests=false -Dbuildtype=debug'
build = build
prefix = /usr/local
options =
export DESTDIR
engine = libfuzzer
seconds = 600

all:
	@tools/dev/build.sh "$(build)" $(options)

demo:
	@tools/dev/demo.sh

# Every test once.
check:
	@tools/dev/check.sh

# What continuous integration runs: clang, sanitizers, the arm64 guest, all programs and half a minute of each fuzzer
# as well.
check-all:
	@tools/dev/check.sh all

bench: all
	@meson test -C "$(build)" --no-rebuild --benchmark --verbose

# Ten minutes for each fuzzer, with libFuzzer or AFL++: make fuzz engine=afl seconds=60
fuzz: all
	@FUZZ_ENGINE=$(engine) FUZZ_SECONDS=$(seconds) \
		meson test -C "$(build)" --no-rebuild --suite fuzz --print-errorlogs

# One watcher at a time; `make check-all` has the first two.
check-asan check-tsan check-ubsan check-valgrind:
	@tools/dev/sanitize.sh $(@:check-%=%)

# What looks for mistakes without running anything.
analyse: all
	@BUILD="$(build)" tools/dev/analyse.sh

# The share of src/ that the tests reach.
coverage:
	@tools/dev/coverage.sh

# The arm64 guest: hardware counters that count exactly.
check-guest: all
	@tests/guest/guest.sh check "$(build)/tests/guest"

bench-guest: all
	@tests/guest/guest.sh bench "$(build)/tests/guest"

install:
	@tools/dev/install.sh install "$(build)" "$(prefix)" $(options)

# Debian packages, with lintian's opinion of them.
deb:
	@tools/dev/deb.sh "$(build)/deb"

# What `make install` with the same prefix and DESTDIR has put there, and nothing else.
uninstall:
	@tools/dev/install.sh remove "$(prefix)"

clean:
	rm -rf build build-asan build-clang build-coverage build-tsan build-ubsan build-valgrind

.PHONY: all demo check check-all check-asan check-tsan check-ubsan check-valgrind analyse coverage check-guest bench \
	bench-guest deb fuzz install uninstall clean
