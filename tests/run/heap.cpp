// SPDX-License-Identifier: BSD-3-Clause
// heap NUMBER - three threads that fill containers of strings and throw them away, so many times, and a line in the end
// that depends on nothing else.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace
{

constexpr unsigned THREADS = 3;

unsigned long work(unsigned seed, unsigned long number)
{
	std::unordered_map<std::string, std::unique_ptr<std::vector<unsigned long>>> table;
	std::map<unsigned long, std::string> sorted;
	unsigned long sum = seed, value = seed;

	for (unsigned long i = 0; i < number; i++) {
		value = value * 6364136223846793005ul + 1442695040888963407ul;
		auto &list = table["name of " + std::to_string(value >> 52)];
		if (!list)
			list = std::make_unique<std::vector<unsigned long>>();
		list->push_back(value);
		sorted[value >> 48] = std::string(value >> 58, 'x');
		try {
			if (value >> 56 == seed)
				throw std::runtime_error(std::to_string(value));
		} catch (const std::exception &error) {
			sum = sum * 31 + std::string(error.what()).size();
		}
		if (i % 20000 == 0) {
			for (const auto &entry : sorted)
				sum = sum * 31 + entry.first + entry.second.size();
			table.clear();
			sorted.clear();
		}
	}
	return sum;
}

} // namespace

int main(int argc, char **argv)
{
	unsigned long number = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000, results[THREADS];
	std::vector<std::thread> threads;

	for (unsigned k = 0; k < THREADS; k++)
		threads.emplace_back([k, number, &results] { results[k] = work(k + 1, number); });
	for (auto &thread : threads)
		thread.join();
	for (unsigned long result : results)
		std::printf("%lu\n", result);
	return 0;
}
