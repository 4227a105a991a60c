/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/rusage/rusage.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "core/thread.h"
#include "linux/time/clock.h"

enum source { TIME, COUNT, CLOCK };

struct kind {
	const char *name, *description;
	enum source source;
	size_t field; /* offset in struct rusage: a timeval of TIME, a long of COUNT */
};

struct control {
	const struct kind **kinds;
	long long *base; /* n values of the baseline, then room for n more */
	unsigned n;
	uint32_t thread;        /* papi_thread_number() of whom it counts */
	long long started, ran; /* real time, ns */
};

#define FIELD(field) offsetof(struct rusage, ru_##field)

static const struct kind kinds[] = {
	{ "utime", "CPU time of the thread in user mode", TIME, FIELD(utime) },
	{ "stime", "CPU time of the thread in the kernel", TIME, FIELD(stime) },
	{ "minflt", "Page faults of the thread served without reading from a device", COUNT, FIELD(minflt) },
	{ "majflt", "Page faults of the thread that read from a device", COUNT, FIELD(majflt) },
	{ "inblock", "Blocks of 512 bytes read from devices for the thread", COUNT, FIELD(inblock) },
	{ "oublock", "Blocks of 512 bytes written to devices for the thread", COUNT, FIELD(oublock) },
	{ "nvcsw", "Context switches because the thread waited for something", COUNT, FIELD(nvcsw) },
	{ "nivcsw", "Context switches because the time slice of the thread ended", COUNT, FIELD(nivcsw) },
	{ "realtime", "Time that passed, by the monotonic clock", CLOCK, 0 },
};

static long long value_of(const struct kind *kind, const struct rusage *usage)
{
	const void *field = (const char *)usage + kind->field;
	const struct timeval *time = field;

	switch (kind->source) {
	case TIME:
		return time->tv_sec * 1000000000LL + time->tv_usec * 1000LL;
	case COUNT:
		return *(const long *)field;
	case CLOCK:
		break;
	}
	return papi_clock_real_ns();
}

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static PAPI_component_info_t info = {
	.name = "rusage",
	.short_name = "rusage",
	.description = "getrusage(2): CPU time, page faults, block transfers and context switches of the thread",
	.version = "7.0",
	.num_cntrs = KINDS,
	.num_native_events = KINDS,
	.default_domain = PAPI_DOM_USER,
	.available_domains = PAPI_DOM_ALL,
	.default_granularity = PAPI_GRN_THR,
	.available_granularities = PAPI_GRN_THR,
};

static int event_name(unsigned position, char *name, size_t size)
{
	if (position >= KINDS)
		return PAPI_ENOEVNT;
	snprintf(name, size, "%s", kinds[position].name);
	return PAPI_OK;
}

static int resolve(const char *name, void **encoding)
{
	for (size_t i = 0; i < KINDS; i++) {
		if (!strcmp(kinds[i].name, name)) {
			*encoding = (void *)(uintptr_t)&kinds[i];
			return PAPI_OK;
		}
	}
	return papi_error(PAPI_ENOEVNT,
		"component rusage has no event \"%.64s\"; its events are the fields of getrusage(2)", name);
}

static int describe(const char *name, const void *encoding, PAPI_event_info_t *event)
{
	const struct kind *kind = encoding;

	if (!kind)
		return papi_error(PAPI_ENOEVNT, "component rusage has no event \"%.64s\"", name);
	snprintf(event->long_descr, sizeof(event->long_descr), "%s", kind->description);
	snprintf(event->short_descr, sizeof(event->short_descr), "%.63s", kind->description);
	snprintf(event->units, sizeof(event->units), "%s", kind->source == COUNT ? "" : "ns");
	/* The sum of the two is exact. */
	snprintf(event->note, sizeof(event->note), "%s",
		kind->source == TIME
			? "sampled: most kernels divide the CPU time by the mode that their timer interrupts"
			: "exact, as the kernel accounts it; all modes together");
	event->location = PAPI_LOCATION_CPU;
	return PAPI_OK;
}

static int add(void *pointer, const void *encoding)
{
	struct control *control = pointer;
	const struct kind **larger = realloc(control->kinds, (control->n + 1) * sizeof(*larger));
	long long *base;

	if (larger)
		control->kinds = larger;
	base = realloc(control->base, 2 * (control->n + 1) * sizeof(*base));
	if (base)
		control->base = base;
	if (!larger || !base)
		return papi_error(PAPI_ENOMEM, "no memory for the counters of an EventSet");
	control->kinds[control->n++] = encoding;
	return PAPI_OK;
}

static int take_out(void *pointer, unsigned position)
{
	struct control *control = pointer;

	control->n--;
	memmove(&control->kinds[position], &control->kinds[position + 1],
		(control->n - position) * sizeof(*control->kinds));
	return PAPI_OK;
}

static int configure(void *pointer, const struct papi_options *options)
{
	(void)pointer;
	if (options->attach || options->cpu >= 0 || options->granularity != PAPI_GRN_THR)
		return papi_error(
			PAPI_ECMP, "rusage events count the calling thread only: no attach, no CPU, no system");
	if (options->inherit)
		return papi_error(
			PAPI_ECMP, "rusage events do not count threads and processes made by the counted one");
	return PAPI_OK;
}

static int sample(const struct control *control, long long now[])
{
	struct rusage usage;

	if (control->thread != papi_thread_number())
		return papi_error(PAPI_ECMP, "rusage events can be read only by the thread that started them");
	if (getrusage(RUSAGE_THREAD, &usage))
		return papi_error(PAPI_ESYS, "getrusage failed");
	for (unsigned i = 0; i < control->n; i++)
		now[i] = value_of(control->kinds[i], &usage);
	return PAPI_OK;
}

static int start(void *pointer)
{
	struct control *control = pointer;

	control->thread = papi_thread_number();
	control->started = papi_clock_real_ns();
	return sample(control, control->base);
}

static int read_values(void *pointer, long long values[], bool rebase)
{
	struct control *control = pointer;
	long long *now = control->base + control->n;
	int status = sample(control, now);

	if (status != PAPI_OK)
		return status;
	for (unsigned i = 0; i < control->n; i++)
		values[i] = now[i] - control->base[i];
	control->ran = papi_clock_real_ns() - control->started;
	if (rebase) {
		memcpy(control->base, now, control->n * sizeof(*now));
		control->started += control->ran;
	}
	return PAPI_OK;
}

static int stop(void *pointer, long long values[])
{
	return read_values(pointer, values, false);
}

static void times(void *pointer, unsigned position, long long *enabled, long long *running, bool counting)
{
	const struct control *control = pointer;

	(void)position;
	(void)counting;
	*enabled = *running = control->ran;
}

static void close_control(void *pointer)
{
	struct control *control = pointer;

	free(control->kinds);
	free(control->base);
	*control = (struct control){ 0 };
}

const struct papi_component papi_rusage_component = {
	.info = &info,
	.control_size = sizeof(struct control),
	.event_name = event_name,
	.resolve = resolve,
	.describe = describe,
	.add = add,
	.remove = take_out,
	.configure = configure,
	.start = start,
	.stop = stop,
	.read = read_values,
	.times = times,
	.close = close_control,
};
