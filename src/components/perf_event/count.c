/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start, stop and read of perf events.
 *
 * Nothing is ever reset in the kernel: a count is the difference to what the counter showed at the baseline. After stop
 * the counters stand still, so what stop read is the baseline of the next start, which therefore needs no read.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/files.h"
#include "components/perf_event/control.h"
#include "components/perf_event/direct.h"
#include "components/perf_event/kernel.h"
#include "components/perf_event/multiplex.h"
#include "components/perf_event/reasons.h"
#include "components/perf_event/sampling.h"
#include "components/perf_event/system_read.h"
#include "components/perf_event/user_read.h"
#include "core/thread.h"

static int went_backwards(const struct papi_perf_group *group, const long long values[])
{
	unsigned i = 0;

	while (i + 1 < group->n && values[group->counters[i].native] >= 0)
		i++;
	return papi_error(PAPI_ECLOST, "a counter went backwards, by %lld from %llu; its count is worth nothing",
		-values[group->counters[i].native], (unsigned long long)group->counters[i].base);
}

/* Both ways to read return the counts' signs, or-ed: negative if any of them is. */

/* Without the kernel; false if a counter is in no hardware counter at this moment. */
static inline bool read_from_user(const struct papi_perf_group *group, long long values[], long long *signs)
{
	for (unsigned i = 0; i < group->n; i++) {
		const struct papi_perf_counter *counter = &group->counters[i];
		uint64_t raw;

		if (!papi_user_read(counter->page, papi_hardware_counter, &raw))
			return false;
		values[counter->native] = (long long)(raw - counter->base);
		*signs |= values[counter->native];
	}
	return true;
}

/* A new baseline is one of times too: those of the leader, put where a read from the kernel has them. */
static bool times_from_user(struct papi_perf_group *group)
{
	return papi_user_times(group->counters[0].page, papi_hardware_clock, &group->buffer[1], &group->buffer[2]);
}

int papi_perf_read_failed(ssize_t got, size_t size)
{
	/* End of file is how the kernel says that it could not keep a pinned group on the counters. */
	if (got == 0)
		return papi_perf_never_ran(false);
	if (got < 0)
		return papi_perf_call_failed("read", errno);
	return papi_error(PAPI_ESYS, "read on a perf event gave %zd bytes instead of %zu", got, size);
}

/* Some kernels take events that no counter can count, and leave them at 0. */
static inline bool has_never_run(const struct papi_perf_group *group)
{
	return !group->buffer[2] && group->buffer[1];
}

/* The kernel's answer is { n, enabled, running, values[n] } for a group, { value, enabled, running } for a single. */
static inline int read_from_kernel(const struct papi_perf_control *control, const struct papi_perf_group *group,
	long long values[], long long *signs)
{
	size_t size = (group->grouped ? 3 + group->n : 3) * sizeof(uint64_t);
	ssize_t got = papi_perf_kernel->read(group->counters[0].fd, group->buffer, size);
	const uint64_t *raw = group->grouped ? group->buffer + 3 : group->buffer;
	const struct papi_perf_counter *counter = group->counters, *end = counter + group->n;

	if (__builtin_expect(got != (ssize_t)size, 0))
		return papi_perf_read_failed(got, size);
	if (__builtin_expect(has_never_run(group), 0) && !control->some_cores)
		return papi_perf_never_ran(false);
	for (; counter < end; counter++, raw++) {
		long long count = (long long)(*raw - counter->base);

		values[counter->native] = count;
		*signs |= count;
	}
	return PAPI_OK;
}

/* The times since the baseline; the buffer holds those of the last read from the kernel. */
static void update_times(struct papi_perf_group *group)
{
	group->enabled = group->buffer[1] - group->enabled_base;
	group->running = group->buffer[2] - group->running_base;
}

static void move_baseline(struct papi_perf_control *control, struct papi_perf_group *group, const long long values[])
{
	for (unsigned i = 0; i < group->n; i++)
		group->counters[i].base += (uint64_t)values[group->counters[i].native];
	update_times(group);
	group->enabled_base = group->buffer[1];
	group->running_base = group->buffer[2];
	papi_perf_direct_rebase(control);
}

