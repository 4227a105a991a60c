/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An agent in a process that runs already: it is brought there (src/process/), and then each of the process's threads
 * is moved over to where it is counted, and back in the end.
 *
 *	open ... begin ... look, now and then ... end ... close
 *
 * A thread is stopped for the moment that a question to the agent takes; of those that threads make while they are
 * counted, the engine knows. A thread that cannot be moved, as it waits in the kernel for good, is tried again now and
 * then. A process that executes another program is counted until then.
 *
 * One visit at a time, and one thread; no signal handlers. Reasons are valid until the next call.
 */
#ifndef PAPI_TOOLS_VISIT_H
#define PAPI_TOOLS_VISIT_H

#include <stdbool.h>
#include <sys/types.h>

/* False: it cannot be entered, and why; then there is nothing to close. say() tells the user, in a line, of a wait that
 * takes long; NULL: nobody does. */
bool papi_visit_open(
	pid_t pid, void (*say)(const char *format, ...) __attribute__((format(printf, 1, 2))), const char **reason);
/* Counts into the table of that descriptor (agent/table.h) from now on. agent: its path. False, and why not. */
bool papi_visit_begin(int table, const char *agent, const char **reason);
/* Threads that could not be counted before. */
void papi_visit_look(void);
/* The number here of a thread that has that number in the process, which may be in a container. 0: it has ended. */
pid_t papi_visit_thread(pid_t there);
/* The process is as it was; that takes until all threads have had a processor. From when it was counted and what is
 * missing, with a sentence more, which may be NULL; to be freed; NULL: there is no memory. */
char *papi_visit_end(const char *more);
void papi_visit_close(void);

#endif
