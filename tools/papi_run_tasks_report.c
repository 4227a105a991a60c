/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_run_tasks_report.c - what each thread or process has counted: for people, as JSON and as CSV. */
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "papi_run.h"
#include "terminal.h"
#include "text.h"

#define MOST_ROWS   20 /* for people */
#define NAME_WIDTH  18
#define COUNT_WIDTH 14

/* Of the tasks from that one on. */
static long long sum_from(const struct run_tasks *tasks, size_t event, size_t from)
{
	long long sum = 0;

	for (size_t i = from; i < tasks->number; i++)
		sum += tasks->tasks[i].counts[event];
	return sum;
}

/* Counts that no task has. */
static long long rest_of(const struct run_tasks *tasks, const struct run_list *list, size_t event)
{
	return list->events[event].counts[0] - sum_from(tasks, event, 0);
}

static bool any_rest(const struct run_tasks *tasks, const struct run_list *list)
{
	for (size_t i = 0; i < list->number; i++)
		if (papi_run_tasks_apart(&list->events[i]) && rest_of(tasks, list, i))
			return true;
	return false;
}

/* ---- For people ---- */

static size_t width_of(const struct run_event *event)
{
	size_t length = strlen(event->name);

	return length > COUNT_WIDTH ? length : COUNT_WIDTH;
}

static size_t next_apart(const struct run_list *list, size_t event)
{
	while (event < list->number && !papi_run_tasks_apart(&list->events[event]))
		event++;
	return event;
}

/* Behind the last event of a table of 80 columns that begins with that one. */
static size_t end_of_table(const struct run_list *list, size_t first, size_t head)
{
	size_t used = head + 2 + width_of(&list->events[first]), end = first + 1;

	for (size_t i = next_apart(list, end); i < list->number; i = next_apart(list, end)) {
		used += 2 + width_of(&list->events[i]);
		if (used > PAPI_TEXT_WIDTH)
			return end;
		end = i + 1;
	}
	return list->number;
}

/* task NULL: the name alone. */
static char *head_of(const struct run_tasks *tasks, const struct run_task *task, const char *name)
{
	char shown[64], pid[16] = "", tid[16] = "";

	snprintf(shown, sizeof(shown), "%s", name);
	papi_escape_terminal(shown);
	if (task)
		snprintf(pid, sizeof(pid), "%d", (int)task->pid);
	if (task && task->tid)
		snprintf(tid, sizeof(tid), "%d", (int)task->tid);
	if (tasks->kind == RUN_TASKS_PROCESSES)
		return papi_run_format("%8s  %-*.*s", pid, NAME_WIDTH, NAME_WIDTH, shown);
	return papi_run_format("%8s  %8s  %-*.*s", pid, tid, NAME_WIDTH, NAME_WIDTH, shown);
}

static void print_count(FILE *out, const struct run_event *event, long long count)
{
	char *number = papi_run_format("%lld", count), grouped[64];

	papi_text_group(grouped, sizeof(grouped), number);
	fprintf(out, "  %*s", (int)width_of(event), grouped);
	free(number);
}

static void print_title(
	FILE *out, bool coloured, const struct run_tasks *tasks, const struct run_list *list, size_t first, size_t end)
{
	bool threads = tasks->kind == RUN_TASKS_THREADS;
	char *line = papi_run_format(
		"%8s  %s%-*s", "PID", threads ? "     TID  " : "", NAME_WIDTH, threads ? "Thread" : "Program");

	for (size_t i = next_apart(list, first); i < end; i = next_apart(list, i + 1)) {
		char *longer = papi_run_format("%s  %*s", line, (int)width_of(&list->events[i]), list->events[i].name);

		free(line);
		line = longer;
	}
	papi_escape_terminal(line);
	papi_terminal_print(out, coloured, PAPI_COLOUR_TITLE, line);
	fputc('\n', out);
	free(line);
}

