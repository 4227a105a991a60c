/* SPDX-License-Identifier: BSD-3-Clause */
/* load.c - reads a store. What the file says is not trusted: each reference is looked up, each number is checked. */
#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "profile/profile.h"
#include "profile/store.h"
#include "symbols/memory.h"

enum { PATIENCE_MS = 5000 }; /* with papi_profile, which writes the store once a second */

struct reading {
	struct papi_profile *profile;
	sqlite3_stmt *row;
	char *reason;
	size_t size;
	bool good;
};

static void damaged(struct reading *reading, const char *what)
{
	if (reading->good)
		snprintf(reading->reason, reading->size, "it is damaged: %s", what);
	reading->good = false;
}

/* ---- Columns ---- */

static char *text_at(struct reading *reading, int column)
{
	return papi_memory_copy((const char *)sqlite3_column_text(reading->row, column));
}

static char *text_or_null(struct reading *reading, int column)
{
	return sqlite3_column_type(reading->row, column) == SQLITE_NULL ? NULL : text_at(reading, column);
}

static int64_t number_at(struct reading *reading, int column)
{
	return sqlite3_column_int64(reading->row, column);
}

static int64_t count_at(struct reading *reading, int column)
{
	int64_t number = number_at(reading, column);

	if (number < 0)
		damaged(reading, "a count is below 0");
	return number < 0 ? 0 : number;
}

static int line_at(struct reading *reading, int column)
{
	int64_t number = number_at(reading, column);

	return number > 0 && number <= INT_MAX ? (int)number : 0;
}

static uint32_t find_id(const int64_t *ids, size_t n, int64_t id)
{
	size_t low = 0, high = n;

	/* Writers number them from 1 on, without a gap. */
	if (id > 0 && (uint64_t)id <= n && ids[id - 1] == id)
		return (uint32_t)(id - 1);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && ids[low] == id ? (uint32_t)low : PAPI_PROFILE_NONE;
}

/* The index of what a column refers to; NULL and, where zero_is_none, 0 are nothing. */
static uint32_t reference_at(
	struct reading *reading, int column, const int64_t *ids, size_t n, bool zero_is_none, const char *what)
{
	uint32_t found = PAPI_PROFILE_NONE;

	if (sqlite3_column_type(reading->row, column) == SQLITE_NULL)
		return found;
	if (zero_is_none && number_at(reading, column) == 0)
		return found;
	found = find_id(ids, n, number_at(reading, column));
	if (found == PAPI_PROFILE_NONE)
		damaged(reading, what);
	return found;
}

