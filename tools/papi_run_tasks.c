/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_tasks.c - counts of each thread or process of the program (--per-thread, --per-process).
 *
 * The agent keeps the virtual events of threads apart, and of some of its own the kernel tells (papi_run_apart.c). The
 * names of threads are those that the kernel has while they run: where it does not tell of them, one that was too short
 * to be seen has the name of its program. What no thread has is told, too, so that the parts add up to the total.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/collector.h"
#include "papi_run.h"

#define LOOK_NS (100 * 1000000LL)
#define SLOTS   32768 /* for names of threads, by their numbers */

static struct {
	struct {
		pid_t tid;
		char name[16];
	} * names;
	long long next;
} looks;

bool papi_run_tasks_apart(const struct run_event *event)
{
	return (event->is_virtual || event->is_apart) && !event->is_rate && !event->error;
}

static size_t apart_number(const struct run_list *list)
{
	size_t number = 0;

	for (size_t i = 0; i < list->number; i++)
		number += papi_run_tasks_apart(&list->events[i]);
	return number;
}

void papi_run_tasks_prepare(struct run_list *list, struct run_tasks *tasks, bool watched)
{
	const char *kernel = "of those that the kernel counts only such without a counter of the CPU are, like "
			     "perf::PAGE-FAULTS";
	const char *reason = NULL;
	bool forbidden = false;

	if (tasks->kind == RUN_TASKS_NONE)
		return;
	if (watched)
		kernel = "of a process that runs already, what the kernel counts is one sum";
	else if ((reason = papi_run_apart_choose(list, &forbidden)))
		kernel = reason;
	for (size_t i = list->number; i > 0; i--)
		if (list->events[i - 1].error)
			kernel = list->events[i - 1].error;
	if (!apart_number(list) && !papi_run_apart_any())
		papi_tool_usage_error(&papi_run_tool,
			"%s keeps virtual events apart, and none is counted: name some with "
			"-e vpmu:::INSTRUCTIONS,..., or have presets counted by translation with PAPI_VPMU=always; %s",
			tasks->kind == RUN_TASKS_THREADS ? "--per-thread" : "--per-process", kernel);
	/* Where none may be counted, the report says so of each. */
	if (reason && !forbidden)
		tasks->note = papi_run_format("%s", reason);
	if (tasks->kind == RUN_TASKS_THREADS) {
		looks.names = papi_run_allocate(NULL, SLOTS, sizeof(*looks.names));
		memset(looks.names, 0, SLOTS * sizeof(*looks.names));
	}
}

/* ---- Names, while threads run ---- */

long long papi_run_tasks_wait(void)
{
	return looks.names ? papi_run_until(looks.next) : -1;
}

void papi_run_tasks_look(void)
{
	static int32_t tids[PAPI_AGENT_PAGES];
	size_t number;

	if (!looks.names || papi_run_now() < looks.next)
		return;
	number = papi_run_virtual_running(tids);
	for (size_t i = 0; i < number; i++) {
		char path[32], name[sizeof(looks.names->name)];
		ssize_t length;
		int file;

		snprintf(path, sizeof(path), "/proc/%d/comm", (int)papi_run_attach_thread(tids[i]));
		file = open(path, O_RDONLY | O_CLOEXEC);
		length = file < 0 ? 0 : read(file, name, sizeof(name));
		if (length > 1) {
			looks.names[tids[i] % SLOTS].tid = tids[i];
			name[length - 1] = '\0';
			memcpy(looks.names[tids[i] % SLOTS].name, name, sizeof(name));
		}
		if (file >= 0)
			close(file);
	}
	looks.next = papi_run_now() + LOOK_NS;
}

static const char *name_of(const struct papi_agent_record *record)
{
	if (looks.names && record->tid > 0 && looks.names[record->tid % SLOTS].tid == record->tid)
		return looks.names[record->tid % SLOTS].name;
	return record->name;
}

/* ---- Their counts ---- */

/* All zero. Valid until the next one. */
static struct run_task *add_task(struct run_tasks *tasks, const struct run_list *list)
{
	struct run_task *task;

	tasks->tasks = papi_run_allocate(tasks->tasks, tasks->number + 1, sizeof(*tasks->tasks));
	task = &tasks->tasks[tasks->number++];
	*task = (struct run_task){ .counts = papi_run_allocate(NULL, list->number + 1, sizeof(*task->counts)) };
	memset(task->counts, 0, (list->number + 1) * sizeof(*task->counts));
	return task;
}

