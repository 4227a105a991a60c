/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi_profile/exact_log.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "components/vpmu/agent.h"
#include "components/vpmu/profile_log.h"
#include "papi_profile/exact_reading.h"
#include "papi_profile/papi_profile.h"

/* More than a process has. */
#define MOST_WAYS ((size_t)1 << 24)

/* ---- files ---- */

static bool read_file(const char *path, unsigned char **bytes, size_t *size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	bool done = file >= 0 && fstat(file, &status) == 0;

	*bytes = NULL;
	*size = done ? (size_t)status.st_size : 0;
	if (done) {
		*bytes = papi_profile_allocate(NULL, *size + 1, 1);
		for (size_t at = 0; done && at < *size;) {
			ssize_t got = read(file, *bytes + at, *size - at);

			done = got > 0;
			at += got > 0 ? (size_t)got : 0;
		}
	}
	if (file >= 0)
		close(file);
	return done;
}

static char *join(const char *before, const char *behind)
{
	size_t size = strlen(before) + strlen(behind) + 1;
	char *text = papi_profile_allocate(NULL, size, 1);

	snprintf(text, size, "%s%s", before, behind);
	return text;
}

/* False: it is none of ours, or was never begun. */
static bool open_log(struct papi_profile_log *log)
{
	char *path = join(log->name, PAPI_VPMU_LOG_SUFFIX);
	bool is = read_file(path, &log->bytes, &log->size) && log->size >= sizeof(log->head);

	free(path);
	if (is)
		memcpy(&log->head, log->bytes, sizeof(log->head));
	is = is && log->head.magic == PAPI_VPMU_LOG_MAGIC && log->head.version == PAPI_VPMU_LOG_VERSION;
	if (is && log->head.used < log->size)
		log->size = log->head.used;
	log->head.name[sizeof(log->head.name) - 1] = '\0';
	return is;
}

/* The entry at an offset, if it is whole; NULL at the end. */
const struct papi_vpmu_log_entry *papi_profile_log_entry(const struct papi_profile_log *log, size_t offset)
{
	const struct papi_vpmu_log_entry *entry = (const void *)(log->bytes + offset);

	if (offset > log->size || log->size - offset < sizeof(*entry))
		return NULL;
	return entry->size >= sizeof(*entry) && entry->size % 8 == 0 && entry->size <= log->size - offset ? entry
													  : NULL;
}

/* The next one of a type behind an offset, which becomes its own; NULL at the end. */
const void *papi_profile_log_next(
	const struct papi_profile_log *log, enum papi_vpmu_log_type type, size_t size, size_t *offset)
{
	const struct papi_vpmu_log_entry *entry;

	*offset = *offset ? *offset + papi_profile_log_entry(log, *offset)->size : sizeof(log->head);
	while ((entry = papi_profile_log_entry(log, *offset)) && (entry->type != type || entry->size < size))
		*offset += entry->size;
	return entry;
}

/* ---- modules ---- */

static void read_modules(struct papi_profile_log *log, int64_t process)
{
	const struct papi_vpmu_log_module *entry;
	size_t at = 0;

	while ((entry = papi_profile_log_next(log, PAPI_VPMU_LOG_MODULE, sizeof(*entry) + 1, &at))) {
		struct papi_profile_mapped mapped = { .name = entry->path, .pid = log->head.pid, .process = process };

		if (!memchr(entry->path, '\0', entry->entry.size - sizeof(*entry)))
			continue;
		log->modules = papi_profile_allocate(log->modules, log->n_modules + 1, sizeof(*log->modules));
		log->modules[log->n_modules++] = (struct papi_profile_mapping){ .start = entry->bias,
			.module = papi_profile_module_mapped(&mapped) };
	}
}

/* ---- regions ---- */