#define REFERENCE(reading, column, list, none)                                                        \
	reference_at(reading, column, (reading)->profile->list.ids, (reading)->profile->list.n, none, \
		"a row refers to " #list " that are not there")

static uint32_t needed(struct reading *reading, uint32_t reference)
{
	if (reference == PAPI_PROFILE_NONE)
		damaged(reading, "a row does not refer to what it needs");
	return reference;
}

/* ---- Rows ---- */

/* Makes room in a list for the next row, and evaluates to its place. */
#define NEXT(reading, list)                                                                                          \
	(extend((void **)&(reading)->profile->list.items, &(reading)->profile->list.ids, (reading)->profile->list.n, \
		 &(reading)->profile->list.room, sizeof((reading)->profile->list.items[0]), number_at(reading, 0)),  \
		&(reading)->profile->list.items[(reading)->profile->list.n++])

static void extend(void **items, int64_t **ids, size_t n, size_t *room, size_t size, int64_t id)
{
	size_t ids_room = *room;

	*items = papi_memory_extend(*items, n, room, size);
	*ids = papi_memory_extend(*ids, n, &ids_room, sizeof(**ids));
	(*ids)[n] = id;
}

static void read_run(struct reading *reading)
{
	struct papi_profile_run *run = &reading->profile->run;

	if (run->command)
		return;
	*run = (struct papi_profile_run){
		.command = text_at(reading, 0),
		.directory = text_at(reading, 1),
		.started = text_at(reading, 2),
		.seconds = sqlite3_column_double(reading->row, 3),
		.kernel = text_at(reading, 4),
		.source = text_at(reading, 5),
		.lost = count_at(reading, 6),
		.machine = text_at(reading, 7),
	};
}

static void read_event(struct reading *reading)
{
	*NEXT(reading, events) = (struct papi_profile_event){
		.name = text_at(reading, 1),
		.unit = text_at(reading, 2),
		.kind = text_at(reading, 3),
		.user = number_at(reading, 4) != 0,
		.kernel = number_at(reading, 5) != 0,
		.note = text_or_null(reading, 6),
	};
}

static void read_process(struct reading *reading)
{
	*NEXT(reading, processes) = (struct papi_profile_process){
		.pid = (long)number_at(reading, 1),
		.name = text_at(reading, 2),
	};
}

static void read_thread(struct reading *reading)
{
	*NEXT(reading, threads) = (struct papi_profile_thread){
		.process = needed(reading, REFERENCE(reading, 1, processes, false)),
		.tid = (long)number_at(reading, 2),
		.name = text_at(reading, 3),
	};
}

static void read_region(struct reading *reading)
{
	*NEXT(reading, regions) = (struct papi_profile_region){ .name = text_at(reading, 1) };
}

static void read_module(struct reading *reading)
{
	*NEXT(reading, modules) = (struct papi_profile_module){
		.path = text_at(reading, 1),
		.build_id = text_or_null(reading, 2),
		.kind = text_at(reading, 3),
		.process = REFERENCE(reading, 4, processes, false),
	};
}

static void read_address(struct reading *reading)
{
	*NEXT(reading, addresses) = (struct papi_profile_address){
		.module = needed(reading, REFERENCE(reading, 1, modules, false)),
		.offset = (uint64_t)number_at(reading, 2),
		.first = PAPI_PROFILE_NONE,
	};
}

/* Parents come when all ids are known. */
static void read_context(struct reading *reading)
{
	*NEXT(reading, contexts) = (struct papi_profile_context){
		.parent = PAPI_PROFILE_NONE,
		.address = needed(reading, REFERENCE(reading, 1, addresses, false)),
	};
}

static void read_parent(struct reading *reading)
{
	uint32_t context = REFERENCE(reading, 0, contexts, false), parent = REFERENCE(reading, 1, contexts, true);

	if (context != PAPI_PROFILE_NONE)
		reading->profile->contexts.items[context].parent = parent;
}

static void read_count(struct reading *reading)
{
	struct papi_profile *profile = reading->profile;
	struct papi_profile_count count = {
		.thread = needed(reading, REFERENCE(reading, 0, threads, false)),
		.event = needed(reading, REFERENCE(reading, 1, events, false)),
		.context = REFERENCE(reading, 2, contexts, true),
		.address = needed(reading, REFERENCE(reading, 3, addresses, false)),
		.samples = count_at(reading, 4),
		.value = count_at(reading, 5),
		.region = needed(reading, REFERENCE(reading, 6, regions, false)),
	};
	struct papi_profile_event *event;

	if (!reading->good)
		return;
	event = &profile->events.items[count.event];
	if (__builtin_add_overflow(event->samples, count.samples, &event->samples) ||
		__builtin_add_overflow(event->value, count.value, &event->value))
		damaged(reading, "its counts are more than a number can hold");
	if ((profile->n_counts & (profile->n_counts - 1)) == 0)
		profile->counts = papi_memory_grow(
			profile->counts, profile->n_counts ? 2 * profile->n_counts : 1, sizeof(profile->counts[0]));
	profile->counts[profile->n_counts++] = count;
}

static void read_call(struct reading *reading)
{
	struct papi_profile *profile = reading->profile;
	struct papi_profile_call call = {
		.thread = needed(reading, REFERENCE(reading, 0, threads, false)),
		.event = needed(reading, REFERENCE(reading, 1, events, false)),
		.site = needed(reading, REFERENCE(reading, 2, addresses, false)),
		.callee = needed(reading, REFERENCE(reading, 3, addresses, false)),
		.calls = count_at(reading, 4),
		.value = count_at(reading, 5),
		.region = needed(reading, REFERENCE(reading, 6, regions, false)),
	};

	if (!reading->good)
		return;
	if ((profile->n_calls & (profile->n_calls - 1)) == 0)
		profile->calls = papi_memory_grow(
			profile->calls, profile->n_calls ? 2 * profile->n_calls : 1, sizeof(profile->calls[0]));
	profile->calls[profile->n_calls++] = call;
}

static void read_path(struct reading *reading)
{
	struct papi_profile *profile = reading->profile;
	struct papi_profile_count path = {
		.thread = needed(reading, REFERENCE(reading, 0, threads, false)),
		.event = needed(reading, REFERENCE(reading, 1, events, false)),
		.context = REFERENCE(reading, 2, contexts, true),
		.address = needed(reading, REFERENCE(reading, 3, addresses, false)),
		.value = count_at(reading, 4),
		.region = needed(reading, REFERENCE(reading, 5, regions, false)),
		.whole = true,
	};

	if (!reading->good)
		return;
	if ((profile->n_paths & (profile->n_paths - 1)) == 0)
		profile->paths = papi_memory_grow(
			profile->paths, profile->n_paths ? 2 * profile->n_paths : 1, sizeof(profile->paths[0]));
	profile->paths[profile->n_paths++] = path;
}

static void read_function(struct reading *reading)
{
	*NEXT(reading, functions) = (struct papi_profile_function){
		.module = needed(reading, REFERENCE(reading, 1, modules, false)),
		.name = text_at(reading, 2),
		.linkage = text_at(reading, 3),
		.low = (uint64_t)number_at(reading, 4),
		.high = (uint64_t)number_at(reading, 5),
		.file = text_or_null(reading, 6),
		.line = line_at(reading, 7),
	};
}

static void read_location(struct reading *reading)
{
	struct papi_profile *profile = reading->profile;
	uint32_t address = needed(reading, REFERENCE(reading, 0, addresses, false));
	uint32_t function = needed(reading, REFERENCE(reading, 2, functions, false));
	char *file = text_or_null(reading, 3);

	if (reading->good) {
		struct papi_profile_address *found = &profile->addresses.items[address];

		profile->places = papi_memory_extend(
			profile->places, profile->n_places, &profile->places_room, sizeof(profile->places[0]));
		if (found->first == PAPI_PROFILE_NONE)
			found->first = (uint32_t)profile->n_places;
		found->n++;
		profile->places[profile->n_places++] = (struct papi_profile_place){
			.function = function, .file = papi_profile_file(profile, file), .line = line_at(reading, 4)
		};
	}
	free(file);
}

/* The first version that there was. */
#define FIRST_SCHEMA      1
#define SCHEMA_OF_CALLS   2
#define SCHEMA_OF_REGIONS 3
#define SCHEMA_OF_PATHS   4
#define SCHEMA_OF_BOTH    5

/* In this order: a row refers to those of earlier tables. */
static const struct {
	const char *sql;
	void (*read)(struct reading *reading);
} tables[] = {
	{ "SELECT command, directory, started, seconds, kernel, source, lost, machine FROM run", read_run },
	{ "SELECT id, name, unit, kind, user, kernel, note FROM event ORDER BY id", read_event },
	{ "SELECT id, pid, name FROM process ORDER BY id", read_process },
	{ "SELECT id, process, tid, name FROM thread ORDER BY id", read_thread },
	{ "SELECT id, path, build_id, kind, process FROM module ORDER BY id", read_module },
	{ "SELECT id, module, offset FROM address ORDER BY id", read_address },
	{ "SELECT id, address FROM context ORDER BY id", read_context },
	{ "SELECT id, parent FROM context ORDER BY id", read_parent },
	{ "SELECT id, module, name, linkage, low, high, file, line FROM function ORDER BY id", read_function },
	{ "SELECT address, depth, function, file, line FROM location ORDER BY address, depth", read_location },
};

/* Counts and paths come in the order of the store, which need not sort them then.
 * Stores of the first version have no calls, those of the second no regions, those of the third no paths, and those of
 * the fourth no regions of either. */
static const char outside_sql[] = "SELECT 0, ''", regions_sql[] = "SELECT id, name FROM region ORDER BY id";
static const char *const counts_sql[] = {
	"SELECT thread, event, context, address, samples, value, 0 FROM count ORDER BY thread, event, context, address",
	"SELECT thread, event, context, address, samples, value, region FROM count"
	" ORDER BY thread, event, context, address, region"
};
static const char *const calls_sql[] = {
	"SELECT thread, event, site, callee, calls, value, 0 FROM call ORDER BY event, callee, site",
	"SELECT thread, event, site, callee, calls, value, region FROM call ORDER BY event, callee, site, region"
};
static const char *const paths_sql[] = { "SELECT thread, event, context, callee, value, 0 FROM path WHERE value > 0"
					 " ORDER BY thread, event, context, callee",
	"SELECT thread, event, context, callee, value, region FROM path WHERE value > 0"
	" ORDER BY thread, event, context, callee, region" };

static bool read_table(struct reading *reading, const char *sql, void (*read)(struct reading *reading))
{
	sqlite3 *store = reading->profile->store;
	int step = SQLITE_DONE;

	if (sqlite3_prepare_v2(store, sql, -1, &reading->row, NULL) != SQLITE_OK) {
		damaged(reading, sqlite3_errmsg(store));
		return false;
	}
	while (reading->good && (step = sqlite3_step(reading->row)) == SQLITE_ROW)
		read(reading);
	if (reading->good && step != SQLITE_DONE)
		damaged(reading, sqlite3_errmsg(store));
	sqlite3_finalize(reading->row);
	return reading->good;
}

/* All of an event come before those of the next, otherwise in the order that they have. */
static void order_by_event(struct papi_profile_count **counts, size_t n, size_t n_events)
{
	size_t *ends = papi_memory_zero(n_events + 1, sizeof(ends[0]));
	struct papi_profile_count *ordered = papi_memory_zero(n, sizeof(ordered[0]));

	for (size_t i = 0; i < n; i++)
		ends[(*counts)[i].event + 1]++;
	for (size_t i = 0; i < n_events; i++)
		ends[i + 1] += ends[i];
	for (size_t i = 0; i < n; i++)
		ordered[ends[(*counts)[i].event]++] = (*counts)[i];
	free(ends);
	free(*counts);
	*counts = ordered;
}

/* A context that is its own caller, by however many others, would have views go round for ever. */
static void check_contexts(struct reading *reading)
{
	struct papi_profile *profile = reading->profile;
	size_t n = profile->contexts.n;
	uint32_t *seen = papi_memory_zero(n, sizeof(seen[0]));

	for (size_t i = 0; i < n; i++) {
		uint32_t at = (uint32_t)i;

		while (at != PAPI_PROFILE_NONE && seen[at] == 0) {
			seen[at] = (uint32_t)i + 1;
			at = profile->contexts.items[at].parent;
		}
		if (at != PAPI_PROFILE_NONE && seen[at] == i + 1) {
			damaged(reading, "a path of calls leads back to itself");
			break;
		}
	}
	free(seen);
}

/* ---- The file ---- */

static int64_t pragma(sqlite3 *store, const char *sql, int *error)
{
	sqlite3_stmt *row = NULL;
	int64_t value = -1;

	*error = sqlite3_prepare_v2(store, sql, -1, &row, NULL);
	if (*error == SQLITE_OK)
		*error = sqlite3_step(row);
	if (*error == SQLITE_ROW)
		value = sqlite3_column_int64(row, 0);
	sqlite3_finalize(row);
	return value;
}

static bool is_ours(struct papi_profile *profile, char *reason, size_t size)
{
	int error;
	int64_t application = pragma(profile->store, "PRAGMA application_id", &error), schema;

	if (error != SQLITE_ROW && error != SQLITE_NOTADB) {
		snprintf(reason, size, "it cannot be read: %s", sqlite3_errmsg(profile->store));
		return false;
	}
	if (error == SQLITE_NOTADB || application != PAPI_PROFILE_APPLICATION) {
		snprintf(reason, size, "it is no profile that papi_profile has written");
		return false;
	}
	schema = pragma(profile->store, "PRAGMA user_version", &error);
	if (schema > PAPI_PROFILE_SCHEMA)
		snprintf(reason, size,
			"it is a profile of a newer PAPI: its schema is %lld, and this papi_profile reads %d",
			(long long)schema, PAPI_PROFILE_SCHEMA);
	else if (schema < FIRST_SCHEMA)
		snprintf(reason, size, "it is a profile without a schema: what wrote it has not come to its end");
	profile->schema = schema;
	return schema >= FIRST_SCHEMA && schema <= PAPI_PROFILE_SCHEMA;
}

/* As a URI, which says that nobody writes the file: in a directory that cannot be written, SQLite asks for that. */
static int open_unchanging(struct papi_profile *profile)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
	char *uri = papi_memory_grow(NULL, 3 * strlen(profile->path) + 32, 1), *to = uri;
	int error;

	to += sprintf(to, "file:");
	for (const char *from = profile->path; *from; from++)
		to += strchr(plain, *from) ? sprintf(to, "%c", *from) : sprintf(to, "%%%02X", (unsigned char)*from);
	sprintf(to, "?immutable=1");
	sqlite3_close(profile->store);
	error = sqlite3_open_v2(
		uri, &profile->store, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	free(uri);
	return error;
}

static bool open_store(struct papi_profile *profile, char *reason, size_t size)
{
	struct stat status;
	int error;

	if (stat(profile->path, &status) != 0) {
		snprintf(reason, size, "%s", strerror(errno));
		return false;
	}
	if (!S_ISREG(status.st_mode)) {
		snprintf(reason, size, "it is no plain file");
		return false;
	}
	error = sqlite3_open_v2(profile->path, &profile->store, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	if (error == SQLITE_OK) {
		sqlite3_busy_timeout(profile->store, PATIENCE_MS);
		profile->writable = !sqlite3_db_readonly(profile->store, "main");
		pragma(profile->store, "PRAGMA schema_version", &error);
	}
	if (error == SQLITE_CANTOPEN || error == SQLITE_READONLY) {
		profile->writable = false;
		error = open_unchanging(profile);
	}
	if (error == SQLITE_OK || error == SQLITE_ROW || error == SQLITE_NOTADB)
		return is_ours(profile, reason, size);
	snprintf(reason, size, "it cannot be read: %s", sqlite3_errmsg(profile->store));
	return false;
}

struct papi_profile *papi_profile_load(const char *path, char *reason, size_t size)
{
	struct papi_profile *profile = papi_memory_zero(1, sizeof(*profile));
	struct reading reading = { .profile = profile, .reason = reason, .size = size, .good = true };

	profile->path = papi_memory_copy(path);
	if (!open_store(profile, reason, size)) {
		papi_profile_free(profile);
		return NULL;
	}
	/* One transaction: papi_profile may be writing. */
	sqlite3_exec(profile->store, "BEGIN", NULL, NULL, NULL);
	for (size_t i = 0; reading.good && i < sizeof(tables) / sizeof(tables[0]); i++)
		read_table(&reading, tables[i].sql, tables[i].read);
	if (reading.good)
		read_table(&reading, outside_sql, read_region);
	if (reading.good && profile->schema >= SCHEMA_OF_REGIONS)
		read_table(&reading, regions_sql, read_region);
	if (reading.good)
		read_table(&reading, counts_sql[profile->schema >= SCHEMA_OF_REGIONS], read_count);
	profile->calls_by_region = profile->schema >= SCHEMA_OF_BOTH;
	if (reading.good && profile->schema >= SCHEMA_OF_CALLS)
		read_table(&reading, calls_sql[profile->calls_by_region], read_call);
	if (reading.good && profile->schema >= SCHEMA_OF_PATHS)
		read_table(&reading, paths_sql[profile->calls_by_region], read_path);
	sqlite3_exec(profile->store, "COMMIT", NULL, NULL, NULL);
	if (reading.good && profile->events.n > 1) {
		order_by_event(&profile->counts, profile->n_counts, profile->events.n);
		order_by_event(&profile->paths, profile->n_paths, profile->events.n);
	}
	if (reading.good)
		check_contexts(&reading);
	if (reading.good && !profile->run.command)
		damaged(&reading, "it does not say what has run");
	if (reading.good)
		return profile;
	papi_profile_free(profile);
	return NULL;
}

const char *papi_profile_file(struct papi_profile *profile, const char *name)
{
	size_t low = 0, high = profile->n_files;

	if (!name)
		return NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(profile->files[middle], name);

		if (order == 0)
			return profile->files[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	profile->files = papi_memory_extend(
		profile->files, profile->n_files, &profile->files_room, sizeof(profile->files[0]));
	memmove(&profile->files[low + 1], &profile->files[low], (profile->n_files - low) * sizeof(profile->files[0]));
	profile->n_files++;
	return profile->files[low] = papi_memory_copy(name);
}

uint32_t papi_profile_function_of(const struct papi_profile *profile, uint32_t address)
{
	const struct papi_profile_address *found = &profile->addresses.items[address];

	return profile->places[found->first + found->n - 1].function;
}

int64_t papi_profile_value_of(const struct papi_profile *profile, const struct papi_profile_call *call)
{
	bool within = papi_profile_function_of(profile, call->site) == papi_profile_function_of(profile, call->callee);

	return within ? 0 : call->value;
}

const struct papi_profile_count *papi_profile_stacks(const struct papi_profile *profile, size_t *n)
{
	*n = profile->n_paths ? profile->n_paths : profile->n_counts;
	return profile->n_paths ? profile->paths : profile->counts;
}

bool papi_profile_has_contexts(const struct papi_profile *profile)
{
	return profile->contexts.n > 0;
}

#define FREE_LIST(list)             \
	do {                        \
		free((list).items); \
		free((list).ids);   \
	} while (0)

static void free_texts(struct papi_profile *profile)
{
	for (size_t i = 0; i < profile->events.n; i++) {
		free(profile->events.items[i].name);
		free(profile->events.items[i].unit);
		free(profile->events.items[i].kind);
		free(profile->events.items[i].note);
	}
	for (size_t i = 0; i < profile->processes.n; i++)
		free(profile->processes.items[i].name);
	for (size_t i = 0; i < profile->threads.n; i++)
		free(profile->threads.items[i].name);
	for (size_t i = 0; i < profile->regions.n; i++)
		free(profile->regions.items[i].name);
	for (size_t i = 0; i < profile->modules.n; i++) {
		free(profile->modules.items[i].path);
		free(profile->modules.items[i].build_id);
		free(profile->modules.items[i].kind);
		free(profile->modules.items[i].trouble);
	}
	for (size_t i = 0; i < profile->functions.n; i++) {
		free(profile->functions.items[i].name);
		free(profile->functions.items[i].linkage);
		free(profile->functions.items[i].file);
	}
	for (size_t i = 0; i < profile->n_files; i++)
		free(profile->files[i]);
}

void papi_profile_free(struct papi_profile *profile)
{
	free_texts(profile);
	FREE_LIST(profile->events);
	FREE_LIST(profile->processes);
	FREE_LIST(profile->threads);
	FREE_LIST(profile->regions);
	FREE_LIST(profile->modules);
	FREE_LIST(profile->addresses);
	FREE_LIST(profile->contexts);
	FREE_LIST(profile->functions);
	free(profile->counts);
	free(profile->calls);
	free(profile->paths);
	free(profile->places);
	free(profile->files);
	free(profile->run.command);
	free(profile->run.directory);
	free(profile->run.started);
	free(profile->run.kernel);
	free(profile->run.source);
	free(profile->run.machine);
	free(profile->path);
	sqlite3_close(profile->store);
	free(profile);
}
