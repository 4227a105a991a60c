/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table.c - the agent's part of the table: entries of processes, and pages for counters of threads.
 *
 * The engine calls these between two instructions of the program, so nothing here calls libc or uses vector registers.
 * Other processes do the same at the same time, and any of them may be killed at any point: all changes are atomic, and
 * what a killed one leaves behind is at worst an entry or a page that nobody uses again.
 */
#include "agent/table.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "components/vpmu/raw.h"

struct papi_agent_table *papi_agent_table;
struct papi_agent_own papi_agent_own;

void papi_agent_text_copy(char *to, size_t size, const char *from)
{
	size_t used = 0;

	for (; from[used] && used + 1 < size; used++)
		to[used] = from[used];
	to[used] = '\0';
}

static uint32_t number_of(const struct papi_agent_process *entry)
{
	return (uint32_t)(entry - papi_agent_table->entries) + 1;
}

/* ---- pages ---- */

static void add(unsigned lane, unsigned counter, uint64_t *number)
{
	uint64_t counted = __atomic_load_n(number, __ATOMIC_RELAXED);

	if (counted)
		atomic_fetch_add_explicit(&papi_agent_table->sums[lane][counter], counted, memory_order_relaxed);
	__atomic_store_n(number, 0, __ATOMIC_RELAXED);
}

/* The sums alone have what finds no room. */
static void record(const struct papi_agent_process *entry, const uint64_t *counters, int tid)
{
	struct papi_agent_record *to;
	uint64_t any = 0;
	uint32_t index;

	for (unsigned i = 0; i < PAPI_AGENT_LANES * PAPI_AGENT_COUNTERS; i++)
		any |= counters[i];
	if (!any || !entry)
		return;
	index = atomic_fetch_add(&papi_agent_table->recorded, 1);
	if (index >= PAPI_AGENT_RECORDS)
		return;
	to = &papi_agent_table->records[index];
	to->pid = atomic_load(&entry->pid);
	to->tid = tid;
	to->process = atomic_load(&entry->number);
	papi_agent_text_copy(to->name, sizeof(to->name), entry->name);
	for (unsigned i = 0; i < PAPI_AGENT_COUNTERS; i++)
		for (unsigned lane = 0; lane < (i < PAPI_AGENT_EXACT ? PAPI_AGENT_LANES : 1); lane++)
			to->counters[i] += counters[lane * PAPI_AGENT_COUNTERS + i];
	atomic_store(&to->written, 1);
}

static void add_all(uint64_t *counters)
{
	atomic_fetch_add(&papi_agent_table->folds_begun, 1);
	for (unsigned lane = 0; lane < PAPI_AGENT_LANES; lane++)
		for (unsigned i = 0; i < PAPI_AGENT_COUNTERS; i++)
			add(i < PAPI_AGENT_EXACT ? 0 : lane, i, &counters[lane * PAPI_AGENT_COUNTERS + i]);
	atomic_fetch_add(&papi_agent_table->folds_ended, 1);
}

void papi_agent_counters_add(uint64_t *counters, int tid)
{
	if (papi_agent_table->by_thread)
		record(papi_agent_own.entry, counters, tid);
	add_all(counters);
}

void papi_agent_counter_take_back(unsigned counter, uint64_t number)
{
	atomic_fetch_sub_explicit(&papi_agent_table->sums[0][counter], number, memory_order_relaxed);
}

/* Also when it has ended. */
static int thread_of(unsigned page)
{
	int tid = atomic_load(&papi_agent_table->threads[page]);

	return tid < 0 ? -tid : tid;
}

void papi_agent_entry_fold(const struct papi_agent_process *entry)
{
	uint32_t owner = number_of(entry);

	for (unsigned i = 0; i < PAPI_AGENT_PAGES; i++) {
		if (atomic_load_explicit(&papi_agent_table->owners[i], memory_order_relaxed) != owner)
			continue;
		if (papi_agent_table->by_thread)
			record(entry, papi_agent_table->pages[i][0], thread_of(i));
		add_all(papi_agent_table->pages[i][0]);
		atomic_store_explicit(&papi_agent_table->owners[i], 0, memory_order_release);
	}
}

static bool is_gone(int32_t pid)
{
	return papi_vpmu_raw_inline(SYS_kill, pid, 0, 0, 0, 0, 0) == -ESRCH;
}

/* What has ended with several threads has kept its entry and their pages until now. */
static void reclaim(void)
{
	for (unsigned i = 0; i < atomic_load(&papi_agent_table->entered); i++) {
		struct papi_agent_process *entry = &papi_agent_table->entries[i];
		uint32_t state = PAPI_AGENT_ENDED;

		if (atomic_load_explicit(&entry->state, memory_order_relaxed) != PAPI_AGENT_ENDED ||
			atomic_load(&entry->losses) || !is_gone(atomic_load(&entry->pid)) ||
			!atomic_compare_exchange_strong(&entry->state, &state, PAPI_AGENT_TAKEN))
			continue;
		papi_agent_entry_fold(entry);
		atomic_store(&entry->state, PAPI_AGENT_FREE);
	}
}