static void read_regions(const struct papi_profile_reading *reading, struct papi_profile_log *log)
{
	const struct papi_vpmu_log_region *entry;
	size_t at = 0;

	while ((entry = papi_profile_log_next(log, PAPI_VPMU_LOG_REGION, sizeof(*entry) + 1, &at)))
		if (entry->number && entry->number <= PAPI_VPMU_LOG_REGIONS &&
			memchr(entry->name, '\0', entry->entry.size - sizeof(*entry)))
			log->regions[entry->number] = papi_profile_counts_region(
				&reading->records->counts, entry->name);
}

/* ---- counts ---- */

/* The counters of a lane, by their numbers. */
static uint64_t *read_lane(const struct papi_profile_log *log, int counts, uint32_t lane, size_t *n)
{
	const struct papi_vpmu_log_extent *extent;
	uint64_t *ways = NULL;
	size_t at = 0;

	*n = 0;
	while ((extent = papi_profile_log_next(log, PAPI_VPMU_LOG_EXTENT, sizeof(*extent), &at))) {
		size_t end = (size_t)extent->first + extent->number;

		if (extent->lane != lane || !extent->number || extent->first > *n || end > MOST_WAYS)
			continue;
		if (end > *n) {
			ways = papi_profile_allocate(ways, end, sizeof(*ways));
			*n = end;
		}
		memset(ways + extent->first, 0, extent->number * sizeof(*ways));
		if (pread(counts, ways + extent->first, extent->number * sizeof(*ways), (off_t)extent->offset) < 0)
			papi_profile_message("cannot read %s" PAPI_VPMU_LOG_COUNTS, log->name);
	}
	return ways;
}

/* No place is known yet, and these counters are wanted. */
static void begin_places(struct papi_profile_ran *places, const struct papi_profile_log *log, bool modelled)
{
	unsigned n = 0;

	for (unsigned i = 0; i < PAPI_PROFILE_EXACT_COUNTERS; i++) {
		bool wanted = i < PAPI_VPMU_FIRST_MODELLED ? log->head.profile >> i & 1 : modelled;

		places->slots[i] = wanted ? (uint8_t)n++ : PAPI_PROFILE_NO_SLOT;
	}
	places->n = 0;
	if (n != places->n_slots)
		places->room = 0;
	places->n_slots = n;
}

static uint64_t *counters_of(const struct papi_profile_ran *places, size_t number)
{
	return places->counters + number * places->n_slots;
}

static uint64_t *counters_at(struct papi_profile_ran *places, const struct papi_vpmu_log_block *block, uint64_t pc)
{
	if (places->n == places->room) {
		places->room = places->room ? 2 * places->room : 1024;
		places->places = papi_profile_allocate(places->places, places->room, sizeof(*places->places));
		places->counters = papi_profile_allocate(
			places->counters, places->room * places->n_slots, sizeof(*places->counters));
	}
	memset(counters_of(places, places->n), 0, places->n_slots * sizeof(*places->counters));
	places->places[places->n] = (struct papi_profile_ran_place){ block->module, block->region, pc };
	return counters_of(places, places->n++);
}

static void count(const struct papi_profile_ran *places, uint64_t *counters, unsigned counter, uint64_t more)
{
	if (counter < PAPI_PROFILE_EXACT_COUNTERS && places->slots[counter] != PAPI_PROFILE_NO_SLOT)
		counters[places->slots[counter]] += more;
}

/* How often each of a block's instructions ran, was a branch that was taken, and repeated itself. */
struct passes {
	uint64_t run[256], taken[256], iterations[256];
};

/* What has been counted at one of the block's instructions as it ran. */
static void take_counted(const struct papi_vpmu_log_block *block, const struct papi_vpmu_way *way, uint64_t value,
	struct papi_profile_ran *places)
{
	unsigned counter = (unsigned)way->kind - PAPI_VPMU_WAY_COUNTED;

	if (counter < PAPI_PROFILE_EXACT_COUNTERS && value)
		count(places, counters_at(places, block, papi_profile_log_pc(block, way->n)), counter, value);
}

