/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * toucher PAGES PLAN [WAITERS] - touches fresh pages in known places, so that page faults can be predicted.
 *
 * Each letter of PLAN has somebody touch PAGES pages for the first time, one after the other: s this thread, c a child
 * process, t a new thread, g a child of a child. With WAITERS, that many threads are started first, "ready" is printed,
 * and nothing more happens until a line comes on standard input; then those threads touch PAGES pages each, in turn.
 *
 * Runs with different PAGES and all else equal differ by exactly the difference times the number of those who touch.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t pages;
static sem_t started;

struct waiter {
	pthread_t thread;
	sem_t told;
};

static void fail(const char *what)
{
	perror(what);
	exit(99);
}

static void touch(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory = mmap(NULL, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		fail("mmap");
	/* One fault for each page: not one for many of them. A kernel without huge pages refuses, and has no need. */
	madvise((void *)(size_t)memory, pages * size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		memory[i * size] = 1;
	munmap((void *)(size_t)memory, pages * size);
}

static void *touch_in_thread(void *unused)
{
	touch();
	return unused;
}

static void *touch_when_told(void *waiter)
{
	sem_post(&started);
	sem_wait(&((struct waiter *)waiter)->told);
	touch();
	return NULL;
}

/* One after the other: two threads that bring in the same page of code at once would make two faults of one. */
static void wait_and_tell(int number)
{
	struct waiter *waiters = calloc((size_t)number + 1, sizeof(*waiters));

	if (!waiters)
		fail("calloc");
	sem_init(&started, 0, 0);
	for (int i = 0; i < number; i++) {
		sem_init(&waiters[i].told, 0, 0);
		if (pthread_create(&waiters[i].thread, NULL, touch_when_told, &waiters[i]) != 0)
			fail("pthread_create");
		sem_wait(&started);
	}
	puts("ready");
	fflush(stdout);
	while (getchar() > '\n')
		;
	for (int i = 0; i < number; i++) {
		sem_post(&waiters[i].told);
		pthread_join(waiters[i].thread, NULL);
	}
	free(waiters);
}

static void in_child(int generations)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		fail("fork");
	if (child == 0) {
		if (generations > 1)
			in_child(generations - 1);
		else
			touch();
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status != 0)
		fail("waitpid");
}

static void follow(const char *plan)
{
	pthread_t thread;

	for (; *plan; plan++) {
		if (*plan == 's') {
			touch();
		} else if (*plan == 'c') {
			in_child(1);
		} else if (*plan == 'g') {
			in_child(2);
		} else if (*plan == 't') {
			if (pthread_create(&thread, NULL, touch_in_thread, NULL) != 0 ||
				pthread_join(thread, NULL) != 0)
				fail("thread");
		}
	}
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 98;
	/* Brings in all there is: later, two threads might meet at the same page and make two faults of one. */
	if (mlockall(MCL_CURRENT) != 0)
		perror("toucher: mlockall");
	pages = (size_t)strtol(argv[1], NULL, 10);
	if (argc > 3)
		wait_and_tell((int)strtol(argv[3], NULL, 10));
	follow(argv[2]);
	return 0;
}