/* A group that its own thread may be able to read by itself. False if it goes on to the kernel. */
static __attribute__((noinline)) bool read_mapped(struct papi_perf_control *control, struct papi_perf_group *group,
	long long values[], long long *signs, bool rebase)
{
	papi_perf_direct_settle(control);
	if (control->thread != papi_thread_number())
		return false;
	if (!(control->direct ? papi_perf_direct_read(control, values, signs) : read_from_user(group, values, signs)))
		return false;
	return !rebase || times_from_user(group);
}

/* One group into values, which holds nothing else for its natives yet. */
static inline int read_group(
	struct papi_perf_control *control, struct papi_perf_group *group, long long values[], bool rebase)
{
	long long signs = 0;

	if (!group->user_read || !read_mapped(control, group, values, &signs, rebase)) {
		int status;

		signs = 0;
		status = read_from_kernel(control, group, values, &signs);
		if (__builtin_expect(status != PAPI_OK, 0))
			return status;
	}
	if (__builtin_expect(signs < 0, 0))
		return went_backwards(group, values);
	if (rebase)
		move_baseline(control, group, values);
	return PAPI_OK;
}

/* Several groups, of several targets, to be summed. */
static int read_groups(struct papi_perf_control *control, long long values[], bool rebase)
{
	memset(values, 0, control->n_natives * sizeof(values[0]));
	for (unsigned i = 0; i < control->n_groups; i++) {
		struct papi_perf_group *group = &control->groups[i];
		long long *counts = control->scratch;
		int status = read_group(control, group, counts, rebase);

		if (status != PAPI_OK)
			return status;
		for (unsigned j = 0; j < group->n; j++) {
			unsigned native = group->counters[j].native;

			if (__builtin_add_overflow(values[native], counts[native], &values[native]))
				values[native] = INT64_MAX;
		}
	}
	return PAPI_OK;
}

static __attribute__((noinline)) int read_full(struct papi_perf_control *control, long long values[], bool rebase)
{
	if (__builtin_expect(control->n_groups == 1 && !control->options.multiplex, 1))
		return read_group(control, &control->groups[0], values, rebase);
	return control->options.multiplex ? papi_perf_multiplex_read(control, values, rebase)
					  : read_groups(control, values, rebase);
}

/* The long ways out of what follows; errors of papi_system_call() are negative numbers. */
static __attribute__((cold, noinline)) int short_read_failed(long got, size_t size)
{
	if (got < 0)
		errno = (int)-got;
	return papi_perf_read_failed(got < 0 ? -1 : got, size);
}

/* The values of a control that goes the short way; their signs, or-ed. With rebase, the baseline is moved whatever they
 * are. */
static inline long long short_values(struct papi_perf_group *group, long long values[], bool rebase)
{
	const uint64_t *raw = group->buffer + 3;
	long long signs = 0;

	for (struct papi_perf_counter *one = group->counters, *end = one + group->n; one < end; one++, raw++) {
		long long value = (long long)(*raw - one->base);

		*values++ = value;
		signs |= value;
		if (rebase)
			one->base = *raw;
	}
	return signs;
}

int papi_perf_read(void *pointer, long long values[], bool rebase)
{
	struct papi_perf_control *control = pointer;
	struct papi_perf_group *group = control->groups;
	size_t size;
	long got;

	if (__builtin_expect(control->way != PAPI_WAY_SHORT || rebase, 0))
		return read_full(control, values, rebase);
	size = (3 + group->n) * sizeof(uint64_t);
	got = papi_system_read(control->leader, group->buffer, size);
	if (__builtin_expect(got != (long)size, 0))
		return short_read_failed(got, size);
	if (__builtin_expect(has_never_run(group), 0))
		return papi_perf_never_ran(false);
	return __builtin_expect(short_values(group, values, false) < 0, 0) ? went_backwards(group, values) : PAPI_OK;
}

void papi_perf_open_anew(struct papi_perf_control *control)
{
	struct papi_options options = control->options;

	papi_error_keep();
	papi_perf_configure(control, &options);
	papi_error_restore();
}

