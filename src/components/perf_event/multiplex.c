/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/multiplex.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "components/perf_event/kernel.h"
#include "components/perf_event/reasons.h"

/* value x enabled / running in 128 bits: exact to the last count, where 64 would overflow or lose digits. */
static uint64_t scale(uint64_t value, uint64_t enabled, uint64_t running)
{
	unsigned __int128 estimate = running ? (unsigned __int128)value * enabled / running : 0;

	/* An estimate too large for a count is the largest there is, not a negative one. */
	return estimate > INT64_MAX ? INT64_MAX : (uint64_t)estimate;
}

static bool is_breakpoint(const struct papi_perf_group *group)
{
	return group->resource == PAPI_PERF_WATCHES || group->resource == PAPI_PERF_STOPS;
}

static size_t expected(const struct papi_perf_group *group)
{
	return (group->grouped ? 3 + group->n : 3) * sizeof(uint64_t);
}

/* The words of a grouped read: their number, times, counts. Of a waiting breakpoint they are 0. */
static ssize_t fetch(struct papi_perf_group *group)
{
	size_t size = expected(group);

	if (group->counters[0].fd < 0) {
		memset(group->buffer, 0, size);
		return (ssize_t)size;
	}
	return papi_perf_kernel->read(group->counters[0].fd, group->buffer, size);
}

static const uint64_t *counts_of(const struct papi_perf_group *group)
{
	return group->grouped ? group->buffer + 3 : group->buffer;
}

/* ---- Opening ------------------------------------------------------------------------------------------- */

static int point(int fd, const struct perf_event_attr *attr, bool on)
{
	struct perf_event_attr copy = *attr;

	copy.disabled = !on;
	return papi_perf_kernel->ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)(uintptr_t)&copy);
}

static struct perf_event_attr attr_of(const struct papi_perf_control *control, const struct papi_perf_group *group)
{
	return papi_perf_breakpoint_attr(control, group->counters[0].native);
}

static bool same_rota(const struct papi_perf_group *a, const struct papi_perf_group *b)
{
	return a->resource == b->resource && a->pid == b->pid && a->cpu == b->cpu &&
		(a->resource != PAPI_PERF_COUNTERS || a->pmu == b->pmu);
}

void papi_perf_multiplex_classify(const struct papi_perf_control *control, struct papi_perf_group *group)
{
	const struct perf_event_attr *attr = &control->natives[group->counters[0].native]->attr;

	if (group->n > 1)
		return;
	if (attr->type == PERF_TYPE_BREAKPOINT)
		group->resource = attr->bp_type == HW_BREAKPOINT_X ? PAPI_PERF_STOPS : PAPI_PERF_WATCHES;
	else if (control->options.take_turns && group->pmu != PERF_TYPE_SOFTWARE)
		group->resource = PAPI_PERF_COUNTERS;
	/* A breakpoint that could be opened has its register; of the groups for a PMU, one has its turn. */
	for (unsigned i = 0; group->resource == PAPI_PERF_COUNTERS && i < control->n_groups; i++)
		if (&control->groups[i] != group && same_rota(&control->groups[i], group))
			group->waiting = true;
}

/* A descriptor for data may not be good for instructions: on some processors these have registers of their own. */
static bool can_lend(const struct papi_perf_control *control, const struct papi_perf_group *lender,
	const struct perf_event_attr *attr)
{
	struct perf_event_attr own = attr_of(control, lender);
	bool can = point(lender->counters[0].fd, attr, false) == 0;

	return point(lender->counters[0].fd, &own, false) == 0 && can;
}

static bool find_lender(const struct papi_perf_control *control, const struct perf_event_attr *attr,
	const struct papi_perf_group *wanted)
{
	for (unsigned i = 0; i < control->n_groups; i++)
		if (same_rota(&control->groups[i], wanted) && !control->groups[i].waiting)
			return can_lend(control, &control->groups[i], attr);
	return false;
}

