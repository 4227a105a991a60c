/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_apart.c - events of the kernel, of each thread (--per-thread, --per-process).
 *
 * An event that threads inherit is one sum, to which each adds what it has when it ends. With inherit_stat the kernel
 * also writes a record of that, to a ring of the event. Rings are of one CPU, so there is an event for each, and with
 * it a ring that has nothing but these records: the kernel writes them one after the other then, wherever threads end.
 * Which threads there are tell the records of another event, which counts nothing (papi_run_apart_tasks.c).
 *
 * The program's first thread has no record: its count is in the event itself, and it gets what the others leave of the
 * total. When another one is without a record, since it still runs or a ring was full, the rest is nobody's.
 *
 * Instead of switching between two threads the kernel may exchange their events, and then their counts, by position:
 * wrong ones where events of others are among them, or come in another order. It does not with events that are sampled
 * together with values (PERF_SAMPLE_READ). So these ask for that, though nothing is sampled; Linux takes it from 6.12
 * on.
 *
 * Events that take a counter of the CPU stay sums: for how much of the time a thread had the counter is not in records.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "components/perf_event/encoding.h"
#include "components/perf_event/kernel.h"
#include "components/perf_event/reasons.h"
#include "events.h"
#include "linux/proc/cpus.h"
#include "papi_run_apart.h"

#define MOST_CPUS      4096
#define LOOK_NS        (50 * 1000000LL)
#define ALL_RINGS      (64u << 20)   /* bytes at most */
#define LARGEST_RING   (512u * 1024) /* 16384 threads that end between two looks */
#define SMALLEST_RING  (16u * 1024)
#define LARGEST_RECORD 128

struct ring {
	int fd; /* of its event */
	struct perf_event_mmap_page *pages;
	size_t size;
};

/* One event on all CPUs. */
struct apart {
	size_t member; /* of the list */
	struct perf_event_attr attr;
	bool any_mode, own_modes;
	struct ring *rings;
};

static struct {
	int *cpus;
	size_t n_cpus;
	struct apart *events;
	size_t number;
	struct ring *announcements; /* of threads and their names */
	size_t ring_size;           /* to begin with */
	long long next;
} apart;

/* ---- Rings ---- */

static void ring_close(struct ring *ring)
{
	if (ring->pages)
		papi_perf_kernel->unmap(ring->pages, ring->size + (size_t)sysconf(_SC_PAGESIZE));
	if (ring->fd >= 0)
		papi_perf_kernel->close(ring->fd);
	*ring = (struct ring){ .fd = -1 };
}

static void rings_close(struct ring *rings, size_t number)
{
	for (size_t i = 0; rings && i < number; i++)
		ring_close(&rings[i]);
	free(rings);
}

/* Of so many on each CPU: each has its share of the memory that may be locked. */
static size_t share_of_memory(size_t rings)
{
	size_t each = ALL_RINGS / apart.n_cpus, size = SMALLEST_RING;
	struct rlimit limit;
	long long kilobytes;

	if (geteuid() != 0 && getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
		if (papi_linux_read_int("/proc/sys/kernel/perf_event_mlock_kb", &kilobytes))
			kilobytes = 0;
		if ((size_t)kilobytes * 1024 + (size_t)limit.rlim_cur / apart.n_cpus < each)
			each = (size_t)kilobytes * 1024 + (size_t)limit.rlim_cur / apart.n_cpus;
	}
	while (size < LARGEST_RING && 2 * size + (size_t)sysconf(_SC_PAGESIZE) <= each / rings)
		size *= 2;
	return size;
}

/* An event with its ring. 0, or an errno; *limited: there was an event, but no memory for its ring. */
static int ring_open(struct ring *ring, struct perf_event_attr *attr, pid_t pid, int cpu, bool *limited)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int error;

	*limited = false;
	*ring = (struct ring){ .fd = papi_perf_kernel->open(attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC) };
	if (ring->fd < 0)
		return errno;
	*limited = true;
	for (ring->size = apart.ring_size; ring->size >= SMALLEST_RING && ring->size >= page; ring->size /= 2) {
		ring->pages = papi_perf_kernel->map_ring(ring->fd, page + ring->size);
		if (ring->pages)
			return 0;
	}
	error = errno;
	ring_close(ring);
	return error;
}

