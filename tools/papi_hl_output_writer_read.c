/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_hl_output_writer_read.c - the files that ranks have written.
 *
 * Numbers may be JSON numbers, or strings of digits as other implementations write them. What has no meaning for this
 * program is passed over; what should have one and has not is an error that names the file and the place. Objects are
 * not const since jansson walks over them in a way that could change them.
 */
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "papi_hl_output_writer.h"

/* Where in which file. */
struct place {
	struct writer_run *run;
	unsigned file, thread;
	int *regions; /* our position of each region of the thread, by its number there */
	long *numbers;
	size_t n_regions;
};

static bool fail(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(const char *path, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "papi_hl_output_writer: %s: ", path);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return false;
}

static const char *path_of(const struct place *place)
{
	return place->run->files[place->file].path;
}

/* NAN where there is no number. */
static long double number(const json_t *value)
{
	char *end;
	long double result;

	if (json_is_integer(value))
		return (long double)json_integer_value(value);
	if (json_is_real(value))
		return (long double)json_real_value(value);
	if (!json_is_string(value) || !json_string_length(value))
		return NAN;
	result = strtold(json_string_value(value), &end);
	return *end ? NAN : result;
}

static long double number_of(const json_t *object, const char *key, long double otherwise)
{
	const json_t *value = json_object_get(object, key);

	return value ? number(value) : otherwise;
}

/* ---- Regions ---- */

static bool is_fact(const char *key)
{
	static const char *const facts[] = { "name", "parent_region_id", "region_count", "unfinished", "uncounted",
		"cycles", "real_time_nsec", "reads", "metrics" };

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (strcmp(key, facts[i]) == 0)
			return true;
	return false;
}

/* An event that was read has an object: its value at the end, and those of the reads. */
static void add_reads(const struct place *place, int region, json_t *facts)
{
	json_t *reads = json_object_get(facts, "reads"), *value;
	const char *key;

	for (size_t i = 0; i < json_array_size(reads); i++) {
		const json_t *read = json_array_get(reads, i);
		struct writer_sample sample = { .file = place->file, .thread = place->thread, .cycles = NAN };
		char name[32], field[32];

		snprintf(name, sizeof(name), "read %zu", i + 1);
		snprintf(field, sizeof(field), "read_%zu", i + 1);
		sample.instances = number_of(read, "count", 1);
		sample.seconds = number_of(read, "real_time_nsec", NAN) / 1e9L;
		json_object_foreach(facts, key, value) if (json_is_object(value) && !is_fact(key))
			writer_set_value(&sample, writer_event(place->run, key), number_of(value, field, NAN));
		writer_add_sample(place->run, writer_region(place->run, region, name), &sample);
	}
}

static void add_values(const struct place *place, int region, struct writer_sample sample, json_t *facts)
{
	json_t *value;
	const char *key;

	json_object_foreach(facts, key, value)
	{
		const json_t *last = json_is_object(value) ? json_object_get(value, "region_value") : value;

		if (is_fact(key))
			continue;
		writer_set_value(&sample, writer_event(place->run, key), number(last));
	}
	writer_add_sample(place->run, region, &sample);
	add_reads(place, region, facts);
}

static int position_of(const struct place *place, long id)
{
	for (size_t i = place->n_regions; i-- > 0;)
		if (place->numbers[i] == id)
			return place->regions[i];
	return -2;
}

/* A region comes after the one it is in. */
static bool read_region(struct place *place, const char *key, json_t *facts)
{
	const json_t *name = json_object_get(facts, "name");
	long double inside = number_of(facts, "parent_region_id", -1);
	struct writer_sample sample = { .file = place->file, .thread = place->thread };
	int parent, region;

	if (!json_is_string(name))
		return fail(path_of(place), "region %s has no name", key);
	parent = inside < 0 ? -1 : position_of(place, (long)inside);
	if (isnan(inside) || parent < -1)
		return fail(path_of(place), "region %s is inside one that does not come before it", key);
	region = writer_region(place->run, parent, json_string_value(name));
	place->numbers[place->n_regions] = strtol(key, NULL, 10);
	place->regions[place->n_regions++] = region;
	sample.instances = number_of(facts, "region_count", 1);
	sample.unfinished = number_of(facts, "unfinished", 0);
	sample.uncounted = number_of(facts, "uncounted", 0);
	sample.seconds = number_of(facts, "real_time_nsec", NAN) / 1e9L;
	sample.cycles = number_of(facts, "cycles", NAN);
	if (isnan(sample.instances) || isnan(sample.unfinished) || isnan(sample.uncounted))
		return fail(path_of(place), "region %s, \"%s\", has a count of instances that is no number", key,
			json_string_value(name));
	add_values(place, region, sample, facts);
	return true;
}

static bool read_thread(struct place *place, const char *id, json_t *thread)
{
	struct writer_file *file = &place->run->files[place->file];
	json_t *regions = json_object_get(thread, "regions"), *region;
	const char *key;
	bool good = true;

	if (!json_is_object(regions))
		return fail(path_of(place), "thread %s has no regions", id);
	file->threads = writer_grow(file->threads, ++file->n_threads, sizeof(file->threads[0]));
	file->threads[file->n_threads - 1] = writer_copy(id);
	place->thread = file->n_threads - 1;
	place->n_regions = 0;
	place->regions = writer_grow(place->regions, json_object_size(regions), sizeof(place->regions[0]));
	place->numbers = writer_grow(place->numbers, json_object_size(regions), sizeof(place->numbers[0]));
	json_object_foreach(regions, key, region) good = good && read_region(place, key, region);
	return good;
}

