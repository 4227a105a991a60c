/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/sampling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "components/perf_event/kernel.h"
#include "components/perf_event/overflow_signals.h"
#include "components/perf_event/reasons.h"
#include "core/thread.h"

#define MOST_PRECISE 2

/* The kernel's timer for clock events goes no faster. */
#define SHORTEST_CLOCK_PERIOD 10000

/* And that of faster ones sends no signals: an interrupt takes about 10,000 ns on virtual machines. */
#define SHORTEST_SIGNALLED_PERIOD 100000

/* Pages of samples to a ring, at first, and where the limit of locked memory does not allow that, less. */
#define RING_PAGES 4

/* The signals of all rings go to the calling thread. */
static int direct_signals(struct papi_perf_sampling *sampling)
{
	int status = PAPI_OK;

	for (unsigned i = 0; i < sampling->n_rings && status == PAPI_OK; i++)
		if (!sampling->rings[i].polled)
			status = papi_perf_signals_direct(sampling->rings[i].fd, sampling->cookie);
	sampling->thread = status == PAPI_OK ? papi_thread_number() : 0;
	return status;
}

/* ---- Rings --------------------------------------------------------------------------------------------- */

static void close_ring(struct papi_perf_ring *ring)
{
	papi_perf_signals_end(ring->fd);
	if (ring->pages)
		papi_perf_kernel->unmap(ring->pages, ring->size + (size_t)sysconf(_SC_PAGESIZE));
}

void papi_perf_sampling_close(struct papi_perf_control *control)
{
	struct papi_perf_sampling *sampling = control->sampling;

	if (!sampling)
		return;
	for (unsigned i = 0; i < sampling->n_rings; i++)
		close_ring(&sampling->rings[i]);
	free(sampling->rings);
	sampling->rings = NULL;
	sampling->n_rings = 0;
	sampling->thread = 0;
}

void papi_perf_sampling_forked(struct papi_perf_control *control)
{
	struct papi_perf_sampling *sampling = control->sampling;

	if (!sampling)
		return;
	for (unsigned i = 0; i < sampling->n_rings; i++) {
		papi_perf_signals_forked(sampling->rings[i].fd);
		sampling->rings[i].fd = -1;
		sampling->rings[i].pages = NULL;
	}
	sampling->thread = 0;
}

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
		(attr->config == PERF_COUNT_SW_TASK_CLOCK || attr->config == PERF_COUNT_SW_CPU_CLOCK);
}

static int map_failed(int error)
{
	if (error == EPERM || error == ENOMEM || error == EAGAIN)
		return papi_error(PAPI_EPERM,
			"no locked memory is left for the samples of another event: raise "
			"kernel.perf_event_mlock_kb or ulimit -l, or let fewer events overflow");
	if (error == EINVAL)
		return papi_error(PAPI_ECNFLCT,
			"events that are inherited by other threads and processes cannot overflow: "
			"the kernel keeps samples of one thread or one CPU");
	return papi_perf_call_failed("mmap", error);
}

static int open_ring(struct papi_perf_sampling *sampling, const struct papi_perf_counter *counter,
	const struct perf_event_attr *attr)
{
	struct papi_perf_ring *ring = &sampling->rings[sampling->n_rings];
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int status = papi_perf_signals_prepare(counter->fd);

	if (status != PAPI_OK)
		return status;
	*ring = (struct papi_perf_ring){ .fd = counter->fd, .native = counter->native };
	ring->countable = !is_clock(attr);
	ring->polled = is_clock(attr) && sampling->thresholds[ring->native] < SHORTEST_SIGNALLED_PERIOD;
	for (ring->size = RING_PAGES * page; !ring->pages && ring->size >= page; ring->size /= 2) {
		ring->pages = papi_perf_kernel->map_ring(counter->fd, page + ring->size);
		if (ring->pages || errno != EPERM)
			break;
	}
	if (!ring->pages)
		return map_failed(errno);
	sampling->n_rings++;
	return PAPI_OK;
}

/* The counters are there; those that overflow get their rings. */
int papi_perf_sampling_open(struct papi_perf_control *control)
{
	struct papi_perf_sampling *sampling = control->sampling;
	unsigned n = 0;

	if (!sampling)
		return PAPI_OK;
	for (unsigned i = 0; i < control->n_groups; i++)
		n += control->groups[i].n;
	sampling->rings = calloc(n ? n : 1, sizeof(*sampling->rings));
	if (!sampling->rings)
		return papi_error(PAPI_ENOMEM, "no memory for events that overflow");
	for (unsigned i = 0; i < control->n_groups; i++) {
		for (unsigned j = 0; j < control->groups[i].n; j++) {
			const struct papi_perf_counter *counter = &control->groups[i].counters[j];
			int status = PAPI_OK;

			if (sampling->thresholds[counter->native])
				status = open_ring(sampling, counter, &control->natives[counter->native]->attr);
			if (status != PAPI_OK)
				return status;
		}
	}
	return PAPI_OK;
}