static void *find_page(void)
{
	uint32_t first = atomic_fetch_add_explicit(&papi_agent_table->next_page, 1, memory_order_relaxed);

	for (uint32_t i = 0; i < PAPI_AGENT_PAGES; i++) {
		uint32_t at = (first + i) % PAPI_AGENT_PAGES, nobody = 0;

		if (atomic_load_explicit(&papi_agent_table->owners[at], memory_order_relaxed) == 0 &&
			atomic_compare_exchange_strong(
				&papi_agent_table->owners[at], &nobody, number_of(papi_agent_own.entry))) {
			atomic_store(&papi_agent_table->threads[at], 0);
			return papi_agent_table->pages[at];
		}
	}
	return NULL;
}

void *papi_agent_page_take(void)
{
	void *page;

	if (!papi_agent_own.entry)
		return NULL;
	page = find_page();
	if (!page) {
		reclaim();
		page = find_page();
	}
	if (page)
		atomic_fetch_add(&papi_agent_own.pages, 1);
	else
		papi_agent_process_lose("so many threads run at once that some of their counts are lost when it ends");
	return page;
}

void papi_agent_page_begin(void *page, int tid)
{
	size_t at = (size_t)((char *)page - (char *)papi_agent_table->pages) / PAPI_AGENT_PAGE;

	if (at < PAPI_AGENT_PAGES)
		atomic_store(&papi_agent_table->threads[at], tid);
}

/* ---- entries ---- */

static void note_entered(uint32_t end)
{
	uint32_t entered = atomic_load(&papi_agent_table->entered);

	while (entered < end && !atomic_compare_exchange_weak(&papi_agent_table->entered, &entered, end))
		;
}

static struct papi_agent_process *find_entry(void)
{
	uint32_t first = atomic_fetch_add_explicit(&papi_agent_table->next_entry, 1, memory_order_relaxed);

	for (uint32_t i = 0; i < PAPI_AGENT_PROCESSES; i++) {
		uint32_t index = (first + i) % PAPI_AGENT_PROCESSES, state = PAPI_AGENT_FREE;
		struct papi_agent_process *entry = &papi_agent_table->entries[index];

		if (atomic_load_explicit(&entry->state, memory_order_relaxed) != PAPI_AGENT_FREE)
			continue;
		note_entered(index + 1);
		if (atomic_compare_exchange_strong(&entry->state, &state, PAPI_AGENT_TAKEN))
			return entry;
	}
	return NULL;
}

struct papi_agent_process *papi_agent_entry_take(enum papi_agent_state state, int32_t pid, const char *name)
{
	struct papi_agent_process *entry = find_entry();
	uint32_t number;

	if (!entry) {
		reclaim();
		entry = find_entry();
	}
	number = atomic_fetch_add(&papi_agent_table->processes, 1);
	if (!entry) {
		atomic_fetch_add(&papi_agent_table->unlisted, 1);
		return NULL;
	}
	atomic_fetch_add(&entry->serial, 1);
	atomic_store(&entry->number, number);
	atomic_store(&entry->pid, pid);
	atomic_store(&entry->losses, 0);
	papi_agent_text_copy(entry->name, sizeof(entry->name), name);
	entry->next_name[0] = entry->next_reason[0] = '\0';
	atomic_store(&entry->state, state);
	return entry;
}

void papi_agent_entry_free(struct papi_agent_process *entry)
{
	atomic_store(&entry->state, PAPI_AGENT_FREE);
}

void papi_agent_entry_explain(struct papi_agent_process *entry, const char *reason)
{
	uint32_t none = 0;

	if (!atomic_compare_exchange_strong(&entry->losses, &none, 1))
		return;
	papi_agent_text_copy(entry->reason, sizeof(entry->reason), reason);
	atomic_store(&entry->losses, 2);
}

void papi_agent_process_lose(const char *reason)
{
	if (papi_agent_own.entry)
		papi_agent_entry_explain(papi_agent_own.entry, reason);
}

void papi_agent_process_fork(void)
{
	atomic_fetch_add(&papi_agent_table->forks, 1);
}

void papi_agent_process_leave(void)
{
	struct papi_agent_process *entry = papi_agent_own.entry;

	if (!entry)
		return;
	/* Other threads go on until the kernel ends them. */
	if (atomic_load(&papi_agent_own.pages) > 1 || atomic_load(&entry->losses)) {
		atomic_store(&entry->state, PAPI_AGENT_ENDED);
		return;
	}
	papi_agent_own.entry = NULL;
	atomic_store(&entry->state, PAPI_AGENT_TAKEN);
	papi_agent_entry_fold(entry);
	papi_agent_entry_free(entry);
}
