/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_hl_output_writer_data.c - regions, their samples, and what is said about them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "papi_hl_output_writer.h"

void *writer_grow(void *block, size_t n, size_t size)
{
	block = reallocarray(block, n ? n : 1, size);
	if (!block) {
		fputs("papi_hl_output_writer: no memory for so many results\n", stderr);
		exit(EXIT_FAILURE);
	}
	return block;
}

char *writer_copy(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(writer_grow(NULL, size, 1), text, size);
}

unsigned writer_event(struct writer_run *run, const char *name)
{
	unsigned i = 0;

	while (i < run->n_events && strcmp(run->events[i].name, name) != 0)
		i++;
	if (i == run->n_events) {
		run->events = writer_grow(run->events, ++run->n_events, sizeof(run->events[0]));
		run->events[i] =
			(struct writer_event){ .name = writer_copy(name), .units = writer_copy(""), .kind = "exact" };
	}
	return i;
}

/* ---- Regions ---- */

static unsigned hash_of(int parent, const char *name)
{
	uint64_t hash = 0xcbf29ce484222325u ^ (unsigned)parent;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
	return (unsigned)(hash ^ hash >> 32);
}

static void insert(struct writer_run *run, int position)
{
	const struct writer_region *region = &run->regions[position];
	unsigned i = hash_of(region->parent, region->name) & (run->table_size - 1);

	while (run->table[i] >= 0)
		i = (i + 1) & (run->table_size - 1);
	run->table[i] = position;
}

/* At most half of the table is in use. */
static void make_room(struct writer_run *run)
{
	if (2 * (run->n_regions + 1) <= run->table_size)
		return;
	run->table_size = run->table_size ? 2 * run->table_size : 64;
	run->table = writer_grow(run->table, run->table_size, sizeof(run->table[0]));
	memset(run->table, -1, run->table_size * sizeof(run->table[0]));
	run->regions = writer_grow(run->regions, run->table_size, sizeof(run->regions[0]));
	for (unsigned i = 0; i < run->n_regions; i++)
		insert(run, (int)i);
}

int writer_region(struct writer_run *run, int parent, const char *name)
{
	struct writer_region *region;

	make_room(run);
	for (unsigned i = hash_of(parent, name);; i++) {
		int position = run->table[i & (run->table_size - 1)];

		if (position < 0)
			break;
		if (run->regions[position].parent == parent && strcmp(run->regions[position].name, name) == 0)
			return position;
	}
	region = &run->regions[run->n_regions];
	*region = (struct writer_region){
		.name = writer_copy(name), .parent = parent, .depth = parent < 0 ? 0 : run->regions[parent].depth + 1
	};
	insert(run, (int)run->n_regions);
	return (int)run->n_regions++;
}

/* NAN is nothing. */
static void add_to(long double *sum, long double value)
{
	*sum = isnan(*sum) ? value : isnan(value) ? *sum : *sum + value;
}

/* The same region again, which other implementations have for each instance. */
static void merge(struct writer_sample *sample, const struct writer_sample *other)
{
	sample->instances += other->instances;
	sample->unfinished += other->unfinished;
	sample->uncounted += other->uncounted;
	add_to(&sample->seconds, other->seconds);
	add_to(&sample->cycles, other->cycles);
	for (unsigned i = 0; i < other->n_values; i++) {
		long double sum = i < sample->n_values ? sample->values[i] : NAN;

		add_to(&sum, other->values[i]);
		writer_set_value(sample, i, sum);
	}
}

void writer_add_sample(struct writer_run *run, int position, const struct writer_sample *sample)
{
	struct writer_region *region = &run->regions[position];
	struct writer_sample *last = region->n ? &region->samples[region->n - 1] : NULL;

	if (last && last->file == sample->file && last->thread == sample->thread) {
		merge(last, sample);
		return;
	}
	if (region->n == region->capacity) {
		region->capacity = region->capacity ? 2 * region->capacity : 4;
		region->samples = writer_grow(region->samples, region->capacity, sizeof(region->samples[0]));
	}
	region->samples[region->n++] = *sample;
}

/* Files may bring new events, so samples are only as long as they have to be. */
void writer_set_value(struct writer_sample *sample, unsigned event, long double value)
{
	if (event >= sample->n_values) {
		sample->values = writer_grow(sample->values, event + 1, sizeof(sample->values[0]));
		while (sample->n_values <= event)
			sample->values[sample->n_values++] = NAN;
	}
	sample->values[event] = value;
}

unsigned writer_threads(const struct writer_run *run)
{
	unsigned n = 0;

	for (unsigned i = 0; i < run->n_files; i++)
		n += run->files[i].n_threads;
	return n;
}

/* ---- Quantities ---- */

/*
 * Rates, for runs that have their events. Of those with the same name the first that can be had. An empty denominator
 * is real time: such a rate is per thread, and threads work side by side, so that their rates add up to the whole.
 */