/* ---- Opening ------------------------------------------------------------------------------------------- */

static long long threshold_of(const struct papi_perf_control *control, const struct papi_perf_encoding *encoding)
{
	for (unsigned i = 0; control->sampling && i < control->n_natives; i++)
		if (control->natives[i] == encoding)
			return control->sampling->thresholds[i];
	return 0;
}

void papi_perf_sampling_apply(const struct papi_perf_control *control, const struct papi_perf_encoding *encoding,
	struct perf_event_attr *attr)
{
	long long threshold = threshold_of(control, encoding);

	if (!threshold)
		return;
	attr->sample_period = (uint64_t)threshold;
	attr->sample_type = PERF_SAMPLE_IP;
	attr->wakeup_events = 1;
	attr->precise_ip = encoding->core ? control->sampling->precise & 3 : 0;
}

bool papi_perf_sampling_less_precise(
	struct papi_perf_control *control, const struct papi_perf_encoding *encoding, int error)
{
	if (!threshold_of(control, encoding) || !encoding->core || !control->sampling->precise ||
		(error != EINVAL && error != EOPNOTSUPP))
		return false;
	control->sampling->precise--;
	return true;
}

static bool any_left(const struct papi_perf_control *control)
{
	for (unsigned i = 0; i < control->n_natives; i++)
		if (control->sampling->thresholds[i])
			return true;
	return false;
}

int papi_perf_sampling_added(struct papi_perf_control *control)
{
	struct papi_perf_sampling *sampling = control->sampling;
	long long *thresholds;

	if (!sampling)
		return PAPI_OK;
	thresholds = realloc(sampling->thresholds, (control->n_natives + 1) * sizeof(*thresholds));
	if (!thresholds)
		return papi_error(PAPI_ENOMEM, "no memory for the counters of an EventSet");
	thresholds[control->n_natives] = 0;
	sampling->thresholds = thresholds;
	return PAPI_OK;
}

/* n_natives is one less already. The engine has disarmed the native before. */
void papi_perf_sampling_removed(struct papi_perf_control *control, unsigned position)
{
	struct papi_perf_sampling *sampling = control->sampling;

	if (!sampling)
		return;
	memmove(&sampling->thresholds[position], &sampling->thresholds[position + 1],
		(control->n_natives - position) * sizeof(*sampling->thresholds));
	for (unsigned i = 0; i < sampling->n_rings; i++)
		if (sampling->rings[i].native > position)
			sampling->rings[i].native--;
}

void papi_perf_sampling_forget(struct papi_perf_control *control)
{
	if (!control->sampling)
		return;
	papi_perf_sampling_close(control);
	free(control->sampling->thresholds);
	free(control->sampling);
	control->sampling = NULL;
}

static int make_sampling(struct papi_perf_control *control)
{
	struct papi_perf_sampling *sampling = calloc(1, sizeof(*sampling));
	long long *thresholds = calloc(control->n_natives, sizeof(*thresholds));

	if (!sampling || !thresholds) {
		free(sampling);
		free(thresholds);
		return papi_error(PAPI_ENOMEM, "no memory for events that overflow");
	}
	sampling->thresholds = thresholds;
	control->sampling = sampling;
	return PAPI_OK;
}

static int check_period(const struct papi_perf_encoding *encoding, long long threshold)
{
	const struct perf_event_attr *attr = &encoding->attr;

	if (threshold && threshold < SHORTEST_CLOCK_PERIOD && is_clock(attr))
		return papi_error(PAPI_EINVAL, "clock events overflow every %d ns at most, not every %lld",
			SHORTEST_CLOCK_PERIOD, threshold);
	/* It counts a fault as it begins; a signal that is pending makes the kernel begin some faults again. */
	if (threshold == 1 && attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_PAGE_FAULTS)
		return papi_error(PAPI_EINVAL,
			"page faults cannot overflow every time: Linux takes a fault back when its signal "
			"comes, and the program would never get on; use 2, or perf::MINOR-FAULTS, which are "
			"counted when they are over");
	return PAPI_OK;
}

