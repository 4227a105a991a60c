/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets that count somebody else: threads of this process, other processes, CPUs. The handler runs in the thread that
 * started the set, as soon as the signal finds it, and gets the address where the other one was.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "record.h"

static struct work_cell cell;

static void store_100(void *argument)
{
	(void)argument;
	work_store(&cell, 100);
}

/* A signal for another thread's event takes its time to get here. */
static void wait_for_calls(long calls)
{
	for (int i = 0; i < 2000 && record.calls < calls; i++)
		usleep(1000);
}

static void count_itself(struct work_child *child, int set)
{
	record_clear();
	EXPECT_OK(PAPI_start(set));
	work_child_go(child);
	work_store(&cell, 20);
	EXPECT_EQUAL(20, work_stop(set));
	EXPECT_EQUAL(2, record.calls);
}

static void count_child(struct work_child *child)
{
	char name[WORK_NAME];
	int set;

	work_name(name, &cell, "/8:w");
	set = work_set(name, NULL, NULL);
	EXPECT_OK(PAPI_attach(set, (unsigned long)child->id));
	EXPECT_OK(PAPI_overflow(set, record_code(set, 0), 10, 0, record_handler));
	for (int run = 0; run < 2; run++) {
		record_clear();
		EXPECT_OK(PAPI_start(set));
		work_child_go(child);
		wait_for_calls(10);
		EXPECT_EQUAL(100, work_stop(set));
		EXPECT_EQUAL(10, record.calls);
		EXPECT_EQUAL(10, record_delivered(set));
		EXPECT_EQUAL(0, record_lost(set));
		EXPECT_EQUAL(1, record.vectors);
		/* Where the child was; it has the same code. */
		EXPECT((char *)record.lowest >= (char *)work_store);
		EXPECT_BETWEEN(0, (char *)record.highest - (char *)work_store, 200);
	}
	EXPECT_OK(PAPI_detach(set));
	if (RECORD_WATCHES_OVERFLOW)
		count_itself(child, set);
	else
		EXPECT_ERROR(PAPI_ENOSUPP, RECORD_REFUSED_WATCH, PAPI_start(set));
	work_discard(set);
}

static void a_process(void)
{
	struct work_child child;

	work_child_fork(&child, store_100, NULL);
	count_child(&child);
	work_child_end(&child);
}

static void a_thread(void)
{
	struct work_child child;

	work_child_thread(&child, store_100, NULL);
	count_child(&child);
	work_child_end(&child);
}

/* The thread that starts the set gets the signals, whoever made it. */
static int attached;

static void *start_it(void *argument)
{
	struct work_child *child = argument;

	record_clear();
	EXPECT_OK(PAPI_start(attached));
	work_child_go(child);
	wait_for_calls(10);
	EXPECT_EQUAL(100, work_stop(attached));
	EXPECT_EQUAL(10, record.calls);
	return NULL;
}

static void started_by_another_thread(void)
{
	struct work_child child;
	char name[WORK_NAME];

	work_child_fork(&child, store_100, NULL);
	work_name(name, &cell, "/8:w");
	attached = work_set(name, NULL, NULL);
	EXPECT_OK(PAPI_attach(attached, (unsigned long)child.id));
	EXPECT_OK(PAPI_overflow(attached, record_code(attached, 0), 10, 0, record_handler));
	start_it(&child);
	work_in_thread(start_it, &child);
	start_it(&child);
	work_discard(attached);
	work_child_end(&child);
}

/* It ends while it is counted: what it did is told, and nothing hangs. */
static void a_process_that_ends(void)
{
	struct work_child child;
	char name[WORK_NAME];
	int set;

	work_child_fork(&child, store_100, NULL);
	work_name(name, &cell, "/8:w");
	set = work_set(name, NULL, NULL);
	EXPECT_OK(PAPI_attach(set, (unsigned long)child.id));
	EXPECT_OK(PAPI_overflow(set, record_code(set, 0), 10, 0, record_handler));
	record_clear();
	EXPECT_OK(PAPI_start(set));
	work_child_go(&child);
	work_child_end(&child);
	wait_for_calls(10);
	EXPECT_EQUAL(10, record.calls);
	EXPECT_EQUAL(100, work_stop(set));
	work_discard(set);
}

static void a_cpu(void)
{
	int set = PAPI_NULL, cpus[1];
	PAPI_option_t option = { 0 };

	REQUIRE(work_cpus(cpus, 1) > 0);
	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_assign_eventset_component(set, 0));
	option.cpu.eventset = set;
	option.cpu.cpu_num = (unsigned)cpus[0];
	if (PAPI_set_opt(PAPI_CPU_ATTACH, &option) != PAPI_OK ||
		PAPI_add_named_event(set, "perf::PAGE-FAULTS") != PAPI_OK) {
		check_skip("CPUs cannot be counted here: %s", PAPI_error_detail());
		work_discard(set);
		return;
	}
	EXPECT_OK(PAPI_overflow(set, record_code(set, 0), 10, 0, record_handler));
	work_pin(cpus[0]);
	record_clear();
	EXPECT_OK(PAPI_start(set));
	record_faults(100);
	usleep(1000);
	EXPECT_OK(PAPI_stop(set, NULL));
	work_unpin();
	/* Whatever else ran there. */
	EXPECT(record.calls >= 10);
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "a process", a_process },
		{ "a thread", a_thread },
		{ "started by another thread", started_by_another_thread },
		{ "a process that ends", a_process_that_ends },
		{ "a CPU", a_cpu },
	};

	work_begin();
	work_need_breakpoints();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
