/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program without frame pointers whose paths of calls are known: frameless MODE [NUMBER].
 *
 *	path		main, outer, middle, inner, burn
 *	sort		main, libc's qsort, compare, burn
 *	signal		main, spin, which a timer interrupts: handler, burn
 *	thread		libc's, in_thread, inner, burn
 *	clock		main, ask, libc, the kernel's page of code in each process
 *	deep NUMBER	main, so many times down, burn
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define APART   __attribute__((noinline))
#define SECONDS 0.3

static volatile unsigned long sink;
static volatile sig_atomic_t handled;

APART void burn(double seconds);
APART void inner(double seconds);
APART void middle(double seconds);
APART void outer(double seconds);
APART int compare(const void *left, const void *right);
APART void handler(int number);
APART void spin(void);
APART void *in_thread(void *unused);
APART void ask(double seconds);
APART void down(unsigned long n);

static double used(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void burn(double seconds)
{
	double end = used() + seconds;

	while (used() < end)
		for (int i = 0; i < 100000; i++)
			sink += (unsigned long)i;
}

/* Something is done behind each call, so that it is one. */
void inner(double seconds)
{
	burn(seconds);
	sink++;
}

void middle(double seconds)
{
	inner(seconds);
	sink++;
}

void outer(double seconds)
{
	middle(seconds);
	sink++;
}

int compare(const void *left, const void *right)
{
	burn(SECONDS / 20);
	return *(const int *)left - *(const int *)right;
}

void handler(int number)
{
	(void)number;
	burn(SECONDS);
	handled = 1;
}

void spin(void)
{
	while (!handled)
		sink++;
}

void *in_thread(void *unused)
{
	inner(SECONDS);
	return unused;
}

void ask(double seconds)
{
	double end = used() + seconds;

	while (used() < end)
		for (int i = 0; i < 1000; i++) {
			struct timespec now;

			clock_gettime(CLOCK_MONOTONIC, &now);
			sink += (unsigned long)now.tv_nsec;
		}
}

void down(unsigned long n)
{
	volatile char room[200];

	room[n % sizeof(room)] = 1;
	if (n > 0)
		down(n - 1);
	else
		burn(SECONDS);
	sink += (unsigned long)room[n % sizeof(room)];
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "path"))
		outer(SECONDS);
	if (!strcmp(mode, "sort")) {
		int numbers[] = { 3, 7, 1, 9, 4, 8, 2, 6 };

		qsort(numbers, sizeof(numbers) / sizeof(numbers[0]), sizeof(numbers[0]), compare);
	}
	if (!strcmp(mode, "signal")) {
		struct itimerval soon = { .it_value.tv_usec = 20000 };

		signal(SIGVTALRM, handler);
		setitimer(ITIMER_VIRTUAL, &soon, NULL);
		spin();
	}
	if (!strcmp(mode, "thread")) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, in_thread, NULL) == 0)
			pthread_join(thread, NULL);
	}
	if (!strcmp(mode, "clock"))
		ask(SECONDS);
	if (!strcmp(mode, "deep"))
		down(argc > 2 ? strtoul(argv[2], NULL, 10) : 0);
	return 0;
}