int papi_perf_multiplex_join(struct papi_perf_control *control, unsigned native, pid_t pid, int cpu)
{
	struct perf_event_attr attr = papi_perf_breakpoint_attr(control, native);
	bool stops = attr.bp_type == HW_BREAKPOINT_X;
	struct papi_perf_group wanted = { .pid = pid, .cpu = cpu }, *group;

	wanted.resource = stops ? PAPI_PERF_STOPS : PAPI_PERF_WATCHES;
	if (attr.type != PERF_TYPE_BREAKPOINT)
		return ENOSPC;
	if (!find_lender(control, &attr, &wanted)) {
		wanted.resource = stops ? PAPI_PERF_WATCHES : PAPI_PERF_STOPS;
		if (!find_lender(control, &attr, &wanted))
			return ENOSPC;
	}
	group = papi_perf_group_make(control, pid, cpu, true);
	if (!group)
		return ENOMEM;
	if (papi_perf_group_append(group, -1, native) != PAPI_OK) {
		free(group->counters);
		control->n_groups--;
		return ENOMEM;
	}
	group->resource = wanted.resource;
	group->waiting = true;
	return 0;
}

bool papi_perf_multiplex_waits(const struct papi_perf_control *control)
{
	for (unsigned i = 0; i < control->n_groups; i++)
		if (control->groups[i].waiting)
			return true;
	return false;
}

/* Makes now the baseline of a group, from what was fetched last. */
static void rebase_group(struct papi_perf_group *group)
{
	const uint64_t *raw = counts_of(group);

	for (unsigned i = 0; i < group->n; i++) {
		group->counters[i].base = raw[i];
		group->counters[i].least = 0;
	}
	group->enabled_base = group->buffer[1];
	group->running_base = group->buffer[2];
}

/*
 * The kernel accepts groups that fill all counters, though another user, such as the NMI watchdog, may hold one for
 * good; such a group would never run. So it is tried, which takes effect at once only for the calling thread.
 */
bool papi_perf_multiplex_fits(struct papi_perf_group *group)
{
	int fd = group->counters[0].fd;
	uint64_t enabled, running;
	bool tried;

	if (group->pid || group->cpu >= 0 || fetch(group) != (ssize_t)expected(group))
		return true;
	enabled = group->buffer[1];
	running = group->buffer[2];
	tried = papi_perf_kernel->ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0;
	tried = papi_perf_kernel->ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) == 0 && tried;
	if (!tried || fetch(group) != (ssize_t)expected(group))
		return true;
	rebase_group(group);
	return group->buffer[1] == enabled || group->buffer[2] != running;
}

/* ---- Rotas --------------------------------------------------------------------------------------------- */

static bool leads_rota(const struct papi_perf_control *control, unsigned i)
{
	if (control->groups[i].resource == PAPI_PERF_NOTHING)
		return false;
	for (unsigned j = 0; j < i; j++)
		if (same_rota(&control->groups[j], &control->groups[i]))
			return false;
	return true;
}

/* Those in their places first, so that the window starts there. False: no memory. */
static bool fill_rota(const struct papi_perf_control *control, unsigned leader, struct papi_perf_rota *rota)
{
	*rota = (struct papi_perf_rota){ .members = calloc(control->n_groups, sizeof(*rota->members)) };
	if (!rota->members)
		return false;
	for (int waiting = 0; waiting < 2; waiting++) {
		for (unsigned i = leader; i < control->n_groups; i++) {
			const struct papi_perf_group *group = &control->groups[i];

			if (same_rota(group, &control->groups[leader]) && group->waiting == waiting)
				rota->members[rota->n++] = i;
		}
		if (!waiting)
			rota->places = rota->n;
	}
	return true;
}

void papi_perf_multiplex_forget(struct papi_perf_control *control)
{
	for (unsigned i = 0; control->rotas && i < control->rotas->n; i++)
		free(control->rotas->rota[i].members);
	free(control->rotas);
	control->rotas = NULL;
}

