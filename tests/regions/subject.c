/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs with regions, one for each name on the command line. test_regions.py runs them and knows what must come out.
 *
 * What is counted are writes to a variable, which a hardware breakpoint counts to the last one. Without breakpoints
 * this ends with 77 and the reason. Calls whose result matters are checked here; exit status 1 and a line for a wrong
 * one.
 */
#include <errno.h>
#include <papi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 5
#define NAME    64

static _Alignas(64) volatile unsigned long cell, other;
static char cell_writes[NAME], other_writes[NAME];

static void expect(int line, int expected, int got)
{
	if (expected == got)
		return;
	printf("line %d: expected %d, got %d: %s\n", line, expected, got, PAPI_error_detail());
	fflush(stdout);
	_Exit(1);
}

#define EXPECT(expected, call) expect(__LINE__, expected, call)
#define BEGIN(name)            EXPECT(PAPI_OK, PAPI_hl_region_begin(name))
#define END(name)              EXPECT(PAPI_OK, PAPI_hl_region_end(name))
#define READ(name)             EXPECT(PAPI_OK, PAPI_hl_read(name))

static void store(unsigned long times)
{
	for (unsigned long i = 0; i < times; i++)
		cell = i;
}

static void nested(void)
{
	BEGIN("a");
	store(10);
	for (int i = 0; i < 3; i++) {
		BEGIN("b");
		store(20);
		END("b");
	}
	store(5);
	END("a");
	BEGIN("b");
	store(1);
	END("b");
}

static void recurse(int depth)
{
	char name[] = "f"; /* another place each time */

	BEGIN(name);
	store(1);
	if (depth > 1)
		recurse(depth - 1);
	END(name);
}

static void recursive(void)
{
	recurse(3);
	recurse(2);
}

static void left_open(void)
{
	BEGIN("a");
	BEGIN("b");
	store(2);
	BEGIN("c");
	store(3);
	END("a");
	EXPECT(PAPI_EINVAL, PAPI_hl_region_end("b"));
	EXPECT(PAPI_EINVAL, PAPI_hl_region_end("c"));
	BEGIN("b");
	store(7);
	exit(0);
}

static void reads(void)
{
	for (int i = 0; i < 2; i++) {
		BEGIN("r");
		store(4);
		READ("r");
		store(6);
		if (i)
			READ("r");
		END("r");
	}
	EXPECT(PAPI_EINVAL, PAPI_hl_read("r"));
	BEGIN("often");
	for (int i = 0; i < 1000; i++)
		READ("often");
	EXPECT(PAPI_ECOUNT, PAPI_hl_read("often"));
	END("often");
}

static void *thread(void *argument)
{
	unsigned long number = (unsigned long)(uintptr_t)argument;

	BEGIN("work");
	store(100 * number);
	END("work");
	return NULL;
}

/* They end long before the results are written. */
static void threads(void)
{
	pthread_t all[THREADS];

	BEGIN("main");
	for (uintptr_t i = 0; i < THREADS; i++) {
		EXPECT(0, pthread_create(&all[i], NULL, thread, (void *)(i + 1)));
		pthread_join(all[i], NULL);
	}
	store(1);
	END("main");
}

static pthread_barrier_t ready;

static void *inside(void *argument)
{
	(void)argument;
	BEGIN("other");
	store(9);
	BEGIN("within");
	store(3);
	pthread_barrier_wait(&ready);
	pause();
	return NULL;
}

static void *leave(void *argument)
{
	(void)argument;
	pthread_barrier_wait(&ready);
	exit(3);
}

static void exit_in_thread(void)
{
	pthread_t first, second;

	pthread_barrier_init(&ready, NULL, 3);
	BEGIN("main");
	store(7);
	EXPECT(0, pthread_create(&first, NULL, inside, NULL));
	EXPECT(0, pthread_create(&second, NULL, leave, NULL));
	pthread_barrier_wait(&ready);
	for (;;)
		pause();
}

static _Atomic unsigned long rounds[THREADS];

