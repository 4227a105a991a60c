/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_clockres: measures what the six timers of the library cost, and how finely they divide time. */
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "options.h"
#include "papi.h"
#include "statistics.h"

enum { CALLS = 200000, WARM_UP = 1000 };

static const struct papi_tool_option options[] = { { 0 } };

static const struct papi_tool tool = {
	.name = "papi_clockres",
	.purpose = "Measures the latency and the resolution of the timers of the library, each in its own unit.",
	.options = options,
};

struct timer {
	const char *name;
	long long (*read)(void);
};

static const struct timer timers[] = {
	{ "PAPI_get_real_cyc", PAPI_get_real_cyc },
	{ "PAPI_get_real_usec", PAPI_get_real_usec },
	{ "PAPI_get_real_nsec", PAPI_get_real_nsec },
	{ "PAPI_get_virt_cyc", PAPI_get_virt_cyc },
	{ "PAPI_get_virt_usec", PAPI_get_virt_usec },
	{ "PAPI_get_virt_nsec", PAPI_get_virt_nsec },
};

struct measurement {
	struct papi_statistics steps; /* between one reading and the next */
	double latency;               /* of one call, in the unit of the timer */
	long long smallest_step;      /* that is not 0; 0 when the timer never moved */
	size_t standstills;           /* readings that equalled the one before */
	size_t backward;              /* readings that were less than the one before */
};

static struct measurement measure(const struct timer *timer)
{
	struct measurement measurement = { 0 };
	long long first, last;

	for (int i = 0; i < WARM_UP; i++)
		timer->read();

	/* The latency comes from a loop of nothing but calls; the bookkeeping below would add to it. */
	first = timer->read();
	for (int i = 0; i < CALLS - 1; i++)
		timer->read();
	last = timer->read();
	measurement.latency = (double)(last - first) / CALLS;

	for (int i = 0; i < CALLS; i++) {
		first = timer->read();
		last = timer->read();

		long long step = last - first;
		papi_statistics_add(&measurement.steps, step);
		measurement.standstills += step == 0;
		measurement.backward += step < 0;
		if (step > 0 && (measurement.smallest_step == 0 || step < measurement.smallest_step))
			measurement.smallest_step = step;
	}
	return measurement;
}

/* Prints what was measured; returns how often the timer went backwards. */
static size_t report(const struct timer *timer)
{
	struct measurement measurement = measure(timer);
	const struct papi_statistics *steps = &measurement.steps;

	printf("%s: min %.3f  max %.3f\n", timer->name, (double)steps->minimum, (double)steps->maximum);
	printf("%19saverage %.3f std %.3f\n", "", steps->mean, papi_statistics_deviation(steps));

	/* A timer that moves between any two calls is finer than calls can show. */
	if (measurement.standstills == 0)
		printf("%s : %7.3f   < %.3f\n", timer->name, measurement.latency, measurement.latency);
	else
		printf("%s : %7.3f   %7.3f\n", timer->name, measurement.latency, (double)measurement.smallest_step);
	if (measurement.backward > 0)
		printf("%s went backwards in %zu of %d readings\n", timer->name, measurement.backward, CALLS);
	return measurement.backward;
}

int main(int argc, char **argv)
{
	size_t backward = 0;

	papi_tool_begin();
	papi_tool_next_option(&tool, argc, argv);
	papi_tool_init();

	printf("Latency and resolution of the timers, in cycles, microseconds or nanoseconds.\n");
	printf("-----------------------------------------------\n");
	for (size_t i = 0; i < sizeof(timers) / sizeof(timers[0]); i++)
		backward += report(&timers[i]);
	return papi_tool_finish(backward == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}
