/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI_hl_region_begin, PAPI_hl_read, PAPI_hl_region_end, PAPI_hl_stop: the interface of 7.0.
 *
 * Begin and end are what is called a million times: nothing is allocated once a region has been seen, no lock is taken
 * that somebody else has, and the set of the thread is read once. Begin reads it last and end first, so that most of
 * what they do themselves is outside of the region. Real cycles are those of a clock, so the results make them of the
 * time.
 */
#include "regions/regions.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/component.h"
#include "linux/time/clock.h"
#include "live/live.h"

void papi_region_warn(const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fprintf(stderr, "papi: %s\n", text);
}

static int check_name(const char *function, const char *region)
{
	if (!region)
		return papi_null_argument(function, "region");
	if (!*region)
		return papi_error(PAPI_EINVAL, "%s: a region needs a name, and this one is empty", function);
	return PAPI_OK;
}

static int not_begun(const char *function, const char *region)
{
	return papi_error(PAPI_EINVAL,
		"%s: no region \"%.64s\" has begun in this thread and not ended; a region ends with the one it is in, "
		"and with PAPI_hl_stop",
		function, region);
}

/* The counters went with PAPI_shutdown(), or their set was destroyed behind our back. */
static bool are_gone(int status)
{
	return status == PAPI_ENOINIT || status == PAPI_ENOEVST;
}

/* Reads the counters into the place for what an instance begins with; the clocks after them. */
static int take_start(struct papi_region_thread *thread, struct papi_region_open *open, long long *starts)
{
	struct papi_region_moment now;
	int status = papi_region_thread_read(thread, &now);

	if (__builtin_expect(are_gone(status), 0)) {
		thread->EventSet = PAPI_NULL;
		status = papi_region_thread_start(thread);
		if (status == PAPI_OK)
			status = papi_region_thread_read(thread, &now);
	}
	now.real_ns = papi_clock_real_ns();
	open->counted = now.values;
	if (now.values)
		memcpy(starts, now.values, papi_region_events.n * sizeof(starts[0]));
	open->real_ns = now.real_ns;
	return status;
}

/* A profile of the thread is told which region is the innermost now. */
static void tell(const struct papi_region_thread *thread)
{
	const struct papi_region_tree *tree = &thread->tree;
	const char *name = tree->depth ? tree->regions[tree->open[tree->depth - 1].region].name : NULL;

	papi_component_tell_region(name);
	papi_region_mark(name);
}

/* The region has begun even if its counters cannot be read: its end will say why. */
static int begin(struct papi_region_thread *thread, const char *name)
{
	struct papi_region_open *open;
	long long *starts;
	int region, status;

	if (__builtin_expect(!thread->started, 0)) {
		status = papi_region_thread_start(thread);
		if (status != PAPI_OK)
			return status;
	}
	region = papi_region_make_room(&thread->tree) ? papi_region_find(&thread->tree, name) : -1;
	if (region < 0)
		return papi_error_code();
	open = papi_region_open(&thread->tree, region, &starts);
	thread->changed = true;
	tell(thread);
	take_start(thread, open, starts);
	return PAPI_OK;
}

static int region_begin(const char *region)
{
	struct papi_region_thread *thread = papi_region_own;
	int status = check_name("PAPI_hl_region_begin", region);

	if (status != PAPI_OK)
		return status;
	if (__builtin_expect(!thread, 0)) {
		status = papi_region_thread_make();
		if (status != PAPI_OK)
			return status;
		thread = papi_region_own;
	}
	status = papi_region_thread_enter(thread);
	if (status != PAPI_OK)
		return status;
	status = begin(thread, region);
	papi_region_thread_leave(thread);
	return status;
}

int PAPI_hl_region_begin(const char *region)
{
	/* Outside of what is counted, as is the other. */
	if (papi_live_is_seen() && region)
		papi_live_region(region, true);
	return papi_result(region_begin(region));
}

static int without_counts(int status, const struct papi_region_open *open)
{
	if (status != PAPI_OK)
		return papi_error_prefix(status, "the time of the region is recorded, its counts are not");
	return open->counted ? PAPI_OK
			     : papi_error(PAPI_ECLOST,
				       "the time of the region is recorded, its counts are not: the counters "
				       "could not be read when it began");
}

/* A thread that counts nothing has said why when it found out; an instance that lost its counters says it here. */
static int end_or_read(struct papi_region_thread *thread, const char *function, const char *name, bool end)
{
	struct papi_region_moment now;
	struct papi_region_open open;
	int position, status;

	now.real_ns = papi_clock_real_ns();
	status = papi_region_thread_read(thread, &now);
	position = papi_region_position(&thread->tree, name);
	if (position < 0)
		return not_begun(function, name);
	open = thread->tree.open[position];
	thread->changed = true;
	if (end) {
		papi_region_close(&thread->tree, (unsigned)position, &now, true);
		tell(thread);
	} else if (papi_region_record(&thread->tree, (unsigned)position, &now) != PAPI_OK)
		return papi_error_code();
	if (__builtin_expect(status == PAPI_OK && (open.counted || thread->reason), 1))
		return PAPI_OK;
	return without_counts(status, &open);
}

static int with_region(const char *function, const char *region, bool end)
{
	struct papi_region_thread *thread = papi_region_own;
	int status = check_name(function, region);

	if (status != PAPI_OK)
		return status;
	if (!thread)
		return not_begun(function, region);
	status = papi_region_thread_enter(thread);
	if (status != PAPI_OK)
		return status;
	status = end_or_read(thread, function, region, end);
	papi_region_thread_leave(thread);
	return status;
}

int PAPI_hl_read(const char *region)
{
	return papi_result(with_region("PAPI_hl_read", region, false));
}

int PAPI_hl_region_end(const char *region)
{
	int status = with_region("PAPI_hl_region_end", region, true);

	if (papi_live_is_seen() && region)
		papi_live_region(region, false);
	return papi_result(status);
}

static int stop(void)
{
	struct papi_region_thread *thread = papi_region_own;
	bool started;
	int status, state;

	if (!thread)
		return papi_error(PAPI_ENOTRUN, "PAPI_hl_stop: no region has begun in this thread");
	status = papi_region_thread_enter(thread);
	if (status != PAPI_OK)
		return status;
	started = thread->started;
	if (started)
		papi_region_thread_stop(thread);
	tell(thread);
	papi_region_thread_leave(thread);
	if (!started)
		return papi_error(
			PAPI_ENOTRUN, "PAPI_hl_stop: no region has begun in this thread since the last PAPI_hl_stop");
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	status = papi_region_publish();
	pthread_setcancelstate(state, NULL);
	return status;
}

int PAPI_hl_stop(void)
{
	return papi_result(stop());
}

/* Not atexit(): handlers of the program come before this, and may still use regions. */
__attribute__((destructor)) static void write_at_exit(void)
{
	papi_region_publish();
}
