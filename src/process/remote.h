/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Another process that runs already: its threads stopped one at a time, its memory, and a library loaded into it.
 *
 *	remote.c    opening, with what is refused; memory
 *	moment.c    whether a stopped thread may be made to call pthread_create()
 *	load.c      the way in
 *	carry.c     libraries for a process that cannot see their files
 *	seize.c     a thread becomes one that is traced
 *	thread.c    a stopped thread, and calls made in it
 *	x86_64/, arm64/   what is each processor's (registers.h); on x86-64 also where signal handlers return to
 *
 * A thread is stopped by ptrace(2), without a signal that the program could see, and goes on as if nothing had been: an
 * interrupted system call is made again. While one is stopped nothing may wait for what it may hold. A reason is a
 * sentence without an end, for the user. One thread of this process alone may use a struct papi_remote, for so ptrace
 * wants it; no signal handlers.
 */
#ifndef PAPI_PROCESS_REMOTE_H
#define PAPI_PROCESS_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "components/vpmu/agent.h"

#define PAPI_REMOTE_REASON 512
#define PAPI_REMOTE_LATE   16
#define PAPI_REMOTE_PATH   4352

/* How the paths of libraries begin that were brought into a process (carry.h). */
#define PAPI_REMOTE_MARK    "papi:"
#define PAPI_REMOTE_BROUGHT "/memfd:" PAPI_REMOTE_MARK

struct papi_remote_moment;

/* A function of the process that its libc offers. */
enum papi_remote_function {
	PAPI_REMOTE_PTHREAD_CREATE,
	PAPI_REMOTE_DLOPEN,
	PAPI_REMOTE_DLSYM,
	PAPI_REMOTE_DLERROR,
	PAPI_REMOTE_ERRNO_LOCATION,
	PAPI_REMOTE_FUNCTIONS
};

/* A thread that has not stopped when it was asked to, or whose end is to be waited for. */
struct papi_remote_late {
	pid_t id;
	bool armed; /* it has a breakpoint */
};

struct papi_remote {
	pid_t pid;
	int memory;                        /* /proc/PID/mem */
	int process;                       /* a descriptor that names it */
	struct papi_remote_moment *moment; /* its modules and their unwind tables */
	uint64_t functions[PAPI_REMOTE_FUNCTIONS];
	uint64_t call; /* an instruction that makes a system call */
	bool executed; /* another program: what is known here is of the one before */
	bool has_main; /* the thread with the number of the process is stopped */
	struct papi_remote_late late[PAPI_REMOTE_LATE];
	unsigned n_late;
	/* Writes a line for the user, of what a wait is for that takes long; NULL: nobody listens. */
	void (*say)(const char *format, ...) __attribute__((format(printf, 1, 2)));
	char reason[PAPI_REMOTE_REASON]; /* why the last function has failed */
};

