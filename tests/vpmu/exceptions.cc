/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C++ exceptions in regions that are counted virtually: the unwinder reads return addresses off a stack that translated
 * code has written, and goes on somewhere else than any call returns to.
 */
#include <csignal>
#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

extern "C" {
#include "check.h"
#include "virtual.h"
}

/* The macros of check.h are C. */
#define HOLDS(condition) check_that(check_place{ __FILE__, __LINE__, #condition }, condition)

namespace
{

unsigned ended; /* destructors that have run */

struct guard {
	~guard()
	{
		ended++;
	}
};

__attribute__((noinline)) unsigned dive(unsigned depth)
{
	guard here;

	if (!depth)
		throw std::runtime_error("deep");
	return dive(depth - 1) + ended;
}

void throw_and_catch(void *)
{
	unsigned caught = 0;

	ended = 0;
	for (unsigned i = 0; i < 20; i++) {
		try {
			dive(i);
		} catch (const std::runtime_error &error) {
			caught += std::string(error.what()) == "deep";
		}
	}
	HOLDS(caught == 20);
	HOLDS(ended == 210); /* 1 + 2 + ... + 20 */
}

__attribute__((noinline)) void rethrow(unsigned depth)
{
	guard here;

	try {
		if (!depth)
			throw 42;
		rethrow(depth - 1);
	} catch (const int &number) {
		if (number != 42)
			std::terminate();
		throw;
	}
}

/* One thrown while another is being handled, and kept until later. */
void rethrow_and_nest(void *)
{
	std::exception_ptr kept;
	int number = 0;

	ended = 0;
	try {
		rethrow(10);
	} catch (int outer) {
		try {
			throw std::logic_error("within");
		} catch (const std::logic_error &) {
			kept = std::current_exception();
		}
		number = outer;
	}
	HOLDS(number == 42 && ended == 11);
	number = 0;
	try {
		std::rethrow_exception(kept);
	} catch (const std::exception &error) {
		number = std::string(error.what()) == "within";
	}
	HOLDS(number == 1);
}

void test_caught()
{
	HOLDS(virtual_count_twice("thrown and caught", throw_and_catch, nullptr));
	HOLDS(virtual_count_twice("thrown again", rethrow_and_nest, nullptr));
}

void test_threads()
{
	std::exception_ptr from_thread;
	auto work = [&from_thread] {
		try {
			HOLDS(virtual_count_twice("in a thread", throw_and_catch, nullptr));
			dive(3);
		} catch (...) {
			from_thread = std::current_exception();
		}
		virtual_forget();
	};
	auto start_thread = [](void *function) {
		std::thread thread(*static_cast<std::function<void()> *>(function));

		thread.join();
	};
	std::function<void()> function = work;

	work();
	from_thread = nullptr;
	/* A thread that counts by itself, made in a region, with an exception that its maker gets. */
	virtual_count(start_thread, &function);
	try {
		HOLDS(from_thread != nullptr);
		if (from_thread)
			std::rethrow_exception(from_thread);
	} catch (const std::runtime_error &error) {
		HOLDS(std::string(error.what()) == "deep");
	}
}

/* PAPI_start() was called where the exception is caught, or deeper, in what it leaves. */
__attribute__((noinline)) void start_and_throw(unsigned depth)
{
	guard here;

	if (depth) {
		start_and_throw(depth - 1);
		return;
	}
	HOLDS(PAPI_start(virtual_set()) == PAPI_OK);
	throw depth;
}

long long count_over_boundary(unsigned depth)
{
	struct counts counts = {};

	try {
		start_and_throw(depth);
	} catch (unsigned) {
		HOLDS(PAPI_stop(virtual_set(), counts.of) == PAPI_OK);
	}
	return counts.of[INSTRUCTIONS];
}

long long count_within()
{
	struct counts counts = {};

	try {
		HOLDS(PAPI_start(virtual_set()) == PAPI_OK);
		dive(5);
	} catch (const std::exception &) {
		HOLDS(PAPI_stop(virtual_set(), counts.of) == PAPI_OK);
	}
	return counts.of[INSTRUCTIONS];
}

/* A stack that is unwound natively after a region in it; return addresses on it are the program's. */
void throw_behind_region()
{
	struct counts counts = {};

	try {
		guard here;

		HOLDS(PAPI_start(virtual_set()) == PAPI_OK);
		try {
			dive(2);
		} catch (const std::exception &) {
			ended++;
		}
		HOLDS(PAPI_stop(virtual_set(), counts.of) == PAPI_OK);
		dive(4);
	} catch (const std::exception &) {
		HOLDS(counts.of[INSTRUCTIONS] > 1000);
	}
}

void test_boundaries()
{
	long long first;

	count_over_boundary(8);
	first = count_over_boundary(8);
	HOLDS(first > 1000 && count_over_boundary(8) == first);
	count_within();
	first = count_within();
	HOLDS(first > 1000 && count_within() == first);
	for (unsigned i = 0; i < 3; i++)
		throw_behind_region();
}

#ifndef __clang__ /* which knows no exceptions of instructions */
/* Compiled with -fnon-call-exceptions: an exception leaves the handler and the instruction that has failed. */
void throw_from_handler(int)
{
	sigset_t own;

	sigemptyset(&own);
	sigaddset(&own, SIGSEGV);
	pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
	throw std::runtime_error("fault");
}

__attribute__((noinline)) int touch(volatile int *place)
{
	guard here;

	return *place;
}

void fault(void *place)
{
	unsigned caught = 0;

	ended = 0;
	for (unsigned i = 0; i < 10; i++) {
		try {
			touch(static_cast<int *>(place));
		} catch (const std::runtime_error &error) {
			caught += std::string(error.what()) == "fault";
		}
	}
	HOLDS(caught == 10 && ended == 10);
}

void test_from_handler()
{
	struct sigaction action = {}, before;

	action.sa_handler = throw_from_handler;
	HOLDS(sigaction(SIGSEGV, &action, &before) == 0);
	fault(nullptr);
	HOLDS(virtual_count_twice("from a handler", fault, nullptr));
	HOLDS(sigaction(SIGSEGV, &before, nullptr) == 0);
}
#endif

} // namespace

int main()
{
	static const struct test tests[] = {
		{ "caught", test_caught },
		{ "threads", test_threads },
		{ "boundaries", test_boundaries },
#ifndef __clang__
		{ "from a handler", test_from_handler },
#endif
	};

	if (!virtual_begin())
		return 77;
	return check_run(tests, sizeof(tests) / sizeof(tests[0]));
}
