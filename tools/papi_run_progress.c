/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_progress.c - for people who wait: how far it is, and how much longer it takes to count than to run.
 *
 * On a terminal alone, in front of it, and only when virtual events are counted, which makes programs slower. Where the
 * program writes to a terminal, too, it is one line, once; elsewhere a line that changes each second and is gone in the
 * end. A program that has taken the terminal for itself, as editors do, is left alone.
 */
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "papi_run.h"
#include "terminal.h"
#include "text.h"

#define FIRST_NS  2000000000LL /* by then it is slow */
#define PERIOD_NS 1000000000LL

static struct {
	bool active, shown;
	long long started, next;
} progress;

/*
 * How many times slower programs become, as seen with xz, sort and Python: little where they loop over vectors, much
 * where they are all branches.
 */
static const char *slowdown_of(const struct run_list *list)
{
	bool models = false, misses = false, cycles = false;

	for (size_t i = 0; i < list->number; i++) {
		const struct run_event *event = &list->events[i];

		if (!event->is_virtual || event->error || strcmp(event->kind, "exact") == 0)
			continue;
		models = true;
		misses |= !strstr(event->name, "BR_");
		cycles |= strstr(event->name, "CYC") != NULL;
	}
	return cycles ? "15 to 50" : misses ? "10 to 35" : models ? "3 to 15" : "1 to 6";
}

/* In front of a terminal on which lines are still lines. */
static bool may_write(void)
{
	int output = papi_run_error_output();
	struct termios mode;

	return output >= 0 && tcgetattr(output, &mode) == 0 && (mode.c_lflag & ICANON) &&
		tcgetpgrp(output) == getpgrp();
}

void papi_run_progress_begin(const struct run_result *result, long long started)
{
	const char *terminal = getenv("TERM");

	progress.active = result->slowed && !papi_run_intervals_wanted() && may_write() &&
		(!terminal || strcmp(terminal, "dumb") != 0);
	progress.started = started;
	progress.next = started + FIRST_NS;
}

long long papi_run_progress_wait(void)
{
	return progress.active ? papi_run_until(progress.next) : -1;
}

static void put(const char *text)
{
	if (write(papi_run_error_output(), text, strlen(text)) < 0)
		progress.active = false;
}

/* "12 s; PAPI_TOT_INS: 3,456,789" */
static void write_line(const struct run_list *list, long long now)
{
	struct run_reading *readings = papi_run_allocate(NULL, list->number + 1, sizeof(*readings));
	char line[PAPI_TEXT_WIDTH], grouped[64] = "", *number, *text;
	size_t event = 0;

	memset(readings, 0, (list->number + 1) * sizeof(*readings));
	papi_run_virtual_read(list, now - progress.started, readings);
	while (event < list->number && !(list->events[event].is_virtual && !list->events[event].error))
		event++;
	number = papi_run_format("%lld", readings[event].count);
	papi_text_group(grouped, sizeof(grouped), number);
	/* What only a profile counts is known in the end. */
	text = papi_run_format("papi_run: %lld s, %s times slower than alone%s%s%s%s",
		(now - progress.started) / 1000000000, slowdown_of(list), readings[event].count ? "; " : "",
		readings[event].count ? list->events[event].name : "", readings[event].count ? ": " : "",
		readings[event].count ? grouped : "");
	snprintf(line, sizeof(line), "%s", text);
	put("\r\x1b[K");
	put(line);
	put("\r");
	free(readings);
	free(number);
	free(text);
}

void papi_run_progress_look(const struct run_list *list)
{
	long long now = papi_run_now();

	if (!progress.active || now < progress.next)
		return;
	progress.next = now + PERIOD_NS;
	if (!may_write())
		return;
	if (isatty(STDOUT_FILENO)) {
		char *text = papi_run_format("papi_run: counting makes programs %s times slower; Ctrl-C ends this one "
					     "and shows its counts\n",
			slowdown_of(list));

		put(text);
		free(text);
		progress.active = false;
		return;
	}
	write_line(list, now);
	progress.shown = true;
}

void papi_run_progress_end(void)
{
	if (progress.shown && may_write())
		put("\r\x1b[K");
	progress.active = progress.shown = false;
}
