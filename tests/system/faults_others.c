/* SPDX-License-Identifier: BSD-3-Clause */
/* Page faults of others, to the last one: of processes and threads attached to, and of those made while counting. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

#define ROUNDS      30
#define PAGES       60
#define STACK_PAGES 64

/* Pages for a child to touch: shared, so that which are fresh is up to the parent; private copies fault the same. */
struct task {
	char *pages;
	size_t n;
};

static void touch_task(void *argument)
{
	const struct task *task = argument;

	work_touch(task->pages, task->n);
}

/* A forked child maps its own: what the parent maps later is not there. */
static void touch_fresh(void *argument)
{
	size_t n = *(const size_t *)argument;
	char *pages = work_pages(n);

	work_touch(pages, n);
	work_unmap(pages, n);
}

static int attached_set(pid_t id)
{
	int set = work_set("perf::PAGE-FAULTS", "perf::MINOR-FAULTS", NULL);

	REQUIRE_OK(PAPI_attach(set, (unsigned long)id));
	return set;
}

static void an_attached_process(void)
{
	size_t n = PAGES;
	char *own = work_pages(ROUNDS);
	struct work_child child;
	long long values[2];
	int set, state;

	work_child_fork(&child, touch_fresh, &n);
	set = attached_set(child.id);
	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_STOPPED | PAPI_ATTACHED, state);
	for (size_t round = 0; round < ROUNDS; round++) {
		EXPECT_OK(PAPI_start(set));
		work_child_go(&child);
		/* What this process does is nobody's business. */
		work_touch(own + work_bytes(round), 1);
		work_stop_values(set, values, COUNT_OF(values));
		EXPECT_EQUAL(PAGES, values[0]);
		EXPECT_EQUAL(PAGES, values[1]);
		/* Not counting now. */
		work_child_go(&child);
	}
	work_read_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(PAGES, values[0]);
	work_child_end(&child);
	work_discard(set);
	work_unmap(own, ROUNDS);
}

static void an_attached_thread(void)
{
	struct task task = { work_pages(PAGES), PAGES };
	struct work_child thread;
	long long values[2];
	int set;

	work_child_thread(&thread, touch_task, &task);
	set = attached_set(thread.id);
	for (int round = 0; round < ROUNDS; round++) {
		work_unmap(task.pages, PAGES);
		task.pages = work_pages(PAGES);
		EXPECT_OK(PAPI_start(set));
		work_child_go(&thread);
		work_stop_values(set, values, COUNT_OF(values));
		EXPECT_EQUAL(PAGES, values[0]);
		EXPECT_EQUAL(PAGES, values[1]);
	}
	work_child_end(&thread);
	work_unmap(task.pages, PAGES);
	work_discard(set);
}

/* Attach, detach and attach to another: each time what is counted is what the set is attached to. */
static void detached_it_counts_this_thread_again(void)
{
	size_t n = PAGES, m = PAGES / 2;
	struct work_child first, second;
	char *own = work_pages(12);
	int set;

	work_child_fork(&first, touch_fresh, &n);
	work_child_fork(&second, touch_fresh, &m);
	set = attached_set(first.id);
	EXPECT_OK(PAPI_remove_named_event(set, "perf::MINOR-FAULTS"));
	EXPECT_OK(PAPI_start(set));
	work_child_go(&second);
	work_child_go(&first);
	EXPECT_EQUAL(PAGES, work_stop(set));
	EXPECT_OK(PAPI_attach(set, (unsigned long)second.id));
	EXPECT_OK(PAPI_start(set));
	work_child_go(&first);
	work_child_go(&second);
	EXPECT_EQUAL(PAGES / 2, work_stop(set));
	EXPECT_OK(PAPI_detach(set));
	EXPECT_OK(PAPI_start(set));
	work_child_go(&first);
	work_touch(own, 12);
	EXPECT_EQUAL(12, work_stop(set));
	EXPECT_ERROR(PAPI_EINVAL, "not attached", PAPI_detach(set));
	work_child_end(&first);
	work_child_end(&second);
	work_discard(set);
	work_unmap(own, 12);
}

