/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi_profile/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "components/perf_event/kernel.h"
#include "components/perf_event/reasons.h"
#include "linux/proc/cpus.h"

#include "papi_profile/papi_profile.h"
#include "papi_profile/ring.h"

/* What perf_event_open(2) of newer kernels knows. */
#define FORMAT_LOST (1u << 4)

#define MOST_CPUS 4096

/* Stacks take large rings. So that the first CPUs do not take the locked memory of all, each has its share of it. */
static size_t ring_size(const struct papi_profile_sampler *sampler)
{
	bool stacks = sampler->events->number && sampler->events->events[0].attr.sample_stack_user;
	size_t size = PAPI_PROFILE_RING, share;
	struct rlimit limit;
	long long kilobytes;

	if (!stacks || getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
		return size;
	if (geteuid() == 0 || limit.rlim_cur == RLIM_INFINITY)
		return PAPI_PROFILE_RING_STACKS;
	if (papi_linux_read_int("/proc/sys/kernel/perf_event_mlock_kb", &kilobytes))
		kilobytes = 0;
	share = (size_t)kilobytes * 1024 + (size_t)limit.rlim_cur / sampler->n_cpus;
	while (size < PAPI_PROFILE_RING_STACKS && 2 * size + (size_t)sysconf(_SC_PAGESIZE) <= share)
		size *= 2;
	return size;
}

void papi_profile_sampler_prepare(struct papi_profile_sampler *sampler, struct papi_profile_events *events)
{
	int n;

	*sampler = (struct papi_profile_sampler){ .events = events };
	sampler->cpus = papi_profile_allocate(NULL, MOST_CPUS, sizeof(*sampler->cpus));
	n = papi_linux_online_cpus(sampler->cpus, MOST_CPUS);
	sampler->n_cpus = n > MOST_CPUS ? MOST_CPUS : (size_t)n;
	sampler->rings = papi_profile_allocate(NULL, sampler->n_cpus, sizeof(*sampler->rings));
	for (size_t i = 0; i < sampler->n_cpus; i++)
		sampler->rings[i] = (struct papi_profile_ring){ .fd = -1, .cpu = sampler->cpus[i] };
	sampler->ring_size = ring_size(sampler);
}

/* ---- Opening ------------------------------------------------------------------------------------------- */

/* Asks for less where the kernel knows or permits less. False: there is nothing to leave out. */
static bool ask_for_less(struct papi_profile_sampler *sampler, struct papi_profile_sampled *event,
	struct perf_event_attr *attr, int error)
{
	if ((error == EACCES || error == EPERM) && !attr->exclude_kernel && !atomic_load(&event->encoding->any_mode) &&
		!event->encoding->own_modes) {
		attr->exclude_kernel = event->attr.exclude_kernel = 1;
		event->user_only = true;
		return true;
	}
	if (error != EINVAL && error != EOPNOTSUPP && error != E2BIG)
		return false;
	if (attr->precise_ip) {
		attr->precise_ip = --event->attr.precise_ip;
		return true;
	}
	if (!sampler->no_lost) {
		sampler->no_lost = true;
		attr->read_format &= ~(uint64_t)FORMAT_LOST;
		return true;
	}
	if (!sampler->no_build_id) {
		sampler->no_build_id = true;
		attr->build_id = 0;
		return true;
	}
	return false;
}

/* Whether it opens when nothing is sampled. */
static bool counts(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct perf_event_attr plain = *attr;
	int fd;

	plain.freq = plain.watermark = 0;
	plain.precise_ip = 0;
	plain.sample_period = plain.sample_type = 0;
	plain.wakeup_watermark = 0;
	/* Some PMUs do not know modes. */
	if (attr->type > PERF_TYPE_BREAKPOINT)
		plain.exclude_kernel = plain.exclude_hv = plain.exclude_callchain_kernel = 0;
	fd = papi_perf_kernel->open(&plain, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		papi_perf_kernel->close(fd);
	return fd >= 0;
}

static int open_failed(
	const struct papi_profile_sampled *event, const struct perf_event_attr *attr, pid_t pid, int cpu, int error)
{
	struct papi_perf_attempt attempt = { .attr = attr,
		.pid = pid,
		.cpu = -1,
		.core = event->encoding->core,
		.any_mode = atomic_load(&event->encoding->any_mode) };

	if ((error == EINVAL || error == EOPNOTSUPP) && counts(attr, pid, cpu))
		papi_error(PAPI_ENOSUPP, "it can be counted, but gives no samples: its PMU has no interrupt for it");
	else
		papi_perf_open_failed(&attempt, error);
	return papi_error_prefix(papi_error_code(), "%.160s", event->name);
}

static void remember(struct papi_profile_sampler *sampler, size_t event, int fd)
{
	struct papi_profile_key key = { { 0 } };
	bool made;

	if (papi_perf_kernel->ioctl(fd, PERF_EVENT_IOC_ID, (unsigned long)&key.part[0]) == 0)
		papi_profile_table_take(&sampler->ids, key, &made)->value[0] = (int64_t)event;
	sampler->opened = papi_profile_allocate(sampler->opened, sampler->n_opened + 1, sizeof(*sampler->opened));
	sampler->opened[sampler->n_opened++] = (struct papi_profile_open){ .fd = fd, .event = event };
}

/* One event of one thread on one CPU; with `maybe`, a PMU that is not there is no failure. */
static int open_one(struct papi_profile_sampler *sampler, size_t number, const struct perf_event_attr *asked, pid_t pid,
	struct papi_profile_ring *ring, bool maybe)
{
	struct papi_profile_sampled *event = &sampler->events->events[number];
	struct perf_event_attr attr = *asked;
	int fd, status;

	if (!sampler->no_lost)
		attr.read_format |= FORMAT_LOST;
	if (sampler->no_build_id)
		attr.build_id = 0;
	do
		fd = papi_perf_kernel->open(&attr, pid, ring->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	while (fd < 0 && ask_for_less(sampler, event, &attr, errno));
	if (fd < 0 && maybe && (errno == ENOENT || errno == ENODEV || errno == EINVAL))
		return PAPI_OK;
	if (fd < 0)
		return open_failed(event, &attr, pid, ring->cpu, errno);
	status = papi_profile_ring_attach(ring, fd, sampler->ring_size);
	if (status != PAPI_OK) {
		papi_perf_kernel->close(fd);
		return papi_error_prefix(status, "%.160s", event->name);
	}
	remember(sampler, number, fd);
	return PAPI_OK;
}

/* On the CPU of a ring; on a hybrid machine, on the PMU of whichever kind it is. */
static int open_event(
	struct papi_profile_sampler *sampler, size_t number, pid_t pid, bool on_exec, struct papi_profile_ring *ring)
{
	const struct papi_perf_encoding *encoding = sampler->events->events[number].encoding;
	struct perf_event_attr attr = sampler->events->events[number].attr;
	unsigned long long config = attr.config;
	int status = PAPI_OK;

	attr.enable_on_exec = on_exec;
	attr.watermark = 1;
	attr.wakeup_watermark = attr.sample_stack_user ? PAPI_PROFILE_RING_WATERMARK_STACKS
						       : PAPI_PROFILE_RING_WATERMARK;
	if (!encoding->n_core_pmus)
		return open_one(sampler, number, &attr, pid, ring, encoding->some_cores);
	for (unsigned i = 0; i < encoding->n_core_pmus && status == PAPI_OK; i++) {
		attr.config = config | (unsigned long long)encoding->core_pmus[i] << 32;
		status = open_one(sampler, number, &attr, pid, ring, true);
	}
	return status;
}

int papi_profile_sampler_open(struct papi_profile_sampler *sampler, pid_t pid, bool on_exec)
{
	for (size_t i = 0; i < sampler->events->number; i++) {
		for (size_t k = 0; k < sampler->n_cpus; k++) {
			int status = open_event(sampler, i, pid, on_exec, &sampler->rings[k]);

			if (status != PAPI_OK)
				return status;
		}
	}
	return PAPI_OK;
}

static void control(struct papi_profile_sampler *sampler, unsigned long request)
{
	for (size_t i = 0; i < sampler->n_opened; i++)
		papi_perf_kernel->ioctl(sampler->opened[i].fd, request, 0);
}

void papi_profile_sampler_enable(struct papi_profile_sampler *sampler)
{
	control(sampler, PERF_EVENT_IOC_ENABLE);
}

void papi_profile_sampler_disable(struct papi_profile_sampler *sampler)
{
	control(sampler, PERF_EVENT_IOC_DISABLE);
}

size_t papi_profile_sampler_poll(struct papi_profile_sampler *sampler, struct pollfd *files)
{
	for (size_t i = 0; i < sampler->n_cpus; i++)
		files[i] = (struct pollfd){ .fd = sampler->rings[i].fd, .events = POLLIN };
	return sampler->n_cpus;
}

/* ---- What it was worth --------------------------------------------------------------------------------- */

/* As read_format has them. */
struct reading {
	uint64_t count, enabled, running, lost;
};

static bool read_one(
	const struct papi_profile_sampler *sampler, const struct papi_profile_open *opened, struct reading *reading)
{
	size_t size = sizeof(*reading) - (sampler->no_lost ? sizeof(reading->lost) : 0);

	*reading = (struct reading){ 0 };
	return papi_perf_kernel->read(opened->fd, reading, size) == (ssize_t)size;
}

uint64_t papi_profile_sampler_lost(const struct papi_profile_sampler *sampler)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < sampler->n_opened && !sampler->no_lost; i++) {
		struct reading reading;

		if (read_one(sampler, &sampler->opened[i], &reading))
			lost += reading.lost;
	}
	return lost > sampler->lost ? lost : sampler->lost;
}

double papi_profile_sampler_share(const struct papi_profile_sampler *sampler, size_t event)
{
	uint64_t enabled = 0, running = 0;

	for (size_t i = 0; i < sampler->n_opened; i++) {
		struct reading reading;

		if (sampler->opened[i].event != event || !read_one(sampler, &sampler->opened[i], &reading))
			continue;
		enabled += reading.enabled;
		running += reading.running;
	}
	/* Each CPU's event is enabled all the time that the thread runs, wherever that is. */
	return enabled ? (double)running * (double)sampler->n_cpus / (double)enabled : 1;
}

void papi_profile_sampler_close(struct papi_profile_sampler *sampler)
{
	for (size_t i = 0; i < sampler->n_cpus; i++)
		papi_profile_ring_detach(&sampler->rings[i]);
	for (size_t i = 0; i < sampler->n_opened; i++)
		papi_perf_kernel->close(sampler->opened[i].fd);
	free(sampler->opened);
	sampler->opened = NULL;
	sampler->n_opened = 0;
	papi_profile_table_free(&sampler->ids);
}

void papi_profile_sampler_free(struct papi_profile_sampler *sampler)
{
	papi_profile_sampler_close(sampler);
	papi_profile_waiting_free(&sampler->waiting);
	free(sampler->rings);
	free(sampler->cpus);
}
