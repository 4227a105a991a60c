/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that run already, as /proc tells of them. Lists are the caller's to free. Any thread; no signal handlers.
 */
#ifndef PAPI_TOOLS_PROCESS_H
#define PAPI_TOOLS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct papi_process_threads {
	pid_t *ids;
	size_t number;
};

/*
 * The letter of the state of a process or thread (R, S, Z, ...), and the process that it is a thread of. X when there
 * is none, a question mark when that cannot be found out.
 */
char papi_process_state(pid_t pid, pid_t *group);

/* What tells one thread from the next of its number. */
struct papi_process_life {
	unsigned flags;           /* the kernel's, as /proc/PID/stat has them */
	unsigned long long begun; /* 0: that cannot be found out */
};

struct papi_process_life papi_process_life(pid_t id);

/*
 * Has the thread ended that lived so before? Then the kernel refuses whatever is asked of it, although a thread on its
 * way out stays listed for a moment. A life of zeros: does no thread of the number live any more?
 */
bool papi_process_thread_ended(pid_t id, struct papi_process_life before);

/* A process ends with its last thread; its first one may be a zombie long before. */
bool papi_process_ended(pid_t pid);

/* Says why the number is not that of a process that can be watched. False: it is. */
bool papi_process_is_unfit(pid_t pid, char *reason, size_t size);

/* Does this errno of /proc say that the process or thread has gone? Too many open files, for one, say nothing. */
bool papi_process_is_gone(int error);

/* Lists the threads of a process, in the order of /proc. 0, or an errno, and then there is nothing to free. */
int papi_process_threads(struct papi_process_threads *threads, pid_t pid);

/* Whether a thread came: then what was done to those before has to be done again. */
bool papi_process_threads_came(const struct papi_process_threads *before, const struct papi_process_threads *now);

/*
 * The number here of the process's thread that has that number where it runs: another in a container. 0: it has ended.
 */
pid_t papi_process_thread_here(pid_t pid, pid_t there);

/*
 * The command line of a process, as far as it can be read; otherwise its number stands for it. One block with the words
 * behind the pointers, NULL-terminated; NULL: no memory.
 */
char **papi_process_command(pid_t pid);

/* A descriptor for every event of every thread is easily more than the soft limit; no program inherits the new one. */
void papi_process_raise_descriptor_limit(void);

#endif