static int inheriting_set(int inherit)
{
	int set = work_set("perf::PAGE-FAULTS", NULL, NULL);
	PAPI_option_t option = { .inherit = { .eventset = set, .inherit = inherit } };

	REQUIRE_OK(PAPI_set_opt(PAPI_INHERIT, &option));
	return set;
}

static int touch_and_exit(void *argument)
{
	touch_task(argument);
	return 0;
}

/*
 * A child process with the memory of its parent: no copy-on-write, so the pages it touches are its only faults. Its
 * stack has been used before.
 */
static void clone_child(char *stack, struct task *task)
{
	pid_t child = clone(touch_and_exit, stack + work_bytes(STACK_PAGES), CLONE_VM | CLONE_VFORK | SIGCHLD, task);

	REQUIRE(child > 0);
	EXPECT_EQUAL(0, work_wait(child));
}

static void count_cloned_child(int inherit)
{
	char *stack = work_pages(STACK_PAGES), *own = work_pages(ROUNDS * 5);
	int set = inheriting_set(inherit);

	work_touch(stack, STACK_PAGES);
	for (size_t round = 0; round < ROUNDS; round++) {
		struct task task = { work_pages(PAGES), PAGES };
		long long count;

		EXPECT_OK(PAPI_start(set));
		clone_child(stack, &task);
		work_touch(own + work_bytes(round * 5), 5);
		count = work_stop(set);
		/* The first round makes code and stack ready. */
		if (round)
			EXPECT_EQUAL(inherit == PAPI_INHERIT_ALL ? PAGES + 5 : 5, count);
		work_unmap(task.pages, PAGES);
	}
	work_discard(set);
	work_unmap(stack, STACK_PAGES);
	work_unmap(own, ROUNDS * 5);
}

static void a_process_made_while_counting(void)
{
	count_cloned_child(PAPI_INHERIT_ALL);
}

static void without_inherit_it_does_not_count(void)
{
	count_cloned_child(PAPI_INHERIT_NONE);
}

static void *touch_in_thread(void *task)
{
	touch_task(task);
	return NULL;
}

static void a_thread_made_while_counting(void)
{
	char *stack = work_pages(STACK_PAGES);
	int set = inheriting_set(PAPI_INHERIT_ALL);
	pthread_attr_t attributes;

	work_touch(stack, STACK_PAGES);
	REQUIRE(pthread_attr_init(&attributes) == 0);
	REQUIRE(pthread_attr_setstack(&attributes, stack, work_bytes(STACK_PAGES)) == 0);
	for (int round = 0; round < ROUNDS; round++) {
		struct task task = { work_pages(PAGES), PAGES };
		pthread_t thread;
		long long count;

		EXPECT_OK(PAPI_start(set));
		REQUIRE(pthread_create(&thread, &attributes, touch_in_thread, &task) == 0);
		REQUIRE(pthread_join(thread, NULL) == 0);
		count = work_stop(set);
		/* Until round 10 the C library may grow what it keeps about threads. */
		if (round >= 10)
			EXPECT_EQUAL(PAGES, count);
		work_unmap(task.pages, PAGES);
	}
	pthread_attr_destroy(&attributes);
	work_discard(set);
	work_unmap(stack, STACK_PAGES);
}

/*
 * fork(2): parent and child fault on what they have in common, the same number of times each time. So the counts of two
 * runs that differ in the pages touched by child and grandchild differ by just these. Faults in the kernel count, too:
 * the page of thread-local storage is copied by whoever writes to it first, and after a preemption that is the kernel
 * (rseq), otherwise the program.
 */
