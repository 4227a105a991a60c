// SPDX-License-Identifier: BSD-3-Clause
// thrower N: exceptions through functions that are probed, with what is to be destroyed on the way.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

/* A clone of gcc's would be another function. */
#ifdef __clang__
#define PROBED __attribute__((noinline))
#else
#define PROBED __attribute__((noinline, noclone))
#endif

static long destroyed;

namespace ways {

struct Guard {
	PROBED ~Guard() { destroyed++; }
};

PROBED long thrower(long depth)
{
	Guard guard;

	if (depth == 0)
		throw std::runtime_error("deep");
	return thrower(depth - 1) + 1;
}

template <typename Number> PROBED Number twice(Number number)
{
	return number + number;
}

PROBED long rethrower(long depth)
{
	try {
		return thrower(depth);
	} catch (const std::exception &error) {
		destroyed += twice(1L);
		throw;
	}
}

PROBED long catcher(long depth)
{
	try {
		return rethrower(depth);
	} catch (const std::runtime_error &error) {
		return static_cast<long>(std::string(error.what()).size());
	}
}

} // namespace ways

int main(int argc, char **argv)
{
	long n = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 100, sum = 0;

	for (long i = 0; i < n; i++)
		sum += ways::catcher(i % 10);
	std::printf("%ld %ld\n", sum, destroyed);
	return 0;
}