static void *go_on(void *argument)
{
	for (;;) {
		BEGIN("loop");
		BEGIN("inner");
		END("inner");
		END("loop");
		rounds[(uintptr_t)argument]++;
	}
	return NULL;
}

/* All threads begin and end regions while the results are taken. */
static void exit_while_busy(void)
{
	pthread_t one;

	for (uintptr_t i = 0; i < THREADS; i++)
		EXPECT(0, pthread_create(&one, NULL, go_on, (void *)i));
	for (int i = 0; i < THREADS; i++)
		while (rounds[i] < 100)
			usleep(1000);
	exit(0);
}

static sigjmp_buf back;

static void survive(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

static void abort_survived(void)
{
	volatile int i; /* lives across the jump */

	signal(SIGABRT, survive);
	for (i = 0; i < 4; i++) {
		BEGIN("outer");
		store(2);
		if (sigsetjmp(back, 1) == 0) {
			BEGIN("fatal");
			store(3);
			BEGIN("deeper");
			abort();
		}
		END("outer");
	}
	BEGIN("after");
	store(1);
	END("after");
}

static void child(void)
{
	EXPECT(PAPI_EINVAL, PAPI_hl_region_end("parent"));
	EXPECT(PAPI_EINVAL, PAPI_hl_read("parent"));
	EXPECT(PAPI_ENOTRUN, PAPI_hl_stop());
	BEGIN("child");
	store(3);
	END("child");
	exit(0);
}

static void forks(void)
{
	int status;

	BEGIN("parent");
	store(5);
	for (int i = 0; i < 3; i++) {
		pid_t process = fork();

		if (process == 0 && i < 2)
			child();
		if (process == 0)
			exit(0);
		EXPECT((int)process, (int)waitpid(process, &status, 0));
		EXPECT(0, status);
	}
	store(2);
	END("parent");
}

static void stop(void)
{
	EXPECT(PAPI_ENOTRUN, PAPI_hl_stop());
	BEGIN("a");
	store(5);
	END("a");
	EXPECT(PAPI_OK, PAPI_hl_stop());
	EXPECT(0, access("papi_hl_output/rank_0.json", R_OK));
	EXPECT(PAPI_ENOTRUN, PAPI_hl_stop());
	BEGIN("a");
	store(7);
	BEGIN("open");
	EXPECT(PAPI_OK, PAPI_hl_stop());
	EXPECT(PAPI_EINVAL, PAPI_hl_region_end("open"));
	EXPECT(PAPI_EINVAL, PAPI_hl_region_end("a"));
}

static void shut_down(void)
{
	BEGIN("a");
	store(3);
	END("a");
	PAPI_shutdown();
	BEGIN("a");
	store(4);
	END("a");
	BEGIN("lost");
	store(2);
	PAPI_shutdown();
	EXPECT(PAPI_ENOINIT, PAPI_hl_region_end("lost"));
	BEGIN("across");
	PAPI_shutdown();
	BEGIN("a");
	END("a");
	EXPECT(PAPI_ECLOST, PAPI_hl_region_end("across"));
	PAPI_shutdown();
}

static void use_other(unsigned long times)
{
	for (unsigned long i = 0; i < times; i++)
		other = i;
}

/* Measurements with other events, of the program's own, inside regions and around them. */
static void other_events(void)
{
	int around = PAPI_NULL, within = PAPI_NULL;
	long long values[2];

	EXPECT(PAPI_VER_CURRENT, PAPI_library_init(PAPI_VER_CURRENT));
	EXPECT(PAPI_OK, PAPI_create_eventset(&around));
	EXPECT(PAPI_OK, PAPI_add_named_event(around, other_writes));
	EXPECT(PAPI_OK, PAPI_create_eventset(&within));
	EXPECT(PAPI_OK, PAPI_add_named_event(within, other_writes));
	EXPECT(PAPI_OK, PAPI_add_named_event(within, "rusage:::minflt"));
	EXPECT(PAPI_OK, PAPI_start(around));
	BEGIN("a");
	store(4);
	use_other(10);
	EXPECT(PAPI_OK, PAPI_start(within));
	BEGIN("b");
	use_other(5);
	store(6);
	EXPECT(PAPI_OK, PAPI_stop(within, values));
	EXPECT(5, (int)values[0]);
	END("b");
	END("a");
	use_other(1);
	EXPECT(PAPI_OK, PAPI_stop(around, values));
	EXPECT(16, (int)values[0]);
	EXPECT(PAPI_OK, PAPI_cleanup_eventset(within));
	EXPECT(PAPI_OK, PAPI_destroy_eventset(&within));
}

static void many(void)
{
	char name[NAME];

	for (int round = 0; round < 2; round++)
		for (unsigned long i = 0; i < 2000; i++) {
			snprintf(name, sizeof(name), "region %lu", i);
			BEGIN(name);
			store(i % 3);
			END(name);
		}
	for (int i = 0; i < 300; i++)
		BEGIN("deep");
	for (int i = 0; i < 300; i++)
		END("deep");
}

static void names(void)
{
	BEGIN("a \"quoted\" \\ name\n\t\x01");
	BEGIN("caf\xc3\xa9 \xe2\x82\xac");
	BEGIN("latin \xe9");
	BEGIN("cut \xe2\x82");
	BEGIN("overlong \xc0\x80 surrogate \xed\xa0\x80");
	EXPECT(PAPI_EINVAL, PAPI_hl_region_begin(""));
	EXPECT(PAPI_EINVAL, PAPI_hl_region_begin(NULL));
	EXPECT(PAPI_EINVAL, PAPI_hl_region_end(NULL));
	EXPECT(PAPI_EINVAL, PAPI_hl_read(NULL));
	EXPECT(PAPI_EINVAL, PAPI_hl_region_end("never"));
}

static void at_exit(void)
{
	BEGIN("late");
	store(8);
	END("late");
}

/* Exit handlers of the program are part of it. */
static void handlers(void)
{
	atexit(at_exit);
	BEGIN("early");
	END("early");
	atexit(at_exit);
	EXPECT(0, chdir("/"));
}

static void deep(void)
{
	for (int i = 0; i < 10000; i++)
		BEGIN("x");
	EXPECT(PAPI_ECOUNT, PAPI_hl_region_begin("x"));
	EXPECT(PAPI_OK, PAPI_hl_stop());
}

static const struct {
	const char *name;
	void (*run)(void);
} programs[] = {
	{ "nested", nested },
	{ "recursive", recursive },
	{ "left_open", left_open },
	{ "reads", reads },
	{ "threads", threads },
	{ "exit_in_thread", exit_in_thread },
	{ "exit_while_busy", exit_while_busy },
	{ "abort_survived", abort_survived },
	{ "forks", forks },
	{ "stop", stop },
	{ "shut_down", shut_down },
	{ "other_events", other_events },
	{ "many", many },
	{ "names", names },
	{ "handlers", handlers },
	{ "deep", deep },
};

/* Whether the processor has breakpoints for us. */
static void need_breakpoints(void)
{
	int set = PAPI_NULL, status;

	EXPECT(PAPI_VER_CURRENT, PAPI_library_init(PAPI_VER_CURRENT));
	EXPECT(PAPI_OK, PAPI_create_eventset(&set));
	status = PAPI_add_named_event(set, cell_writes);
	if (status == PAPI_OK)
		status = PAPI_start(set);
	if (status != PAPI_OK) {
		printf("writes to a variable cannot be counted here: %s\n", PAPI_error_detail());
		exit(77);
	}
	PAPI_shutdown();
}

int main(int argc, char **argv)
{
	snprintf(cell_writes, sizeof(cell_writes), "mem:%p/8:w", (void *)(uintptr_t)&cell);
	snprintf(other_writes, sizeof(other_writes), "mem:%p/8:w", (void *)(uintptr_t)&other);
	need_breakpoints();
	/* The name of the variable is known only here. */
	if (!getenv("PAPI_EVENTS"))
		setenv("PAPI_EVENTS", cell_writes, 1);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (argc == 2 && strcmp(argv[1], programs[i].name) == 0) {
			programs[i].run();
			return 0;
		}
	fprintf(stderr, "usage: subject NAME\n");
	return 2;
}