static void pass(const struct papi_vpmu_log_block *block, const struct papi_vpmu_way *way, uint64_t times,
	struct passes *passes, struct papi_profile_ran *places)
{
	if (!way->n)
		return;
	switch (way->kind) {
	case PAPI_VPMU_WAY_ASIDE:
		passes->taken[way->n - 1] += times;
		passes->run[way->n - 1] += times;
		break;
	case PAPI_VPMU_WAY_PREFIX:
		passes->run[way->n - 1] += times;
		break;
	case PAPI_VPMU_WAY_TAKEN:
		passes->taken[way->n - 1] += times;
		break;
	case PAPI_VPMU_WAY_ITERATIONS:
		passes->iterations[way->n - 1] += times;
		break;
	default:
		take_counted(block, way, times, places);
	}
}

/* Another way through a block, the first one behind NULL; NULL at the end. */
static const struct papi_vpmu_log_way *next_way(const struct papi_profile_log *log,
	const struct papi_vpmu_log_block *block, const struct papi_vpmu_log_way *before)
{
	uint32_t offset = before ? before->more : block->more;
	const struct papi_vpmu_log_way *way = offset ? (const void *)papi_profile_log_entry(log, offset) : NULL;

	if (!way || way->entry.type != PAPI_VPMU_LOG_WAY || way->entry.size < sizeof(*way) ||
		(before && offset >= (size_t)((const unsigned char *)before - log->bytes)))
		return NULL;
	return way;
}

/* False: it was never gone. */
static bool pass_all(const struct papi_profile_log *log, const struct papi_vpmu_log_block *block, const uint64_t *ways,
	size_t n, struct passes *passes, struct papi_profile_ran *places)
{
	const struct papi_vpmu_log_way *more = NULL;
	bool any = false;

	memset(passes, 0, sizeof(*passes));
	for (size_t i = 0; i < (size_t)block->copies * block->n_ways; i++) {
		uint64_t times = block->first_way + i < n ? ways[block->first_way + i] : 0;

		pass(block, &block->ways[i % block->n_ways], times, passes, places);
		any |= times != 0;
	}
	while ((more = next_way(log, block, more))) {
		pass(block, &more->way, more->number < n ? ways[more->number] : 0, passes, places);
		any |= more->number < n && ways[more->number];
	}
	/* Who ran as far as the third has run the first two. */
	for (unsigned i = block->n_instructions; i-- > 1;)
		passes->run[i - 1] += passes->run[i];
	return any;
}

/* One instruction; returns where the next one is described, NULL where there is none. */
static const uint8_t *take_instruction(const struct papi_profile_ran *places, const struct passes *passes, unsigned i,
	const uint8_t *at, const uint8_t *end, uint64_t *counters)
{
	unsigned n = at[1] & ~PAPI_VPMU_LOG_ITERATES & 0xff;
	bool iterates = at[1] & PAPI_VPMU_LOG_ITERATES;

	if ((size_t)(end - at) < 2 + 2 * (size_t)n + 2 * iterates)
		return NULL;
	at += 2;
	for (; n; n--, at += 2)
		if (at[0] < PAPI_AGENT_EXACT)
			count(places, counters, at[0], passes->run[i] * at[1]);
	count(places, counters, PAPI_VPMU_BRANCHES_TAKEN, passes->taken[i]);
	if (!iterates)
		return at;
	count(places, counters, PAPI_VPMU_LOADS, passes->iterations[i] * at[0]);
	count(places, counters, PAPI_VPMU_STORES, passes->iterations[i] * at[1]);
	return at + 2;
}

static void take_block(
	const struct papi_vpmu_log_block *block, const struct passes *passes, struct papi_profile_ran *places)
{
	const uint8_t *at = (const uint8_t *)(block->ways + block->n_ways);
	const uint8_t *end = (const uint8_t *)block + block->entry.size;
	uint64_t pc = block->pc;

	for (unsigned i = 0; at && i < block->n_instructions && end - at >= 2; i++) {
		unsigned length = at[0];
		bool any = passes->run[i] || passes->taken[i] || passes->iterations[i];
		uint64_t unused[PAPI_PROFILE_EXACT_COUNTERS] = { 0 };

		any = any && (at[1] || passes->taken[i]);
		at = take_instruction(places, passes, i, at, end, any ? counters_at(places, block, pc) : unused);
		pc += length;
	}
}