static long long count_forked_generations(int set, size_t in_child, size_t in_grandchild)
{
	struct task child_task = { work_pages(PAGES), in_child },
		    grandchild_task = { work_pages(PAGES), in_grandchild };
	long long count;
	pid_t child;

	EXPECT_OK(PAPI_start(set));
	child = fork();
	if (child == 0) {
		pid_t grandchild = fork();

		if (grandchild == 0) {
			touch_task(&grandchild_task);
			_exit(0);
		}
		touch_task(&child_task);
		_exit(work_wait(grandchild));
	}
	REQUIRE(child > 0);
	EXPECT_EQUAL(0, work_wait(child));
	count = work_stop(set);
	work_unmap(child_task.pages, PAGES);
	work_unmap(grandchild_task.pages, PAGES);
	return count;
}

static void forked_children_and_grandchildren(void)
{
	int set = inheriting_set(PAPI_INHERIT_ALL);
	PAPI_option_t option = { .domain = { .eventset = set, .domain = PAPI_DOM_USER | PAPI_DOM_KERNEL } };
	long long none;

	if (PAPI_set_opt(PAPI_DOMAIN, &option) == PAPI_EPERM) {
		check_skip("%s", PAPI_error_detail());
		work_discard(set);
		return;
	}
	count_forked_generations(set, 1, 1);
	none = count_forked_generations(set, 0, 0);
	for (int round = 0; round < 5; round++) {
		EXPECT_EQUAL(none + PAGES, count_forked_generations(set, PAGES, 0));
		EXPECT_EQUAL(none + PAGES, count_forked_generations(set, 0, PAGES));
		EXPECT_EQUAL(none + PAGES + 17, count_forked_generations(set, 17, PAGES));
		EXPECT_EQUAL(none, count_forked_generations(set, 0, 0));
	}
	work_discard(set);
}

/* Counts of a child that is still there are part of a read, not only those of children that have ended. */
static void a_child_that_still_runs(void)
{
	struct task task = { work_pages(PAGES), PAGES };
	struct work_child thread;
	int set = inheriting_set(PAPI_INHERIT_ALL);
	long long before, after;

	EXPECT_OK(PAPI_start(set));
	work_child_thread(&thread, touch_task, &task);
	for (int round = 0; round < ROUNDS; round++) {
		work_unmap(task.pages, PAGES);
		task.pages = work_pages(PAGES);
		EXPECT_OK(PAPI_read(set, &before));
		work_child_go(&thread);
		EXPECT_OK(PAPI_read(set, &after));
		EXPECT_EQUAL(PAGES, after - before);
	}
	work_child_end(&thread);
	EXPECT_OK(PAPI_stop(set, NULL));
	work_discard(set);
	work_unmap(task.pages, PAGES);
}

/* A process that is attached to and makes children of its own. */
static void make_a_child(void *argument)
{
	static char *stack;

	if (!stack) {
		stack = work_pages(STACK_PAGES);
		work_touch(stack, STACK_PAGES);
	}
	clone_child(stack, &(struct task){ work_pages(PAGES), *(const size_t *)argument });
}

static void children_of_an_attached_process(void)
{
	int set = inheriting_set(PAPI_INHERIT_ALL);
	struct work_child child;
	size_t n = PAGES;

	work_child_fork(&child, make_a_child, &n);
	REQUIRE_OK(PAPI_attach(set, (unsigned long)child.id));
	for (int round = 0; round < ROUNDS; round++) {
		EXPECT_OK(PAPI_start(set));
		work_child_go(&child);
		EXPECT_EQUAL(PAGES, work_stop(set));
	}
	work_child_end(&child);
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "an attached process", an_attached_process },
		{ "an attached thread", an_attached_thread },
		{ "detached, it counts this thread again", detached_it_counts_this_thread_again },
		{ "a process made while counting", a_process_made_while_counting },
		{ "without inherit it does not count", without_inherit_it_does_not_count },
		{ "a thread made while counting", a_thread_made_while_counting },
		{ "forked children and grandchildren", forked_children_and_grandchildren },
		{ "a child that still runs", a_child_that_still_runs },
		{ "children of an attached process", children_of_an_attached_process },
	};

	work_begin();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