/* Where the signal of a breakpoint comes too early, it must not interrupt the thread that the breakpoint is for. */
static int check_target(const struct papi_perf_control *control, unsigned native)
{
	pid_t target = control->options.attach;

	if (!papi_perf_kernel->breakpoints_come_first() ||
		control->natives[native]->attr.type != PERF_TYPE_BREAKPOINT ||
		(target && target != (pid_t)syscall(SYS_gettid)))
		return PAPI_OK;
	return papi_error(PAPI_ENOSUPP,
		"breakpoints cannot overflow in hardware in the thread that they count: on this processor the signal "
		"comes before the access is done, which is then begun and counted again, for ever if each one "
		"overflows; let them overflow by timer (PAPI_OVERFLOW_FORCE_SW), or count another thread or process");
}

static int reopen(struct papi_perf_control *control)
{
	struct papi_options options = control->options;

	/* What one native could not do, the others may be able to. */
	control->sampling->precise = MOST_PRECISE;
	return papi_perf_configure(control, &options);
}

int papi_perf_arm(void *pointer, unsigned position, long long threshold, int cookie)
{
	struct papi_perf_control *control = pointer;
	int status = check_period(control->natives[position], threshold);
	long long before;

	if (status == PAPI_OK && threshold)
		status = check_target(control, position);
	if (status == PAPI_OK && !control->sampling)
		status = make_sampling(control);
	if (status != PAPI_OK)
		return status;
	before = control->sampling->thresholds[position];
	control->sampling->thresholds[position] = threshold;
	control->sampling->cookie = cookie;
	status = reopen(control);
	if (status != PAPI_OK) {
		control->sampling->thresholds[position] = before;
		papi_error_keep();
		/* Without this one they open: it is the overflow that the PMU does not know. */
		if (reopen(control) == PAPI_OK && (status == PAPI_EINVAL || status == PAPI_ENOSUPP)) {
			papi_error_drop();
			status = papi_error(PAPI_ENOSUPP, "the PMU gives no interrupt for this event");
		} else {
			papi_error_restore();
		}
	}
	if (!any_left(control))
		papi_perf_sampling_forget(control);
	return status;
}

/* ---- Counting ------------------------------------------------------------------------------------------ */

static const struct papi_perf_counter *counter_of(
	const struct papi_perf_control *control, const struct papi_perf_ring *ring)
{
	for (unsigned i = 0; i < control->n_groups; i++)
		for (unsigned j = 0; j < control->groups[i].n; j++)
			if (control->groups[i].counters[j].fd == ring->fd)
				return &control->groups[i].counters[j];
	return NULL;
}

static uint64_t head_of(const struct papi_perf_ring *ring)
{
	return __atomic_load_n(&ring->pages->data_head, __ATOMIC_ACQUIRE);
}

static void set_tail(const struct papi_perf_ring *ring, uint64_t tail)
{
	__atomic_store_n(&ring->pages->data_tail, tail, __ATOMIC_RELEASE);
}

int papi_perf_sampling_start(struct papi_perf_control *control)
{
	struct papi_perf_sampling *sampling = control->sampling;
	int status = papi_perf_signals_claim();

	for (unsigned i = 0; status == PAPI_OK && i < sampling->n_rings; i++)
		status = check_target(control, sampling->rings[i].native);
	if (status == PAPI_OK && sampling->thread != papi_thread_number())
		status = direct_signals(sampling);
	if (status != PAPI_OK)
		return status;
	sampling->stopped = false;
	for (unsigned i = 0; i < sampling->n_rings; i++) {
		struct papi_perf_ring *ring = &sampling->rings[i];
		uint64_t period = (uint64_t)sampling->thresholds[ring->native];

		/* Setting the period, though to what it is, begins a new one. */
		if (papi_perf_kernel->ioctl(ring->fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period))
			return papi_perf_call_failed("PERF_EVENT_IOC_PERIOD", errno);
		set_tail(ring, head_of(ring));
		papi_perf_signals_unmute(ring->fd);
		ring->first = counter_of(control, ring)->base;
		ring->seen = ring->lost = ring->lost_all = 0;
		ring->settled = false;
	}
	return PAPI_OK;
}

void papi_perf_sampling_stop(struct papi_perf_control *control)
{
	control->sampling->stopped = true;
}

/* Out of the ring, whose end may be in the middle of it. */
static void copy_out(const struct papi_perf_ring *ring, uint64_t from, void *to, size_t size)
{
	const char *data = (const char *)ring->pages + sysconf(_SC_PAGESIZE);
	size_t start = from & (ring->size - 1), first = ring->size - start;

	if (first > size)
		first = size;
	memcpy(to, data + start, first);
	memcpy((char *)to + first, data, size - first);
}

