/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_processes.c - whether virtual counts hold all that the program did: which of its processes were counted,
 * which were killed, which are missing and why; and how that is told.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/table.h"
#include "escape.h"
#include "papi_run.h"
#include "process.h"
#include "text.h"

/* ---- from the table ---- */

static void add_reason(struct run_processes *processes, const char *name, const char *text)
{
	struct run_reason *reason;

	for (size_t i = 0; i < processes->n_reasons; i++) {
		reason = &processes->reasons[i];
		if (strcmp(reason->name, name) == 0 && strcmp(reason->text, text) == 0) {
			reason->number++;
			return;
		}
	}
	processes->reasons = papi_run_allocate(
		processes->reasons, processes->n_reasons + 1, sizeof(*processes->reasons));
	reason = &processes->reasons[processes->n_reasons++];
	reason->name = papi_run_format("%s", name);
	reason->text = papi_run_format("%s", text);
	reason->number = 1;
}

/* Programs wrote these: they may have been killed while they did. */
static void end_texts(struct papi_agent_process *entry)
{
	entry->name[sizeof(entry->name) - 1] = entry->reason[sizeof(entry->reason) - 1] = '\0';
	entry->next_name[sizeof(entry->next_name) - 1] = entry->next_reason[sizeof(entry->next_reason) - 1] = '\0';
}

static bool is_there(const struct papi_agent_process *entry)
{
	pid_t group;
	char state;

	if (kill(atomic_load(&entry->pid), 0) != 0 && errno == ESRCH)
		return false;
	state = papi_process_state(atomic_load(&entry->pid), &group);
	return state != 'Z' && state != 'X';
}

static void take_entry(struct run_processes *processes, struct papi_agent_process *entry)
{
	uint32_t state = atomic_load(&entry->state);
	bool expected = state == PAPI_AGENT_EXPECTED || state == PAPI_AGENT_EXECUTING;

	if (state == PAPI_AGENT_FREE)
		return;
	end_texts(entry);
	if (atomic_load(&entry->losses))
		add_reason(processes, entry->name, entry->reason);
	else if (expected)
		add_reason(processes, entry->next_name,
			*entry->next_reason ? entry->next_reason
					    : "the counting agent did not begin in it: the dynamic linker did not load "
					      "it, or the program ended before");
	if (atomic_load(&entry->losses) || expected)
		processes->missing++;
	else if (state == PAPI_AGENT_COUNTED && is_there(entry))
		processes->running++;
	else if (state == PAPI_AGENT_COUNTED || state == PAPI_AGENT_TAKEN)
		processes->killed++;
}

/* Of several processes, whose names nobody knows. */
static void add_unnamed(struct run_processes *processes, size_t number, const char *text)
{
	if (!number)
		return;
	add_reason(processes, "", text);
	processes->reasons[processes->n_reasons - 1].number = number;
	processes->missing += number;
}

/* Children of fork system calls that libc did not make. A child that the program has just left is given a moment. */
static uint32_t count_unheard(const struct papi_agent_table *table)
{
	static const struct timespec moment = { .tv_nsec = 1000 * 1000L };
	uint32_t forks = 0, children = 0;

	for (int i = 0; i < 50; i++) {
		children = atomic_load(&table->children);
		forks = atomic_load(&table->forks);
		if (forks <= children)
			return 0;
		nanosleep(&moment, NULL);
	}
	return forks - children;
}

void papi_run_processes_take(struct run_processes *processes, struct papi_agent_table *table)
{
	uint32_t unheard = count_unheard(table);

	processes->total += unheard;
	processes->total += atomic_load(&table->processes);
	for (size_t i = 0; i < atomic_load(&table->entered); i++)
		take_entry(processes, &table->entries[i]);
	add_unnamed(processes, atomic_load(&table->unlisted), "more processes at once than there is room for");
	add_unnamed(processes, unheard,
		"made by a system call of the program's own (fork or clone), or killed before they began; counted only "
		"in what they execute");
}