static const struct {
	const char *name, *unit, *numerator, *denominator;
	long double scale;
} rates[] = {
	{ "CPU use", "", "perf::TASK-CLOCK", "", 1e-9L },
	{ "IPC", "", "PAPI_TOT_INS", "PAPI_TOT_CYC", 1 },
	{ "Clock", "MHz", "PAPI_TOT_CYC", "", 1e-6L },
	{ "Mflop/s", "", "PAPI_FP_OPS", "", 1e-6L },
	{ "Mflop/s, single precision", "", "PAPI_SP_OPS", "", 1e-6L },
	{ "Mflop/s, double precision", "", "PAPI_DP_OPS", "", 1e-6L },
	{ "Mflip/s", "", "PAPI_FP_INS", "", 1e-6L },
	{ "L1 data misses/access", "", "PAPI_L1_DCM", "PAPI_L1_DCA", 1 },
	{ "L1 data misses/access", "", "PAPI_L1_DCM", "PAPI_LST_INS", 1 },
	{ "L1 instruction misses/access", "", "PAPI_L1_ICM", "PAPI_L1_ICA", 1 },
	{ "L2 misses/access", "", "PAPI_L2_TCM", "PAPI_L2_TCA", 1 },
	{ "L2 data misses/access", "", "PAPI_L2_DCM", "PAPI_L2_DCA", 1 },
	{ "L3 misses/access", "", "PAPI_L3_TCM", "PAPI_L3_TCA", 1 },
	{ "L3 data misses/access", "", "PAPI_L3_DCM", "PAPI_L3_DCA", 1 },
	{ "Mispredicted/branch", "", "PAPI_BR_MSP", "PAPI_BR_CN", 1 },
	{ "Mispredicted/branch", "", "PAPI_BR_MSP", "PAPI_BR_INS", 1 },
	{ "TLB misses/1000 instructions", "", "PAPI_TLB_DM", "PAPI_TOT_INS", 1000 },
};

int writer_find_event(const struct writer_run *run, const char *name)
{
	for (unsigned i = 0; i < run->n_events; i++)
		if (strcmp(run->events[i].name, name) == 0)
			return (int)i;
	return -1;
}

void writer_add_quantity(struct writer_run *run, struct writer_quantity quantity)
{
	run->quantities = writer_grow(run->quantities, run->n_quantities + 1, sizeof(run->quantities[0]));
	run->quantities[run->n_quantities++] = quantity;
}

static void add_rates(struct writer_run *run)
{
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		int numerator = writer_find_event(run, rates[i].numerator),
		    denominator = writer_find_event(run, rates[i].denominator);
		const struct writer_quantity *last = &run->quantities[run->n_quantities - 1];

		/* Nothing is divided by a time that counting has made longer. */
		if (!*rates[i].denominator && run->slowed)
			continue;
		if (numerator < 0 || (denominator < 0 && *rates[i].denominator) ||
			strcmp(last->name, rates[i].name) == 0)
			continue;
		writer_add_quantity(run,
			(struct writer_quantity){ .what = WRITER_RATE,
				.name = rates[i].name,
				.unit = rates[i].unit,
				.kind = denominator < 0
					? run->events[numerator].kind
					: writer_worse(run->events[numerator].kind, run->events[denominator].kind),
				.event = (unsigned)numerator,
				.denominator = denominator,
				.scale = rates[i].scale,
				.no_total = strcmp(rates[i].name, "Clock") == 0 });
	}
}

const char *writer_worse(const char *one, const char *other)
{
	static const char *const kinds[] = { "exact", "sampled", "estimated", "affected", "slowed", "modelled" };
	size_t n = sizeof(kinds) / sizeof(kinds[0]), i = 0, j = 0;

	while (i < n && strcmp(kinds[i], one) != 0)
		i++;
	while (j < n && strcmp(kinds[j], other) != 0)
		j++;
	return i >= j ? one : other;
}

static bool any_sample(const struct writer_run *run, enum writer_what what)
{
	struct writer_quantity quantity = { .what = what };

	for (unsigned i = 0; i < run->n_regions; i++)
		for (unsigned j = 0; j < run->regions[i].n; j++)
			if (writer_value(run, &run->regions[i].samples[j], &quantity) > 0)
				return true;
	return false;
}

