/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an overflow costs, beside the same signal without the library: page faults of which each one is sampled, with a
 * handler that takes the address out of the ring. They are the cheapest event that every machine has, so that most of
 * what is measured is the signal.
 *
 * The kernel throttles what is sampled too often, and then nothing is delivered: so each turn waits for a while before
 * it begins, outside of what is measured, and the row is a result only if all were delivered on both sides.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "bench.h"
#include "papi.h"

enum { RING_PAGES = 4, FAULTS = 64 };

static const struct timespec rest = { .tv_nsec = 1000000 };

static struct side {
	unsigned long faults, calls;
	void *last; /* address */
} ours, raw;

static char *pages; /* FAULTS of them: so many overflows make a turn, of which the first few find cold caches */
static int set = PAPI_NULL;

static struct {
	int fd;
	size_t page;
	struct perf_event_mmap_page *ring;
} kernel;

/* ---- The library ---- */

static void our_handler(int handle, void *address, long long vector, void *context)
{
	(void)handle;
	(void)vector;
	(void)context;
	ours.last = address;
	ours.calls++;
}

static bool open_ours(char *why, size_t size)
{
	int code, status = PAPI_create_eventset(&set);

	if (status == PAPI_OK && PAPI_event_name_to_code("perf::MINOR-FAULTS", &code) != PAPI_OK)
		status = PAPI_event_name_to_code("software/config=5/", &code);
	if (status == PAPI_OK)
		status = PAPI_add_event(set, code);
	if (status == PAPI_OK)
		status = PAPI_overflow(set, code, 1, PAPI_OVERFLOW_HARDWARE, our_handler);
	if (status != PAPI_OK)
		snprintf(why, size, "%.200s", PAPI_error_detail());
	return status == PAPI_OK;
}

static void close_ours(void)
{
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

/* ---- Without it ---- */

static void raw_handler(int number, siginfo_t *info, void *context)
{
	uint64_t head = __atomic_load_n(&kernel.ring->data_head, __ATOMIC_ACQUIRE), tail = kernel.ring->data_tail;
	const char *data = (const char *)kernel.ring + kernel.page;

	(void)number;
	(void)info;
	(void)context;
	while (tail != head) {
		struct perf_event_header header;
		uint64_t address;

		memcpy(&header, data + tail % (RING_PAGES * kernel.page), sizeof(header));
		if (header.type == PERF_RECORD_SAMPLE) {
			memcpy(&address, data + (tail + sizeof(header)) % (RING_PAGES * kernel.page), sizeof(address));
			raw.last = (void *)(uintptr_t)address;
			raw.calls++;
		}
		tail += header.size;
	}
	__atomic_store_n(&kernel.ring->data_tail, tail, __ATOMIC_RELEASE);
}

static bool open_raw(char *why, size_t size)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP,
		.wakeup_events = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.disabled = 1,
		.pinned = 1 };
	struct sigaction action = { .sa_sigaction = raw_handler, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = (pid_t)syscall(SYS_gettid) };
	int number = SIGRTMIN + 9;

	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
	kernel.ring = MAP_FAILED;
	kernel.fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (kernel.fd >= 0)
		kernel.ring = mmap(
			NULL, (1 + RING_PAGES) * kernel.page, PROT_READ | PROT_WRITE, MAP_SHARED, kernel.fd, 0);
	if (kernel.ring == MAP_FAILED || fcntl(kernel.fd, F_SETFL, O_ASYNC | O_NONBLOCK) ||
		fcntl(kernel.fd, F_SETSIG, number) || fcntl(kernel.fd, F_SETOWN_EX, &owner)) {
		snprintf(why, size, "sampled page faults cannot be had: %s", strerror(errno));
		return false;
	}
	return true;
}

static void close_raw(void)
{
	if (kernel.ring != MAP_FAILED)
		munmap(kernel.ring, (1 + RING_PAGES) * kernel.page);
	if (kernel.fd >= 0)
		close(kernel.fd);
}

/* ---- Both ---- */

static void prepare(void)
{
	madvise(pages, FAULTS * kernel.page, MADV_DONTNEED);
	nanosleep(&rest, NULL);
}

/* Nanoseconds for one of them. */
static double touch(struct side *side)
{
	double begin = bench_now();

	for (size_t i = 0; i < FAULTS; i++)
		((volatile char *)pages)[i * kernel.page] = 1;
	begin = bench_now() - begin;
	side->faults += FAULTS;
	return begin / FAULTS;
}

static double overflow_ours(void)
{
	double spent;

	prepare();
	bench_expect(&bench_ours, PAPI_start(set), "PAPI_start");
	spent = touch(&ours);
	bench_expect(&bench_ours, PAPI_stop(set, NULL), "PAPI_stop");
	return spent;
}

static double overflow_raw(void)
{
	double spent;

	prepare();
	bench_expect(NULL, ioctl(kernel.fd, PERF_EVENT_IOC_ENABLE, 0), "PERF_EVENT_IOC_ENABLE");
	spent = touch(&raw);
	bench_expect(NULL, ioctl(kernel.fd, PERF_EVENT_IOC_DISABLE, 0), "PERF_EVENT_IOC_DISABLE");
	return spent;
}

/* As bench_measure() does, but that a turn is long enough as it is. */
static void measure(const struct bench *bench, struct bench_row *row)
{
	double *samples = calloc(3 * (size_t)bench->rounds, sizeof(*samples));
	double *with = samples, *without = with + bench->rounds, *ratios = without + bench->rounds;

	if (!samples)
		bench_die("no memory for %u rounds", bench->rounds);
	for (unsigned i = 0; i < bench->rounds; i++) {
		if (i & 1)
			with[i] = overflow_ours();
		without[i] = overflow_raw();
		if (!(i & 1))
			with[i] = overflow_ours();
		ratios[i] = with[i] / without[i];
	}
	bench_summarize(row, with, without, ratios, bench->rounds);
	free(samples);
	/* A fault or two of the programs' own are nobody's loss. */
	if (ours.calls < ours.faults || raw.calls < raw.faults)
		snprintf(row->missing, sizeof(row->missing),
			"the kernel has throttled: %lu of %lu calls, and %lu of %lu", ours.calls, ours.faults,
			raw.calls, raw.faults);
}

void bench_overflow(struct bench *bench)
{
	struct bench_row *row;

	if (!bench_wants(bench, "overflow"))
		return;
	row = bench_add_row(bench, "overflow", "an overflow handler is called", "a handler of the event's signal");
	row->limit = 1.3;
	kernel.page = (size_t)sysconf(_SC_PAGESIZE);
	pages = mmap(NULL, FAULTS * kernel.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		bench_die("mmap: %s", strerror(errno));
	madvise(pages, FAULTS * kernel.page, MADV_NOHUGEPAGE);
	if (open_ours(row->missing, sizeof(row->missing)) && open_raw(row->missing, sizeof(row->missing))) {
		measure(bench, row);
		close_raw();
	}
	close_ours();
	munmap(pages, FAULTS * kernel.page);
}