void papi_run_tasks_add(struct run_tasks *tasks, const struct run_list *list, const struct papi_agent_record *record,
	const long long *values)
{
	struct run_task *task = add_task(tasks, list);
	size_t position = 0;

	task->process = (uint64_t)record->process << 32 | (uint32_t)record->pid;
	task->pid = record->pid;
	task->tid = tasks->kind == RUN_TASKS_THREADS ? record->tid : 0;
	task->order = tasks->number;
	snprintf(task->name, sizeof(task->name), "%s",
		tasks->kind == RUN_TASKS_THREADS ? name_of(record) : record->name);
	for (size_t i = 0; i < list->number; i++)
		if (list->events[i].is_virtual && !list->events[i].error)
			task->counts[i] = values[position++];
}

static int by_pid(const void *one, const void *other)
{
	const struct run_task *a = one, *b = other;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* The last task of that process among those that the agent has counted, which are in the order of by_pid(). */
static const struct run_task *inside_of(const struct run_tasks *tasks, pid_t pid)
{
	size_t first = 0, end = tasks->inside;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (tasks->tasks[middle].pid <= pid)
			first = middle + 1;
		else
			end = middle;
	}
	return first && tasks->tasks[first - 1].pid == pid ? &tasks->tasks[first - 1] : NULL;
}

void papi_run_tasks_add_kernel(struct run_tasks *tasks, const struct run_list *list, pid_t pid, pid_t tid,
	const char *name, const long long *counts)
{
	const struct run_task *inside;
	struct run_task *task;

	if (!tasks->n_kernel++) {
		tasks->inside = tasks->number;
		if (tasks->number)
			qsort(tasks->tasks, tasks->number, sizeof(*tasks->tasks), by_pid);
	}
	task = add_task(tasks, list);
	inside = inside_of(tasks, pid);
	task->process = inside ? inside->process : (uint64_t)pid;
	task->pid = pid;
	task->tid = tid;
	task->order = SIZE_MAX / 2 + tasks->number;
	/* The agent knows the names of programs, the kernel those of threads, and of the former 15 bytes. */
	if (!inside || tasks->kind == RUN_TASKS_THREADS)
		snprintf(task->name, sizeof(task->name), "%s", name);
	memcpy(task->counts, counts, list->number * sizeof(*task->counts));
}

static int by_identity(const void *one, const void *other)
{
	const struct run_task *a = one, *b = other;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Which event decides. */
static size_t deciding;

static int by_count(const void *one, const void *other)
{
	const struct run_task *a = one, *b = other;

	if (a->counts[deciding] != b->counts[deciding])
		return a->counts[deciding] > b->counts[deciding] ? -1 : 1;
	return by_identity(one, other);
}

/* A task that has executed another program has its name then. */
static void merge(struct run_task *into, struct run_task *task, size_t number)
{
	for (size_t i = 0; i < number; i++)
		into->counts[i] += task->counts[i];
	if (*task->name)
		memcpy(into->name, task->name, sizeof(into->name));
	free(task->counts);
}

/* A value that is no whole number is rounded down: in the parts more often than in the sum. The largest gets that. */
static void give_rounding(struct run_tasks *tasks, const struct run_list *list)
{
	for (size_t i = 0; i < list->number; i++) {
		const struct run_event *event = &list->events[i];
		long long rest;

		if (!papi_run_tasks_apart(event) || strcmp(event->kind, "exact") == 0)
			continue;
		rest = event->counts[0];
		for (size_t k = 0; k < tasks->number; k++)
			rest -= tasks->tasks[k].counts[i];
		if (llabs(rest) <= (long long)tasks->number)
			tasks->tasks[0].counts[i] += rest;
	}
}

void papi_run_tasks_conclude(struct run_tasks *tasks, const struct run_list *list)
{
	size_t kept = 0;

	if (!tasks->number)
		return;
	qsort(tasks->tasks, tasks->number, sizeof(*tasks->tasks), by_identity);
	for (size_t i = 0; i < tasks->number; i++) {
		struct run_task *task = &tasks->tasks[i], *last = kept ? &tasks->tasks[kept - 1] : NULL;

		if (last && last->process == task->process && last->tid == task->tid)
			merge(last, task, list->number);
		else
			tasks->tasks[kept++] = *task;
	}
	tasks->number = kept;
	for (deciding = 0; deciding + 1 < list->number && !papi_run_tasks_apart(&list->events[deciding]);)
		deciding++;
	qsort(tasks->tasks, kept, sizeof(*tasks->tasks), by_count);
	give_rounding(tasks, list);
}

void papi_run_tasks_free(struct run_tasks *tasks)
{
	for (size_t i = 0; i < tasks->number; i++)
		free(tasks->tasks[i].counts);
	free(tasks->tasks);
	free(tasks->note);
	free(looks.names);
	looks.names = NULL;
}
