/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * import.c - papi_profile import: histograms that PAPI_profil_write() has written become a profile.
 *
 * Each bucket is so many samples at the first of its addresses. What the file says is checked before it is used: it may
 * come from anywhere.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "common.h"
#include "escape.h"
#include "options.h"
#include "papi.h"
#include "papi_profile/exact_left.h"
#include "papi_profile/papi_profile.h"
#include "papi_profile/places.h"

#define FORMAT    1
#define SCALE_ONE 131072u         /* of buckets per address */
#define MOST_MASS (INT64_MAX / 4) /* of one histogram, so that sums stay numbers */

static const struct papi_tool_option options[] = {
	{ 'o', "output", "FILE", "the profile; " PAPI_PROFILE_FILE " without it" },
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_profile import",
	.operands = "FILE",
	.purpose =
		"Makes a profile of histograms that a program has written with PAPI_profil_write, or of a directory of "
		"raw data that an exact profile has left.",
	.options = options,
};

struct importing {
	const char *path;
	json_t *root;
	struct papi_profile_store *store; /* NULL: the file is only checked, before anything is written */
	struct papi_profile_places places;
	pid_t pid;
};

/* ---- What the file says -------------------------------------------------------------------------------- */

static _Noreturn void refuse(const struct importing *from, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void refuse(const struct importing *from, const char *format, ...)
{
	char reason[PAPI_HUGE_STR_LEN];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	papi_profile_message("%s: %s", from->path, reason);
	exit(PAPI_TOOL_USAGE);
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static const json_t *array_of(const struct importing *from, const json_t *object, const char *key)
{
	const json_t *array = json_object_get(object, key);

	if (!json_is_array(array))
		refuse(from, "\"%s\" is missing, or is no list", key);
	return array;
}

static int64_t integer_of(
	const struct importing *from, const json_t *object, const char *key, int64_t least, int64_t most)
{
	const json_t *number = json_object_get(object, key);

	if (!json_is_integer(number) || json_integer_value(number) < least || json_integer_value(number) > most)
		refuse(from, "\"%s\" is missing, or no number from %" PRId64 " to %" PRId64, key, least, most);
	return json_integer_value(number);
}

/* A number as a text, since those of JSON end at 2^53 for many. */
static uint64_t long_of(const struct importing *from, const json_t *value, const char *what, int base)
{
	const char *text = json_string_value(value);
	char *end;
	uint64_t number;

	errno = 0;
	number = text && *text >= '0' && *text <= '9' ? strtoull(text, &end, base) : 0;
	if (!text || *text < '0' || *text > '9' || *end || errno)
		refuse(from, "%s is no number in a text", what);
	return number;
}

static void check_format(const struct importing *from)
{
	const json_t *format = json_object_get(from->root, "papi_profil");
	const char *version = text_of(from->root, "papi_version");

	if (!json_is_object(from->root) || !json_is_integer(format))
		refuse(from, "this is JSON, but not of PAPI_profil_write");
	if (json_integer_value(format) != FORMAT)
		refuse(from,
			"PAPI %s has written this, in format %" JSON_INTEGER_FORMAT
			", and this papi_profile reads format %d",
			*version ? version : "of an unknown version", json_integer_value(format), FORMAT);
}

static void load(struct importing *from)
{
	json_error_t error;

	from->root = json_load_file(from->path, JSON_REJECT_DUPLICATES, &error);
	if (!from->root && error.line < 1) {
		papi_profile_message("cannot read %s: %s", from->path, errno ? strerror(errno) : error.text);
		exit(PAPI_TOOL_USAGE);
	}
	if (!from->root)
		refuse(from, "line %d, column %d: %s", error.line, error.column, error.text);
	check_format(from);
	from->pid = (pid_t)integer_of(from, from->root, "process_id", 1, INT32_MAX);
}

/* ---- What the profile has ------------------------------------------------------------------------------ */

static _Noreturn void give_up(void)
{
	papi_profile_message("%s", papi_error_sentence());
	exit(EXIT_FAILURE);
}

/* The words that are texts, as a JSON array. */
static char *command_text(const struct importing *from)
{
	const json_t *words = json_object_get(from->root, "command");
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		exit(EXIT_FAILURE);
	putc('[', out);
	for (size_t i = 0; i < json_array_size(words); i++) {
		const char *word = json_string_value(json_array_get(words, i));

		fputs(i ? ", " : "", out);
		papi_escape_json(out, word ? word : "");
	}
	putc(']', out);
	if (fclose(out) != 0)
		exit(EXIT_FAILURE);
	return text;
}

static void make_store(struct importing *from, const char *file)
{
	char *command = command_text(from);
	int status = papi_profile_store_create(file,
		&(struct papi_profile_run_row){ .command = command,
			.directory = text_of(from->root, "directory"),
			.started = text_of(from->root, "written"),
			.machine = text_of(from->root, "machine"),
			.kernel = text_of(from->root, "kernel"),
			.version = text_of(from->root, "papi_version"),
			.source = "sampled" },
		&from->store);

	free(command);
	if (status != PAPI_OK)
		give_up();
	from->places.store = from->store;
}

/* 16: it is none. */
static unsigned digit_of(char letter)
{
	static const char digits[] = "0123456789abcdef";
	const char *found = letter ? strchr(digits, letter) : NULL;

	return found ? (unsigned)(found - digits) : 16;
}

/* Hexadecimal digits, two for a byte; what is none ends it. */
static struct papi_profile_build_id build_id_of(const json_t *mapping)
{
	const char *text = text_of(mapping, "build_id");
	struct papi_profile_build_id id = { 0 };

	for (; id.size < PAPI_PROFILE_BUILD_ID && digit_of(text[0]) < 16 && digit_of(text[1]) < 16; text += 2)
		id.bytes[id.size++] = (unsigned char)(digit_of(text[0]) << 4 | digit_of(text[1]));
	return id;
}

static void import_mappings(struct importing *from)
{
	const json_t *mappings = array_of(from, from->root, "mappings");
	const char *program = json_string_value(json_array_get(json_object_get(from->root, "command"), 0));
	const char *name = program && strrchr(program, '/') ? strrchr(program, '/') + 1 : program;

	if (from->store)
		papi_profile_places_named(&from->places, from->pid, from->pid, name ? name : "", false);
	for (size_t i = 0; i < json_array_size(mappings); i++) {
		const json_t *mapping = json_array_get(mappings, i);
		uint64_t start = long_of(from, json_object_get(mapping, "start"), "the start of a mapping", 16);
		uint64_t end = long_of(from, json_object_get(mapping, "end"), "the end of a mapping", 16);
		uint64_t offset = long_of(from, json_object_get(mapping, "offset"), "the offset of a mapping", 16);
		struct papi_profile_build_id id = build_id_of(mapping);

		if (end <= start)
			refuse(from, "a mapping ends before it begins");
		if (from->store)
			papi_profile_places_mapped(&from->places, from->pid, start, end - start, offset,
				text_of(mapping, "path"), id.size ? &id : NULL);
	}
}

/* ---- Histograms ---------------------------------------------------------------------------------------- */

/* One histogram, as it is added up. */
struct adding {
	int64_t event, threshold, thread;
	uint64_t full; /* what a bucket counts up to */
	uint64_t samples;
	unsigned n_full;
};

static void import_bucket(struct importing *from, struct adding *adding, const json_t *region, const json_t *bucket)
{
	uint64_t offset = long_of(from, json_object_get(region, "offset"), "the offset of a region", 16);
	int64_t scale = integer_of(from, region, "scale", 2, SCALE_ONE);
	const json_t *position = json_array_get(bucket, 0);
	uint64_t index = (uint64_t)json_integer_value(position);
	uint64_t count = long_of(from, json_array_get(bucket, 1), "the count of a bucket", 10), address;

	if (!json_is_integer(position) || json_integer_value(position) < 0 || index > UINT32_MAX)
		refuse(from, "a bucket has no position");
	if (count > (uint64_t)(MOST_MASS / adding->threshold) - adding->samples)
		refuse(from, "there are more counts than a number can hold");
	/* The first address that falls into it. That of all others is at none. */
	address = scale == 2 ? 0 : offset + (index * SCALE_ONE + (uint64_t)scale - 1) / (uint64_t)scale;
	adding->samples += count;
	adding->n_full += count == adding->full;
	if (!from->store)
		return;
	papi_profile_store_count(from->store,
		&(struct papi_profile_count_key){ .thread = adding->thread,
			.event = adding->event,
			.address = papi_profile_places_address(&from->places, from->pid, address, false, false) },
		(int64_t)count, (int64_t)count * adding->threshold);
}

static void note(const struct importing *from, const struct adding *adding, const json_t *histogram)
{
	int64_t lost = json_integer_value(json_object_get(histogram, "lost"));
	char text[200];

	if (!adding->n_full && lost <= 0)
		return;
	snprintf(text, sizeof(text),
		"%u buckets of the histogram were full, and %" PRId64 " samples were lost: values are too small",
		adding->n_full, lost);
	papi_profile_store_event_note(from->store, adding->event, text);
	papi_profile_message("%s: %s", text_of(histogram, "event"), text);
}

static void add_event(struct importing *from, struct adding *adding, const char *name)
{
	adding->thread = papi_profile_places_thread(&from->places, from->pid, from->pid);
	papi_profile_store_event(from->store, adding->event,
		&(struct papi_profile_event_row){
			.name = name, .unit = "", .kind = "sampled", .period = adding->threshold, .user = 1 });
}

static uint64_t import_histogram(struct importing *from, int64_t number, const json_t *histogram)
{
	const json_t *regions = array_of(from, histogram, "regions");
	int64_t bytes = integer_of(from, histogram, "bucket_bytes", 2, 8);
	struct adding adding = { .event = number,
		.threshold = integer_of(from, histogram, "threshold", 1, INT32_MAX),
		.full = UINT64_MAX >> (64 - 8 * bytes) };

	if (!*text_of(histogram, "event"))
		refuse(from, "a histogram is of no event");
	if (from->store)
		add_event(from, &adding, text_of(histogram, "event"));
	for (size_t i = 0; i < json_array_size(regions); i++) {
		const json_t *region = json_array_get(regions, i), *counts = array_of(from, region, "counts");

		for (size_t j = 0; j < json_array_size(counts); j++)
			import_bucket(from, &adding, region, json_array_get(counts, j));
	}
	if (from->store)
		note(from, &adding, histogram);
	return adding.samples;
}

/* The number of samples. */
static uint64_t import_all(struct importing *from)
{
	const json_t *histograms = array_of(from, from->root, "histograms");
	uint64_t samples = 0;

	if (json_array_size(histograms) == 0)
		refuse(from, "there is no histogram in it");
	import_mappings(from);
	for (size_t i = 0; i < json_array_size(histograms); i++)
		samples += import_histogram(from, (int64_t)i + 1, json_array_get(histograms, i));
	return samples;
}

int papi_profile_import(int argc, char **argv)
{
	struct importing from = { 0 };
	const char *file = PAPI_PROFILE_FILE;
	struct stat status;
	uint64_t samples;

	while (papi_tool_next_option(&tool, argc, argv) != -1)
		file = optarg;
	if (argc - optind != 1)
		papi_tool_usage_error(&tool, "one file of PAPI_profil_write is needed, or one directory of raw data");
	from.path = argv[optind];
	if (stat(from.path, &status) == 0 && S_ISDIR(status.st_mode))
		return papi_profile_exact_import(from.path, file);
	load(&from);
	import_all(&from);
	if (papi_profile_store_check(file) != PAPI_OK)
		give_up();
	make_store(&from, file);
	samples = import_all(&from);
	if (papi_profile_store_progress(from.store, 0, 0, 0) != PAPI_OK ||
		papi_profile_store_close(from.store) != PAPI_OK)
		give_up();
	papi_profile_message("%" PRIu64 " samples in %s; to look at them: papi_profile report %s", samples, file, file);
	papi_profile_places_free(&from.places);
	json_decref(from.root);
	return papi_tool_finish(EXIT_SUCCESS);
}
