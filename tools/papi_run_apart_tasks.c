/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_apart_tasks.c - whose the kernel's records are: of which threads they tell, and who gets what is in none.
 *
 * Threads are told by their numbers. One number may be given to several threads, one after the other: these share a
 * line. So a thread without a record is found by sums: lives, as the kernel announced them, against records.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "papi_run_apart.h"

struct thread {
	pid_t pid, tid;           /* of processes, tid is 0 */
	long long lives, records; /* the latter of all rings */
	long long *counts;        /* of the list's events; NULL: none has come */
	char name[16];
};

/* A thread is made, or a name is given; in the order of time when all are here. */
struct announcement {
	uint64_t time;
	pid_t pid, tid, maker_pid, maker_tid; /* maker_tid 0: a name */
	char name[16];
};

static struct {
	struct thread *threads;
	size_t number;
	size_t *places; /* by the hash of their numbers: 1 + which thread */
	size_t n_places;
	struct announcement *announcements;
	size_t n_announcements, room;
	size_t events;            /* of the list */
	long long each;           /* so many records has a thread */
	bool threads_apart, lost; /* the former: not only processes */
} known;

struct fork_record {
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct comm_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	char name[];
};

struct read_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t count, running;
};

/* ---- Threads ---- */

static size_t place_of(pid_t pid, pid_t tid)
{
	size_t place = ((size_t)pid * 2654435761u ^ (size_t)tid * 40503u) & (known.n_places - 1);

	while (known.places[place]) {
		const struct thread *thread = &known.threads[known.places[place] - 1];

		if (thread->pid == pid && thread->tid == tid)
			break;
		place = (place + 1) & (known.n_places - 1);
	}
	return place;
}

static void make_room(void)
{
	if (2 * known.number < known.n_places)
		return;
	known.n_places = known.n_places ? 2 * known.n_places : 256;
	free(known.places);
	known.places = papi_run_allocate(NULL, known.n_places, sizeof(*known.places));
	memset(known.places, 0, known.n_places * sizeof(*known.places));
	for (size_t i = 0; i < known.number; i++)
		known.places[place_of(known.threads[i].pid, known.threads[i].tid)] = i + 1;
	known.threads = papi_run_allocate(known.threads, known.n_places, sizeof(*known.threads));
}

/* Valid until the next one. */
static struct thread *thread_of(pid_t pid, pid_t tid)
{
	size_t place;

	tid = known.threads_apart ? tid : 0;
	make_room();
	place = place_of(pid, tid);
	if (!known.places[place]) {
		known.threads[known.number] = (struct thread){ .pid = pid, .tid = tid };
		known.places[place] = ++known.number;
	}
	return &known.threads[known.places[place] - 1];
}

static void make_counts(struct thread *thread)
{
	if (thread->counts)
		return;
	thread->counts = papi_run_allocate(NULL, known.events, sizeof(*thread->counts));
	memset(thread->counts, 0, known.events * sizeof(*thread->counts));
}

void papi_run_apart_begin(const struct run_list *list, const struct run_tasks *tasks, pid_t pid, size_t records)
{
	known.events = list->number;
	known.each = (long long)records;
	known.threads_apart = tasks->kind == RUN_TASKS_THREADS;
	thread_of(pid, pid)->lives++;
}

/* ---- Records ---- */

void papi_run_apart_lost(void)
{
	known.lost = true;
}

void papi_run_apart_record(size_t member, const void *record)
{
	const struct read_record *read = record;
	struct thread *thread;

	if (read->header.type != PERF_RECORD_READ || read->header.size != sizeof(*read)) {
		papi_run_apart_lost();
		return;
	}
	thread = thread_of((pid_t)read->pid, (pid_t)read->tid);
	make_counts(thread);
	thread->records++;
	thread->counts[member] += (long long)read->count;
}

static struct announcement *announce(uint64_t time, uint32_t pid, uint32_t tid)
{
	struct announcement *made;

