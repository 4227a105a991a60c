/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The results as JSON: a line for each region, so that people can read it and hundreds of files are read fast.
 * doc/regions.md describes the fields.
 */
#include "regions/regions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/api.h"
#include "base/json.h"
#include "linux/machine/hardware.h"
#include "linux/time/clock.h"

static void put_field(FILE *stream, const char *name, const char *value)
{
	fprintf(stream, "  \"%s\": ", name);
	papi_json_string(stream, value);
	fputs(",\n", stream);
}

static void put_head(FILE *stream)
{
	const PAPI_hw_info_t *hardware = NULL;
	char version[32];

	if (papi_library_enter() == PAPI_OK) {
		hardware = papi_hardware_get();
		papi_library_leave();
	}
	snprintf(version, sizeof(version), "%d.%d.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
		PAPI_VERSION_MINOR(PAPI_VERSION), PAPI_VERSION_REVISION(PAPI_VERSION),
		PAPI_VERSION_INCREMENT(PAPI_VERSION));
	put_field(stream, "papi_version", version);
	put_field(stream, "cpu_info", hardware ? hardware->model_string : "");
	fprintf(stream, "  \"max_cpu_rate_mhz\": %d,\n", hardware ? hardware->cpu_max_mhz : 0);
	fprintf(stream, "  \"min_cpu_rate_mhz\": %d,\n", hardware ? hardware->cpu_min_mhz : 0);
	put_field(stream, "program", program_invocation_name);
	put_field(stream, "host", papi_region_run.host);
	put_field(stream, "start", papi_region_run.start);
	fprintf(stream, "  \"process_id\": %d,\n", (int)getpid());
	if (papi_region_run.rank < 0)
		fputs("  \"rank\": null,\n", stream);
	else
		fprintf(stream, "  \"rank\": %ld,\n", papi_region_run.rank);
	fprintf(stream, "  \"forked\": %s,\n", papi_region_run.child ? "true" : "false");
	fprintf(stream, "  \"slowed_by_counting\": %s,\n", papi_region_events.slowed ? "true" : "false");
}

static void put_events(FILE *stream)
{
	fputs("  \"event_definitions\": {", stream);
	for (unsigned i = 0; i < papi_region_events.n; i++) {
		const struct papi_region_event *event = &papi_region_events.events[i];

		fputs(i ? ",\n    " : "\n    ", stream);
		papi_json_string(stream, event->name);
		fprintf(stream, ": {\"component\": %d, \"type\": \"%s\", \"units\": ", event->component,
			event->instant ? "instant" : "delta");
		papi_json_string(stream, event->units);
		fprintf(stream, ", \"multiplexed\": %s, \"kind\": \"%s\"}",
			papi_region_events.multiplex ? "true" : "false", event->kind);
	}
	fputs(papi_region_events.n ? "\n  },\n  \"events_refused\": {" : "},\n  \"events_refused\": {", stream);
	for (unsigned i = 0; i < papi_region_events.n_refused; i++) {
		fputs(i ? ",\n    " : "\n    ", stream);
		papi_json_string(stream, papi_region_events.refused[i].name);
		fputs(": ", stream);
		papi_json_string(stream, papi_region_events.refused[i].reason);
	}
	fputs(papi_region_events.n_refused ? "\n  },\n" : "},\n", stream);
	papi_region_metrics_put_definitions(stream);
}

/* An event that was read within the region is an object, as in 7.0: its value at the end, then those of the reads. */
static void put_value(FILE *stream, const struct papi_region *region, unsigned event)
{
	if (region->sums.instances == region->sums.uncounted) {
		fputs("null", stream);
		return;
	}
	if (!region->n_reads) {
		fprintf(stream, "%lld", region->sums.values[event]);
		return;
	}
	fprintf(stream, "{\"region_value\": %lld", region->sums.values[event]);
	for (unsigned i = 0; i < region->n_reads; i++)
		fprintf(stream, ", \"read_%u\": %lld", i + 1, region->reads[i].values[event]);
	putc('}', stream);
}

static void put_region(FILE *stream, const struct papi_region *region, unsigned n_events)
{
	fputs("{\"name\": ", stream);
	papi_json_string(stream, region->name);
	fprintf(stream, ", \"parent_region_id\": %d, \"region_count\": %llu", region->parent, region->sums.instances);
	if (region->unfinished)
		fprintf(stream, ", \"unfinished\": %llu", region->unfinished);
	if (region->sums.uncounted)
		fprintf(stream, ", \"uncounted\": %llu", region->sums.uncounted);
	fprintf(stream, ", \"cycles\": %lld, \"real_time_nsec\": %lld", papi_clock_to_cycles(region->sums.real_ns),
		region->sums.real_ns);
	if (region->n_reads) {
		fputs(", \"reads\": [", stream);
		for (unsigned i = 0; i < region->n_reads; i++)
			fprintf(stream, "%s{\"count\": %llu, \"real_time_nsec\": %lld}", i ? ", " : "",
				region->reads[i].instances, region->reads[i].real_ns);
		putc(']', stream);
	}
	for (unsigned i = 0; i < n_events; i++) {
		fputs(", ", stream);
		papi_json_string(stream, papi_region_events.events[i].name);
		fputs(": ", stream);
		put_value(stream, region, i);
	}
	papi_region_metrics_put(stream, region);
	putc('}', stream);
}

static void put_thread(FILE *stream, const struct papi_region_result_thread *thread)
{
	fprintf(stream, "{\n      \"thread_id\": %d,\n", (int)thread->id);
	if (thread->reason) {
		fputs("      \"not_counted\": ", stream);
		papi_json_string(stream, thread->reason);
		fputs(",\n", stream);
	}
	fputs("      \"regions\": {", stream);
	for (unsigned i = 0; i < thread->tree.n; i++) {
		fprintf(stream, "%s\n        \"%u\": ", i ? "," : "", i);
		put_region(stream, &thread->tree.regions[i], thread->tree.n_events);
	}
	fputs(thread->tree.n ? "\n      }\n    }" : "}\n    }", stream);
}

void papi_region_json(FILE *stream, const struct papi_region_result *result)
{
	fputs("{\n", stream);
	put_head(stream);
	put_events(stream);
	fputs("  \"threads\": {", stream);
	for (unsigned i = 0; i < result->n; i++) {
		fprintf(stream, "%s\n    \"%u\": ", i ? "," : "", i);
		put_thread(stream, &result->threads[i]);
	}
	fputs("\n  }\n}\n", stream);
}
