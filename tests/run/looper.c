/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * looper PLAN NUMBER - a loop of two instructions, NUMBER times for each letter of PLAN:
 *
 *	s  here	  t  in a thread   f  in a child that ends with exit()	 q  in one that ends with _exit()
 *	v  in a program that a child made by vfork executes	x  in a program that takes the place of this one
 *	k  in a child that kills itself
 *
 * Ends with status 7.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "turns.h"

static void loop(unsigned long number)
{
	turns_run(number);
}

static void *in_thread(void *number)
{
	loop(*(unsigned long *)number);
	return NULL;
}

static void in_child(unsigned long number, char how)
{
	pid_t pid = fork();

	if (pid > 0) {
		waitpid(pid, NULL, 0);
		return;
	}
	if (pid < 0)
		exit(EXIT_FAILURE);
	loop(number);
	if (how == 'k')
		kill(getpid(), SIGKILL);
	if (how == 'q')
		_exit(0);
	exit(0);
}

static void execute(const char *self, const char *number)
{
	execl(self, self, "s", number, (char *)NULL);
	_exit(EXIT_FAILURE);
}

static void in_program(const char *self, const char *number)
{
	pid_t pid = vfork();

	if (pid == 0)
		execute(self, number);
	if (pid < 0)
		exit(EXIT_FAILURE);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	unsigned long number = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	pthread_t thread;

	if (number == 0)
		return EXIT_FAILURE;
	for (const char *plan = argv[1]; *plan; plan++) {
		switch (*plan) {
		case 's':
			loop(number);
			break;
		case 't':
			if (pthread_create(&thread, NULL, in_thread, &number))
				return EXIT_FAILURE;
			pthread_join(thread, NULL);
			break;
		case 'x':
			execute(argv[0], argv[2]);
			break;
		case 'v':
			in_program(argv[0], argv[2]);
			break;
		default:
			in_child(number, *plan);
		}
	}
	return 7;
}