void papi_run_processes_free(struct run_processes *processes)
{
	for (size_t i = 0; i < processes->n_reasons; i++) {
		free(processes->reasons[i].name);
		free(processes->reasons[i].text);
	}
	free(processes->reasons);
	memset(processes, 0, sizeof(*processes));
}

/* ---- telling ---- */

static const char *plural(size_t number)
{
	return number == 1 ? "" : "es";
}

/* "big_static (3 times)", or who it is that has no name. */
static char *reason_name(const struct run_reason *reason)
{
	const char *name = *reason->name ? reason->name : "others";

	return reason->number == 1 ? papi_run_format("%s", name)
				   : papi_run_format("%s (%zu times)", name, reason->number);
}

/* "2 of 14 processes: big_static: it is linked ..."; NULL when nothing is missing. For the caller to free. */
static char *missing_text(const struct run_processes *processes)
{
	char *text;

	if (!processes->missing)
		return NULL;
	text = papi_run_format("%zu of %zu process%s", processes->missing, processes->total, plural(processes->total));
	for (size_t i = 0; i < processes->n_reasons; i++) {
		char *name = reason_name(&processes->reasons[i]);
		char *longer = papi_run_format("%s%s%s: %s", text, i ? "; " : ": ", name, processes->reasons[i].text);

		free(name);
		free(text);
		text = longer;
	}
	return text;
}

/* The remark on counts that are whole; NULL when there is nothing. For the caller to free. */
static char *note_text(const struct run_processes *processes)
{
	char *killed = NULL, *running = NULL, *text;

	if (!processes->killed && !processes->running)
		return NULL;
	if (processes->killed)
		killed = papi_run_format("%zu of %zu process%s ended by a signal and counted until then",
			processes->killed, processes->total, plural(processes->total));
	if (processes->running)
		running = papi_run_format("%zu of %zu process%s still running, counted until the program ended",
			processes->running, processes->total, plural(processes->total));
	text = papi_run_format("%s%s%s", killed ? killed : "", killed && running ? "; " : "", running ? running : "");
	free(killed);
	free(running);
	return text;
}

void papi_run_processes_text(FILE *out, const struct run_processes *processes)
{
	char *missing = missing_text(processes), *note = note_text(processes);

	if (missing) {
		papi_escape_terminal(missing);
		fputc('\n', out);
		papi_text_wrap(out, "incomplete:", 12, missing);
	}
	if (note) {
		fputc('\n', out);
		papi_text_wrap(out, "note:", 6, note);
	}
	free(missing);
	free(note);
}

void papi_run_processes_json(FILE *out, const struct run_processes *processes)
{
	fputs("  \"processes\": ", out);
	if (!processes->total) {
		fputs("null,\n", out);
		return;
	}
	fprintf(out, "{\"total\": %zu, \"complete\": %s, \"killed\": %zu, \"running\": %zu, \"missing\": %zu,\n",
		processes->total, processes->missing ? "false" : "true", processes->killed, processes->running,
		processes->missing);
	fputs("    \"reasons\": [", out);
	for (size_t i = 0; i < processes->n_reasons; i++) {
		fputs(i ? ",\n     {\"program\": " : "\n     {\"program\": ", out);
		papi_escape_json(out, processes->reasons[i].name);
		fprintf(out, ", \"processes\": %zu, \"reason\": ", processes->reasons[i].number);
		papi_escape_json(out, processes->reasons[i].text);
		fputc('}', out);
	}
	fputs("]},\n", out);
}

/* Rows with a number, and what there is to say in the column of errors. */
void papi_run_processes_csv(FILE *out, const struct run_processes *processes)
{
	char *missing = missing_text(processes);

	if (!processes->total)
		return;
	fprintf(out, "processes,%zu,,,,,,,,,,,\n", processes->total);
	fprintf(out, "processes killed,%zu,,,,,,,,,,,\n", processes->killed);
	fprintf(out, "processes running,%zu,,,,,,,,,,,\n", processes->running);
	fprintf(out, "processes missing,%zu,,,,,,,,,", processes->missing);
	if (missing)
		papi_run_data_csv_string(out, missing);
	fputs(",,\n", out);
	free(missing);
}
