/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/view.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* A process that is killed in the middle of a move leaves the two numbers different for good. */
#define TRIES 100

/* Of all lanes of a page; of a modelled counter the first lane is all. */
static void add_page(uint64_t counters[PAPI_AGENT_COUNTERS], const struct papi_agent_table *table, size_t page)
{
	for (size_t lane = 0; lane < PAPI_AGENT_LANES; lane++)
		for (size_t i = 0; i < (lane ? PAPI_AGENT_EXACT : PAPI_AGENT_COUNTERS); i++)
			counters[i] += __atomic_load_n(&table->pages[page][lane][i], __ATOMIC_RELAXED);
}

static bool make_room(struct papi_agent_view *view)
{
	size_t room = view->room ? 2 * view->room : 16;
	void *wider;

	if (view->number < view->room)
		return true;
	wider = reallocarray(view->threads, room, sizeof(*view->threads));
	if (!wider)
		return false;
	view->threads = wider;
	view->room = room;
	return true;
}

static bool add_thread(struct papi_agent_view *view, const struct papi_agent_table *table, size_t page, uint32_t owner)
{
	const struct papi_agent_process *process = &table->entries[(owner - 1) % PAPI_AGENT_PROCESSES];
	struct papi_agent_view_thread *thread;

	if (!make_room(view))
		return false;
	thread = &view->threads[view->number];
	*thread = (struct papi_agent_view_thread){ .page = (uint32_t)page,
		.entry = (owner - 1) % PAPI_AGENT_PROCESSES,
		.serial = atomic_load(&process->serial),
		.pid = atomic_load(&process->pid),
		.tid = atomic_load(&table->threads[page]) };
	add_page(thread->counters, table, page);
	for (size_t i = 0; i < PAPI_AGENT_COUNTERS; i++)
		view->whole[i] += thread->counters[i];
	view->number += thread->tid > 0;
	return true;
}

static bool look(struct papi_agent_view *view, const struct papi_agent_table *table)
{
	view->number = 0;
	memset(view->whole, 0, sizeof(view->whole));
	for (size_t lane = 0; lane < PAPI_AGENT_LANES; lane++)
		for (size_t i = 0; i < (lane ? PAPI_AGENT_EXACT : PAPI_AGENT_COUNTERS); i++)
			view->whole[i] += atomic_load(&table->sums[lane][i]);
	for (size_t page = 0; page < PAPI_AGENT_PAGES; page++) {
		uint32_t owner = atomic_load(&table->owners[page]);

		if (owner && !add_thread(view, table, page, owner))
			return false;
	}
	return true;
}

bool papi_agent_view_take(struct papi_agent_view *view, const struct papi_agent_table *table)
{
	uint64_t before[PAPI_AGENT_COUNTERS];
	uint32_t unfinished = 0;

	memcpy(before, view->whole, sizeof(before));
	for (unsigned i = 0; i < TRIES; i++) {
		uint32_t ended = atomic_load(&table->folds_ended), begun = atomic_load(&table->folds_begun);

		/* The same moves are unfinished as long as all that: whoever made them is gone. */
		if (begun == ended || begun - ended == unfinished) {
			if (!look(view, table))
				break;
			if (atomic_load(&table->folds_begun) == begun && atomic_load(&table->folds_ended) == ended)
				return true;
		}
		unfinished = i == TRIES / 2 ? begun - ended : unfinished;
		sched_yield();
	}
	memcpy(view->whole, before, sizeof(before));
	view->number = 0;
	return false;
}

const struct papi_agent_record *papi_agent_view_record(
	const struct papi_agent_table *table, uint32_t from, int32_t pid, int32_t tid)
{
	uint32_t until = atomic_load(&table->recorded);

	for (uint32_t i = from; i < until && i < PAPI_AGENT_RECORDS; i++) {
		const struct papi_agent_record *record = &table->records[i];

		if (atomic_load(&record->written) && record->pid == pid && record->tid == tid)
			return record;
	}
	return NULL;
}

void papi_agent_view_free(struct papi_agent_view *view)
{
	free(view->threads);
	*view = (struct papi_agent_view){ .number = 0 };
}