/* Rows, what is left of them in one, and what no task has in another. */
static void print_table(
	FILE *out, const struct run_tasks *tasks, const struct run_list *list, size_t first, size_t end, bool rest)
{
	size_t rows = tasks->number > MOST_ROWS ? MOST_ROWS : tasks->number;
	char *others = papi_run_format("%zu others", tasks->number - rows);

	for (size_t row = 0; row < rows + 2; row++) {
		const struct run_task *task = row < rows ? &tasks->tasks[row] : NULL;
		char *head;

		if ((row == rows && rows == tasks->number) || (row == rows + 1 && !rest))
			continue;
		head = head_of(tasks, task, task ? task->name : row == rows ? others : "(not told apart)");
		fputs(head, out);
		for (size_t i = next_apart(list, first); i < end; i = next_apart(list, i + 1))
			print_count(out, &list->events[i],
				task                  ? task->counts[i]
					: row == rows ? sum_from(tasks, i, rows)
						      : rest_of(tasks, list, i));
		fputc('\n', out);
		free(head);
	}
	free(others);
}

void papi_run_tasks_text(FILE *out, bool coloured, const struct run_list *list, const struct run_tasks *tasks)
{
	size_t first = next_apart(list, 0);
	bool rest;
	char *head;

	if (tasks->kind == RUN_TASKS_NONE || first == list->number)
		return;
	rest = any_rest(tasks, list);
	head = head_of(tasks, NULL, "");
	while (first < list->number) {
		size_t end = end_of_table(list, first, strlen(head));

		fputc('\n', out);
		print_title(out, coloured, tasks, list, first, end);
		print_table(out, tasks, list, first, end, rest);
		first = next_apart(list, end);
	}
	free(head);
}

/* ---- For programs ---- */

/* task NULL: what none has. */
static long long count_of(
	const struct run_tasks *tasks, const struct run_task *task, const struct run_list *list, size_t event)
{
	return task ? task->counts[event] : rest_of(tasks, list, event);
}

static void json_id(FILE *out, const char *key, pid_t id)
{
	fprintf(out, id ? "\"%s\": %d, " : "\"%s\": null, ", key, (int)id);
}

static void json_task(
	FILE *out, const struct run_tasks *tasks, const struct run_task *task, const struct run_list *list)
{
	const char *separator = "";

	fputs("    {", out);
	json_id(out, "pid", task ? task->pid : 0);
	json_id(out, "tid", task ? task->tid : 0);
	fputs("\"name\": ", out);
	if (task)
		papi_escape_json(out, task->name);
	else
		fputs("null", out);
	fputs(", \"counts\": {", out);
	for (size_t i = next_apart(list, 0); i < list->number; i = next_apart(list, i + 1)) {
		fputs(separator, out);
		papi_escape_json(out, list->events[i].name);
		fprintf(out, ": %lld", count_of(tasks, task, list, i));
		separator = ", ";
	}
	fputs("}}", out);
}

void papi_run_tasks_json(FILE *out, const struct run_list *list, const struct run_tasks *tasks)
{
	const char *separator = "\n";

	if (tasks->kind == RUN_TASKS_NONE) {
		fputs("  \"tasks\": null,\n", out);
		return;
	}
	fputs("  \"tasks\": [", out);
	for (size_t i = 0; i < tasks->number; i++) {
		fputs(separator, out);
		json_task(out, tasks, &tasks->tasks[i], list);
		separator = ",\n";
	}
	if (any_rest(tasks, list)) {
		fputs(separator, out);
		json_task(out, tasks, NULL, list);
	}
	fputs("\n  ],\n", out);
}

static void csv_task(FILE *out, const struct run_tasks *tasks, const struct run_task *task, const struct run_list *list)
{
	for (size_t i = next_apart(list, 0); i < list->number; i = next_apart(list, i + 1)) {
		if (task)
			fprintf(out, "%d,", (int)task->pid);
		else
			fputc(',', out);
		if (task && task->tid)
			fprintf(out, "%d", (int)task->tid);
		fputc(',', out);
		papi_run_data_csv_string(out, task ? task->name : "(not told apart)");
		fputc(',', out);
		papi_run_data_csv_string(out, list->events[i].name);
		fprintf(out, ",%lld,%s,,,%s,,,,,,,\n", count_of(tasks, task, list, i), list->events[i].unit,
			list->events[i].kind);
	}
}

void papi_run_tasks_csv(FILE *out, const struct run_list *list, const struct run_tasks *tasks)
{
	for (size_t i = 0; i < tasks->number; i++)
		csv_task(out, tasks, &tasks->tasks[i], list);
	if (tasks->kind != RUN_TASKS_NONE && any_rest(tasks, list))
		csv_task(out, tasks, NULL, list);
}