/* Where the nth instruction of a block begins. */
uint64_t papi_profile_log_pc(const struct papi_vpmu_log_block *block, unsigned n)
{
	const uint8_t *at = (const uint8_t *)(block->ways + block->n_ways);
	const uint8_t *end = (const uint8_t *)block + block->entry.size;
	uint64_t pc = block->pc;

	for (unsigned i = 1; i < n && end - at >= 2; i++) {
		pc += at[0];
		at += 2 + 2 * (size_t)(at[1] & ~PAPI_VPMU_LOG_ITERATES & 0xff) +
			(at[1] & PAPI_VPMU_LOG_ITERATES ? 2 : 0);
	}
	return pc;
}

int64_t papi_profile_log_address(
	struct papi_profile_reading *reading, const struct papi_profile_log *log, uint32_t module, uint64_t pc)
{
	return papi_profile_places_address_in(&reading->records->places, log->head.pid, &log->modules[module], pc);
}

/* A place, its counters, and its address in the store. */
struct addressed {
	const struct papi_profile_ran_place *place;
	uint64_t *counters;
	int64_t address;
};

static int by_place(const void *first, const void *second)
{
	const struct papi_profile_ran_place *a = ((const struct addressed *)first)->place,
					    *b = ((const struct addressed *)second)->place;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	if (a->pc != b->pc)
		return a->pc < b->pc ? -1 : 1;
	return a->region < b->region ? -1 : a->region > b->region;
}

static int by_address(const void *first, const void *second)
{
	const struct addressed *a = first, *b = second;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->place->region < b->place->region ? -1 : a->place->region > b->place->region;
}

/* Each place once, with all that happened there, in their order; how many there are. */
static size_t order_places(const struct papi_profile_ran *places, struct addressed *ordered)
{
	size_t n = 0;

	for (size_t i = 0; i < places->n; i++)
		ordered[i] = (struct addressed){ &places->places[i], counters_of(places, i), 0 };
	qsort(ordered, places->n, sizeof(*ordered), by_place);
	for (size_t i = 0; i < places->n; i++) {
		if (!n || by_place(&ordered[n - 1], &ordered[i]) != 0) {
			ordered[n++] = ordered[i];
			continue;
		}
		for (unsigned j = 0; j < places->n_slots; j++)
			ordered[n - 1].counters[j] += ordered[i].counters[j];
		memset(ordered[i].counters, 0, places->n_slots * sizeof(*ordered[i].counters));
	}
	return n;
}

/* In the order of their addresses; new ones are made in the order of the places. */
static struct addressed *find_addresses(struct papi_profile_reading *reading, const struct papi_profile_log *log,
	const struct papi_profile_ran *places, size_t *n)
{
	struct addressed *found = papi_profile_allocate(NULL, places->n, sizeof(*found));
	bool ordered = true;

	*n = order_places(places, found);
	papi_profile_table_reserve(&reading->records->places.addresses, *n);
	for (size_t i = 0; i < *n; i++) {
		found[i].address = papi_profile_log_address(reading, log, found[i].place->module, found[i].place->pc);
		ordered &= i == 0 || found[i - 1].address <= found[i].address;
	}
	if (!ordered)
		qsort(found, *n, sizeof(*found), by_address);
	return found;
}

/* A place's counters as events, where what is rounded off counts at the next. */
static void value_modelled(struct papi_profile_reading *reading, const uint64_t *counters, long long *values)
{
	struct papi_profile_exact *exact = reading->exact;

	for (unsigned i = 0; i < PAPI_PROFILE_EXACT_COUNTERS; i++)
		exact->sums[i] += counters[i];
	exact->values(exact->argument, exact->sums, values);
	for (size_t i = 0; i < reading->records->events->number; i++) {
		long long sum = values[i];

		values[i] -= reading->sums[i];
		reading->sums[i] = sum;
	}
}

