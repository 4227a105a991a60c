/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way into a process. One thread is stopped, at a moment when it holds nothing that pthread_create() needs, and
 * makes that one call, on a stack of its own; the new thread does the rest, as soon as it is told that the call has
 * returned, and waits for the dynamic linker's locks as any thread does. A mapping holds code, what it has to know, and
 * the stack:
 *
 *	area   stub   struct words, with libraries' names   data   ...   stack
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "process/carry.h"

#define AREA        (256 * 1024)
#define DATA        2048 /* at most */
#define MAX_THREADS 4096
#define LIMIT_MS    1000  /* for a good moment, and ... */
#define ROUNDS      20    /* ... so often, for where there is much else to do threads hardly get on in that time ... */
#define MOST_MS     30000 /* ... but not for ever */
#define RUNS_OUT    4     /* how often one stop is followed by a run to a better place */

extern const unsigned char papi_remote_stub[] __attribute__((visibility("hidden")));
extern const unsigned char papi_remote_stub_end[] __attribute__((visibility("hidden")));
extern const unsigned char papi_remote_stub_thread[] __attribute__((visibility("hidden")));

/* stub.S knows the offsets. */
struct words {
	uint64_t dlopen, dlsym, dlerror, failed, argument;
	char function[32];
	int32_t files[PAPI_REMOTE_CARGO];
	char libraries[PAPI_REMOTE_NAMES];   /* the function is in the last one */
	char reason[PAPI_REMOTE_REASON / 2]; /* a copy: the dynamic linker's own goes with the thread */
	int32_t told;                        /* whether the new thread is to begin: enum told */
};
/* The area goes with what the new thread does, and the other one is to be out of it by then. */
enum told { NOTHING, GO_ON, END };
_Static_assert(offsetof(struct words, files) == 72, "stub.S knows where the files are");
_Static_assert(
	offsetof(struct words, reason) == 1128 && sizeof(((struct words *)NULL)->reason) == 256, "stub.S knows it");
_Static_assert(offsetof(struct words, told) == 1384 && GO_ON == 1, "stub.S waits for it");
_Static_assert(offsetof(struct words, libraries) == 72 + 4 * 8, "stub.S knows where the names are, and how many files");

/* How far a label is behind the stub's beginning. */
static size_t offset_of(const unsigned char *label)
{
	return (size_t)((uintptr_t)label - (uintptr_t)papi_remote_stub);
}

