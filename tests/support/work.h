/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work whose counts are known beforehand, and what keeps other counts out of it.
 *
 * The first write to each page of a fresh mapping is one page fault, and there are no others as long as the code, the
 * stack and the data that a counted region uses have been used before. So regions run once for nothing, and what they
 * need is made ready outside. Functions here that are meant for counted regions (work_touch, work_store, work_load,
 * work_child_go) touch nothing but their arguments, and are not instrumented by sanitizers.
 *
 * Functions that prepare something require it: they end the test when the system refuses.
 */
#ifndef PAPI_TEST_WORK_H
#define PAPI_TEST_WORK_H

#include <papi.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#if defined(__clang__)
#define WORK_PLAIN __attribute__((noinline, no_sanitize("address", "thread", "undefined")))
#else
#define WORK_PLAIN __attribute__((noinline, no_sanitize_address, no_sanitize_thread, no_sanitize_undefined))
#endif

/* Initialises the library. Ends with 77 and the reason where perf events cannot be counted at all. */
void work_begin(void);
/* Whether the processor has breakpoints for us; the reason is in the detail. */
bool work_has_breakpoints(void);
/* Ends with 77 and the reason where it has none. */
void work_need_breakpoints(void);
/* PAPI_shutdown(), and the descriptors are those of work_begin() again. Returns status, or 1 if they are not. */
int work_end(int status);

/* ---- Pages --------------------------------------------------------------------------------------------- */

/* n pages in bytes. */
size_t work_bytes(size_t n);
/* Maps n pages that nobody has touched; huge pages are off. */
char *work_pages(size_t n);
void work_unmap(char *pages, size_t n);
/* One write to each of n pages, in order. */
void work_touch(char *pages, size_t n);

/* ---- Variables ----------------------------------------------------------------------------------------- */

/* A variable alone on its cache line, for breakpoints. */
struct work_cell {
	_Alignas(64) volatile unsigned long value;
};

void work_store(struct work_cell *cell, unsigned long times);
void work_load(struct work_cell *cell, unsigned long times);
/* "mem:0xADDRESS/8:w" of a cell, in name. */
#define WORK_NAME 64
void work_name(char name[WORK_NAME], const volatile void *address, const char *rest);

/*
 * N events of two kinds at once: each is exact, and counts the same. WORK_A is page faults; a sanitizer faults on
 * memory of its own, so there it is a watched variable, as WORK_B always is.
 */
enum work_kind { WORK_A, WORK_B };

void work_events(size_t n);
const char *work_event(enum work_kind kind);

/* True where the program's page faults are its own: no sanitizer. */
bool work_exact_faults(void);

/* ---- EventSets ----------------------------------------------------------------------------------------- */

/* A new EventSet with these events, at most three; NULL ends the list early. */
int work_set(const char *first, const char *second, const char *third);
/* Empties and destroys a stopped EventSet. */
void work_discard(int set);
/* Like PAPI_stop() for a set of one event: its count. */
long long work_stop(int set);
/* PAPI_stop() and PAPI_read(), expected to succeed; n values are -1 before, so that one the library leaves out
 * shows. */
void work_stop_values(int set, long long values[], size_t n);
void work_read_values(int set, long long values[], size_t n);

/* ---- Threads and processes ----------------------------------------------------------------------------- */

/* Runs function in a thread whose stack has been used before, and waits for it. */
void work_in_thread(void *(*function)(void *), void *argument);

/* A process, or thread of this process, that does its work each time it is told and then says so. */
struct work_child {
	pid_t id; /* process or thread */
	int to, from;
	unsigned long thread; /* pthread_t of a thread */
	void (*work)(void *argument);
	void *argument;
	int end_to, end_from; /* the other ends */
};

/* The child has done its work once when these return, so that the next time is like every other. */
void work_child_fork(struct work_child *child, void (*work)(void *argument), void *argument);
void work_child_thread(struct work_child *child, void (*work)(void *argument), void *argument);
void work_child_go(struct work_child *child);
void work_child_end(struct work_child *child);
/* Kills a forked child and waits until it is gone. */
void work_child_kill(struct work_child *child);

/* Runs test in a process of its own: 0, 1 when an expectation failed there, or what test gave to _exit(2). */
int work_in_process(void (*test)(void));

/* Waits for a child of fork(2) or clone(2); its exit status, -1 if a signal ended it. */
int work_wait(pid_t child);

/* ---- The machine --------------------------------------------------------------------------------------- */

/* At most most CPUs this process may run on; how many. */
int work_cpus(int cpus[], int most);
/* The calling thread runs on that CPU only. */
void work_pin(int cpu);
void work_unpin(void);
/* Nothing but the calling thread's equals preempt it. False where that is not permitted. */
bool work_realtime(bool on);
/* Times the calling thread has been switched out so far, by itself and by others. */
void work_switches(long long *voluntary, long long *involuntary);

/* Open descriptors of this process. */
int work_descriptors(void);

#endif
