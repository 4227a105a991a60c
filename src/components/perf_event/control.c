/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "components/perf_event/direct.h"
#include "components/perf_event/kernel.h"
#include "components/perf_event/multiplex.h"
#include "components/perf_event/ranges.h"
#include "components/perf_event/reasons.h"
#include "components/perf_event/sampling.h"
#include "components/perf_event/user_read.h"
#include "core/thread.h"
#include "linux/proc/cpus.h"

#define MAX_CPUS 4096

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int no_memory(void)
{
	return papi_error(PAPI_ENOMEM, "no memory for the counters of an EventSet");
}

/* What a counter is opened on. */
struct target {
	pid_t pid;
	int cpu;
	unsigned core_pmu; /* type of the PMU of one kind of cores; 0: as the event says */
};

/* PMUs of the cores share one set of counters however their events are named; software has none. */
static unsigned pmu_of(const struct papi_perf_encoding *encoding, unsigned core_pmu)
{
	if (core_pmu)
		return core_pmu;
	switch (encoding->attr.type) {
	case PERF_TYPE_SOFTWARE:
	case PERF_TYPE_TRACEPOINT:
	case PERF_TYPE_BREAKPOINT:
		return PERF_TYPE_SOFTWARE;
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		return PERF_TYPE_RAW;
	default:
		return encoding->attr.type;
	}
}

/* arm64 wants to be asked for reads from user space when an event is opened, and refuses unless the sysctl allows
 * it. */
static bool user_read_is_allowed(void)
{
	static _Atomic int answer = -1;
	int allowed = PAPI_USER_READ_CONFIG1 ? atomic_load_explicit(&answer, memory_order_relaxed) : 1;

	if (allowed < 0) {
		long long sysctl;

		allowed = !papi_linux_read_int("/proc/sys/kernel/perf_user_access", &sysctl) && sysctl == 1;
		atomic_store_explicit(&answer, allowed, memory_order_relaxed);
	}
	return allowed;
}

static bool may_user_read(const struct papi_perf_control *control, const struct papi_perf_encoding *encoding)
{
	const struct papi_options *options = &control->options;
	uint64_t event = encoding->attr.config & 0xff;
	bool topdown = encoding->attr.type != PERF_TYPE_HARDWARE && encoding->attr.type != PERF_TYPE_HW_CACHE && !event;

	/* Intel's topdown events have code 0 and share one register, which holds shares and not counts. */
	return PAPI_USER_READ && user_read_is_allowed() && encoding->core && !topdown && !options->attach &&
		options->cpu < 0 && options->granularity == PAPI_GRN_THR && !options->inherit && !options->multiplex &&
		!control->sampling;
}

static struct perf_event_attr attr_for(const struct papi_perf_control *control,
	const struct papi_perf_encoding *encoding, unsigned core_pmu, bool leader)
{
	struct perf_event_attr attr = encoding->attr;
	int domain = control->options.domain;

	/* Generic events have a number of 32 bits; above it stands the type of the PMU they are meant for, if any. */
	attr.config |= (uint64_t)core_pmu << 32;

	attr.size = sizeof(attr);
	attr.disabled = leader;
	attr.pinned = leader && !control->options.multiplex;
	attr.inherit = control->options.inherit;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_GROUP;
	if (atomic_load_explicit(&encoding->any_mode, memory_order_relaxed)) {
		attr.exclude_user = attr.exclude_kernel = attr.exclude_hv = 0;
	} else if (!encoding->own_modes) {
		attr.exclude_user = !(domain & PAPI_DOM_USER);
		attr.exclude_kernel = !(domain & PAPI_DOM_KERNEL);
		attr.exclude_hv = !(domain & PAPI_DOM_SUPERVISOR);
	}
	if (may_user_read(control, encoding) && !attr.config1)
		attr.config1 = PAPI_USER_READ_CONFIG1;
	papi_perf_range_apply(&control->options, &attr);
	if (control->sampling)
		papi_perf_sampling_apply(control, encoding, &attr);
	return attr;
}

struct perf_event_attr papi_perf_breakpoint_attr(const struct papi_perf_control *control, unsigned native)
{
	return attr_for(control, control->natives[native], 0, true);
}