/* Out of the ring, whose end may be in the middle of it. */
static void copy_out(const struct ring *ring, uint64_t from, void *to, size_t size)
{
	const char *data = (const char *)ring->pages + sysconf(_SC_PAGESIZE);
	size_t start = from & (ring->size - 1), first = ring->size - start < size ? ring->size - start : size;

	memcpy(to, data + start, first);
	memcpy((char *)to + first, data, size - first);
}

/* Hands on all that a ring holds. NULL: an announcement. */
static void drain(struct ring *ring, const struct apart *event)
{
	uint64_t tail = ring->pages->data_tail, head = __atomic_load_n(&ring->pages->data_head, __ATOMIC_ACQUIRE);

	while (head - tail >= sizeof(struct perf_event_header)) {
		_Alignas(uint64_t) char record[LARGEST_RECORD] = { 0 };
		struct perf_event_header header;

		copy_out(ring, tail, &header, sizeof(header));
		/* Not what the kernel writes: where the next one begins is not known. */
		if (header.size < sizeof(header) || header.size > head - tail) {
			papi_run_apart_lost();
			tail = head;
			break;
		}
		copy_out(ring, tail, record, header.size < sizeof(record) ? header.size : sizeof(record));
		if (event)
			papi_run_apart_record(event->member, record);
		else
			papi_run_apart_announce(record);
		tail += header.size;
	}
	__atomic_store_n(&ring->pages->data_tail, tail, __ATOMIC_RELEASE);
}

static void drain_all(void)
{
	for (size_t i = 0; i < apart.n_cpus; i++) {
		drain(&apart.announcements[i], NULL);
		for (size_t k = 0; k < apart.number; k++)
			drain(&apart.events[k].rings[i], &apart.events[k]);
	}
}

/* ---- What can be told apart ---- */

static struct perf_event_attr counting(const struct perf_event_attr *encoded)
{
	struct perf_event_attr attr = *encoded;

	attr.size = sizeof(attr);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_TID;
	attr.disabled = attr.inherit = attr.inherit_stat = 1;
	return attr;
}

static void find_cpus(void)
{
	int number;

	if (apart.cpus)
		return;
	apart.cpus = papi_run_allocate(NULL, MOST_CPUS, sizeof(*apart.cpus));
	number = papi_linux_online_cpus(apart.cpus, MOST_CPUS);
	apart.n_cpus = number > MOST_CPUS ? MOST_CPUS : (size_t)number;
}

/* The native event that it is; false: it is computed from several. */
static bool native_name(const char *name, char *native, size_t size)
{
	static const char *const plain[] = { "NOT_DERIVED", "", NULL };
	PAPI_event_info_t info;
	int code;

	if (PAPI_event_name_to_code(name, &code) != PAPI_OK)
		return false;
	snprintf(native, size, "%s", name);
	if (papi_event_is_native(code))
		return true;
	if (PAPI_get_event_info(code, &info) != PAPI_OK || info.count != 1 || !papi_event_has_type(&info, plain))
		return false;
	snprintf(native, size, "%s", info.name[0]);
	return true;
}

static bool is_of_perf_event(const char *native)
{
	const PAPI_component_info_t *info;
	int code;

	if (PAPI_event_name_to_code(native, &code) != PAPI_OK)
		return false;
	info = PAPI_get_component_info(PAPI_get_event_component(code));
	return info && strcmp(info->name, "perf_event") == 0;
}

/* Whether the kernel counts it in software, of each thread. */
static bool encode(const char *name, struct apart *event)
{
	char native[PAPI_HUGE_STR_LEN];
	struct papi_perf_encoding *encoding;
	void *resolved;
	bool fits;

	if (!native_name(name, native, sizeof(native)) || !is_of_perf_event(native) ||
		papi_perf_resolve(native, &resolved) != PAPI_OK)
		return false;
	encoding = resolved;
	event->attr = counting(&encoding->attr);
	event->any_mode = atomic_load(&encoding->any_mode);
	event->own_modes = encoding->own_modes;
	fits = encoding->attr.type == PERF_TYPE_SOFTWARE && encoding->n_cpus == 0;
	papi_perf_release(encoding);
	if (!event->own_modes && !event->any_mode)
		event->attr.exclude_hv = 1;
	return fits;
}

/* A child that waits, has a child of its own, and ends. Its process number, and the end of a pipe that lets it go. */
static pid_t start_trial(int *gate)
{
	int ends[2];
	pid_t pid;

	if (pipe(ends) != 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		char nothing;

		close(ends[1]);
		if (read(ends[0], &nothing, 1) == 0 && (pid = fork()) > 0)
			waitpid(pid, NULL, 0);
		_exit(0);
	}
	close(ends[0]);
	*gate = ends[1];
	if (pid < 0)
		close(ends[1]);
	return pid;
}