	if (known.n_announcements == known.room) {
		known.room = 2 * known.room + 64;
		known.announcements = papi_run_allocate(known.announcements, known.room, sizeof(*made));
	}
	made = &known.announcements[known.n_announcements++];
	*made = (struct announcement){ .time = time, .pid = (pid_t)pid, .tid = (pid_t)tid };
	return made;
}

void papi_run_apart_announce(const void *record)
{
	const struct fork_record *made = record;
	const struct comm_record *named = record;
	struct announcement *announcement;
	uint64_t time;

	if (made->header.type == PERF_RECORD_FORK) {
		announcement = announce(made->time, made->pid, made->tid);
		announcement->maker_pid = (pid_t)made->ppid;
		announcement->maker_tid = (pid_t)made->ptid;
	} else if (named->header.type == PERF_RECORD_COMM) {
		memcpy(&time, (const char *)record + named->header.size - sizeof(time), sizeof(time));
		announcement = announce(time, named->pid, named->tid);
		snprintf(announcement->name, sizeof(announcement->name), "%s", named->name);
	} else if (made->header.type != PERF_RECORD_EXIT) {
		papi_run_apart_lost();
	}
}

/* ---- Conclusions ---- */

static int by_time(const void *one, const void *other)
{
	const struct announcement *a = one, *b = other;

	return a->time < b->time ? -1 : a->time > b->time;
}

/* A new thread has the name of its maker; a process, that of its first thread. */
static void hear(const struct announcement *heard)
{
	char name[sizeof(heard->name)];
	struct thread *thread;
	bool first = heard->pid == heard->tid;

	memcpy(name, heard->name, sizeof(name));
	if (heard->maker_tid)
		memcpy(name, thread_of(heard->maker_pid, heard->maker_tid)->name, sizeof(name));
	thread = thread_of(heard->pid, heard->tid);
	thread->lives += heard->maker_tid != 0;
	if (known.threads_apart || first)
		memcpy(thread->name, name, sizeof(name));
}

/* The only one that has no record for one of its lives; NULL: there are more, or none. */
static struct thread *without_record(void)
{
	struct thread *found = NULL;

	for (size_t i = 0; i < known.number; i++) {
		struct thread *thread = &known.threads[i];
		long long missing = thread->lives * known.each - thread->records;

		if (missing == 0)
			continue;
		if (found || missing != known.each)
			return NULL;
		found = thread;
	}
	return known.lost ? NULL : found;
}

static void give_rest(struct thread *thread, const struct run_list *list, size_t run)
{
	make_counts(thread);
	for (size_t i = 0; i < list->number; i++) {
		long long rest;

		if (!list->events[i].is_apart)
			continue;
		rest = list->events[i].counts[run];
		for (size_t k = 0; k < known.number; k++)
			rest -= known.threads[k].counts ? known.threads[k].counts[i] : 0;
		if (rest > 0)
			thread->counts[i] += rest;
	}
}

void papi_run_apart_conclude(const struct run_list *list, struct run_tasks *tasks, size_t run)
{
	struct thread *rest;

	if (known.n_announcements)
		qsort(known.announcements, known.n_announcements, sizeof(*known.announcements), by_time);
	for (size_t i = 0; i < known.n_announcements; i++)
		hear(&known.announcements[i]);
	if (known.lost && !tasks->note)
		tasks->note = papi_run_format("threads ended faster than papi_run could read what the kernel tells of "
					      "them: some of their counts are not told apart");
	rest = without_record();
	if (rest)
		give_rest(rest, list, run);
	for (size_t i = 0; i < known.number; i++) {
		const struct thread *thread = &known.threads[i];

		if (thread->counts)
			papi_run_tasks_add_kernel(tasks, list, thread->pid, thread->tid, thread->name, thread->counts);
		free(thread->counts);
	}
	free(known.threads);
	free(known.places);
	free(known.announcements);
	memset(&known, 0, sizeof(known));
}
