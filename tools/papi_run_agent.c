/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_agent.c - counts virtual events in every process of a program that papi_run runs. A shared library, preloaded.
 *
 * Counting begins in the constructor, which runs when the program's libraries have been set up, right before main, and
 * ends in the destructor. What leaves a process another way is caught at the functions of libc that do it: _exit, and the
 * exec functions, after which the next program's agent goes on. The child of a fork counts anew. A program with threads is
 * counted where the library can count threads with the one that makes them; if not, that is said.
 *
 * The agent's own code is not counted. It prints nothing: what goes wrong is in the results.
 */
#include "papi_run_agent.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "papi.h"

/* Exported by the library for this agent alone. */
extern int papi_agent_exclude(uint64_t start, uint64_t end);

static struct run_agent_results *results;
static int eventset = PAPI_NULL;
static bool counting, counts_threads;
static long long values[RUN_AGENT_EVENTS_MAX];

static void fail(const char *what, const char *why)
{
	uint32_t nobody = 0;

	counting = false;
	if (atomic_compare_exchange_strong(&results->explained, &nobody, 1))
		snprintf(results->reason, sizeof(results->reason), "%s: %s", what, why);
	atomic_fetch_add(&results->failed, 1);
}

static bool map_results(void)
{
	const char *path = getenv(RUN_AGENT_RESULTS);
	void *memory;
	int file;

	if (!path)
		return false;
	file = open(path, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return false;
	memory = mmap(NULL, sizeof(*results), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (memory == MAP_FAILED)
		return false;
	results = memory;
	return results->magic == RUN_AGENT_MAGIC;
}

/* The pieces of this library's code that the dynamic linker mapped. */
static int exclude_own(struct dl_phdr_info *object, size_t size, void *data)
{
	uint64_t here = (uint64_t)(uintptr_t)exclude_own;

	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		uint64_t start = object->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || here - start >= segment->p_memsz)
			continue;
		*(int *)data = papi_agent_exclude(start, start + segment->p_memsz);
		return 1;
	}
	return 0;
}

static int add_events(void)
{
	const char *names = getenv(RUN_AGENT_EVENTS);
	char *copy = names ? strdup(names) : NULL, *rest = copy, *name;
	int status = copy ? PAPI_OK : PAPI_EINVAL;

	while (status == PAPI_OK && (name = strsep(&rest, ",")))
		status = PAPI_add_named_event(eventset, name);
	free(copy);
	return status;
}

static int make_set(void)
{
	int status = PAPI_library_init(PAPI_VER_CURRENT);

	if (status != PAPI_VER_CURRENT)
		return status < 0 ? status : PAPI_EINVAL;
	dl_iterate_phdr(exclude_own, &status);
	if (status >= 0)
		status = PAPI_create_eventset(&eventset);
	if (status == PAPI_OK)
		status = add_events();
	return status;
}

static bool set_inherit(int inherit)
{
	PAPI_option_t option;

	memset(&option, 0, sizeof(option));
	option.inherit.eventset = eventset;
	option.inherit.inherit = inherit;
	return PAPI_set_opt(PAPI_INHERIT, &option) == PAPI_OK;
}

/* With the threads that there will be, or if these events cannot be counted so, without. */
static void begin(void)
{
	atomic_fetch_add(&results->started, 1);
	counting = true;
	counts_threads = set_inherit(PAPI_INHERIT_ALL) && PAPI_start(eventset) == PAPI_OK;
	if (!counts_threads && (!set_inherit(PAPI_INHERIT_NONE) || PAPI_start(eventset) != PAPI_OK))
		fail("cannot be started", PAPI_error_detail());
}

/*
 * Adds what has been counted since the last time. A sum over threads with one of them missing would be wrong; that there
 * have been any libc tells. (A pthread_create of our own would run natively, like all of this, and so would its threads.)
 */