/* Of two processes that have ended one has a record, where the kernel writes them. 0, an errno of perf_event_open(2),
 * or -1: there was none, or the trial itself could not be made. */
static int trial(pid_t *pid, struct perf_event_attr *attr)
{
	struct perf_event_header header = { 0 };
	struct ring ring;
	bool limited;
	int gate, error;

	*pid = start_trial(&gate);
	if (*pid < 0)
		return -1;
	error = ring_open(&ring, attr, *pid, apart.cpus[0], &limited);
	if (!error)
		papi_perf_kernel->ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	close(gate);
	waitpid(*pid, NULL, 0);
	if (error)
		return limited ? -1 : error;
	if (__atomic_load_n(&ring.pages->data_head, __ATOMIC_ACQUIRE) >= sizeof(header))
		copy_out(&ring, 0, &header, sizeof(header));
	ring_close(&ring);
	return header.type == PERF_RECORD_READ ? 0 : -1;
}

/* NULL, or why not; *forbidden: no event of the kernel may be counted at all. Valid until the next one. */
static const char *refusal(bool *forbidden)
{
	const struct perf_event_attr faults = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS, .exclude_kernel = 1, .exclude_hv = 1
	};
	struct perf_event_attr attr = counting(&faults);
	struct papi_perf_attempt attempt = { .attr = &attr, .cpu = -1 };
	int error;

	find_cpus();
	apart.ring_size = SMALLEST_RING;
	error = trial(&attempt.pid, &attr);
	*forbidden = error == EACCES || error == EPERM || error == ENOSYS;
	if (*forbidden) {
		papi_perf_open_failed(&attempt, error);
		return papi_error_sentence();
	}
	return error ? "what the kernel counts cannot be told apart: it takes Linux 6.12, or one of its later releases "
		       "that tells what each thread has counted when it ends"
		     : NULL;
}

const char *papi_run_apart_choose(struct run_list *list, bool *forbidden)
{
	const char *reason = NULL;
	struct apart event;

	*forbidden = false;
	for (size_t i = 0; i < list->number; i++) {
		memset(&event, 0, sizeof(event));
		if (list->events[i].error || list->events[i].is_virtual || !encode(list->events[i].name, &event))
			continue;
		/* Once, when there is something that it is good for. */
		if (!apart.number && (reason = refusal(forbidden)))
			break;
		event.member = i;
		apart.events = papi_run_allocate(apart.events, apart.number + 1, sizeof(*apart.events));
		apart.events[apart.number++] = event;
	}
	papi_perf_names_shutdown();
	return reason;
}

bool papi_run_apart_any(void)
{
	return apart.number > 0;
}

/* ---- Counting ---- */

/* Kernel mode is refused: this event counts in user mode, as those in EventSets do then. False: that does not help. */
static bool leave_kernel_out(struct apart *event, struct run_list *list, pid_t pid, int error)
{
	struct papi_perf_attempt attempt = { .attr = &event->attr, .pid = pid, .cpu = -1, .any_mode = event->any_mode };

	if ((error != EACCES && error != EPERM) || event->attr.exclude_kernel || event->any_mode || event->own_modes)
		return false;
	papi_perf_open_failed(&attempt, error);
	if (!list->kernel_note)
		list->kernel_note = papi_run_format("%s", papi_error_sentence());
	event->attr.exclude_kernel = 1;
	list->events[event->member].user_only = true;
	return true;
}

/* 0, or an errno after which nothing is open. */
static int rings_open(struct ring **rings, struct perf_event_attr *attr, pid_t pid, bool *limited)
{
	int error = 0;

	*rings = papi_run_allocate(NULL, apart.n_cpus, sizeof(**rings));
	for (size_t i = 0; i < apart.n_cpus; i++)
		(*rings)[i] = (struct ring){ .fd = -1 };
	for (size_t i = 0; i < apart.n_cpus && !error; i++)
		error = ring_open(&(*rings)[i], attr, pid, apart.cpus[i], limited);
	if (!error)
		return 0;
	rings_close(*rings, apart.n_cpus);
	*rings = NULL;
	return error;
}

static int event_open(struct apart *event, struct run_list *list, pid_t pid, bool *limited)
{
	int error = rings_open(&event->rings, &event->attr, pid, limited);

	if (error && !*limited && leave_kernel_out(event, list, pid, error))
		error = rings_open(&event->rings, &event->attr, pid, limited);
	return error;
}