/* False: it cannot be entered, and remote->reason says why and what to do. Then there is nothing to close. */
bool papi_remote_open(struct papi_remote *remote, pid_t pid);
/* Waits for threads whose breakpoint would end the program. */
void papi_remote_close(struct papi_remote *remote);
/* Writes the reason. Returns false. */
bool papi_remote_fail(struct papi_remote *remote, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool papi_remote_read(const struct papi_remote *remote, uint64_t address, void *to, size_t size);
bool papi_remote_write(const struct papi_remote *remote, uint64_t address, const void *from, size_t size);

/* Where a file can be opened from here that a process has mapped by that path, as /proc/PID/maps has it. */
void papi_remote_path(pid_t pid, const char *path, char *here, size_t size);

/*
 * Loads a library, whose file need not be there, by a thread that the process gets for that, which then calls the
 * function of that name with the address of a copy of data. The first two words of the copy are the start and size of
 * memory that the function is to unmap when it ends. *address is where the copy is. The thread blocks all signals but
 * those for faults.
 */
bool papi_remote_load(struct papi_remote *remote, const char *library, const char *function, const void *data,
	size_t size, uint64_t *address);
/* What has become of it since: false when the library could not be loaded. To be asked until the function has run. */
bool papi_remote_loaded(struct papi_remote *remote, uint64_t address);

/* Of a clock that nobody sets. */
long long papi_remote_now_ms(void);

/* A wait that the user is told of once, when it takes longer than two seconds. It begins as { 0 }. */
struct papi_remote_wait {
	long long begun;
	bool told;
};
void papi_remote_tell(const struct papi_remote *remote, struct papi_remote_wait *wait, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- a stopped thread (thread.c) ---- */

struct papi_remote_thread;

/* NULL: it has ended, or does not stop in time; remote->reason tells. */
struct papi_remote_thread *papi_remote_stop(struct papi_remote *remote, pid_t thread);
/* Lets those go that have stopped too late: to be called now and then while there is anything else to do. */
void papi_remote_tend(struct papi_remote *remote);
/* Whether it has been asked to stop, and has not yet. */
bool papi_remote_is_late(struct papi_remote *remote, pid_t thread);
/* The address of its next instruction; of one in a system call, that behind it. */
uint64_t papi_remote_pc(const struct papi_remote_thread *thread);
/* Where its signal handlers return to, as far as that is known. How many. For probes, which are on x86-64. */
size_t papi_remote_interrupted(
	const struct papi_remote *remote, const struct papi_remote_thread *thread, uint64_t pcs[], size_t most);
/* It goes on as if nothing had been. False: it has ended. */
bool papi_remote_go(struct papi_remote_thread *thread);
/* What it would go on with, if that can be said at this moment; and it goes on with that instead. */
bool papi_remote_get(const struct papi_remote_thread *thread, struct papi_agent_moved *moved);
bool papi_remote_go_with(struct papi_remote_thread *thread, const struct papi_agent_moved *moved);

/* Of a thread: R, S, D, ... as in proc(5). '\0': there is none. */
char papi_remote_state(const struct papi_remote *remote, pid_t thread);
/* Whether a thread in that state has a processor or waits for one; t: it has stopped in this moment, for a tracer. */
static inline bool papi_remote_is_ready(char state)
{
	return state == 'R' || state == 't';
}
/* For how many ms it has had a processor, in steps of some. */
long long papi_remote_ran(const struct papi_remote *remote, pid_t thread);
/* Whether it is no more. A thread that others wait for, and that does nothing, is none. */
bool papi_remote_has_ended(const struct papi_remote *remote, pid_t thread);

/* ---- inside of process/ ---- */

uint64_t papi_remote_stack(const struct papi_remote_thread *thread);
/* False with errno: it cannot be traced. */
bool papi_remote_seize(pid_t thread);
/* Until no thread has a breakpoint. */
void papi_remote_disarm(struct papi_remote *remote);

/* In a restartable sequence: the kernel would lose track of it. */
bool papi_remote_is_in_sequence(const struct papi_remote_thread *thread);
/* Lets it run until it comes to the address, and stops it again either way. True: it is there. */
bool papi_remote_run_to(struct papi_remote_thread *thread, uint64_t address);
/* A system call, and a call of a function on a stack of ours, which returns to a trap at that address. */
bool papi_remote_system_call(
	struct papi_remote_thread *thread, long number, const uint64_t arguments[6], int64_t *result);
bool papi_remote_function_call(struct papi_remote_thread *thread, uint64_t function, uint64_t stack, uint64_t trap,
	const uint64_t arguments[4], uint64_t *result);

enum papi_remote_verdict {
	PAPI_REMOTE_SAFE,
	PAPI_REMOTE_UNSAFE, /* the reason says which function is in the way */
};

/* Reads modules and unwind tables, and finds the functions. */
bool papi_remote_moment_open(struct papi_remote *remote);
void papi_remote_moment_close(struct papi_remote_moment *moment);
/* Whether none of the stopped thread's frames may hold what pthread_create() needs. Else *leave_at is where the
 * outermost function that is in the way returns to, or 0. */
enum papi_remote_verdict papi_remote_moment_judge(struct papi_remote *remote, pid_t thread, uint64_t *leave_at);

/* The threads of the process, at most that many. */
size_t papi_remote_threads(const struct papi_remote *remote, pid_t threads[], size_t most);

#endif