/* The thread's counters, as events. The store is the fastest if rows come in the order in which it has them. */
static void write_places(struct papi_profile_reading *reading, const struct papi_profile_log *log,
	const struct papi_profile_ran *places, int64_t thread)
{
	struct papi_profile_events *list = reading->records->events;
	size_t n;
	struct addressed *found = find_addresses(reading, log, places, &n);
	uint64_t counters[PAPI_PROFILE_EXACT_COUNTERS] = { 0 };
	long long *values = papi_profile_allocate(NULL, n * list->number, sizeof(*values));

	for (size_t i = 0; i < n; i++) {
		for (unsigned j = 0; j < PAPI_PROFILE_EXACT_COUNTERS; j++)
			if (places->slots[j] != PAPI_PROFILE_NO_SLOT)
				counters[j] = found[i].counters[places->slots[j]];
		/* Instructions that follow each other are often alike. */
		if (reading->exact->modelled)
			value_modelled(reading, counters, &values[i * list->number]);
		else if (i &&
			memcmp(found[i].counters, found[i - 1].counters, places->n_slots * sizeof(*counters)) == 0)
			memcpy(&values[i * list->number], &values[(i - 1) * list->number],
				list->number * sizeof(*values));
		else
			reading->exact->values(reading->exact->argument, counters, &values[i * list->number]);
	}
	for (size_t j = 0; j < list->number; j++)
		for (size_t i = 0; i < n; i++) {
			long long value = values[i * list->number + j];

			list->events[j].value += value;
			if (value)
				papi_profile_store_count(reading->records->counts.store,
					&(struct papi_profile_count_key){ .thread = thread,
						.event = (int64_t)j + 1,
						.address = found[i].address,
						.region = log->regions[found[i].place->region] },
					0, value);
		}
	free(values);
	free(found);
}

const struct papi_vpmu_log_block *papi_profile_log_block(const struct papi_profile_log *log, uint32_t offset)
{
	const struct papi_vpmu_log_block *block = (const void *)papi_profile_log_entry(log, offset);

	return block && block->entry.type == PAPI_VPMU_LOG_BLOCK && block->entry.size >= sizeof(*block) &&
			block->module < log->n_modules && block->region <= PAPI_VPMU_LOG_REGIONS &&
			sizeof(*block) + block->n_ways * sizeof(struct papi_vpmu_way) <= block->entry.size
		? block
		: NULL;
}

static void read_lane_of(struct papi_profile_reading *reading, const struct papi_profile_log *log, int counts,
	const struct papi_vpmu_log_lane *lane)
{
	const struct papi_vpmu_log_block *block;
	struct papi_profile_ran *places = &reading->places;
	struct passes passes;
	size_t n, at = 0;
	uint64_t *ways = read_lane(log, counts, lane->lane, &n);

	begin_places(places, log, reading->exact->modelled);
	while ((block = papi_profile_log_next(log, PAPI_VPMU_LOG_BLOCK, sizeof(*block), &at)))
		if (sizeof(*block) + block->n_ways * sizeof(struct papi_vpmu_way) <= block->entry.size &&
			block->module < log->n_modules && block->region <= PAPI_VPMU_LOG_REGIONS &&
			pass_all(log, block, ways, n, &passes, places))
			take_block(block, &passes, places);
	if (places->n) {
		int64_t thread = papi_profile_places_thread(
			&reading->records->places, log->head.pid, lane->tid ? lane->tid : log->head.pid);

		write_places(reading, log, places, thread);
		papi_profile_exact_write_calls(reading, log, &(struct papi_profile_lane){ thread, ways, n });
	}
	free(ways);
}

/* ---- processes ---- */