/* Of memory; four of the largest are an area. */
static size_t page(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* ---- a good moment ---- */

/* Stops the thread if it is at a good place, or comes to one. */
static struct papi_remote_thread *try_thread(struct papi_remote *remote, pid_t id)
{
	struct papi_remote_thread *thread = papi_remote_stop(remote, id);
	enum papi_remote_verdict verdict;
	uint64_t leave_at;

	if (!thread)
		return NULL;
	verdict = papi_remote_moment_judge(remote, id, &leave_at);
	for (unsigned i = 0; verdict == PAPI_REMOTE_UNSAFE && leave_at && i < RUNS_OUT; i++) {
		if (!papi_remote_run_to(thread, leave_at))
			break;
		verdict = papi_remote_moment_judge(remote, id, &leave_at);
	}
	if (verdict == PAPI_REMOTE_SAFE && !papi_remote_is_in_sequence(thread))
		return thread;
	papi_remote_go(thread);
	return NULL;
}

/* Threads that sleep are asked first: they are disturbed least. */
static struct papi_remote_thread *stop_at_good_moment(struct papi_remote *remote)
{
	const struct timespec pause = { .tv_nsec = 500 * 1000L };
	const long long begun = papi_remote_now_ms();
	struct papi_remote_wait wait = { 0 };
	static pid_t threads[MAX_THREADS];
	char last[PAPI_REMOTE_REASON];
	unsigned rounds = 0;

	papi_remote_fail(remote, "it has ended");
	do {
		size_t n = papi_remote_threads(remote, threads, MAX_THREADS);

		for (unsigned pass = 0; pass < 2; pass++)
			for (size_t i = 0; i < n; i++) {
				struct papi_remote_thread *thread = NULL;

				if ((papi_remote_state(remote, threads[i]) == 'S') == !pass)
					thread = try_thread(remote, threads[i]);
				if (thread)
					return thread;
			}
		papi_remote_tell(
			remote, &wait, "waiting until a thread is where it can be entered; by now %s", remote->reason);
		nanosleep(&pause, NULL);
	} while (papi_remote_now_ms() < begun + (++rounds < ROUNDS ? MOST_MS : LIMIT_MS));
	memcpy(last, remote->reason, sizeof(last));
	papi_remote_fail(remote,
		"for %.0f s none of its threads came to a place where it could be entered (%.300s); try again",
		(double)(papi_remote_now_ms() - begun) / 1000, last);
	return NULL;
}

/* ---- in ---- */

static bool map_area(struct papi_remote_thread *thread, struct papi_remote *remote, uint64_t *area)
{
	const uint64_t map[6] = { 0, AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX, 0 };
	int64_t got = 0;

	if (!papi_remote_system_call(thread, SYS_mmap, map, &got))
		return false;
	if (got < 0 && got > -4096)
		return papi_remote_fail(remote, "it has no memory for the agent: %s", strerror((int)-got));
	*area = (uint64_t)got;
	return true;
}

static void unmap_area(struct papi_remote_thread *thread, uint64_t area)
{
	const uint64_t unmap[6] = { area, AREA };
	int64_t got;

	papi_remote_system_call(thread, SYS_munmap, unmap, &got);
}

/* /proc/PID/mem may write what the program may not: the page is never writable and executable. */
static bool write_area(struct papi_remote_thread *thread, struct papi_remote *remote, uint64_t area,
	const struct words *words, const void *data, size_t size)
{
	const uint64_t protect[6] = { area, page(), PROT_READ | PROT_EXEC };
	const uint64_t memory[2] = { area, AREA };
	int64_t got = -1;

	if (!papi_remote_system_call(thread, SYS_mprotect, protect, &got))
		return false;
	if (got)
		return papi_remote_fail(remote, "it may not run code of others (mprotect: %s)", strerror((int)-got));
	return (papi_remote_write(remote, area, papi_remote_stub, offset_of(papi_remote_stub_end)) &&
		       papi_remote_write(remote, area + page(), words, sizeof(*words)) &&
		       papi_remote_write(remote, words->argument, data, size) &&
		       papi_remote_write(remote, words->argument, memory, sizeof(memory))) ||
		papi_remote_fail(remote, "its memory cannot be written: %s", strerror(errno));
}

/* The program's errno stays as it is. may_be: there may be one, also where that failed. */
static bool make_thread(struct papi_remote_thread *thread, struct papi_remote *remote, uint64_t area, bool *may_be)
{
	const uint64_t stack = area + AREA, none[4] = { 0 };
	const uint64_t begin = area + offset_of(papi_remote_stub_thread);
	/* The identifier, attributes, function and argument. */
	const uint64_t arguments[4] = { area + 3 * page(), 0, begin, area + page() };
	uint64_t place = 0, result = 0;
	int32_t error = 0;
	bool done;

	if (!papi_remote_function_call(
		    thread, remote->functions[PAPI_REMOTE_ERRNO_LOCATION], stack, area, none, &place) ||
		!papi_remote_read(remote, place, &error, sizeof(error)))
		return false;
	done = papi_remote_function_call(
		thread, remote->functions[PAPI_REMOTE_PTHREAD_CREATE], stack, area, arguments, &result);
	papi_remote_write(remote, place, &error, sizeof(error));
	*may_be = !done || !result;
	if (done && result)
		return papi_remote_fail(remote, "it cannot have another thread: %s", strerror((int)result));
	return done;
}

/* The new thread, in memory that it unmaps in the end; that stays where nobody knows whether there is one. */
static bool begin(struct papi_remote *remote, struct papi_remote_thread *thread, struct papi_remote_cargo *cargo,
	struct words *words, const void *data, size_t size)
{
	uint64_t area = 0;
	bool done, may_be = false;
	int32_t told;

	if (!map_area(thread, remote, &area))
		return false;
	words->argument = area + page() + sizeof(*words);
	done = papi_remote_cargo_bring(cargo, remote, thread, area + page());
	memcpy(words->files, cargo->files, sizeof(words->files));
	memcpy(words->libraries, cargo->names, sizeof(words->libraries));
	done = done && write_area(thread, remote, area, words, data, size) &&
		make_thread(thread, remote, area, &may_be);
	told = done ? GO_ON : END;
	if (may_be)
		papi_remote_write(remote, area + page() + offsetof(struct words, told), &told, sizeof(told));
	if (done)
		return true;
	papi_remote_cargo_drop(cargo, thread);
	if (!may_be)
		unmap_area(thread, area);
	return false;
}

bool papi_remote_load(struct papi_remote *remote, const char *library, const char *function, const void *data,
	size_t size, uint64_t *address)
{
	struct words words = { .dlopen = remote->functions[PAPI_REMOTE_DLOPEN],
		.dlsym = remote->functions[PAPI_REMOTE_DLSYM],
		.dlerror = remote->functions[PAPI_REMOTE_DLERROR] };
	struct papi_remote_thread *thread;
	struct papi_remote_cargo cargo;
	bool done;

	if (strlen(function) >= sizeof(words.function) || size > DATA)
		return papi_remote_fail(remote, "there is no room for what the agent is to know");
	memcpy(words.function, function, strlen(function));
	if (!papi_remote_cargo_list(&cargo, remote, library))
		return false;
	thread = stop_at_good_moment(remote);
	if (!thread)
		return false;
	done = begin(remote, thread, &cargo, &words, data, size);
	*address = words.argument;
	if (!papi_remote_go(thread))
		return papi_remote_fail(remote, "it has ended, or executed another program");
	return done;
}

bool papi_remote_loaded(struct papi_remote *remote, uint64_t address)
{
	struct words words;

	if (!papi_remote_read(remote, address - sizeof(words), &words, sizeof(words)) || !words.failed)
		return true;
	words.reason[sizeof(words.reason) - 1] = '\0';
	return papi_remote_fail(remote, "its dynamic linker did not load the agent: %s", words.reason);
}
