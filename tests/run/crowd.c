/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * crowd NUMBER - so many threads, each of which works a little a hundred times a second. Says "ready" when all are
 * there, and ends with its standard input.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_barrier_t all_are_there;

static void *work(void *nothing)
{
	const struct timespec pause = { 0, 10000000 };
	volatile unsigned long sum = 0;

	pthread_barrier_wait(&all_are_there);
	for (;;) {
		for (int i = 0; i < 1000; i++)
			sum++;
		nanosleep(&pause, NULL);
	}
	return nothing;
}

int main(int argc, char **argv)
{
	unsigned long number = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	char end;

	if (number == 0 || number > 10000 || pthread_barrier_init(&all_are_there, NULL, (unsigned)number + 1) != 0)
		return EXIT_FAILURE;
	for (unsigned long i = 0; i < number; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, NULL) != 0)
			return EXIT_FAILURE;
	}
	pthread_barrier_wait(&all_are_there);
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &end, 1) > 0)
		continue;
	return EXIT_SUCCESS;
}
