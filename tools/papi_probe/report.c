/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - what was counted, for people: functions, the one with the most time first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "papi_probe.h"
#include "symbols/memory.h"

#define NAMED 5 /* functions that could not be probed */

/* ---- sums ---- */

uint32_t probe_report_look(
	const struct probe_session *session, uint32_t number, struct papi_probe_counts rows[PAPI_PROBE_ROWS])
{
	uint32_t n = atomic_load(&session->table->next_row);

	if (n > PAPI_PROBE_ROWS)
		n = PAPI_PROBE_ROWS;
	for (uint32_t i = 0; i < n; i++)
		rows[i] = *papi_probe_counts_at(session->table, i, number);
	return n;
}

pid_t probe_report_process(const struct probe_session *session, const struct papi_probe_row *row)
{
	return row->pid == session->orders.pid ? session->pid : row->pid;
}

static void add_value(struct papi_probe_value *to, const struct papi_probe_value *value, bool first)
{
	if (first || value->least < to->least)
		to->least = value->least;
	if (value->most > to->most)
		to->most = value->most;
	to->inclusive += value->inclusive;
	to->exclusive += value->exclusive;
	to->sum += value->sum;
}

/* By translation there are values where nothing is known of calls. */
static void add(struct probe_sum *sum, const struct papi_probe_counts *counts, bool translated)
{
	struct papi_probe_counts *all = &sum->counts;

	if (!counts->calls)
		return;
	for (size_t i = 0; i < PAPI_PROBE_VALUES; i++)
		if (translated || counts->returns > (i ? counts->unread : 0))
			add_value(&all->values[i], &counts->values[i], all->returns == (i ? all->unread : 0));
	all->calls += counts->calls;
	all->returns += counts->returns;
	all->untimed += counts->untimed;
	all->left += counts->left;
	all->unread += counts->unread;
	sum->threads++;
}

void probe_report_sum(
	const struct probe_session *session, const struct papi_probe_counts rows[], uint32_t n, struct probe_sum *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (uint32_t i = 0; i < n; i++)
		add(sum, &rows[i], session->translated);
}

/* ---- lines ---- */

struct line {
	const struct probe_function *function;
	struct probe_sum sum;
};

static int compare(const void *left, const void *right)
{
	const struct papi_probe_counts *a = &((const struct line *)left)->sum.counts,
				       *b = &((const struct line *)right)->sum.counts;

	for (size_t i = 0; i < 2; i++)
		if (a->values[i].inclusive != b->values[i].inclusive)
			return a->values[i].inclusive < b->values[i].inclusive ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return strcmp(((const struct line *)left)->function->name, ((const struct line *)right)->function->name);
}

/* Three digits and a unit, in nine columns. */
static void print_time(FILE *file, double seconds)
{
	static const char *const units[] = { "s ", "ms", "us", "ns" };
	size_t unit = 0;

	while (unit < 3 && seconds < 0.9995) {
		seconds *= 1000;
		unit++;
	}
	fprintf(file, " %6.*f %s", seconds < 9.995 ? 2 : seconds < 99.95 ? 1 : 0, seconds, units[unit]);
}

/* Whole, or three digits and a power of a thousand. */
static void print_count(FILE *file, double count)
{
	static const char units[] = " kMGTPE";
	size_t unit = 0;

	while (unit + 2 < sizeof(units) && count >= 99999.5) {
		count /= 1000;
		unit++;
	}
	fprintf(file, " %8.*f%c", count == (double)(uint64_t)count || count >= 9999.5 ? 0 : 1, count, units[unit]);
}

static void print_number(FILE *file, const struct probe_session *session, size_t value, double number)
{
	if (value)
		print_count(file, number);
	else
		print_time(file, number / session->ticks_per_second);
}

/* Of an event. Of single calls translation tells nothing. */
static void print_translated(FILE *file, const struct papi_probe_counts *counts, size_t value)
{
	if (counts->unread == counts->calls)
		fprintf(file, "%10s", "-");
	else
		print_count(file, (double)counts->values[value].inclusive);
	print_count(file, (double)counts->values[value].exclusive);
}

/* value: 0, time, or the number of an event. */
static void print_values(
	FILE *file, const struct probe_session *session, const struct papi_probe_counts *counts, size_t value)
{
	const struct papi_probe_value *shown = &counts->values[value];
	const uint64_t returns = counts->returns - (value ? counts->unread : 0);

	if (!returns) {
		fprintf(file, "%10s%10s%10s%10s%10s", "-", "-", "-", "-", "-");
		return;
	}
	print_number(file, session, value, (double)shown->inclusive);
	print_number(file, session, value, (double)shown->exclusive);
	print_number(file, session, value, (double)shown->least);
	print_number(file, session, value, (double)shown->sum / (double)returns);
	print_number(file, session, value, (double)shown->most);
}