/* What one attempt to open came to. */
struct opened {
	int fd;
	int error;     /* errno */
	bool alone;    /* opened, but not into the group it was meant for */
	bool any_mode; /* without the exclude bits that its PMU does not know */
	bool grouped;
};

static int attempt(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader, struct opened *opened)
{
	struct perf_event_attr copy = *attr;

	opened->fd = papi_perf_kernel->open(&copy, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
	opened->error = opened->fd < 0 ? errno : 0;
	opened->alone = leader < 0;
	opened->any_mode = !attr->exclude_user && !attr->exclude_kernel && !attr->exclude_hv;
	opened->grouped = attr->read_format & PERF_FORMAT_GROUP;
	return opened->fd;
}

/* PMUs of their own, other than that of the cores, may be unable to tell modes apart; the kernel's software is not. */
static bool may_lack_modes(const struct papi_perf_encoding *encoding)
{
	return !encoding->core && !encoding->own_modes && encoding->attr.type > PERF_TYPE_BREAKPOINT;
}

/*
 * Opens an event, and when the kernel calls it invalid (EINVAL has many reasons) finds out which part was:
 *  - PMUs that cannot tell modes apart refuse the exclude bits: without them, and remembered for next time;
 *  - older kernels refuse grouped reads of inherited events: alone, read one by one;
 *  - it does not fit into the group: alone, if it belongs to a PMU other than that of the group.
 */
static void open_event(const struct papi_perf_control *control, struct papi_perf_encoding *encoding,
	const struct target *target, const struct papi_perf_group *group, struct opened *opened)
{
	struct perf_event_attr attr = attr_for(control, encoding, target->core_pmu, !group);
	pid_t pid = target->pid;
	int cpu = target->cpu;
	int leader = group ? group->counters[0].fd : -1;

	if (attempt(&attr, pid, cpu, leader, opened) >= 0 || opened->error != EINVAL)
		return;
	if (may_lack_modes(encoding) && (attr.exclude_user || attr.exclude_kernel || attr.exclude_hv)) {
		struct perf_event_attr plain = attr;

		plain.exclude_user = plain.exclude_kernel = plain.exclude_hv = 0;
		attempt(&plain, pid, cpu, leader, opened);
		if (opened->fd >= 0)
			atomic_store_explicit(&encoding->any_mode, true, memory_order_relaxed);
		if (opened->error != EINVAL)
			return;
		/* A PMU of that kind may also be one that cannot be in this group. */
		if (group) {
			attr.disabled = 1;
			attr.pinned = !control->options.multiplex;
			plain.disabled = attr.disabled;
			plain.pinned = attr.pinned;
			attempt(&plain, pid, cpu, -1, opened);
			if (opened->fd >= 0)
				atomic_store_explicit(&encoding->any_mode, true, memory_order_relaxed);
			if (opened->error != EINVAL)
				return;
		}
	}
	attr.disabled = 1;
	attr.pinned = !control->options.multiplex;
	if (group && pmu_of(encoding, target->core_pmu) != group->pmu && attempt(&attr, pid, cpu, -1, opened) >= 0)
		return;
	if (attr.inherit) {
		attr.read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
		attempt(&attr, pid, cpu, -1, opened);
	}
}

/* An event that is invalid in its group but valid alone conflicts with the group. */
static int open_failed(const struct papi_perf_control *control, struct papi_perf_encoding *encoding,
	const struct target *target, const struct papi_perf_group *group, const struct opened *last)
{
	struct perf_event_attr attr = attr_for(control, encoding, target->core_pmu, true);
	pid_t pid = target->pid;
	int cpu = target->cpu;
	int error = last->error;
	struct opened opened;

	/* The modes that were refused are those that were tried last. */
	if (last->any_mode)
		attr.exclude_user = attr.exclude_kernel = attr.exclude_hv = 0;
	if (error == EINVAL && group && attempt(&attr, pid, cpu, -1, &opened) >= 0) {
		papi_perf_kernel->close(opened.fd);
		return papi_error(PAPI_ECNFLCT,
			"the counters cannot count it together with the events already in the "
			"EventSet: use another EventSet, or PAPI_set_multiplex");
	}
	return papi_perf_open_failed(
		&(struct papi_perf_attempt){ .attr = &attr,
			.pid = pid,
			.cpu = cpu,
			.core = encoding->core,
			.any_mode = last->any_mode && !(control->options.domain & PAPI_DOM_KERNEL) },
		error);
}

static struct papi_perf_group *find_group(
	struct papi_perf_control *control, const struct papi_perf_encoding *encoding, const struct target *target)
{
	unsigned pmu = pmu_of(encoding, target->core_pmu);

	/* Multiplexed, an event is alone; but where the library gives the turns, those of one turn are together. */
	if (control->options.multiplex && (!control->options.take_turns || pmu == PERF_TYPE_SOFTWARE))
		return NULL;
	for (unsigned i = 0; i < control->n_groups; i++) {
		/* Of turns, the latest is the one that may have room. */
		struct papi_perf_group *group =
			&control->groups[control->options.multiplex ? control->n_groups - 1 - i : i];

		if (control->options.multiplex && group->pmu != pmu)
			continue;

		if (group->pid == target->pid && group->cpu == target->cpu && group->grouped &&
			(pmu == PERF_TYPE_SOFTWARE || group->pmu == PERF_TYPE_SOFTWARE || group->pmu == pmu))
			return group;
	}
	return NULL;
}

struct papi_perf_group *papi_perf_group_make(struct papi_perf_control *control, pid_t pid, int cpu, bool grouped)
{
	struct papi_perf_group *groups = realloc(control->groups, (control->n_groups + 1) * sizeof(*groups));

	if (!groups)
		return NULL;
	control->groups = groups;
	groups[control->n_groups] =
		(struct papi_perf_group){ .pid = pid, .cpu = cpu, .pmu = PERF_TYPE_SOFTWARE, .grouped = grouped };
	return &groups[control->n_groups++];
}

int papi_perf_group_append(struct papi_perf_group *group, int fd, unsigned native)
{
	if (group->n == group->capacity) {
		unsigned capacity = group->capacity ? group->capacity * 2 : 4;
		struct papi_perf_counter *counters = realloc(group->counters, capacity * sizeof(*counters));
		uint64_t *buffer;

		if (!counters)
			return no_memory();
		group->counters = counters;
		buffer = realloc(group->buffer, (3 + capacity) * sizeof(*buffer));
		if (!buffer)
			return no_memory();
		group->buffer = buffer;
		group->capacity = capacity;
	}
	group->counters[group->n++] = (struct papi_perf_counter){ .fd = fd, .native = native };
	group->user_read = false;
	return PAPI_OK;
}

/* The descriptor becomes the last counter of the group, or of a new one. On failure it is closed. */
static int keep_counter(struct papi_perf_control *control, struct papi_perf_group *group, const struct opened *opened,
	const struct target *target, unsigned native)
{
	unsigned pmu = pmu_of(control->natives[native], target->core_pmu);
	int status;

	if (!group)
		group = papi_perf_group_make(control, target->pid, target->cpu, opened->grouped);
	status = group ? papi_perf_group_append(group, opened->fd, native) : no_memory();
	if (status != PAPI_OK) {
		papi_perf_kernel->close(opened->fd);
		if (group && !group->n) {
			free(group->counters);
			free(group->buffer);
			control->n_groups--;
		}
		return status;
	}
	if (pmu != PERF_TYPE_SOFTWARE)
		group->pmu = pmu;
	if (control->options.multiplex)
		papi_perf_multiplex_classify(control, group);
	return PAPI_OK;
}

static int add_counter_for(struct papi_perf_control *control, unsigned native, const struct target *target)
{
	struct papi_perf_encoding *encoding = control->natives[native];
	struct papi_perf_group *group = find_group(control, encoding, target);
	struct opened opened;
	int status;

	do {
		open_event(control, encoding, target, group, &opened);
	} while (
		opened.fd < 0 && control->sampling && papi_perf_sampling_less_precise(control, encoding, opened.error));
	/* It does not fit into this turn: the next one begins with it. */
	if (opened.fd < 0 && opened.error == EINVAL && group && control->options.take_turns) {
		group = NULL;
		open_event(control, encoding, target, NULL, &opened);
	}
	if (opened.fd < 0 && opened.error == ENOSPC && control->options.multiplex) {
		opened.error = papi_perf_multiplex_join(control, native, target->pid, target->cpu);
		if (!opened.error)
			return PAPI_OK;
	}
	if (opened.fd < 0)
		return open_failed(control, encoding, target, group, &opened);
	if (opened.alone)
		group = NULL;
	status = keep_counter(control, group, &opened, target, native);
	if (status != PAPI_OK || !group || !control->options.take_turns || papi_perf_multiplex_fits(group))
		return status;
	papi_perf_kernel->close(group->counters[--group->n].fd);
	open_event(control, encoding, target, NULL, &opened);
	return opened.fd < 0 ? open_failed(control, encoding, target, NULL, &opened)
			     : keep_counter(control, NULL, &opened, target, native);
}

/* On a hybrid CPU a generic event has a counter on the PMU of each kind of cores; its count is their sum. */
static int add_counter(struct papi_perf_control *control, unsigned native, pid_t pid, int cpu)
{
	const struct papi_perf_encoding *encoding = control->natives[native];
	struct target target = { .pid = pid, .cpu = cpu };
	int status = PAPI_OK;

	if (!encoding->n_core_pmus)
		return add_counter_for(control, native, &target);
	for (unsigned i = 0; status == PAPI_OK && i < encoding->n_core_pmus; i++) {
		target.core_pmu = encoding->core_pmus[i];
		status = add_counter_for(control, native, &target);
	}
	return status;
}

static int add_counters_on(struct papi_perf_control *control, unsigned native, const int cpus[], unsigned n_cpus)
{
	for (unsigned i = 0; i < n_cpus; i++) {
		int status = add_counter(control, native, -1, cpus[i]);

		if (status != PAPI_OK)
			return status;
	}
	return PAPI_OK;
}

/* One native, on every target of the EventSet. */
static int add_native(struct papi_perf_control *control, unsigned native)
{
	const struct papi_perf_encoding *encoding = control->natives[native];
	const struct papi_options *options = &control->options;
	int status;

	/* A thread that is not scheduled there may run on the other cores: no share of time tells what to scale by. */
	if (options->multiplex && encoding->some_cores)
		return papi_error(PAPI_ECMP,
			"on a hybrid CPU, events of one kind of cores cannot be estimated by multiplexing: "
			"use several EventSets without it");
	status = papi_perf_range_check(options, &encoding->attr);
	if (status != PAPI_OK)
		return status;
	if (encoding->n_cpus)
		return add_counters_on(control, native, encoding->cpus, encoding->n_cpus);
	if (options->cpu >= 0)
		return add_counter(control, native, -1, options->cpu);
	if (options->granularity == PAPI_GRN_SYS)
		return add_counter(control, native, -1, papi_linux_current_cpu());
	if (options->granularity == PAPI_GRN_SYS_CPU) {
		int cpus[MAX_CPUS], n = papi_linux_online_cpus(cpus, MAX_CPUS);

		if (n <= 0 || n > MAX_CPUS)
			return papi_error(PAPI_ESYS, "the list of online CPUs cannot be read");
		return add_counters_on(control, native, cpus, (unsigned)n);
	}
	return add_counter(control, native, options->attach, -1);
}

static void unmap(struct papi_perf_counter *counter)
{
	if (counter->page)
		papi_perf_kernel->unmap((void *)(uintptr_t)counter->page, page_size());
	counter->page = NULL;
}

static void close_counter(struct papi_perf_counter *counter)
{
	unmap(counter);
	if (counter->fd >= 0)
		papi_perf_kernel->close(counter->fd);
}

static void close_all(struct papi_perf_control *control)
{
	papi_perf_sampling_close(control);
	/* Members before leaders: closing a leader first would make singles of the rest, for nothing. */
	for (unsigned i = 0; i < control->n_groups; i++) {
		struct papi_perf_group *group = &control->groups[i];

		for (unsigned j = group->n; j-- > 0;)
			close_counter(&group->counters[j]);
		free(group->counters);
		free(group->buffer);
	}
	papi_perf_multiplex_forget(control);
	papi_perf_direct_free(control);
	free(control->groups);
	control->groups = NULL;
	control->n_groups = 0;
	control->open = control->mapped = control->enabled = control->moved = false;
	control->way = PAPI_WAY_FULL;
	control->n_runs = 0;
}

int papi_perf_control_open(struct papi_perf_control *control)
{
	int status = PAPI_OK;

	/* After a fork there still are groups, without descriptors. */
	close_all(control);
	control->thread = papi_thread_number();
	for (unsigned i = 0; status == PAPI_OK && i < control->n_natives; i++)
		status = add_native(control, i);
	if (status == PAPI_OK)
		status = papi_perf_sampling_open(control);
	control->open = status == PAPI_OK;
	if (status != PAPI_OK) {
		papi_error_keep();
		close_all(control);
		papi_error_restore();
	}
	return status;
}

/* Takes the counters of one native out of their groups. False if a leader was among them and others remain. */
static bool drop_counters(struct papi_perf_control *control, unsigned native)
{
	unsigned kept_groups = 0;
	bool whole = true;

	papi_perf_multiplex_forget(control);
	for (unsigned i = 0; i < control->n_groups; i++) {
		struct papi_perf_group *group = &control->groups[i];
		unsigned kept = 0;

		for (unsigned j = 0; j < group->n; j++) {
			if (group->counters[j].native != native) {
				group->counters[kept++] = group->counters[j];
				continue;
			}
			close_counter(&group->counters[j]);
			whole = whole && (j || group->n == 1);
		}
		group->n = kept;
		if (kept) {
			control->groups[kept_groups++] = *group;
		} else {
			free(group->counters);
			free(group->buffer);
		}
	}
	control->n_groups = kept_groups;
	return whole;
}

int papi_perf_add(void *pointer, const void *encoding)
{
	struct papi_perf_control *control = pointer;
	struct papi_perf_encoding **natives = realloc(control->natives, (control->n_natives + 1) * sizeof(*natives));
	long long *scratch = realloc(control->scratch, (control->n_natives + 1) * sizeof(*scratch));
	unsigned native = control->n_natives;
	int status;

	if (natives)
		control->natives = natives;
	if (scratch)
		control->scratch = scratch;
	if (!natives || !scratch)
		return no_memory();
	natives[native] = (struct papi_perf_encoding *)(uintptr_t)encoding;
	papi_perf_direct_end(control);
	papi_perf_multiplex_forget(control);
	status = papi_perf_sampling_added(control);
	if (status == PAPI_OK && !control->open)
		status = papi_perf_control_open(control);
	if (status == PAPI_OK)
		status = add_native(control, native);
	if (status != PAPI_OK) {
		/* Counters that were opened on some of several targets go again. */
		papi_error_keep();
		drop_counters(control, native);
		papi_error_restore();
		return status;
	}
	control->n_natives++;
	control->mapped = false;
	control->way = PAPI_WAY_FULL;
	return PAPI_OK;
}

int papi_perf_remove(void *pointer, unsigned position)
{
	struct papi_perf_control *control = pointer;
	bool whole;

	papi_perf_direct_end(control);
	/* Where events take turns, others may wait for the place of this one. */
	whole = !control->open || (drop_counters(control, position) && !papi_perf_multiplex_waits(control));

	control->n_natives--;
	memmove(&control->natives[position], &control->natives[position + 1],
		(control->n_natives - position) * sizeof(*control->natives));
	for (unsigned i = 0; i < control->n_groups; i++)
		for (unsigned j = 0; j < control->groups[i].n; j++)
			if (control->groups[i].counters[j].native > position)
				control->groups[i].counters[j].native--;
	papi_perf_sampling_removed(control, position);
	control->mapped = false;
	control->way = PAPI_WAY_FULL;
	if (whole)
		return PAPI_OK;
	/* The kernel dissolves a group whose leader goes. If the new one cannot be opened now, start will try again. */
	close_all(control);
	return papi_perf_control_open(control);
}

static int check_options(const struct papi_options *options)
{
	int domain = options->domain;

	if (!(domain & (PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_SUPERVISOR)))
		return papi_error(PAPI_EINVAL_DOM,
			"perf events cannot count domain 0x%x alone: add PAPI_DOM_USER, "
			"PAPI_DOM_KERNEL or PAPI_DOM_SUPERVISOR",
			(unsigned)domain);
	if (options->granularity != PAPI_GRN_THR && options->granularity != PAPI_GRN_SYS &&
		options->granularity != PAPI_GRN_SYS_CPU)
		return papi_error(PAPI_ECMP,
			"perf events count threads, CPUs or the system; for a process, count its first "
			"thread with PAPI_INHERIT before it makes others");
	if (options->granularity != PAPI_GRN_THR && options->attach)
		return papi_error(PAPI_ECOMBO, "an EventSet counts a thread it is attached to or whole CPUs, not both");
	if (options->cpu >= 0 && options->attach)
		return papi_error(PAPI_ECOMBO, "an EventSet is attached to a CPU or to a thread, not to both");
	return PAPI_OK;
}

int papi_perf_configure(void *pointer, const struct papi_options *options)
{
	struct papi_perf_control *control = pointer;
	int status = check_options(options);

	if (status != PAPI_OK)
		return status;
	close_all(control);
	control->options = *options;
	return papi_perf_control_open(control);
}

void papi_perf_close(void *pointer)
{
	struct papi_perf_control *control = pointer;

	papi_perf_sampling_forget(control);
	close_all(control);
	free(control->natives);
	free(control->scratch);
	control->natives = NULL;
	control->scratch = NULL;
	control->n_natives = 0;
}

/*
 * The descriptors are copies: closing them leaves the parent's events alone. Nothing is freed here: another thread of
 * the parent may have been inside the allocator, and a signal handler that forks may have interrupted a read of this
 * set.
 */
void papi_perf_forked(void *pointer)
{
	struct papi_perf_control *control = pointer;

	papi_perf_sampling_forked(control);
	papi_perf_direct_settle(control);
	for (unsigned i = 0; i < control->n_groups; i++) {
		for (unsigned j = 0; j < control->groups[i].n; j++) {
			struct papi_perf_counter *counter = &control->groups[i].counters[j];

			close_counter(counter);
			counter->fd = -1;
		}
		control->groups[i].user_read = false;
	}
	control->open = control->mapped = control->enabled = false;
	control->way = PAPI_WAY_FULL;
}

static bool map_group(const struct papi_perf_control *control, struct papi_perf_group *group)
{
	for (unsigned i = 0; i < group->n; i++) {
		struct papi_perf_counter *counter = &group->counters[i];

		if (!may_user_read(control, control->natives[counter->native]))
			return false;
		if (!counter->page)
			counter->page = papi_perf_kernel->map(counter->fd, page_size());
		if (!counter->page)
			return false;
	}
	return true;
}

/* Short: start, read and stop are just one or two calls. A kernel that a test puts in place gets its calls by the
 * table. */
static enum papi_way choose_way(const struct papi_perf_control *control)
{
	const struct papi_perf_group *group = control->groups;

	if (papi_perf_kernel != &papi_perf_linux || control->n_groups != 1 || !group->grouped || group->user_read ||
		control->some_cores || control->options.attach || control->options.multiplex || control->sampling)
		return PAPI_WAY_FULL;
	for (unsigned i = 0; i < group->n; i++)
		if (group->counters[i].native != i)
			return PAPI_WAY_FULL;
	return PAPI_WAY_SHORT;
}

void papi_perf_control_map(struct papi_perf_control *control)
{
	for (unsigned i = 0; i < control->n_groups; i++) {
		struct papi_perf_group *group = &control->groups[i];

		group->user_read = map_group(control, group);
		for (unsigned j = 0; !group->user_read && j < group->n; j++)
			unmap(&group->counters[j]);
	}
	papi_perf_direct_make(control);
	control->mapped = true;
	control->some_cores = false;
	for (unsigned i = 0; i < control->n_natives; i++)
		control->some_cores = control->some_cores || control->natives[i]->some_cores;
	control->way = choose_way(control);
	control->leader = control->way == PAPI_WAY_SHORT ? control->groups[0].counters[0].fd : -1;
}