static int announcements_open(pid_t pid, bool *limited)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.inherit = 1,
		.comm = 1,
		.task = 1 };

	return rings_open(&apart.announcements, &attr, pid, limited);
}

static char *why_not(int error, bool limited)
{
	if (limited)
		return papi_run_format("the kernel gives no more memory for records (%s): raise "
				       "kernel.perf_event_mlock_kb or ulimit -l, or name fewer events",
			strerror(error));
	if (error == EMFILE)
		return papi_run_format("each event takes a file for each of %zu CPUs: raise ulimit -n, or name fewer "
				       "events",
			apart.n_cpus);
	return papi_run_format("%s", strerror(error));
}

/* The event is counted as one sum; or if that is not permitted, too, the report has the reason. */
static void leave_together(struct run_tasks *tasks, const struct run_event *event, int error, bool limited)
{
	char *reason;

	if (tasks->note || (!limited && (error == EACCES || error == EPERM)))
		return;
	reason = why_not(error, limited);
	tasks->note = papi_run_format("%s is not told apart: %s", event->name, reason);
	free(reason);
}

void papi_run_apart_open(struct run_list *list, struct run_tasks *tasks, pid_t pid)
{
	size_t kept = 0;
	bool limited;
	int error = 0;

	if (apart.number) {
		apart.ring_size = share_of_memory(apart.number + 1);
		error = announcements_open(pid, &limited);
	}
	for (size_t i = 0; i < apart.number; i++) {
		struct apart *event = &apart.events[i];
		struct run_event *counted = &list->events[event->member];
		int refused = error;

		if (!refused && !counted->error)
			refused = event_open(event, list, pid, &limited);
		if (refused)
			leave_together(tasks, counted, refused, limited);
		counted->is_apart = event->rings;
		if (event->rings)
			apart.events[kept++] = *event;
	}
	apart.number = kept;
	if (!kept && !error) {
		rings_close(apart.announcements, apart.n_cpus);
		apart.announcements = NULL;
	}
	if (kept)
		papi_run_apart_begin(list, tasks, pid, kept * apart.n_cpus);
}

static void control_all(unsigned long request)
{
	for (size_t i = 0; i < apart.number; i++)
		for (size_t k = 0; k < apart.n_cpus; k++)
			papi_perf_kernel->ioctl(apart.events[i].rings[k].fd, request, 0);
}

void papi_run_apart_start(void)
{
	control_all(PERF_EVENT_IOC_ENABLE);
}

long long papi_run_apart_wait(void)
{
	return apart.number ? papi_run_until(apart.next) : -1;
}

void papi_run_apart_look(void)
{
	if (!apart.number || papi_run_now() < apart.next)
		return;
	drain_all();
	apart.next = papi_run_now() + LOOK_NS;
}

/* By now, of all threads. */
static struct run_reading total_of(const struct apart *event)
{
	struct run_reading total = { 0 };

	for (size_t i = 0; i < apart.n_cpus; i++) {
		uint64_t values[2]; /* as read_format has them */

		if (papi_perf_kernel->read(event->rings[i].fd, values, sizeof(values)) != sizeof(values))
			continue;
		total.count += (long long)values[0];
		total.running_ns += (long long)values[1];
	}
	/* In software it is counted all the time. */
	total.enabled_ns = total.running_ns;
	return total;
}

void papi_run_apart_read(struct run_reading *readings)
{
	for (size_t i = 0; i < apart.number; i++)
		readings[apart.events[i].member] = total_of(&apart.events[i]);
}

void papi_run_apart_stop(struct run_list *list, struct run_tasks *tasks, size_t run)
{
	if (apart.number) {
		control_all(PERF_EVENT_IOC_DISABLE);
		for (size_t i = 0; i < apart.number; i++) {
			struct run_event *event = &list->events[apart.events[i].member];
			struct run_reading total = total_of(&apart.events[i]);

			event->counts[run] += total.count;
			event->enabled_ns += total.enabled_ns;
			event->running_ns += total.running_ns;
		}
		drain_all();
		papi_run_apart_conclude(list, tasks, run);
	}
	for (size_t i = 0; i < apart.number; i++)
		rings_close(apart.events[i].rings, apart.n_cpus);
	if (apart.announcements)
		rings_close(apart.announcements, apart.n_cpus);
	free(apart.events);
	free(apart.cpus);
	memset(&apart, 0, sizeof(apart));
}