/* After a stop that failed. That an event had no turn is nothing that new counters would help. */
static void recover(struct papi_perf_control *control, int status)
{
	papi_error_keep();
	if (status != PAPI_ECNFLCT || !control->options.multiplex || papi_perf_rebase(control) != PAPI_OK)
		papi_perf_open_anew(control);
	papi_error_restore();
}

/* The kernel would enable the events of a task that has ended, and count nothing. A zombie has ended too. */
static int check_target(const struct papi_perf_control *control)
{
	char path[32], stat[512];
	const char *state;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)control->options.attach);
	if (!papi_linux_is_live())
		return PAPI_OK;
	if (papi_linux_read_file(path, stat, sizeof(stat)) > 0) {
		/* Behind the name, which is in parentheses and may have some itself. */
		state = strrchr(stat, ')');
		if (!state || !strchr("ZX", state[1] ? state[2] : 'R'))
			return PAPI_OK;
	} else if (errno != ENOENT && errno != ESRCH) {
		return PAPI_OK;
	}
	return papi_error(PAPI_EINVAL, "process or thread %d, to which the EventSet is attached, has ended",
		(int)control->options.attach);
}

/* Makes now the baseline of a control that was kept. False if that takes the kernel. */
static bool start_kept(struct papi_perf_control *control)
{
	struct papi_perf_group *group = control->groups;
	long long signs;

	if (control->thread != papi_thread_number() || !papi_perf_direct_read(control, control->scratch, &signs) ||
		!times_from_user(group))
		return false;
	move_baseline(control, group, control->scratch);
	return true;
}

/* Instead of being stopped. False if it cannot be kept. */
static bool keep(struct papi_perf_control *control, long long values[])
{
	struct papi_perf_group *group = control->groups;
	long long signs = 0;

	if (control->n_runs < 2 || control->sampling || !read_mapped(control, group, values, &signs, true) ||
		!control->direct->can_keep || signs < 0)
		return false;
	move_baseline(control, group, values);
	return true;
}

/* A counter that was let go has counted since; its count is in the counters again, so that mostly no call is needed to
 * find the baseline. */
static int find_baseline(struct papi_perf_control *control)
{
	int status = papi_perf_read(control, control->scratch, true);

	if (status == PAPI_OK)
		control->moved = false;
	return status;
}

static __attribute__((cold)) int start_failed(struct papi_perf_control *control)
{
	int status = papi_perf_call_failed("PERF_EVENT_IOC_ENABLE", errno);

	papi_perf_open_anew(control);
	return status;
}

static __attribute__((noinline)) int start_full(struct papi_perf_control *control)
{
	int status;

	if (control->enabled) {
		papi_perf_direct_settle(control);
		if (start_kept(control))
			return PAPI_OK;
		papi_perf_let_go(control);
	}
	if (!control->open) {
		status = papi_perf_control_open(control);
		if (status != PAPI_OK)
			return status;
	}
	if (control->options.attach) {
		status = check_target(control);
		if (status != PAPI_OK)
			return status;
	}
	if (!control->mapped)
		papi_perf_control_map(control);
	if (control->options.multiplex) {
		status = papi_perf_multiplex_arrange(control);
		if (status != PAPI_OK)
			return status;
	}
	if (control->sampling) {
		status = papi_perf_sampling_start(control);
		if (status != PAPI_OK)
			return status;
	}
	for (unsigned i = 0; i < control->n_groups; i++) {
		if (control->groups[i].waiting)
			continue;
		if (papi_perf_kernel->ioctl(control->groups[i].counters[0].fd, PERF_EVENT_IOC_ENABLE, 0) == 0)
			continue;
		return start_failed(control);
	}
	control->enabled = true;
	control->n_runs += control->n_runs < 2;
	if (!control->moved)
		return PAPI_OK;
	status = find_baseline(control);
	if (status != PAPI_OK)
		papi_perf_open_anew(control);
	return status;
}

static __attribute__((cold, noinline)) int short_start_failed(struct papi_perf_control *control, long error)
{
	errno = (int)-error;
	return start_failed(control);
}