static void print_line(const struct probe_options *options, const struct probe_session *session,
	const struct probe_sum *sum, size_t value, const char *name)
{
	const struct papi_probe_counts *counts = &sum->counts;
	FILE *file = options->file;

	fprintf(file, "%11" PRIu64, counts->calls);
	if (!session->table->calls_only && session->translated)
		print_translated(file, counts, value);
	else if (!session->table->calls_only)
		print_values(file, session, counts, value);
	fprintf(file, "  %s  ", probe_way_name(options->way));
	probe_print_safe(file, name);
	fputc('\n', file);
}

static void print_threads(const struct probe_options *options, const struct probe_session *session, size_t value,
	const struct papi_probe_counts rows[], uint32_t n)
{
	for (uint32_t row = 0; row < n; row++) {
		const struct papi_probe_row *whose = &session->table->rows[row];
		const pid_t process = probe_report_process(session, whose);
		struct probe_sum sum;
		char name[96];

		probe_report_sum(session, &rows[row], 1, &sum);
		if (!sum.counts.calls)
			continue;
		snprintf(name, sizeof(name), "  thread %d", (int)whose->tid);
		if (process != session->pid)
			snprintf(name, sizeof(name), "  thread %d of process %d", (int)whose->tid, (int)process);
		if (whose->shared)
			snprintf(name, sizeof(name), "  %u threads that followed each other", whose->shared + 1);
		print_line(options, session, &sum, value, name);
	}
}

/* What could have been probed by the other way is said, and named where that is not much. */
static void print_refused(FILE *file, const struct probe_session *session, enum probe_way way)
{
	size_t refused = 0, others = 0;

	for (size_t i = 0; i < session->list.n_functions; i++) {
		const struct probe_function *function = &session->list.functions[i];

		if (function->is_part)
			continue;
		refused += !function->probed;
		others += !function->probed && !function->untranslated;
	}
	for (size_t i = 0; refused <= NAMED && i < session->list.n_functions; i++) {
		const struct probe_function *function = &session->list.functions[i];
		const char *reason = probe_functions_refusal(function, way);

		if (function->probed || function->is_part)
			continue;
		fputs("not probed: ", file);
		probe_print_safe(file, function->name);
		fprintf(file, ", for %s\n", reason ? reason : "a jump could not be written there");
	}
	if (refused > NAMED)
		fprintf(file, "%zu could not be probed: --list says why\n", refused);
	if (others && way != PROBE_TRANSLATE)
		fprintf(file, "--way translate counts %zu of these, and slows the program\n", others);
}

/* What compilers have put into its callers is in their counts. */
static void print_inlined(FILE *file, const struct probe_list *list)
{
	for (size_t i = 0; i < list->n_inlined && list->n_inlined <= NAMED; i++) {
		fprintf(file, "not probed: %zu cop%s of ", list->inlined[i].copies,
			list->inlined[i].copies == 1 ? "y" : "ies");
		probe_print_safe(file, list->inlined[i].name);
		fputs(", put into callers by compilers\n", file);
	}
	if (list->n_inlined > NAMED)
		fprintf(file, "%zu functions were put into callers by compilers: --list names them\n", list->n_inlined);
}

/* What the numbers do not tell, of what was translated. */
static void print_translated_notes(
	const struct probe_options *options, const struct probe_session *session, const struct line *lines, size_t n)
{
	uint64_t silent = 0, unread = 0;
	FILE *file = options->file;

	for (size_t i = 0; i < n; i++) {
		silent += !lines[i].sum.counts.calls;
		unread += lines[i].sum.counts.unread;
	}
	fputc('\n', file);
	if (silent)
		fprintf(file, "%" PRIu64 " more %s probed, and not called\n", silent, silent == 1 ? "was" : "were");
	print_refused(file, session, options->way);
	print_inlined(file, &session->list);
	if (unread && !options->calls)
		fprintf(file, "%" PRIu64 " calls, by indirect jumps or signals, are in no inclusive count\n", unread);
	fputs("the program was translated, and took longer for that: there are no times\n", file);
}

