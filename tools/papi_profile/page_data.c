/* SPDX-License-Identifier: BSD-3-Clause */
/* page_data.c - a profile as JSON, with what is alike in columns: thousands of objects would make the page slow. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "symbols/memory.h"

/* ---- Where something happened ---- */

static const struct papi_profile *sorted;

static int compare(const void *left, const void *right)
{
	const struct papi_profile_address *a = &sorted->addresses.items[*(const uint32_t *)left];
	const struct papi_profile_address *b = &sorted->addresses.items[*(const uint32_t *)right];

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void find_addresses(struct page_data *data, const bool *chosen)
{
	const struct papi_profile *profile = data->view->profile;
	bool *counted = papi_memory_zero(profile->addresses.n, sizeof(counted[0]));

	for (size_t i = 0; i < profile->n_counts; i++)
		if (chosen[profile->counts[i].event])
			counted[profile->counts[i].address] = true;
	data->addresses = papi_memory_grow(NULL, profile->addresses.n, sizeof(data->addresses[0]));
	for (uint32_t i = 0; i < profile->addresses.n; i++)
		if (counted[i])
			data->addresses[data->n_addresses++] = i;
	sorted = profile;
	qsort(data->addresses, data->n_addresses, sizeof(data->addresses[0]), compare);
	free(counted);
}

static void add_counts(struct page_data *data)
{
	const struct papi_profile *profile = data->view->profile;
	size_t *place = papi_memory_grow(NULL, profile->addresses.n, sizeof(place[0]));

	memset(place, 0xff, profile->addresses.n * sizeof(place[0]));
	data->samples = papi_memory_zero(profile->events.n * data->n_addresses, sizeof(data->samples[0]));
	data->values = papi_memory_zero(profile->events.n * data->n_addresses, sizeof(data->values[0]));
	for (size_t i = 0; i < data->n_addresses; i++)
		place[data->addresses[i]] = i;
	for (size_t i = 0; i < profile->n_counts; i++) {
		const struct papi_profile_count *count = &profile->counts[i];
		size_t at = count->event * data->n_addresses + place[count->address];

		if (place[count->address] == SIZE_MAX)
			continue;
		data->samples[at] += count->samples;
		data->values[at] += count->value;
	}
	free(place);
}

static void find_bases(struct page_data *data)
{
	const struct papi_profile *profile = data->view->profile;

	data->bases = papi_memory_grow(NULL, profile->modules.n, sizeof(data->bases[0]));
	for (size_t i = 0; i < profile->modules.n; i++)
		data->bases[i] = UINT64_MAX;
	for (size_t i = 0; i < data->n_addresses; i++) {
		const struct papi_profile_address *address = &profile->addresses.items[data->addresses[i]];

		if (address->offset < data->bases[address->module])
			data->bases[address->module] = address->offset;
	}
	for (size_t i = 0; i < profile->functions.n; i++) {
		const struct papi_profile_function *function = &profile->functions.items[i];

		if (function->high > function->low && function->low < data->bases[function->module])
			data->bases[function->module] = function->low;
	}
}

void page_data_make(struct page_data *data, const struct view *view)
{
	const struct papi_profile *profile = view->profile;
	bool *chosen = papi_memory_zero(profile->events.n, sizeof(chosen[0]));

	*data = (struct page_data){ .view = view };
	for (size_t i = 0; i < view->n_events; i++)
		chosen[view->events[i]] = true;
	find_addresses(data, chosen);
	free(chosen);
	add_counts(data);
	find_bases(data);
}

void page_data_free(struct page_data *data)
{
	free(data->addresses);
	free(data->samples);
	free(data->values);
	free(data->bases);
}

const struct papi_profile_place *page_places(const struct page_data *data, uint32_t address, size_t *n)
{
	const struct papi_profile_address *found = &data->view->profile->addresses.items[address];
	uint32_t first = data->view->outermost && found->n ? found->n - 1 : 0;

	*n = found->n - first;
	return &data->view->profile->places[found->first + first];
}

long page_file(const struct page_data *data, const char *file)
{
	const struct papi_profile *profile = data->view->profile;
	size_t low = 0, high = file ? profile->n_files : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(profile->files[middle], file);

		if (order == 0)
			return (long)middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

/* ---- The run, its events and modules ---- */

static void print_run(const struct view *view)
{
	const struct papi_profile *profile = view->profile;
	const struct papi_profile_run *run = &profile->run;
	char *program = view_program(view);

	printf("\"run\":{");
	page_member("store", profile->path);
	putchar(',');
	page_member("program", program);
	putchar(',');
	page_member("command", run->command);
	putchar(',');
	page_member("directory", run->directory);
	putchar(',');
	page_member("started", run->started);
	putchar(',');
	page_member("machine", run->machine);
	putchar(',');
	page_member("kernel", run->kernel);
	putchar(',');
	page_member("source", run->source);
	printf(",\"seconds\":%.6f,\"lost\":%" PRId64 "},\n", isfinite(run->seconds) ? run->seconds : 0, run->lost);
	free(program);
}

static void print_events(const struct view *view)
{
	printf("\"events\":[");
	for (size_t i = 0; i < view->n_events; i++) {
		const struct papi_profile_event *event = &view->profile->events.items[view->events[i]];

		printf("%s{", i ? "," : "");
		page_member("name", event->name);
		putchar(',');
		page_member("unit", event->unit);
		putchar(',');
		page_member("kind", event->kind);
		putchar(',');
		page_member("note", event->note);
		printf(",\"samples\":%" PRId64 ",\"value\":%" PRId64 "}", event->samples, event->value);
	}
	printf("],\n");
}

static void print_modules(const struct page_data *data)
{
	const struct papi_profile *profile = data->view->profile;

	printf("\"modules\":[");
	for (size_t i = 0; i < profile->modules.n; i++) {
		const struct papi_profile_module *module = &profile->modules.items[i];

		printf("%s{", i ? "," : "");
		page_member("path", module->path);
		putchar(',');
		page_member("build", module->build_id);
		putchar(',');
		page_member("kind", module->kind);
		putchar(',');
		page_member("trouble", module->trouble);
		printf(",\"base\":\"%" PRIu64 "\"}", data->bases[i]);
	}
	printf("],\n");
}

/* ---- Functions ---- */

/* A column of numbers for each event. */
#define SUMS(name, member)                                                                                     \
	do {                                                                                                   \
		printf(",\"%s\":[", name);                                                                     \
		for (size_t e = 0; e < view->n_events; e++) {                                                  \
			printf("%s[", e ? "," : "");                                                           \
			for (size_t i = 0; i < sums.n; i++)                                                    \
				printf("%s%" PRId64, i ? "," : "", sums.rows[i].sums[view->events[e]].member); \
			putchar(']');                                                                          \
		}                                                                                              \
		putchar(']');                                                                                  \
	} while (0)

/* Gives the functions numbers: those of the rows, by those of the profile; NONE where nothing happened. */
static uint32_t *print_functions(const struct page_data *data)
{
	const struct view *view = data->view;
	const struct papi_profile *profile = view->profile;
	uint32_t *numbers = papi_memory_grow(NULL, profile->functions.n, sizeof(numbers[0]));
	struct papi_profile_sums sums;

	papi_profile_sums_make(profile, PAPI_PROFILE_BY_FUNCTION, !view->outermost, &sums);
#define FUNCTION profile->functions.items[sums.rows[i].function]
#define HAS_CODE (FUNCTION.high > FUNCTION.low)
	printf("\"functions\":{");
	PAGE_NUMBERS("module", sums.n, PRIu32, FUNCTION.module);
	putchar(',');
	PAGE_TEXTS("name", sums.n, FUNCTION.name);
	putchar(',');
	PAGE_TEXTS("linkage", sums.n, strcmp(FUNCTION.linkage, FUNCTION.name) == 0 ? NULL : FUNCTION.linkage);
	putchar(',');
	PAGE_NUMBERS("low", sums.n, PRIu64, HAS_CODE ? FUNCTION.low - data->bases[FUNCTION.module] : 0);
	putchar(',');
	PAGE_NUMBERS("size", sums.n, PRIu64, HAS_CODE ? FUNCTION.high - FUNCTION.low : 0);
	putchar(',');
	PAGE_NUMBERS("file", sums.n, "ld", page_file(data, FUNCTION.file));
	putchar(',');
	PAGE_NUMBERS("line", sums.n, "d", FUNCTION.line);
	SUMS("self", value);
	SUMS("samples", samples);
	SUMS("inclusive", inclusive_value);
	SUMS("inclusiveSamples", inclusive_samples);
	printf("},\n");
	memset(numbers, 0xff, profile->functions.n * sizeof(numbers[0]));
	for (size_t i = 0; i < sums.n; i++)
		numbers[sums.rows[i].function] = (uint32_t)i;
	papi_profile_sums_free(&sums);
	return numbers;
}

/* ---- Addresses ---- */

static void print_columns(const struct page_data *data, const char *name, const int64_t *numbers)
{
	const struct view *view = data->view;

	printf(",\"%s\":[", name);
	for (size_t e = 0; e < view->n_events; e++) {
		const int64_t *column = &numbers[view->events[e] * data->n_addresses];

		printf("%s[", e ? "," : "");
		for (size_t i = 0; i < data->n_addresses; i++)
			printf("%s%" PRId64, i ? "," : "", column[i]);
		putchar(']');
	}
	putchar(']');
}

/* Each address has the places from its number of the column "places" up to the next one's. */
static void print_addresses(const struct page_data *data, const uint32_t *numbers)
{
	const struct papi_profile_address *all = data->view->profile->addresses.items;
	struct papi_profile_place *places = NULL;
	size_t n = 0, room = 0;

#define ADDRESS all[data->addresses[i]]
	printf("\"addresses\":{");
	PAGE_NUMBERS("module", data->n_addresses, PRIu32, ADDRESS.module);
	putchar(',');
	PAGE_NUMBERS("offset", data->n_addresses, PRIu64, ADDRESS.offset - data->bases[ADDRESS.module]);
	print_columns(data, "values", data->values);
	print_columns(data, "samples", data->samples);
	printf(",\"places\":[");
	for (size_t i = 0; i < data->n_addresses; i++) {
		size_t some;
		const struct papi_profile_place *first = page_places(data, data->addresses[i], &some);

		printf("%s%zu", i ? "," : "", n);
		for (size_t j = 0; j < some; j++) {
			places = papi_memory_extend(places, n, &room, sizeof(places[0]));
			places[n++] = first[j];
		}
	}
	printf("]},\n\"places\":{");
	PAGE_NUMBERS("function", n, PRIu32, numbers[places[i].function]);
	putchar(',');
	PAGE_NUMBERS("file", n, "ld", page_file(data, places[i].file));
	putchar(',');
	PAGE_NUMBERS("line", n, "d", places[i].line);
	printf("},\n");
	free(places);
}

void page_print(const struct page_data *data, bool with_code)
{
	const struct papi_profile *profile = data->view->profile;
	uint32_t *numbers;

	putchar('{');
	print_run(data->view);
	print_events(data->view);
	print_modules(data);
	numbers = print_functions(data);
	print_addresses(data, numbers);
	page_print_calls(data->view, numbers);
	PAGE_TEXTS("files", profile->n_files, profile->files[i]);
	if (with_code) {
		page_print_sources(data);
		page_print_instructions(data);
	}
	putchar('}');
	free(numbers);
}
