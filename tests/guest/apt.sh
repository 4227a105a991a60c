# shellcheck shell=sh
# SPDX-License-Identifier: BSD-3-Clause
# Read by scripts that take arm64 packages from the system's own package sources, without installing anything.

skip()
{
	echo "$*"
	exit 77
}

# foreign_begin DIRECTORY: a private state of apt in it, with the lists of packages; what is said goes to its log. Ends
# with 77 where a tool is missing.
foreign_begin()
{
	foreign=$1
	for tool in apt-get apt-cache dpkg-deb tar; do
		command -v "$tool" >/dev/null || skip "$tool is not here to fetch the guest's packages"
	done
	mkdir -p "$foreign/apt/lists/partial" "$foreign/apt/cache/archives/partial"
	: >"$foreign/apt/status"
	# A source that has nothing for arm64 says so and fails; it need not be the one that matters.
	foreign_apt get update >"$foreign/log" 2>&1 || :
}

# apt as on a machine of that architecture. Debian's mirror at times refuses one of many downloads.
foreign_apt()
{
	tool=$1
	shift
	"apt-$tool" -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root \
		-o Acquire::Retries=3 -o Acquire::Languages=none \
		-o Dir::State="$foreign/apt" -o Dir::State::status="$foreign/apt/status" \
		-o Dir::Cache="$foreign/apt/cache" "$@"
}
