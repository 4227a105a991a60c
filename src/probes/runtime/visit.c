/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * visit.c - the letter box (probes/table.h): what papi_probe cannot do from outside. In a program that it has started a
 * constructor waits for it, before main; in one that runs already, a thread that was made for that, which ends when the
 * probes are about to be put in.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "probes/runtime/runtime.h"
#include "probes/runtime/system.h"

#define IS_AT(structure, member, offset) \
	_Static_assert(offsetof(struct papi_probe_##structure, member) == (offset), "layout.h")

_Static_assert(sizeof(struct papi_probe_frame) == FRAME_SIZE, "layout.h");
IS_AT(frame, resume, FRAME_RESUME);
IS_AT(frame, back, FRAME_BACK);
IS_AT(frame, slot, FRAME_SLOT);
IS_AT(frame, parent, FRAME_PARENT);
IS_AT(frame, next, FRAME_NEXT);
IS_AT(frame, stub, FRAME_STUB);
IS_AT(frame, function, FRAME_FUNCTION);
IS_AT(frame, visit, FRAME_VISIT);
IS_AT(frame, flags, FRAME_FLAGS);
IS_AT(frame, used, FRAME_USED);
IS_AT(frame, saved, FRAME_SAVED);
IS_AT(frame, measures[0].begun, FRAME_BEGUN);
IS_AT(frame, measures[0].children, FRAME_CHILDREN);
IS_AT(thread, top, THREAD_TOP);
IS_AT(thread, free, THREAD_FREE);
IS_AT(thread, counts, THREAD_COUNTS);
IS_AT(thread, active, THREAD_ACTIVE);
IS_AT(thread, visit, THREAD_VISIT);
IS_AT(table, n_functions, TABLE_N_FUNCTIONS);
IS_AT(table, enabled, TABLE_ENABLED);
_Static_assert(sizeof(struct papi_probe_counts) == COUNTS_SIZE, "layout.h");
IS_AT(counts, calls, COUNTS_CALLS);
IS_AT(counts, returns, COUNTS_RETURNS);
IS_AT(counts, values[0].inclusive, COUNTS_INCLUSIVE);
IS_AT(counts, values[0].exclusive, COUNTS_EXCLUSIVE);
IS_AT(counts, values[0].sum, COUNTS_SUM);
IS_AT(counts, values[0].least, COUNTS_LEAST);
IS_AT(counts, values[0].most, COUNTS_MOST);
IS_AT(patch, number, PATCH_NUMBER);
IS_AT(patch, saved, PATCH_SAVED);
IS_AT(quick, calls, QUICK_CALLS);
IS_AT(quick, counts, QUICK_COUNTS);
IS_AT(quick, times, QUICK_TIMES);
IS_AT(quick, thread, QUICK_THREAD);
_Static_assert(PAPI_PROBE_OUTERMOST == 1, "stubs.S sets it from a carry");

#define FAR_AWAY ((uint64_t)0x200000000000)
#define ROUND    0xffffu

#define PATIENCE 100000 /* pauses of a tenth of a millisecond, for the tool's next order */

struct papi_probe_frame papi_probe_frames[PAPI_PROBE_FRAMES];
struct papi_probe_table *_Atomic papi_probe_current;

static struct papi_probe_area areas[PAPI_PROBE_AREAS];
static unsigned n_areas;

/* The one before stays mapped: a thread may be about to write to it. Tables are large, mostly holes, and far away from
 * all code, near which there must be room for trampolines. */
static int64_t make_table(struct papi_probe_visit *box)
{
	static uint64_t place = FAR_AWAY;
	const uint64_t size = papi_probe_table_size(box->number);
	int file = memfd_create("papi_probe", MFD_CLOEXEC);
	struct papi_probe_table *table;

	if (file < 0 || ftruncate(file, (off_t)size) != 0)
		return -errno;
	table = mmap((void *)(uintptr_t)place, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
	place += (size + ROUND) & ~(uint64_t)ROUND;
	if (table == MAP_FAILED || !papi_probe_threads_begin()) {
		close(file);
		return -ENOMEM;
	}
	table->magic = PAPI_PROBE_MAGIC;
	table->n_functions = box->number;
	papi_probe_threads_forget();
	atomic_store(&papi_probe_current, table);
	return file;
}

static int64_t map(const struct papi_probe_visit *box)
{
	void *memory;

	if (n_areas == PAPI_PROBE_AREAS)
		return -ENOSPC;
	memory = mmap((void *)(uintptr_t)box->address, box->size, PROT_READ | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (memory == MAP_FAILED)
		return -errno;
	/* An old kernel takes the address for a wish. */
	if ((uintptr_t)memory != box->address) {
		munmap(memory, box->size);
		return -EEXIST;
	}
	areas[n_areas++] = (struct papi_probe_area){ box->address, box->size };
	return 0;
}

static int64_t serve(struct papi_probe_visit *box)
{
	switch (box->order) {
	case PAPI_PROBE_TABLE:
		return make_table(box);
	case PAPI_PROBE_CLOSE:
		return close((int)box->number) == 0 ? 0 : -errno;
	case PAPI_PROBE_MAP:
		return map(box);
	case PAPI_PROBE_QUIET:
		papi_probe_threads_quiet();
		return 0;
	default:
		return 0;
	}
}

static void describe(struct papi_probe_visit *box)
{
	box->enter = (uint64_t)(uintptr_t)papi_probe_enter_stub;
	box->areas = (uint64_t)(uintptr_t)areas;
	box->n_areas = n_areas;
	box->pid = getpid();
}

/* Until there is nothing more to do, or the tool is silent for long. */
static void talk(struct papi_probe_visit *box)
{
	const struct timespec pause = { .tv_nsec = 100 * 1000L };
	bool over = false;

	for (unsigned waited = 0; !over && waited < PATIENCE; waited++) {
		uint32_t asked = atomic_load(&box->asked);

		if (asked == atomic_load(&box->answered)) {
			nanosleep(&pause, NULL);
			continue;
		}
		over = box->order == PAPI_PROBE_DONE;
		box->answer = serve(box);
		box->n_areas = n_areas;
		atomic_store(&box->answered, asked);
		waited = 0;
	}
}

__attribute__((visibility("default"))) void papi_probe_visit(struct papi_probe_visit *box);

/* src/process/ calls this in a thread of its own. */
void papi_probe_visit(struct papi_probe_visit *box)
{
	static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

	pthread_detach(pthread_self());
	if (pthread_mutex_trylock(&one_at_a_time) != 0) {
		box->pid = -EBUSY;
		return;
	}
	describe(box);
	talk(box);
	pthread_mutex_unlock(&one_at_a_time);
	munmap((void *)(uintptr_t)box->memory, box->memory_size);
}

/* What the program executes later is not probed, and need not know. */
static void clear_environment(void)
{
	const char *preload = getenv("LD_PRELOAD"), *rest = preload ? strpbrk(preload, ": ") : NULL;

	unsetenv(PAPI_PROBE_TOOL);
	if (rest && rest[1])
		setenv("LD_PRELOAD", rest + 1, 1);
	else
		unsetenv("LD_PRELOAD");
}

static __attribute__((constructor)) void begin(void)
{
	static struct papi_probe_visit box;
	const char *text = getenv(PAPI_PROBE_TOOL);
	uint64_t address = (uint64_t)(uintptr_t)&box;
	int file;

	if (!text)
		return;
	file = (int)strtol(text, NULL, 10);
	clear_environment();
	describe(&box);
	if (write(file, &address, sizeof(address)) == (ssize_t)sizeof(address)) {
		close(file);
		talk(&box);
	}
}

static __attribute__((destructor)) void end(void)
{
	papi_probe_settle();
}
