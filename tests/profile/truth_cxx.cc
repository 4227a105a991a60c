// SPDX-License-Identifier: BSD-3-Clause
// Of C++: templates, virtual functions, exceptions through several frames, algorithms, strings and maps.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{
struct shape {
	virtual ~shape() = default;
	virtual long area() const = 0;
};

struct square : shape {
	explicit square(long of) : side(of) {}
	long area() const override { return side * side; }
	long side;
};

struct box : square {
	box(long of, long by) : square(of), other(by) {}
	long area() const override { return side * other; }
	long other;
};

template <typename Number, unsigned N> struct polynomial {
	Number factor;
	Number at(Number x) const { return factor * polynomial<Number, N - 1>{factor}.at(x) + x; }
};

template <typename Number> struct polynomial<Number, 0> {
	Number factor;
	Number at(Number x) const { return factor * x; }
};

struct counted {
	~counted() { ++ended; }
	static long ended;
};

long counted::ended;

__attribute__((noinline)) long deep(int n, int refused)
{
	counted local;

	if (n == 0 && refused % 3 == 0)
		throw std::runtime_error("three of " + std::to_string(refused));
	if (n == 0)
		return refused;
	return deep(n - 1, refused) + 1;
}
}

int main()
{
	std::vector<std::unique_ptr<shape>> shapes;
	std::map<long, std::string> names;
	std::vector<long> numbers(3000);
	long sum = 0, caught = 0;

	for (long i = 0; i < 500; i++)
		if (i % 3)
			shapes.push_back(std::make_unique<square>(i));
		else
			shapes.push_back(std::make_unique<box>(i, i + 1));
	for (const auto &each : shapes)
		sum += each->area();
	for (int i = 0; i < 60; i++) {
		try {
			sum += deep(i % 7, i);
		} catch (const std::exception &error) {
			caught += error.what()[0] == 't';
		}
	}
	std::iota(numbers.begin(), numbers.end(), 1);
	std::sort(numbers.begin(), numbers.end(), [](long a, long b) { return a * 7919 % 3001 < b * 7919 % 3001; });
	for (long number : numbers)
		names[number % 200] += std::to_string(number);
	for (const auto &pair : names)
		sum += pair.first * static_cast<long>(pair.second.size());
	std::printf("%ld %ld %ld %g\n", sum, caught, counted::ended, polynomial<double, 9>{0.5}.at(2.0));
}