int papi_perf_multiplex_arrange(struct papi_perf_control *control)
{
	unsigned n = 0;

	if (control->rotas)
		return PAPI_OK;
	for (unsigned i = 0; i < control->n_groups; i++)
		n += leads_rota(control, i);
	control->rotas = calloc(1, sizeof(*control->rotas) + n * sizeof(control->rotas->rota[0]));
	for (unsigned i = 0; control->rotas && i < control->n_groups; i++) {
		if (!leads_rota(control, i))
			continue;
		if (!fill_rota(control, i, &control->rotas->rota[control->rotas->n]))
			papi_perf_multiplex_forget(control);
		else
			control->rotas->n++;
	}
	return control->rotas ? PAPI_OK : papi_error(PAPI_ENOMEM, "no memory for the counters of an EventSet");
}

bool papi_perf_takes_turns(const void *pointer)
{
	const struct papi_perf_control *control = pointer;

	for (unsigned i = 0; control->rotas && i < control->rotas->n; i++)
		if (control->rotas->rota[i].n > control->rotas->rota[i].places)
			return true;
	return false;
}

/* ---- Turns: in a signal handler ------------------------------------------------------------------------ */

static bool failed(struct papi_perf_control *control, const char *call, bool failure)
{
	if (failure && !control->rotas->error) {
		control->rotas->error = errno ? errno : EIO;
		control->rotas->call = call;
	}
	return failure;
}

static void change_groups(struct papi_perf_control *control, struct papi_perf_group *from, struct papi_perf_group *to)
{
	failed(control, "PERF_EVENT_IOC_DISABLE",
		papi_perf_kernel->ioctl(from->counters[0].fd, PERF_EVENT_IOC_DISABLE, 0) != 0);
	from->waiting = true;
	failed(control, "PERF_EVENT_IOC_ENABLE",
		papi_perf_kernel->ioctl(to->counters[0].fd, PERF_EVENT_IOC_ENABLE, 0) != 0);
	to->waiting = false;
}

/*
 * The descriptor is turned off before it is read and goes on with the next address: what it shows in between belongs to
 * nobody. So three calls; but no count can be attributed to the wrong event.
 */
static void move_descriptor(struct papi_perf_control *control, struct papi_perf_group *from, struct papi_perf_group *to)
{
	struct perf_event_attr attr = attr_of(control, to);
	int fd = from->counters[0].fd;
	const uint64_t *raw = counts_of(from);

	if (failed(control, "PERF_EVENT_IOC_DISABLE", papi_perf_kernel->ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) != 0) ||
		failed(control, "read", fetch(from) != (ssize_t)expected(from)))
		return;
	from->counters[0].base -= raw[0];
	from->enabled_base -= from->buffer[1];
	from->running_base -= from->buffer[2];
	from->counters[0].fd = -1;
	from->waiting = true;
	to->counters[0].base += raw[0];
	to->enabled_base += from->buffer[1];
	to->running_base += from->buffer[2];
	to->counters[0].fd = fd;
	to->waiting = false;
	failed(control, "PERF_EVENT_IOC_MODIFY_ATTRIBUTES", point(fd, &attr, true) != 0);
}

/* The window moves by as many members as it has places; those in the old and the new one stay where they are. */
static void turn_rota(struct papi_perf_control *control, struct papi_perf_rota *rota)
{
	unsigned spare = rota->n - rota->places, moving = spare < rota->places ? spare : rota->places;

	for (unsigned i = 0; i < moving; i++) {
		unsigned from = rota->first + (rota->places - moving) + i, to = rota->first + rota->places + i;
		struct papi_perf_group *leaving = &control->groups[rota->members[from % rota->n]];
		struct papi_perf_group *coming = &control->groups[rota->members[to % rota->n]];

		if (is_breakpoint(leaving))
			move_descriptor(control, leaving, coming);
		else
			change_groups(control, leaving, coming);
	}
	rota->first = (rota->first + rota->places) % rota->n;
}

