/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux/time/clock_rate.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux/time/clock.h"

#define NS_PER_SECOND 1000000000
#define COMPARE_NS    1000000
#define ATTEMPTS      8

double papi_clock_crystal_rate(const papi_cpuid_t *leaf)
{
	/* Many processors leave the crystal out, since the kernel knows it from a table: 0, and the next source. */
	return leaf->eax == 0 ? 0 : (double)leaf->ecx * leaf->ebx / leaf->eax;
}

double papi_clock_hypervisor_rate(const papi_cpuid_t *leaf)
{
	return leaf->eax * 1000.0;
}

double papi_clock_page_rate(const struct perf_event_mmap_page *page)
{
	/* ns = cycles * time_mult >> time_shift, if the kernel says that this holds. */
	if (!page->cap_user_time || page->time_mult == 0 || page->time_shift > 63)
		return 0;
	return (double)(UINT64_C(1) << page->time_shift) * NS_PER_SECOND / page->time_mult;
}

static double ask_processor(void)
{
	papi_cpuid_t leaf;

	return papi_cpuid_read_live(0x15, 0, &leaf) ? papi_clock_crystal_rate(&leaf) : 0;
}

static double ask_hypervisor(void)
{
	papi_cpuid_t leaf;

	return papi_cpuid_read_live(PAPI_CPUID_HYPERVISOR + 0x10, 0, &leaf) ? papi_clock_hypervisor_rate(&leaf) : 0;
}

/* The dummy event counts nothing and is allowed wherever counting one's own user mode is. */
static double ask_kernel(void)
{
	struct perf_event_attr attributes;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	double rate = 0;
	int descriptor;
	void *page;

	memset(&attributes, 0, sizeof(attributes));
	attributes.size = sizeof(attributes);
	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.config = PERF_COUNT_SW_DUMMY;
	attributes.exclude_kernel = 1;
	attributes.exclude_hv = 1;
	descriptor = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (descriptor < 0)
		return 0;
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, descriptor, 0);
	if (page != MAP_FAILED) {
		rate = papi_clock_page_rate(page);
		munmap(page, size);
	}
	close(descriptor);
	return rate;
}

/* One moment on both clocks. */
struct moment {
	long long nanoseconds, cycles;
};

/* The clock is read between two reads of the counter; of several attempts the closest pair stands, which no interrupt
 * hit. */
static struct moment read_moment(void)
{
	struct moment best = { 0, 0 };
	long long shortest = 0;

	for (int i = 0; i < ATTEMPTS; i++) {
		long long before = papi_clock_real_cycles();
		long long nanoseconds = papi_clock_real_ns();
		long long width = papi_clock_real_cycles() - before;

		if (i == 0 || width < shortest) {
			shortest = width;
			best.nanoseconds = nanoseconds;
			best.cycles = before + width / 2;
		}
	}
	return best;
}

double papi_clock_measured_rate(void)
{
	/* Sleeping costs nobody anything, and the counter goes on meanwhile. */
	struct timespec pause = { .tv_nsec = COMPARE_NS };
	struct moment start = read_moment();
	struct moment end;

	do {
		nanosleep(&pause, NULL);
		end = read_moment();
	} while (end.nanoseconds - start.nanoseconds < COMPARE_NS);
	return (double)(end.cycles - start.cycles) * NS_PER_SECOND / (double)(end.nanoseconds - start.nanoseconds);
}

/* Some hypervisors leave a leaf to chance; no counter ticks slower than a megahertz or faster than a terahertz. */
static bool is_plausible(double rate)
{
	return rate >= 1e6 && rate <= 1e12;
}

double papi_clock_counter_rate(void)
{
	double rate = ask_processor();

	if (!is_plausible(rate))
		rate = ask_hypervisor();
	if (!is_plausible(rate))
		rate = ask_kernel();
	if (!is_plausible(rate))
		rate = papi_clock_measured_rate();
	return rate;
}
