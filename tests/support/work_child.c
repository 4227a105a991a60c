/* SPDX-License-Identifier: BSD-3-Clause */
/* Children of work.h: a pipe tells them to work, another one that they have. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

#define STACK_PAGES 512

void work_in_thread(void *(*function)(void *), void *argument)
{
	char *stack = work_pages(STACK_PAGES);
	pthread_attr_t attributes;
	pthread_t thread;

	work_touch(stack, STACK_PAGES);
	REQUIRE(pthread_attr_init(&attributes) == 0);
	REQUIRE(pthread_attr_setstack(&attributes, stack, work_bytes(STACK_PAGES)) == 0);
	REQUIRE(pthread_create(&thread, &attributes, function, argument) == 0);
	REQUIRE(pthread_join(thread, NULL) == 0);
	pthread_attr_destroy(&attributes);
	work_unmap(stack, STACK_PAGES);
}

int work_in_process(void (*test)(void))
{
	int before = check_failures();
	pid_t child = fork();

	REQUIRE(child >= 0);
	if (child == 0) {
		test();
		_exit(check_failures() > before);
	}
	return work_wait(child);
}

/* What goes through the pipes. The end is a message of its own: a pipe that others have inherited stays open. */
enum message { WORK = 'w', DONE = 'd', END = 'e' };

static enum message take(int descriptor)
{
	char byte;
	ssize_t got;

	do
		got = read(descriptor, &byte, 1);
	while (got < 0 && errno == EINTR);
	return got == 1 ? (enum message)byte : END;
}

static void give(int descriptor, enum message message)
{
	char byte = (char)message;

	REQUIRE(write(descriptor, &byte, 1) == 1);
}

static void open_pipes(struct work_child *child)
{
	int to[2], from[2];

	REQUIRE(pipe(to) == 0 && pipe(from) == 0);
	child->end_to = to[0];
	child->to = to[1];
	child->from = from[0];
	child->end_from = from[1];
}

static void obey(const struct work_child *child)
{
	while (take(child->end_to) == WORK) {
		child->work(child->argument);
		give(child->end_from, DONE);
	}
}

void work_child_fork(struct work_child *child, void (*work)(void *argument), void *argument)
{
	*child = (struct work_child){ .work = work, .argument = argument };
	open_pipes(child);
	child->id = fork();
	REQUIRE(child->id >= 0);
	if (child->id == 0) {
		/* It must not outlive a test that fails. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(child->to);
		close(child->from);
		obey(child);
		_exit(0);
	}
	close(child->end_to);
	close(child->end_from);
	work_child_go(child);
}

static void *obey_in_thread(void *argument)
{
	struct work_child *child = argument;

	child->id = (pid_t)syscall(SYS_gettid);
	obey(child);
	return NULL;
}

void work_child_thread(struct work_child *child, void (*work)(void *argument), void *argument)
{
	pthread_t thread;

	*child = (struct work_child){ .work = work, .argument = argument };
	open_pipes(child);
	REQUIRE(pthread_create(&thread, NULL, obey_in_thread, child) == 0);
	child->thread = (unsigned long)thread;
	work_child_go(child);
}

void work_child_go(struct work_child *child)
{
	give(child->to, WORK);
	REQUIRE(take(child->from) == DONE);
}

void work_child_end(struct work_child *child)
{
	give(child->to, END);
	close(child->to);
	if (child->thread) {
		REQUIRE(pthread_join((pthread_t)child->thread, NULL) == 0);
		/* It is joined before the kernel has done with it. */
		while (syscall(SYS_tgkill, getpid(), child->id, 0) == 0)
			sched_yield();
		close(child->end_to);
		close(child->end_from);
	} else {
		EXPECT_EQUAL(0, work_wait(child->id));
	}
	close(child->from);
}

void work_child_kill(struct work_child *child)
{
	REQUIRE(kill(child->id, SIGKILL) == 0);
	EXPECT_EQUAL(-1, work_wait(child->id));
	close(child->to);
	close(child->from);
}