void papi_perf_next_turn(void *pointer)
{
	struct papi_perf_control *control = pointer;

	for (unsigned i = 0; control->rotas && !control->rotas->error && i < control->rotas->n; i++)
		if (control->rotas->rota[i].n > control->rotas->rota[i].places)
			turn_rota(control, &control->rotas->rota[i]);
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

static int fetch_all(struct papi_perf_control *control)
{
	if (control->rotas && control->rotas->error)
		return papi_perf_call_failed(control->rotas->call, control->rotas->error);
	for (unsigned i = 0; i < control->n_groups; i++) {
		struct papi_perf_group *group = &control->groups[i];
		ssize_t got = fetch(group);

		if (got != (ssize_t)expected(group))
			return papi_perf_read_failed(got, expected(group));
		group->enabled = group->buffer[1] - group->enabled_base;
		group->running = group->buffer[2] - group->running_base;
	}
	return PAPI_OK;
}

/* A place is taken all the time, by one member after the other; so each of them should have run that long. */
static void share_times(struct papi_perf_control *control)
{
	for (unsigned i = 0; control->rotas && i < control->rotas->n; i++) {
		const struct papi_perf_rota *rota = &control->rotas->rota[i];
		uint64_t sum = 0;

		if (rota->n <= rota->places)
			continue;
		for (unsigned j = 0; j < rota->n; j++)
			sum += control->groups[rota->members[j]].enabled;
		for (unsigned j = 0; j < rota->n; j++) {
			struct papi_perf_group *group = &control->groups[rota->members[j]];

			group->enabled = sum / rota->places > group->running ? sum / rota->places : group->running;
		}
	}
}

static bool waits_for_first_turn(const struct papi_perf_control *control)
{
	for (unsigned i = 0; i < control->n_groups; i++)
		if (control->groups[i].enabled && !control->groups[i].running)
			return true;
	return false;
}

/* Adds a group's estimates. False when a counter went backwards. */
static bool estimate(struct papi_perf_group *group, long long values[])
{
	const uint64_t *raw = counts_of(group);

	for (unsigned i = 0; i < group->n; i++) {
		struct papi_perf_counter *counter = &group->counters[i];
		uint64_t count = raw[i] - counter->base;

		if (count > INT64_MAX)
			return false;
		if (group->running != group->enabled)
			count = scale(count, group->enabled, group->running);
		if (count < counter->least)
			count = counter->least;
		counter->least = count;
		if (__builtin_add_overflow(values[counter->native], (long long)count, &values[counter->native]))
			values[counter->native] = INT64_MAX;
	}
	return true;
}

int papi_perf_multiplex_read(struct papi_perf_control *control, long long values[], bool rebase)
{
	int status = fetch_all(control);

	if (status != PAPI_OK)
		return status;
	share_times(control);
	if (waits_for_first_turn(control))
		return papi_perf_never_ran(true);
	memset(values, 0, control->n_natives * sizeof(values[0]));
	for (unsigned i = 0; i < control->n_groups; i++)
		if (!estimate(&control->groups[i], values))
			return papi_error(PAPI_ECLOST,
				"a counter of a multiplexed EventSet went backwards; its count is worth "
				"nothing");
	for (unsigned i = 0; rebase && i < control->n_groups; i++)
		rebase_group(&control->groups[i]);
	return PAPI_OK;
}

int papi_perf_rebase(void *pointer)
{
	struct papi_perf_control *control = pointer;
	int status = fetch_all(control);

	if (status != PAPI_OK)
		return status;
	share_times(control);
	for (unsigned i = 0; i < control->n_groups; i++)
		rebase_group(&control->groups[i]);
	return PAPI_OK;
}