/* What the numbers do not tell. */
static void print_notes(FILE *file, const struct probe_session *session, const struct line *lines, size_t n)
{
	uint64_t inside = 0, untimed = 0, left = 0, silent = 0, unread = 0;

	for (size_t i = 0; i < n; i++) {
		const struct papi_probe_counts *counts = &lines[i].sum.counts;

		silent += !counts->calls;
		untimed += counts->untimed;
		left += counts->left;
		unread += counts->unread;
		inside += counts->calls - counts->returns - counts->untimed;
	}
	fputc('\n', file);
	if (silent)
		fprintf(file, "%" PRIu64 " more %s probed, and not called\n", silent, silent == 1 ? "was" : "were");
	print_refused(file, session, PROBE_PATCH);
	print_inlined(file, &session->list);
	if (inside && !session->table->calls_only)
		fprintf(file, "%" PRIu64 " call%s had not returned: %s in nothing\n", inside, inside == 1 ? "" : "s",
			inside == 1 ? "its time is" : "their times are");
	if (left)
		fprintf(file, "%" PRIu64 " call%s ended by an exception or a jump: up to the next call seen\n", left,
			left == 1 ? "" : "s");
	if (untimed)
		fprintf(file, "%" PRIu64 " call%s no time%s: a jump to itself, or no room\n", untimed,
			untimed == 1 ? " has" : "s have", untimed == 1 ? "" : "s");
	if (unread)
		fprintf(file,
			"%" PRIu64 " calls have no counts: there were too few counters, or the program closed them\n",
			unread);
	if (session->table->unopened)
		fprintf(file, "%u threads could not open counters (%s)\n", (unsigned)session->table->unopened,
			strerror(-session->table->error));
	if (session->table->unseen)
		fprintf(file,
			"%" PRIu64 " calls are in no line: there were more than %d threads, or a child by vfork\n",
			(uint64_t)session->table->unseen, PAPI_PROBE_ROWS);
}

static struct line *make_lines(const struct probe_session *session, size_t *n)
{
	struct line *lines = papi_memory_zero(session->list.n_functions + 1, sizeof(*lines));
	struct papi_probe_counts rows[PAPI_PROBE_ROWS];

	*n = 0;
	for (size_t i = 0; i < session->list.n_functions; i++) {
		const struct probe_function *function = &session->list.functions[i];

		if (!function->probed)
			continue;
		lines[*n].function = function;
		probe_report_sum(session, rows, probe_report_look(session, function->number, rows), &lines[*n].sum);
		++*n;
	}
	qsort(lines, *n, sizeof(*lines), compare);
	return lines;
}

static void print_table(const struct probe_options *options, const struct probe_session *session, size_t value,
	const struct line *lines, size_t n)
{
	FILE *file = options->file;

	if (value)
		fprintf(file, "%s%s\n", options->way == PROBE_TRANSLATE && value == 1 ? "" : "\n",
			options->events[value - 1].name);
	fprintf(file, "%11s", "Calls");
	if (!options->calls)
		fprintf(file, "%10s%10s", "Inclusive", "Exclusive");
	if (!options->calls && options->way != PROBE_TRANSLATE)
		fprintf(file, "%10s%10s%10s", "Least", "Mean", "Most");
	fprintf(file, "  %-*s  Function\n", (int)strlen(probe_way_name(options->way)), "Way");
	for (size_t i = 0; i < n; i++) {
		struct papi_probe_counts rows[PAPI_PROBE_ROWS];
		struct probe_sum sum = lines[i].sum;
		uint32_t looked = 0;

		if (!sum.counts.calls)
			continue;
		if (options->threads) {
			looked = probe_report_look(session, lines[i].function->number, rows);
			probe_report_sum(session, rows, looked, &sum);
		}
		print_line(options, session, &sum, value, lines[i].function->name);
		print_threads(options, session, value, rows, looked);
	}
}

void probe_report_print(const struct probe_options *options, const struct probe_session *session)
{
	struct line *lines;
	size_t n;

	lines = make_lines(session, &n);
	for (size_t i = 0; i <= options->n_events; i++)
		if (i || options->way != PROBE_TRANSLATE || options->calls)
			print_table(options, session, i, lines, n);
	if (options->way == PROBE_TRANSLATE)
		print_translated_notes(options, session, lines, n);
	else
		print_notes(options->file, session, lines, n);
	free(lines);
}

/* Clocks are compared anew: the session is not over. */
void probe_report_interval(const struct probe_options *options, struct probe_session *session)
{
	probe_session_measure(session);
	if (options->json)
		probe_report_json(options, session);
	else
		probe_report_print(options, session);
	fflush(options->file);
}