static void add_values(int status)
{
	if (status != PAPI_OK) {
		fail("its counts are not complete", PAPI_error_detail());
		return;
	}
	if (!counts_threads && !__libc_single_threaded) {
		fail("cannot be counted", "it makes threads, and these events are not counted over threads");
		return;
	}
	for (uint32_t i = 0; i < results->number; i++)
		atomic_fetch_add(&results->sums[i], values[i]);
}

/* The process may end now; if it does not, counting goes on. */
static void report(void)
{
	if (!counting)
		return;
	memset(values, 0, sizeof(values));
	add_values(PAPI_accum(eventset, values));
}

static void end(void)
{
	if (!counting)
		return;
	add_values(PAPI_stop(eventset, values));
	if (counting)
		atomic_fetch_add(&results->ended, 1);
	counting = false;
}

static void in_child(void)
{
	if (results && eventset != PAPI_NULL)
		begin();
}

static __attribute__((constructor)) void load(void)
{
	if (!map_results())
		return;
	if (make_set() != PAPI_OK) {
		fail("cannot be counted", PAPI_error_detail());
		return;
	}
	pthread_atfork(NULL, NULL, in_child);
	begin();
}

static __attribute__((destructor)) void unload(void)
{
	end();
}

/* ---- other ways to leave ---- */

static void *following(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

#define VISIBLE __attribute__((visibility("default")))

VISIBLE void _exit(int status)
{
	end();
	for (;;)
		syscall(SYS_exit_group, status);
}

VISIBLE void _Exit(int status)
{
	_exit(status);
}

/* Before a program takes the place of this one its counts are told; if that fails, counting goes on. */
static int replaced(int (*go)(const char *, char *const[], char *const[]), const char *path, char *const argv[],
	char *const environment[])
{
	int result;

	report();
	if (counting)
		atomic_fetch_add(&results->ended, 1);
	result = go(path, argv, environment);
	if (counting)
		atomic_fetch_sub(&results->ended, 1);
	return result;
}

static int direct(const char *path, char *const argv[], char *const environment[])
{
	return (int)syscall(SYS_execve, path, argv, environment);
}

static int searching(const char *file, char *const argv[], char *const environment[])
{
	int (*next)(const char *, char *const[], char *const[]) = following("execvpe");

	return next ? next(file, argv, environment) : (errno = ENOSYS, -1);
}

VISIBLE int execve(const char *path, char *const argv[], char *const environment[])
{
	return replaced(direct, path, argv, environment);
}

VISIBLE int execv(const char *path, char *const argv[])
{
	return replaced(direct, path, argv, environ);
}

VISIBLE int execvp(const char *file, char *const argv[])
{
	return replaced(searching, file, argv, environ);
}

VISIBLE int execvpe(const char *file, char *const argv[], char *const environment[])
{
	return replaced(searching, file, argv, environment);
}

/* The arguments of a list, the environment behind it where there is one. The array is on the caller's stack. */
/* NOLINTBEGIN(bugprone-macro-parentheses): both are names */
#define LIST(last, array)                    \
	va_list arguments;                   \
	size_t number = 1;                   \
                                             \
	va_start(arguments, last);           \
	while (va_arg(arguments, char *))    \
		number++;                    \
	va_end(arguments);                   \
	char *array[number + 1];             \
	va_start(arguments, last);           \
	array[0] = (char *)(uintptr_t)last;  \
	for (size_t i = 1; i <= number; i++) \
	array[i] = va_arg(arguments, char *)
/* NOLINTEND(bugprone-macro-parentheses) */

VISIBLE int execl(const char *path, const char *first, ...)
{
	LIST(first, argv);

	va_end(arguments);
	return replaced(direct, path, argv, environ);
}

VISIBLE int execlp(const char *file, const char *first, ...)
{
	LIST(first, argv);

	va_end(arguments);
	return replaced(searching, file, argv, environ);
}

VISIBLE int execle(const char *path, const char *first, ...)
{
	LIST(first, argv);
	char *const *environment = va_arg(arguments, char *const *);

	va_end(arguments);
	return replaced(direct, path, argv, environment);
}