/* The kernel tells of lost ones when it has room again, which may be in a later run than the one they were lost in. */
static void told_of_lost(struct papi_perf_ring *ring, uint64_t number)
{
	uint64_t known = number < ring->settled_early ? number : ring->settled_early;

	ring->settled_early -= known;
	ring->lost += number - known;
	ring->lost_all += number - known;
}

/* Whether there is a record of the kernel at this place, all of it. */
static bool whole_record(
	const struct papi_perf_ring *ring, uint64_t tail, uint64_t head, struct perf_event_header *header)
{
	uint64_t waiting = head - tail;
	size_t least = sizeof(*header);

	if (waiting > ring->size || waiting < least)
		return false;
	copy_out(ring, tail, header, sizeof(*header));
	if (header->type == PERF_RECORD_SAMPLE)
		least += sizeof(uint64_t);
	else if (header->type == PERF_RECORD_LOST)
		least += 2 * sizeof(uint64_t);
	return header->size >= least && header->size <= waiting;
}

/* The next sample of a ring. Records of lost ones on the way are added up. False: there is none. */
static bool next_sample(struct papi_perf_ring *ring, bool hardware, uint64_t *address)
{
	uint64_t tail = ring->pages->data_tail, head = head_of(ring);
	bool found = false;

	while (!found && tail != head) {
		struct perf_event_header header;
		uint64_t lost[2]; /* id, number */

		if (!whole_record(ring, tail, head, &header)) {
			/* Where the next one begins is not known. Their samples are missing when it is settled. */
			tail = head;
			break;
		}
		if (header.type == PERF_RECORD_SAMPLE) {
			copy_out(ring, tail + sizeof(header), address, sizeof(*address));
			found = true;
		} else if (header.type == PERF_RECORD_LOST) {
			copy_out(ring, tail + sizeof(header), lost, sizeof(lost));
			told_of_lost(ring, lost[1]);
		} else if (header.type == PERF_RECORD_THROTTLE && hardware) {
			/* The counter stands still until the next tick: at least the next overflow is not to be. */
			ring->lost++;
			ring->lost_all++;
		}
		tail += header.size;
	}
	set_tail(ring, tail);
	return found;
}

/* What the counter has counted, and neither samples nor the kernel have told of. */
static void settle(const struct papi_perf_control *control, struct papi_perf_ring *ring)
{
	uint64_t counted = counter_of(control, ring)->base - ring->first;
	uint64_t expected = counted / (uint64_t)control->sampling->thresholds[ring->native];
	uint64_t told = ring->seen + ring->lost_all;

	ring->settled = true;
	if (!ring->countable || expected <= told)
		return;
	ring->lost += expected - told;
	ring->settled_early += expected - told;
}

static bool any_waits(const struct papi_perf_sampling *sampling)
{
	for (unsigned i = 0; i < sampling->n_rings; i++)
		if (sampling->rings[i].pages && sampling->rings[i].pages->data_tail != head_of(&sampling->rings[i]))
			return true;
	return false;
}

bool papi_perf_overflows_polled(const void *pointer)
{
	const struct papi_perf_control *control = pointer;

	for (unsigned i = 0; control->sampling && i < control->sampling->n_rings; i++)
		if (control->sampling->rings[i].polled)
			return true;
	return false;
}

unsigned papi_perf_overflows(void *pointer, struct papi_overflow taken[], unsigned n)
{
	struct papi_perf_control *control = pointer;
	struct papi_perf_sampling *sampling = control->sampling;
	unsigned found = 0;

	if (!sampling)
		return 0;
	if (!n)
		return any_waits(sampling);
	for (unsigned i = 0; found < n && i < sampling->n_rings; i++) {
		struct papi_perf_ring *ring = &sampling->rings[i];
		bool core = control->natives[ring->native]->core;
		uint64_t address;

		while (found < n && ring->pages && next_sample(ring, core, &address)) {
			taken[found++] = (struct papi_overflow){ .natives = 1ull << ring->native,
				.happened = true,
				.address = (void *)(uintptr_t)address,
				.lost = ring->lost };
			ring->lost = 0;
			ring->seen++;
		}
		if (found < n)
			papi_perf_signals_unmute(ring->fd);
		if (found == n || !ring->pages || !sampling->stopped)
			continue;
		if (!ring->settled)
			settle(control, ring);
		if (ring->lost) {
			taken[found++] = (struct papi_overflow){ .natives = 1ull << ring->native, .lost = ring->lost };
			ring->lost = 0;
		}
	}
	return found;
}
