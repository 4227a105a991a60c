/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/direct.h"

#include <stdlib.h>

#include "components/perf_event/kernel.h"
#include "components/perf_event/user_read.h"
#include "core/thread.h"

void papi_perf_direct_free(struct papi_perf_control *control)
{
	free(control->direct);
	control->direct = NULL;
}

void papi_perf_direct_end(struct papi_perf_control *control)
{
	papi_perf_let_go(control);
	papi_perf_direct_free(control);
	control->mapped = false;
	control->way = PAPI_WAY_FULL;
}

void papi_perf_direct_make(struct papi_perf_control *control)
{
	const struct papi_perf_group *group = control->groups;
	struct papi_direct *direct;

	papi_perf_direct_free(control);
	if (control->n_groups != 1 || !group->user_read)
		return;
	/* One more, of zeros, is the end. */
	direct = calloc(1, sizeof(*direct) + (group->n + 1) * sizeof(direct->counters[0]));
	if (!direct)
		return;
	for (unsigned i = 0; i < group->n; i++) {
		/* The values of the direct way are in the order of the counters. */
		if (group->counters[i].native != i) {
			free(direct);
			return;
		}
		direct->counters[i].sequence = &group->counters[i].page->lock;
		direct->counters[i].expected = 1;
		/* Not 0, which is the end. */
		direct->counters[i].reader = papi_hardware_reader(0, 0);
	}
	control->direct = direct;
}

void papi_perf_direct_settle(struct papi_perf_control *control)
{
	struct papi_direct *direct = control->direct;
	struct papi_perf_group *group = control->groups;
	uint64_t enabled, running;

	if (!direct || !(direct->started || direct->stopped))
		return;
	if (direct->started) {
		for (unsigned i = 0; i < group->n; i++)
			group->counters[i].base = direct->counters[i].base + group->counters[i].offset;
		papi_user_times_at(&control->clock, direct->started, &group->enabled_base, &group->running_base);
	}
	if (direct->stopped) {
		papi_user_times_at(&control->clock, direct->stopped, &enabled, &running);
		group->enabled = enabled - group->enabled_base;
		group->running = running - group->running_base;
	}
	direct->started = direct->stopped = 0;
}

/* From the pages, for a control that is settled. False if one of the counters is in no hardware counter. */
static bool describe(struct papi_perf_control *control)
{
	struct papi_perf_group *group = control->groups;

	for (unsigned i = 0; i < group->n; i++) {
		struct papi_direct_counter *counter = &control->direct->counters[i];
		struct papi_user_place place;
		uint64_t reader;

		counter->expected = 1;
		if (!papi_user_place(group->counters[i].page, &place))
			return false;
		reader = papi_hardware_reader(place.index, place.width);
		if (!reader)
			return false;
		counter->reader = reader;
		counter->expected = place.sequence;
		group->counters[i].offset = place.offset;
		counter->base = group->counters[i].base - place.offset;
	}
	control->direct->can_keep = control->n_runs > 1 && papi_user_clock(group->counters[0].page, &control->clock) &&
		control->clock.sequence == control->direct->counters[0].expected;
	return true;
}

/* One counter; false if it is not where the description says. */
static bool read_counter(const struct papi_perf_control *control, unsigned i, long long *value)
{
	const struct papi_direct_counter *counter = &control->direct->counters[i];

	if (*control->direct->counters[0].sequence != control->direct->counters[0].expected ||
		*counter->sequence != counter->expected)
		return false;
	*value = (long long)(papi_hardware_read(counter->reader) - counter->base);
	return *counter->sequence == counter->expected;
}

bool papi_perf_direct_read(struct papi_perf_control *control, long long values[], long long *signs)
{
	unsigned i, n = control->groups->n;

	for (;;) {
		*signs = 0;
		for (i = 0; i < n && read_counter(control, i, &values[i]); i++)
			*signs |= values[i];
		if (i == n)
			return true;
		/* The kernel has moved something: each time it does, that takes longer than reading again. */
		if (!describe(control))
			return false;
	}
}

void papi_perf_direct_rebase(struct papi_perf_control *control)
{
	const struct papi_perf_group *group = control->groups;

	for (unsigned i = 0; control->direct && i < group->n; i++)
		control->direct->counters[i].base = group->counters[i].base - group->counters[i].offset;
}

struct papi_direct *papi_perf_direct(void *pointer)
{
	struct papi_perf_control *control = pointer;

	return control->enabled && control->thread == papi_thread_number() ? control->direct : NULL;
}

void papi_perf_let_go(void *pointer)
{
	struct papi_perf_control *control = pointer;
	bool failed = false;

	if (!control->enabled)
		return;
	papi_perf_direct_settle(control);
	for (unsigned i = 0; i < control->n_groups; i++)
		failed |= papi_perf_kernel->ioctl(control->groups[i].counters[0].fd, PERF_EVENT_IOC_DISABLE, 0) != 0;
	control->enabled = false;
	/* They have counted since the last stop. */
	control->moved = true;
	if (failed)
		papi_perf_open_anew(control);
}