/* It may have executed other programs before: then it keeps its number, and gets the name of the last. */
static void name_process(struct papi_profile_reading *reading, const struct papi_profile_log *log)
{
	bool known = false;

	for (size_t i = 0; i < reading->n_known; i++)
		known |= reading->known[i] == log->head.pid;
	if (!known) {
		papi_profile_places_forked(&reading->records->places, log->head.pid, log->head.parent, log->head.pid);
		reading->known = papi_profile_allocate(reading->known, reading->n_known + 1, sizeof(*reading->known));
		reading->known[reading->n_known++] = log->head.pid;
	}
	papi_profile_places_named(&reading->records->places, log->head.pid, log->head.pid, log->head.name, false);
}

static void read_log(struct papi_profile_reading *reading, struct papi_profile_log *log)
{
	char *path = join(log->name, PAPI_VPMU_LOG_COUNTS);
	int counts = open(path, O_RDONLY | O_CLOEXEC);
	const struct papi_vpmu_log_lane *lane;
	size_t at = 0;

	free(path);
	if (counts < 0)
		return;
	if (reading->exact->pid)
		log->head.pid = reading->exact->pid;
	name_process(reading, log);
	read_modules(log, papi_profile_places_process(&reading->records->places, log->head.pid));
	read_regions(reading, log);
	while ((lane = papi_profile_log_next(log, PAPI_VPMU_LOG_LANE, sizeof(*lane), &at)))
		read_lane_of(reading, log, counts, lane);
	close(counts);
}

static int by_beginning(const void *first, const void *second)
{
	const struct papi_profile_log *a = first, *b = second;

	return a->head.started < b->head.started ? -1 : a->head.started > b->head.started;
}

/* All logs of the directory. */
static struct papi_profile_log *find_logs(const char *directory, size_t *n)
{
	DIR *files = opendir(directory);
	struct papi_profile_log *logs = NULL;
	const struct dirent *file;

	*n = 0;
	while (files && (file = readdir(files))) {
		size_t length = strlen(file->d_name), rest = sizeof(PAPI_VPMU_LOG_SUFFIX) - 1;
		char *with_slash;

		if (length <= rest || strcmp(file->d_name + length - rest, PAPI_VPMU_LOG_SUFFIX) != 0)
			continue;
		logs = papi_profile_allocate(logs, *n + 1, sizeof(*logs));
		with_slash = join(directory, "/");
		logs[*n] = (struct papi_profile_log){ .name = join(with_slash, file->d_name) };
		free(with_slash);
		logs[*n].name[strlen(logs[*n].name) - rest] = '\0';
		if (open_log(&logs[*n])) {
			++*n;
		} else {
			free(logs[*n].name);
			free(logs[*n].bytes);
		}
	}
	if (files)
		closedir(files);
	return logs;
}

size_t papi_profile_exact_read(
	struct papi_profile_records *records, const char *directory, struct papi_profile_exact *exact)
{
	struct papi_profile_reading reading = { .records = records,
		.exact = exact,
		.values = papi_profile_allocate(NULL, records->events->number, sizeof(*reading.values)),
		.sums = papi_profile_allocate(NULL, records->events->number, sizeof(*reading.sums)),
		.own_sums = papi_profile_allocate(NULL, records->events->number, sizeof(*reading.own_sums)) };
	size_t n;
	struct papi_profile_log *logs = find_logs(directory, &n);

	for (size_t i = 0; i < records->events->number; i++)
		reading.sums[i] = reading.own_sums[i] = 0;
	if (n)
		qsort(logs, n, sizeof(*logs), by_beginning);
	for (size_t i = 0; i < n; i++) {
		read_log(&reading, &logs[i]);
		free(logs[i].bytes);
		free(logs[i].name);
		free(logs[i].modules);
	}
	free(logs);
	free(reading.known);
	free(reading.places.places);
	free(reading.places.counters);
	free(reading.values);
	free(reading.sums);
	free(reading.own_sums);
	return n;
}
