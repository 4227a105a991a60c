/* SPDX-License-Identifier: BSD-3-Clause */
/* What a set is attached to ends: before it is attached, before it is started, while it counts. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

#define N 40

static struct work_cell cell;
static char cell_writes[WORK_NAME];

static void store_n(void *unused)
{
	(void)unused;
	work_store(&cell, N);
}

static int attached_set(pid_t id)
{
	int set = work_set(cell_writes, "perf::TASK-CLOCK", NULL);

	REQUIRE_OK(PAPI_attach(set, (unsigned long)id));
	return set;
}

static void expect_counting_here(int set)
{
	long long values[2];

	EXPECT_OK(PAPI_detach(set));
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 3);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(3, values[0]);
	EXPECT(values[1] > 0);
}

/* A process whose end has been waited for is nowhere. */
static void gone_before_attach(void)
{
	int set = work_set(cell_writes, NULL, NULL), empty = work_set(NULL, NULL, NULL), state;
	pid_t child = fork();

	REQUIRE(child >= 0);
	if (child == 0)
		_exit(0);
	EXPECT_EQUAL(0, work_wait(child));
	EXPECT_ERROR(PAPI_EINVAL, "ended", PAPI_attach(set, (unsigned long)child));
	EXPECT_ERROR(PAPI_EINVAL, "ended", PAPI_attach(empty, (unsigned long)child));
	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_STOPPED, state);
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 3);
	EXPECT_EQUAL(3, work_stop(set));
	work_discard(set);
	work_discard(empty);
}

/* One that has ended and is not waited for is still there for kill(2), but it will never count. */
static void ended_before_attach(void)
{
	int set = work_set(cell_writes, "perf::TASK-CLOCK", NULL);
	siginfo_t information;
	pid_t child = fork();

	REQUIRE(child >= 0);
	if (child == 0)
		_exit(0);
	REQUIRE(waitid(P_PID, (id_t)child, &information, WEXITED | WNOWAIT) == 0);
	EXPECT_ERROR(PAPI_EINVAL, "ended", PAPI_attach(set, (unsigned long)child));
	EXPECT_EQUAL(0, work_wait(child));
	EXPECT_OK(PAPI_attach(set, (unsigned long)getpid()));
	expect_counting_here(set);
	work_discard(set);
}

static void ended_before_start(void)
{
	struct work_child child;
	int set, state;

	work_child_fork(&child, store_n, NULL);
	set = attached_set(child.id);
	work_child_kill(&child);
	EXPECT_ERROR(PAPI_EINVAL, "ended", PAPI_start(set));
	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_STOPPED | PAPI_ATTACHED, state);
	/* And so it stays. */
	EXPECT_ERROR(PAPI_EINVAL, "ended", PAPI_start(set));
	EXPECT_ERROR(PAPI_EINVAL, "ended", PAPI_add_named_event(set, "perf::MAJOR-FAULTS"));
	EXPECT_EQUAL(2, PAPI_num_events(set));
	expect_counting_here(set);
	work_discard(set);
}

static void killed_while_counting(void)
{
	struct work_child child;
	long long values[2], again[2];
	int set, state;

	work_child_fork(&child, store_n, NULL);
	set = attached_set(child.id);
	EXPECT_OK(PAPI_start(set));
	work_child_go(&child);
	work_child_go(&child);
	work_child_kill(&child);
	/* The counts of a target that is gone stay, and can be read as long as anybody wants. */
	work_read_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(2 * N, values[0]);
	EXPECT(values[1] > 0);
	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_RUNNING | PAPI_ATTACHED, state);
	work_stop_values(set, again, COUNT_OF(again));
	EXPECT_EQUAL(2 * N, again[0]);
	EXPECT_EQUAL(values[1], again[1]);
	work_read_values(set, again, COUNT_OF(again));
	EXPECT_EQUAL(2 * N, again[0]);
	EXPECT_ERROR(PAPI_EINVAL, "ended", PAPI_start(set));
	work_read_values(set, again, COUNT_OF(again));
	EXPECT_EQUAL(2 * N, again[0]);
	expect_counting_here(set);
	work_discard(set);
}

static void exited_while_counting(void)
{
	struct work_child child;
	long long sum[2] = { 0, 0 };
	int set;

	work_child_fork(&child, store_n, NULL);
	set = attached_set(child.id);
	EXPECT_OK(PAPI_start(set));
	work_child_go(&child);
	EXPECT_OK(PAPI_accum(set, sum));
	EXPECT_EQUAL(N, sum[0]);
	work_child_go(&child);
	work_child_end(&child);
	EXPECT_OK(PAPI_accum(set, sum));
	EXPECT_EQUAL(2 * N, sum[0]);
	EXPECT_OK(PAPI_reset(set));
	EXPECT_OK(PAPI_stop(set, sum));
	EXPECT_EQUAL(0, sum[0]);
	EXPECT_EQUAL(0, sum[1]);
	work_discard(set);
}

static void a_thread_that_ends_while_counting(void)
{
	struct work_child thread;
	long long values[2];
	int set;

	work_child_thread(&thread, store_n, NULL);
	set = attached_set(thread.id);
	EXPECT_OK(PAPI_start(set));
	work_child_go(&thread);
	work_child_end(&thread);
	work_read_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(N, values[0]);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(N, values[0]);
	EXPECT_ERROR(PAPI_EINVAL, "ended", PAPI_start(set));
	expect_counting_here(set);
	work_discard(set);
}

static void *start_and_leave(void *argument)
{
	EXPECT_OK(PAPI_start(*(int *)argument));
	store_n(NULL);
	return NULL;
}

/* Not attached: the thread that started the set ends without stopping it. Another reads, stops and starts it anew. */
static void the_thread_that_started_it(void)
{
	int set = work_set(cell_writes, NULL, NULL);
	long long value;

	work_in_thread(start_and_leave, &set);
	store_n(NULL);
	EXPECT_OK(PAPI_read(set, &value));
	EXPECT_EQUAL(N, value);
	EXPECT_EQUAL(N, work_stop(set));
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 5);
	EXPECT_EQUAL(5, work_stop(set));
	work_discard(set);
}

/* From one that has ended to one that has not. */
static void on_to_the_next(void)
{
	struct work_child first, second;
	long long values[2];
	int set;

	work_child_fork(&first, store_n, NULL);
	work_child_fork(&second, store_n, NULL);
	set = attached_set(first.id);
	EXPECT_OK(PAPI_start(set));
	work_child_kill(&first);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(0, values[0]);
	EXPECT_OK(PAPI_attach(set, (unsigned long)second.id));
	EXPECT_OK(PAPI_start(set));
	work_child_go(&second);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(N, values[0]);
	work_child_end(&second);
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "gone before attach", gone_before_attach },
		{ "ended before attach", ended_before_attach },
		{ "ended before start", ended_before_start },
		{ "killed while counting", killed_while_counting },
		{ "exited while counting", exited_while_counting },
		{ "a thread that ends while counting", a_thread_that_ends_while_counting },
		{ "the thread that started it", the_thread_that_started_it },
		{ "on to the next", on_to_the_next },
	};

	work_begin();
	work_need_breakpoints();
	work_name(cell_writes, &cell, "/8:w");
	return work_end(check_run(tests, COUNT_OF(tests)));
}
