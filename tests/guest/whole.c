/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts the instructions of a whole program, from main to its end: preloaded, with WHOLE_BY=0 by the hardware and with
 * WHOLE_BY=1 virtually. The number, or why there is none, goes to the file WHOLE_FILE.
 *
 * Whichever counts, both are made ready in the same way beforehand, so that the program finds the same memory. What the
 * library itself adds to a region is measured by an empty one and taken off. Children count nothing.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <papi.h>

#define EXPORTED __attribute__((visibility("default")))

typedef int main_function(int argc, char **argv, char **environment);
typedef int start_function(main_function *program, int argc, char **argv, void (*init)(void), void (*fini)(void),
	void (*rtld_fini)(void), void *stack_end);

EXPORTED start_function __libc_start_main;
EXPORTED void exit(int status);
EXPORTED void _exit(int status);
EXPORTED void _Exit(int status);

static main_function *program_main;
static int sets[2] = { PAPI_NULL, PAPI_NULL }, counting = -1;
static long long empty;
static pid_t owner;
static char file[256];

static void report(const char *format, ...)
{
	char text[512];
	va_list list;
	int to = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), length;

	va_start(list, format);
	length = vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	if (to < 0 || write(to, text, (size_t)length) != length)
		abort();
	close(to);
}

/* The same code begins and ends what is measured and the empty region. */
static __attribute__((noinline)) int start(int which)
{
	return PAPI_start(sets[which]);
}

static __attribute__((noinline)) int end(int which, long long *counted)
{
	return PAPI_stop(sets[which], counted);
}

/* At the end of main, or wherever the program ends: whoever comes first. */
static void stop(void)
{
	int which = counting;
	long long counted = -1;

	if (which < 0 || owner != getpid())
		return;
	counting = -1;
	if (end(which, &counted) != PAPI_OK)
		report("%s\n", PAPI_error_detail());
	else
		report("%lld\n", counted - empty);
}

void exit(int status)
{
	void (*real)(int) __attribute__((noreturn));

	stop();
	*(void **)&real = dlsym(RTLD_NEXT, "exit");
	real(status);
}

void _exit(int status)
{
	void (*real)(int) __attribute__((noreturn));

	stop();
	*(void **)&real = dlsym(RTLD_NEXT, "_exit");
	real(status);
}

void _Exit(int status)
{
	_exit(status);
}

static int nothing(int argc, char **argv, char **environment)
{
	(void)argc, (void)argv, (void)environment;
	return 0;
}

static __attribute__((noinline)) long long run_empty(int which)
{
	main_function *volatile call = nothing;
	long long counted = -1;

	if (start(which) != PAPI_OK)
		return -1;
	call(0, NULL, NULL);
	return end(which, &counted) == PAPI_OK ? counted : -1;
}

/* In the end all that happens once has happened. */
static bool measure_empty(int which, long long *counted)
{
	for (int i = 0; i < 6; i++)
		*counted = run_empty(which);
	return *counted >= 0;
}

static bool begin(void)
{
	static const char *const names[2] = { "perf::INSTRUCTIONS:u", "vpmu:::INSTRUCTIONS" };
	long long none[2];

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return false;
	for (int i = 0; i < 2; i++)
		if (PAPI_create_eventset(&sets[i]) != PAPI_OK || PAPI_add_named_event(sets[i], names[i]) != PAPI_OK ||
			!measure_empty(i, &none[i]))
			return false;
	counting = *getenv("WHOLE_BY") == '1';
	empty = none[counting];
	return true;
}

static int counted_main(int argc, char **argv, char **environment)
{
	int status;

	owner = getpid();
	snprintf(file, sizeof(file), "%s", getenv("WHOLE_FILE"));
	unsetenv("WHOLE_FILE");
	if (!begin() || start(counting) != PAPI_OK) {
		report("%s\n", PAPI_error_detail());
		counting = -1;
	}
	status = program_main(argc, argv, environment);
	stop();
	return status;
}

int __libc_start_main(main_function *program, int argc, char **argv, void (*init)(void), void (*fini)(void),
	void (*rtld_fini)(void), void *stack_end)
{
	start_function *real;
	bool wanted = getenv("WHOLE_BY") && getenv("WHOLE_FILE");

	*(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
	program_main = program;
	return real(wanted ? counted_main : program, argc, argv, init, fini, rtld_fini, stack_end);
}