void writer_find_quantities(struct writer_run *run, bool with_rates)
{
	const char *of_time = run->slowed ? "slowed" : "exact";

	writer_add_quantity(run,
		(struct writer_quantity){ .what = WRITER_INSTANCES, .name = "instances", .unit = "", .kind = "exact" });
	/* A quantity that is seldom there is not mentioned where no region has it. */
	if (any_sample(run, WRITER_UNFINISHED))
		writer_add_quantity(run,
			(struct writer_quantity){
				.what = WRITER_UNFINISHED, .name = "unfinished", .unit = "", .kind = "exact" });
	if (any_sample(run, WRITER_UNCOUNTED))
		writer_add_quantity(run,
			(struct writer_quantity){
				.what = WRITER_UNCOUNTED, .name = "uncounted", .unit = "", .kind = "exact" });
	writer_add_quantity(run,
		(struct writer_quantity){ .what = WRITER_SECONDS, .name = "real time", .unit = "s", .kind = of_time });
	if (any_sample(run, WRITER_CYCLES))
		writer_add_quantity(run,
			(struct writer_quantity){
				.what = WRITER_CYCLES, .name = "cycles", .unit = "", .kind = of_time });
	for (unsigned i = 0; i < run->n_events; i++)
		writer_add_quantity(run,
			(struct writer_quantity){ .what = WRITER_EVENT,
				.name = run->events[i].name,
				.unit = run->events[i].units,
				.kind = run->events[i].kind,
				.event = i,
				.no_total = run->events[i].instant });
	if (with_rates)
		add_rates(run);
}

static long double event_value(const struct writer_sample *sample, int event)
{
	return event >= 0 && (unsigned)event < sample->n_values ? sample->values[event] : NAN;
}

static long double denominator_of(const struct writer_sample *sample, const struct writer_quantity *quantity)
{
	return quantity->denominator < 0 ? sample->seconds : event_value(sample, quantity->denominator);
}

long double writer_value(
	const struct writer_run *run, const struct writer_sample *sample, const struct writer_quantity *quantity)
{
	long double denominator;

	switch (quantity->what) {
	case WRITER_INSTANCES:
		return sample->instances;
	case WRITER_UNFINISHED:
		return sample->unfinished;
	case WRITER_UNCOUNTED:
		return sample->uncounted;
	case WRITER_SECONDS:
		return sample->seconds;
	case WRITER_CYCLES:
		return sample->cycles;
	case WRITER_EVENT:
		return event_value(sample, (int)quantity->event);
	case WRITER_METRIC:
		return writer_metric(run, sample, 1, quantity);
	case WRITER_RATE:
		break;
	}
	denominator = denominator_of(sample, quantity);
	/* Nothing per nothing is no number. */
	return denominator > 0 ? event_value(sample, (int)quantity->event) / denominator * quantity->scale : NAN;
}

static int compare(const void *a, const void *b)
{
	const long double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* A ratio of events has as its total the ratio of their totals, over the samples that have both. */
static long double total_ratio(
	const struct writer_run *run, const struct writer_region *region, const struct writer_quantity *quantity)
{
	long double numerator = 0, denominator = 0;

	for (unsigned i = 0; i < region->n; i++) {
		const struct writer_sample *sample = &region->samples[i];

		if (isnan(writer_value(run, sample, quantity)))
			continue;
		numerator += event_value(sample, (int)quantity->event);
		denominator += denominator_of(sample, quantity);
	}
	return denominator > 0 ? numerator / denominator * quantity->scale : NAN;
}

struct writer_statistic writer_statistic(
	const struct writer_run *run, const struct writer_region *region, const struct writer_quantity *quantity)
{
	struct writer_statistic result = { .total = NAN, .minimum = NAN, .median = NAN, .maximum = NAN };
	long double *values = writer_grow(NULL, region->n, sizeof(*values)), sum = 0;

	for (unsigned i = 0; i < region->n; i++) {
		long double value = writer_value(run, &region->samples[i], quantity);

		if (isnan(value))
			continue;
		values[result.n++] = value;
		sum += value;
	}
	if (result.n) {
		qsort(values, result.n, sizeof(*values), compare);
		result.minimum = values[0];
		result.maximum = values[result.n - 1];
		result.median = (values[(result.n - 1) / 2] + values[result.n / 2]) / 2;
		result.total = sum;
	}
	if (quantity->what == WRITER_RATE && quantity->denominator >= 0)
		result.total = total_ratio(run, region, quantity);
	/* As with rates: in a second, threads beside each other do what they do together. */
	if (quantity->what == WRITER_METRIC && quantity->denominator >= 0)
		result.total = writer_metric(run, region->samples, region->n, quantity);
	if (quantity->no_total)
		result.total = NAN;
	free(values);
	return result;
}

long double writer_whole(const struct writer_run *run, const struct writer_quantity *quantity)
{
	long double whole = 0;

	if (quantity->what != WRITER_SECONDS && (quantity->what != WRITER_EVENT || quantity->no_total))
		return NAN;
	for (unsigned i = 0; i < run->n_regions; i++) {
		const struct writer_region *region = &run->regions[i];

		for (unsigned j = 0; j < region->n && region->parent < 0; j++) {
			long double value = writer_value(run, &region->samples[j], quantity);

			whole += isnan(value) ? 0 : value;
		}
	}
	return whole > 0 ? whole : NAN;
}