int papi_perf_start(void *pointer)
{
	struct papi_perf_control *control = pointer;
	long result;

	if (__builtin_expect(control->way != PAPI_WAY_SHORT, 0))
		return start_full(control);
	result = papi_system_ioctl(control->leader, PERF_EVENT_IOC_ENABLE, 0);
	return __builtin_expect(result, 0) ? short_start_failed(control, result) : PAPI_OK;
}

static __attribute__((noinline)) int stop_full(struct papi_perf_control *control, long long values[])
{
	int status = PAPI_OK;

	if (control->direct && keep(control, values))
		return PAPI_OK;
	control->enabled = false;
	for (unsigned i = 0; i < control->n_groups; i++)
		if (!control->groups[i].waiting &&
			papi_perf_kernel->ioctl(control->groups[i].counters[0].fd, PERF_EVENT_IOC_DISABLE, 0) != 0)
			status = papi_perf_call_failed("PERF_EVENT_IOC_DISABLE", errno);
	/* A disabled counter is in no hardware counter: this goes to the kernel, and brings the times too. */
	if (status == PAPI_OK)
		status = papi_perf_read(control, values, true);
	if (control->sampling)
		papi_perf_sampling_stop(control);
	if (status != PAPI_OK)
		recover(control, status);
	return status;
}

static __attribute__((cold, noinline)) int short_stop_failed(struct papi_perf_control *control, int status)
{
	recover(control, status);
	return status;
}

static __attribute__((cold, noinline)) int short_disable_failed(struct papi_perf_control *control, long error)
{
	errno = (int)-error;
	return short_stop_failed(control, papi_perf_call_failed("PERF_EVENT_IOC_DISABLE", errno));
}

int papi_perf_stop(void *pointer, long long values[])
{
	struct papi_perf_control *control = pointer;
	struct papi_perf_group *group = control->groups;
	const uint64_t *raw;
	size_t size;
	long got;

	if (__builtin_expect(control->way != PAPI_WAY_SHORT, 0))
		return stop_full(control, values);
	got = papi_system_ioctl(control->leader, PERF_EVENT_IOC_DISABLE, 0);
	if (__builtin_expect(got, 0))
		return short_disable_failed(control, got);
	size = (3 + group->n) * sizeof(uint64_t);
	raw = group->buffer;
	got = papi_system_read(control->leader, group->buffer, size);
	if (__builtin_expect(got != (long)size, 0))
		return short_stop_failed(control, short_read_failed(got, size));
	if (__builtin_expect(has_never_run(group), 0))
		return short_stop_failed(control, papi_perf_never_ran(false));
	if (__builtin_expect(short_values(group, values, true) < 0, 0))
		return short_stop_failed(control, papi_error(PAPI_ECLOST, "a counter went backwards"));
	group->enabled = raw[1] - group->enabled_base;
	group->running = raw[2] - group->running_base;
	group->enabled_base = raw[1];
	group->running_base = raw[2];
	return PAPI_OK;
}

/* The times of a counting group, asked from the kernel if the last read did without it. */
static void refresh_times(struct papi_perf_group *group)
{
	size_t size = (group->grouped ? 3 + group->n : 3) * sizeof(uint64_t);

	if (group->user_read && papi_perf_kernel->read(group->counters[0].fd, group->buffer, size) != (ssize_t)size)
		return;
	update_times(group);
}

void papi_perf_times(void *pointer, unsigned position, long long *enabled, long long *running, bool counting)
{
	struct papi_perf_control *control = pointer;

	*enabled = *running = 0;
	papi_perf_direct_settle(control);
	/* Of several targets: the sums, whose ratio is the share of the whole. */
	for (unsigned i = 0; i < control->n_groups; i++) {
		struct papi_perf_group *group = &control->groups[i];

		for (unsigned j = 0; j < group->n; j++) {
			if (group->counters[j].native != position)
				continue;
			if (counting && !control->options.multiplex)
				refresh_times(group);
			*enabled += (long long)group->enabled;
			*running += (long long)group->running;
		}
	}
}
