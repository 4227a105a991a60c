/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 64 threads that make, fill, start, read, stop and destroy EventSets, while others initialise the library, list
 * threads and events, change defaults, fork and end. All counts are exact, and in the end no descriptor and no byte is
 * left.
 *
 * For the bytes malloc() must say what is in use: the program begins itself anew with its caches off (see main). Under
 * a sanitizer, which has a malloc() of its own, the leak checker does this part.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sanitizers.h"
#include "check.h"
#include "work.h"

#define WORKERS 64
#define ROUNDS  12
#define FORKS   6

static struct work_cell cells[WORKERS], own_cell;
static atomic_int working; /* workers that have not finished */
static int running_set;    /* the main thread's, counting all the time */
static long long last;     /* what it read there */

static void count_once(struct work_cell *cell, unsigned long n)
{
	char name[WORK_NAME];
	long long values[3];
	int set, codes[3], number = 3;

	work_name(name, cell, "/8:w");
	set = work_set(name, "rusage:::nvcsw", "perf::TASK-CLOCK");
	EXPECT_OK(PAPI_start(set));
	work_store(cell, n);
	work_read_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL((long long)n, values[0]);
	work_store(cell, n);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(2 * (long long)n, values[0]);
	EXPECT(values[1] >= 0 && values[2] > 0);
	EXPECT_OK(PAPI_write(set, (long long[]){ 5, 6, 7 }));
	work_read_values(set, values, COUNT_OF(values));
	EXPECT(values[0] == 5 && values[1] == 6 && values[2] == 7);
	EXPECT_OK(PAPI_list_events(set, codes, &number));
	EXPECT_EQUAL(3, number);
	EXPECT_OK(PAPI_remove_event(set, codes[1]));
	EXPECT_OK(PAPI_start(set));
	work_store(cell, 1);
	EXPECT_OK(PAPI_accum(set, values));
	EXPECT_EQUAL(6, values[0]);
	EXPECT_OK(PAPI_stop(set, NULL));
	work_discard(set);
}

static void *work(void *argument)
{
	struct work_cell *cell = argument;
	void *pointer = NULL;

	EXPECT_OK(PAPI_set_thr_specific(PAPI_USR1_TLS, cell));
	for (unsigned long round = 0; round < ROUNDS; round++) {
		count_once(cell, 10 + round);
		EXPECT_OK(PAPI_get_thr_specific(PAPI_USR1_TLS, &pointer));
		EXPECT(pointer == cell);
	}
	/* Some say that they leave, the others just do. */
	if ((cell - cells) % 2)
		EXPECT_OK(PAPI_unregister_thread());
	atomic_fetch_sub(&working, 1);
	return NULL;
}

/* Those who disturb: each does one thing until the workers have finished, and at least once. */
static void *initialise(void *unused)
{
	do {
		EXPECT_EQUAL(PAPI_VER_CURRENT, PAPI_library_init(PAPI_VER_CURRENT));
		EXPECT(PAPI_is_initialized() & PAPI_LOW_LEVEL_INITED);
		EXPECT_OK(PAPI_register_thread());
		EXPECT_OK(PAPI_unregister_thread());
	} while (atomic_load(&working));
	return unused;
}

static void *list_threads(void *unused)
{
	do {
		enum { ROOM = 2 * WORKERS };
		PAPI_all_thr_spec_t all = { .num = ROOM };
		PAPI_thread_id_t ids[ROOM], more_ids[ROOM];
		void *data[ROOM];
		int number = ROOM;

		EXPECT_OK(PAPI_list_threads(ids, &number));
		EXPECT_BETWEEN(1, number, ROOM);
		all.id = more_ids;
		all.data = data;
		EXPECT_OK(PAPI_get_thr_specific(PAPI_USR1_TLS | PAPI_TLS_ALL_THREADS, (void **)(void *)&all));
		EXPECT_BETWEEN(1, all.num, ROOM);
		for (int i = 0; i < all.num && i < ROOM; i++)
			EXPECT(!data[i] ||
				((char *)data[i] >= (char *)cells && (char *)data[i] < (char *)(cells + WORKERS)));
	} while (atomic_load(&working));
	return unused;
}

static void *list_events(void *unused)
{
	do {
		int code = PAPI_NATIVE_MASK, n = 0;
		PAPI_event_info_t info;

		for (int status = PAPI_enum_event(&code, PAPI_ENUM_FIRST); status == PAPI_OK;
			status = PAPI_enum_event(&code, PAPI_ENUM_EVENTS), n++)
			EXPECT_OK(PAPI_get_event_info(code, &info));
		EXPECT(n > 0);
		EXPECT_ERROR(PAPI_ENOEVNT, "NOTHING", PAPI_event_name_to_code("perf::NOTHING", &code));
	} while (atomic_load(&working));
	return unused;
}