/* ---- Files ---- */

static void read_events(const struct place *place, json_t *definitions)
{
	json_t *definition;
	const char *name;

	json_object_foreach(definitions, name, definition)
	{
		unsigned position = writer_event(place->run, name);
		struct writer_event *event = &place->run->events[position];
		const json_t *units = json_object_get(definition, "units"), *type = json_object_get(definition, "type");
		const json_t *kind = json_object_get(definition, "kind");

		if (event->last_file != place->file + 1)
			event->in_files++;
		event->last_file = place->file + 1;
		event->instant |= json_is_string(type) && strcmp(json_string_value(type), "instant") == 0;
		event->multiplexed |= json_is_true(json_object_get(definition, "multiplexed"));
		/* Files of other implementations do not say it. */
		if (json_is_string(kind))
			event->kind = writer_worse(event->kind, writer_copy(json_string_value(kind)));
		else if (event->multiplexed)
			event->kind = writer_worse(event->kind, "estimated");
		if (json_is_string(units))
			event->units = writer_copy(json_string_value(units));
	}
}

static void read_refusals(struct writer_run *run, json_t *refused)
{
	json_t *reason;
	const char *name;

	json_object_foreach(refused, name, reason)
	{
		unsigned i = 0;

		while (i < run->n_refusals && strcmp(run->refusals[i].name, name) != 0)
			i++;
		if (i < run->n_refusals)
			continue;
		run->refusals = writer_grow(run->refusals, ++run->n_refusals, sizeof(run->refusals[0]));
		run->refusals[i].name = writer_copy(name);
		run->refusals[i].reason = writer_copy(json_is_string(reason) ? json_string_value(reason) : "?");
	}
}

static char *text_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_string(value) ? writer_copy(json_string_value(value)) : NULL;
}

/* What the user calls it: the rank; of a process that has none, the number in the name of its file. */
static char *label_of(const json_t *root, const char *path)
{
	const json_t *rank = json_object_get(root, "rank");
	const char *name = strrchr(path, '/');
	char label[64];
	long in_name = 0;
	char *end = NULL;

	name = name ? name + 1 : path;
	if (!strncmp(name, "rank_", 5))
		in_name = strtol(name + 5, &end, 10);
	if (json_is_integer(rank) && !json_is_true(json_object_get(root, "forked")))
		snprintf(label, sizeof(label), "%" JSON_INTEGER_FORMAT, json_integer_value(rank));
	else if (end && end > name + 5 && !strcmp(end, ".json"))
		snprintf(label, sizeof(label), "%ld", in_name);
	else
		snprintf(label, sizeof(label), "%.63s", name);
	return writer_copy(label);
}

static bool read_root(struct writer_run *run, const char *path, const json_t *root)
{
	struct place place = { .run = run, .file = run->n_files };
	json_t *threads = json_object_get(root, "threads"), *thread;
	const char *id;
	bool good = true;

	if (!json_is_object(threads))
		return fail(path, "this is JSON, but not what regions write: \"threads\" is missing");
	run->files = writer_grow(run->files, run->n_files + 1, sizeof(run->files[0]));
	run->files[run->n_files++] = (struct writer_file){ .path = writer_copy(path), .label = label_of(root, path) };
	if (!run->program)
		run->program = text_of(root, "program");
	if (!run->version)
		run->version = text_of(root, "papi_version");
	if (!run->cpu)
		run->cpu = text_of(root, "cpu_info");
	run->slowed |= json_is_true(json_object_get(root, "slowed_by_counting"));
	read_events(&place, json_object_get(root, "event_definitions"));
	read_refusals(run, json_object_get(root, "events_refused"));
	json_object_foreach(threads, id, thread) good = good && read_thread(&place, id, thread);
	free(place.regions);
	free(place.numbers);
	return good;
}

static bool read_file(struct writer_run *run, const char *path)
{
	json_error_t error;
	json_t *root;
	FILE *stream = fopen(path, "r");
	bool good;

	if (!stream)
		return fail(path, "%s", strerror(errno));
	root = json_loadf(stream, JSON_REJECT_DUPLICATES, &error);
	if (!root && ferror(stream))
		good = fail(path, "cannot be read: %s", strerror(errno));
	else if (!root)
		good = fail(
			path, "not a complete JSON text: line %d, column %d: %s", error.line, error.column, error.text);
	else
		good = read_root(run, path, root);
	json_decref(root);
	fclose(stream);
	return good;
}

/* ---- Directories ---- */

static int is_result(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return strncmp(entry->d_name, "rank_", 5) == 0 && length > 10 &&
		strcmp(entry->d_name + length - 5, ".json") == 0;
}

/* rank_10 after rank_9. */
static int by_number(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static bool read_directory(struct writer_run *run, const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_result, by_number);
	bool good = true;

	if (n < 0)
		return fail(path, "%s", strerror(errno));
	if (n == 0)
		good = fail(path, "there is no rank_N.json in it; programs with regions write one when they end");
	for (int i = 0; i < n; i++) {
		char name[PATH_MAX];

		snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
		good &= read_file(run, name);
		free(entries[i]);
	}
	free(entries);
	return good;
}

bool writer_read(struct writer_run *run, const char *source)
{
	struct stat facts;

	if (stat(source, &facts) == 0)
		return S_ISDIR(facts.st_mode) ? read_directory(run, source) : read_file(run, source);
	return fail(source, "%s; a program with regions writes it when it ends, and --source names other places",
		strerror(errno));
}
