/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * agent.c - what the library does inside programs that were not written for it: a shared library, preloaded. Its one
 * service by now is counts: virtual events of every process of a program that papi_run runs.
 *
 * Counting begins in the constructor, which runs when the program's libraries have been set up, right before main. The
 * engine keeps the counters of all threads in the table (agent/table.h), so nothing has to be done at the end. The
 * child of a fork counts for itself, and programs that are executed find an agent of their own (exec.c).
 * The child of a vfork runs natively on its parent's memory: nothing it does may end the parent's counting.
 *
 * The agent's own code is not counted. It prints nothing: what goes wrong is in the table.
 */
#include "agent/process.h"
#include "agent/table.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "papi.h"

/* What PAPI_AGENT_TABLE says. */
struct told {
	int descriptor, collector, its_descriptor;
	unsigned long long key;
	unsigned entry, serial;
};

/* Every process does this first: sscanf() would touch more of libc than all the rest. */
static bool read_told(struct told *told)
{
	const char *text = getenv(PAPI_AGENT_TABLE);
	unsigned long long numbers[6];

	if (!text)
		return false;
	for (unsigned i = 0; i < 6; i++) {
		char *end;

		numbers[i] = strtoull(text, &end, 10);
		if (end == text || *end != (i < 5 ? ',' : '\0'))
			return false;
		text = end + 1;
	}
	*told = (struct told){ (int)numbers[0], (int)numbers[1], (int)numbers[2], numbers[3], (unsigned)numbers[4],
		(unsigned)numbers[5] };
	return true;
}

/* ---- the table ---- */

static bool is_table(int descriptor, unsigned long long key)
{
	struct papi_agent_table *head;
	struct stat status;
	bool is;

	if (fstat(descriptor, &status) != 0 || status.st_size != sizeof(*head))
		return false;
	head = mmap(NULL, 4096, PROT_READ, MAP_SHARED, descriptor, 0);
	if (head == MAP_FAILED)
		return false;
	is = head->magic == PAPI_AGENT_MAGIC && head->key == key;
	munmap(head, 4096);
	return is;
}

/* Somebody has closed the inherited descriptor: the collector still has its own. */
static int open_again(const struct told *told)
{
	char path[64];
	int opened, moved;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", told->collector, told->its_descriptor);
	opened = open(path, O_RDWR | O_CLOEXEC);
	if (opened < 0)
		return -1;
	moved = fcntl(opened, F_DUPFD, PAPI_AGENT_DESCRIPTOR);
	if (moved < 0)
		return fcntl(opened, F_SETFD, 0) == 0 ? opened : -1;
	close(opened);
	return moved;
}

static bool map_table(struct told *told)
{
	void *memory;

	if (!is_table(told->descriptor, told->key)) {
		told->descriptor = open_again(told);
		if (told->descriptor < 0 || !is_table(told->descriptor, told->key))
			return false;
	}
	memory = mmap(NULL, sizeof(*papi_agent_table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
		told->descriptor, 0);
	if (memory == MAP_FAILED)
		return false;
	papi_agent_table = memory;
	return true;
}

/* ---- this process's entry ---- */

/* The one that whoever executed this program has made for it. */
static struct papi_agent_process *claim(const struct told *told)
{
	struct papi_agent_process *entry = &papi_agent_table->entries[told->entry % PAPI_AGENT_PROCESSES];
	uint32_t expected = PAPI_AGENT_EXPECTED, executing = PAPI_AGENT_EXECUTING;

	if (atomic_load(&entry->serial) != told->serial)
		return NULL;
	if (!atomic_compare_exchange_strong(&entry->state, &expected, PAPI_AGENT_TAKEN)) {
		if (!atomic_compare_exchange_strong(&entry->state, &executing, PAPI_AGENT_TAKEN))
			return NULL;
		papi_agent_entry_fold(entry);
	}
	papi_agent_text_copy(entry->name, sizeof(entry->name), entry->next_name);
	atomic_store(&entry->pid, getpid());
	atomic_store(&entry->state, PAPI_AGENT_COUNTED);
	return entry;
}

/* True when there is an entry for it. */
bool papi_agent_process_begin(struct papi_agent_process *entry)
{
	papi_agent_own.pid = getpid();
	papi_agent_own.entry = entry;
	atomic_store(&papi_agent_own.pages, 0);
	return entry;
}

/* ---- counting ---- */

static const struct papi_agent agent = { .take = papi_agent_page_take,
	.begin = papi_agent_page_begin,
	.add = papi_agent_counters_add,
	.take_back = papi_agent_counter_take_back,
	.fork = papi_agent_process_fork,
	.leave = papi_agent_process_leave,
	.lose = papi_agent_process_lose };

/* Where this library's code is. */
struct text {
	uint64_t start, end;
};

static int find_text(struct dl_phdr_info *object, size_t size, void *data)
{
	uint64_t here = (uint64_t)(uintptr_t)find_text;

	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		uint64_t start = object->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || here - start >= segment->p_memsz)
			continue;
		*(struct text *)data = (struct text){ start, start + segment->p_memsz };
		return 1;
	}
	return 0;
}

static struct text own_text(void)
{
	struct text text = { 0, 0 };

	dl_iterate_phdr(find_text, &text);
	return text;
}

static void start(void)
{
	int status = papi_agent_start(&papi_agent_table->plan);

	if (status != PAPI_OK)
		papi_agent_process_lose(PAPI_error_detail());
}

/* The tool has no way into the child: it runs natively, and that is told where its parent is. */
static void forget_visit(void)
{
	papi_agent_process_lose("a process that it made meanwhile is not counted");
	papi_agent_own.entry = NULL;
	papi_agent_forked();
	papi_agent_end();
	munmap(papi_agent_table, sizeof(*papi_agent_table));
	papi_agent_table = NULL;
	papi_agent_visits = false;
}

/* pthread_atfork's: it runs for fork(), and for what libc makes of it. */
static void in_child(void)
{
	const char *name = papi_agent_own.entry ? papi_agent_own.entry->name : "";

	if (!papi_agent_own.entry)
		return;
	atomic_fetch_add(&papi_agent_table->children, 1);
	if (papi_agent_visits) {
		forget_visit();
		return;
	}
	if (!papi_agent_process_begin(papi_agent_entry_take(PAPI_AGENT_COUNTED, getpid(), name)))
		return;
	papi_agent_forked();
	start();
}

static __attribute__((constructor)) void load(void)
{
	struct papi_agent_process *entry;
	struct told told;
	struct text text;

	if (!read_told(&told) || !map_table(&told))
		return;
	atomic_fetch_add(&papi_agent_table->arrived, 1);
	papi_agent_exec_begin(told.descriptor, told.collector, told.its_descriptor);
	entry = claim(&told);
	if (!entry)
		entry = papi_agent_entry_take(PAPI_AGENT_COUNTED, getpid(), program_invocation_short_name);
	if (!papi_agent_process_begin(entry))
		return;
	text = own_text();
	if (papi_agent_lend(&agent, text.start, text.end) != PAPI_OK) {
		papi_agent_process_lose(PAPI_error_detail());
		return;
	}
	pthread_atfork(NULL, NULL, in_child);
	start();
}

/* ---- in a process that runs already ---- */

int papi_agent_process_lend(const struct papi_agent_plan *plan)
{
	static bool hears_of_forks;
	const struct text text = own_text();

	if (!hears_of_forks)
		pthread_atfork(NULL, NULL, in_child);
	hears_of_forks = true;
	return papi_agent_begin(&agent, plan, text.start, text.end);
}
