/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * events.c - counters of the kernel, of each thread. See runtime.h.
 *
 * Their descriptors have high numbers, which programs least often close. A program that has closed them all the same
 * may have the numbers for something else by now: so the kernel is asked first which counter it is, for a read takes
 * away what is in a pipe.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "probes/runtime/runtime.h"
#include "probes/runtime/system.h"

#define HIGH 1100

static long open_one(const struct perf_event_attr *event)
{
	struct perf_event_attr attr = *event;
	long file = papi_vpmu_raw_inline(
		SYS_perf_event_open, (long)(intptr_t)&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
	long high = file < 0 ? -1 : papi_vpmu_raw_inline(SYS_fcntl, file, F_DUPFD_CLOEXEC, HIGH, 0, 0, 0);

	if (high < 0)
		return file;
	papi_vpmu_raw_inline(SYS_close, file, 0, 0, 0, 0, 0);
	return high;
}

static bool ask_identity(int file, uint64_t *identity)
{
	return papi_vpmu_raw_inline(SYS_ioctl, file, PERF_EVENT_IOC_ID, (long)(intptr_t)identity, 0, 0, 0) == 0;
}

void papi_probe_events_close(struct papi_probe_thread *thread)
{
	for (uint32_t n = thread->n_events; n > 0; n--)
		papi_vpmu_raw_inline(SYS_close, thread->files[n - 1], 0, 0, 0, 0, 0);
	thread->n_events = 0;
}

void papi_probe_events_open(struct papi_probe_thread *self, struct papi_probe_table *table)
{
	papi_probe_events_close(self);
	for (uint32_t i = 0; i < table->n_events && i < PAPI_PROBE_EVENTS; i++) {
		long file = open_one(&table->events[i]);

		if (file < 0 || !ask_identity((int)file, &self->identities[i])) {
			atomic_store(&table->error, (int32_t)file);
			atomic_fetch_add(&table->unopened, 1);
			papi_probe_events_close(self);
			return;
		}
		self->files[i] = (int32_t)file;
		self->n_events = i + 1;
	}
}

/* A counter that had not its place on the processor all the time is none. */
static bool read_one(int file, uint64_t expected, uint64_t *value)
{
	struct {
		uint64_t value, enabled, running;
	} got = { 0, 0, 0 };
	uint64_t identity = 0;

	if (!ask_identity(file, &identity) || identity != expected ||
		papi_vpmu_raw_inline(SYS_read, file, (long)(intptr_t)&got, sizeof(got), 0, 0, 0) != sizeof(got))
		return false;
	*value = got.value;
	return got.enabled == got.running;
}

bool papi_probe_events_read(const struct papi_probe_thread *self, uint64_t values[PAPI_PROBE_VALUES])
{
	for (uint32_t i = 0; i < self->n_events; i++)
		if (!read_one(self->files[i], self->identities[i], &values[1 + i]))
			return false;
	return true;
}