static void *change_defaults(void *unused)
{
	do {
		int domain = PAPI_get_opt(PAPI_DEFDOM, NULL);

		EXPECT(domain == PAPI_DOM_USER || domain == (PAPI_DOM_USER | PAPI_DOM_SUPERVISOR));
		EXPECT_OK(PAPI_set_domain(PAPI_DOM_USER | PAPI_DOM_SUPERVISOR));
		EXPECT_OK(PAPI_set_domain(PAPI_DOM_USER));
		EXPECT(PAPI_get_component_info(0)->default_domain & PAPI_DOM_USER);
		EXPECT(PAPI_num_hwctrs() >= 0);
	} while (atomic_load(&working));
	return unused;
}

/* Ends with a set that runs: somebody else has to stop it. */
static void *leave_a_running_set(void *argument)
{
	int *set = argument;

	*set = work_set("perf::TASK-CLOCK", NULL, NULL);
	EXPECT_OK(PAPI_start(*set));
	return NULL;
}

static void *leave(void *unused)
{
	for (int round = 0; round < ROUNDS; round++) {
		pthread_t thread;
		long long value;
		int set;

		REQUIRE(pthread_create(&thread, NULL, leave_a_running_set, &set) == 0);
		REQUIRE(pthread_join(thread, NULL) == 0);
		EXPECT_OK(PAPI_stop(set, &value));
		EXPECT(value > 0);
		work_discard(set);
	}
	return unused;
}

/*
 * The allocators of the sanitizers (gcc 12, clang 14) hold no locks across fork(), as the C library's does: in the
 * child of a process with other threads they may wait for ever. There the child does what needs no memory.
 */
#define ALLOCATOR_SURVIVES_FORK (!ADDRESS_SANITIZER && !THREAD_SANITIZER)

static void child(void)
{
	long long value = -1;
	int state;

	/* The parent's set, which runs there, is stopped here and has its last values. */
	EXPECT_OK(PAPI_state(running_set, &state));
	EXPECT_EQUAL(PAPI_STOPPED, state);
	EXPECT_OK(PAPI_read(running_set, &value));
	EXPECT_EQUAL(last, value);
	if (!ALLOCATOR_SURVIVES_FORK)
		return;
	count_once(&own_cell, 20);
	EXPECT_OK(PAPI_start(running_set));
	work_store(&own_cell, 4);
	EXPECT_EQUAL(4, work_stop(running_set));
}

static void *fork_again_and_again(void *unused)
{
	for (int i = 0; i < FORKS; i++)
		EXPECT_EQUAL(0, work_in_process(child));
	return unused;
}

static void storm(void)
{
	static void *(*const disturbers[])(void *unused) = { initialise, list_threads, list_events, change_defaults,
		leave, fork_again_and_again, fork_again_and_again };
	pthread_t threads[WORKERS + COUNT_OF(disturbers)];
	char name[WORK_NAME];
	size_t n = 0;
	int number = 0;

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	work_name(name, &own_cell, "/8:w");
	running_set = work_set(name, NULL, NULL);
	EXPECT_OK(PAPI_start(running_set));
	work_store(&own_cell, 77);
	EXPECT_OK(PAPI_read(running_set, &last));
	atomic_store(&working, WORKERS);
	for (size_t i = 0; i < COUNT_OF(disturbers); i++)
		REQUIRE(pthread_create(&threads[n++], NULL, disturbers[i], NULL) == 0);
	for (size_t i = 0; i < WORKERS; i++)
		REQUIRE(pthread_create(&threads[n++], NULL, work, &cells[i]) == 0);
	while (n)
		REQUIRE(pthread_join(threads[--n], NULL) == 0);
	work_store(&own_cell, 3);
	EXPECT_EQUAL(80, work_stop(running_set));
	work_discard(running_set);
	/* Threads that have ended are not known any more. */
	EXPECT_OK(PAPI_list_threads(NULL, &number));
	EXPECT_EQUAL(1, number);
	PAPI_shutdown();
}

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
static size_t bytes_in_use(void)
{
	return mallinfo2().uordblks;
}
#else
static size_t bytes_in_use(void)
{
	return 0;
}
#endif

static void nothing_is_left_behind(void)
{
	int descriptors = work_descriptors();
	size_t bytes;

	/* The first time the C library makes what it keeps for good. */
	storm();
	EXPECT_EQUAL(descriptors, work_descriptors());
	bytes = bytes_in_use();
	storm();
	EXPECT_EQUAL(descriptors, work_descriptors());
	if (work_exact_faults())
		EXPECT_EQUAL((long long)bytes, (long long)bytes_in_use());
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{ "nothing is left behind", nothing_is_left_behind },
	};

	if (argc == 1 && work_exact_faults()) {
		/* One arena, no caches of blocks and stacks: what is freed counts as free at once. */
		REQUIRE(setenv("GLIBC_TUNABLES",
				"glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1:glibc.pthread.stack_cache_size=0",
				1) == 0);
		execl("/proc/self/exe", argv[0], "again", (char *)NULL);
		return 1;
	}
	work_begin();
	work_need_breakpoints();
	PAPI_shutdown();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
