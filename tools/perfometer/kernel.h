/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that the kernel counts, from outside: the program's threads make no system call for them. Each event has an
 * EventSet for each thread that was there when it was asked for, and what those threads start is counted with them.
 */
#ifndef PAPI_PERFOMETER_KERNEL_H
#define PAPI_PERFOMETER_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct papi_kernel_set {
	int set;
	pid_t thread;
};

struct papi_kernel_counter {
	struct papi_kernel_set *sets; /* NULL: it does not count */
	size_t number;
	long long before; /* what it had counted when it last stopped */
	bool user_only;   /* the kernel's part of the program is not counted: that was refused */
};

/* The program that is counted. at_gate: it has one thread, which does nothing yet. */
struct papi_kernel_program {
	pid_t pid;
	bool at_gate;
};

/* Counts from now on, in all threads of the program and of the processes that it has started. False, and why not. */
bool papi_kernel_counter_start(struct papi_kernel_counter *counter, const char *name,
	const struct papi_kernel_program *program, char *reason, size_t size);
/* All that it has counted. False: it cannot be read. */
bool papi_kernel_counter_read(const struct papi_kernel_counter *counter, long long *value);
/* What it has counted is kept. */
void papi_kernel_counter_stop(struct papi_kernel_counter *counter);

#endif
