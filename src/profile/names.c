/* SPDX-License-Identifier: BSD-3-Clause */
/* names.c - from the addresses of a profile to names, module by module. See names.h. */
#include "profile/names.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "symbols/memory.h"
#include "symbols/symbols.h"

/* Functions by what makes two of them one: a table with open addressing, of indexes plus 1. */
struct known {
	uint32_t *slots;
	size_t n; /* of slots, a power of 2 */
};

struct naming {
	struct papi_profile *profile;
	struct known known;
	sqlite3_stmt *add_function, *add_location;
	bool kept;   /* what is found now goes to the store */
	bool failed; /* something could not be written */
};

/* ---- Functions, each once ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return (hash ^ 1) * UINT64_C(0x100000001b3);
}

/* A function that is known by its place in the source is one, also where its code exists several times. */
static uint64_t hash_function(const struct papi_profile_function *function)
{
	uint64_t hash = hash_text(UINT64_C(0xcbf29ce484222325) ^ function->module, function->name);

	hash = hash_text(hash, function->file);
	return (hash ^ (function->file ? (uint64_t)function->line : function->low)) * UINT64_C(0x9e3779b97f4a7c15);
}

static bool is_same(const struct papi_profile_function *a, const struct papi_profile_function *b)
{
	if (a->module != b->module || strcmp(a->name, b->name) != 0 || !a->file != !b->file)
		return false;
	return a->file ? a->line == b->line && strcmp(a->file, b->file) == 0 : a->low == b->low;
}

static uint32_t *find_slot(struct naming *naming, const struct papi_profile_function *function)
{
	size_t i = hash_function(function) >> 20 & (naming->known.n - 1);

	while (naming->known.slots[i] &&
		!is_same(&naming->profile->functions.items[naming->known.slots[i] - 1], function))
		i = (i + 1) & (naming->known.n - 1);
	return &naming->known.slots[i];
}

static void remember_all(struct naming *naming, size_t room)
{
	naming->known.n = 64;
	while (naming->known.n < 2 * room)
		naming->known.n *= 2;
	free(naming->known.slots);
	naming->known.slots = papi_memory_zero(naming->known.n, sizeof(naming->known.slots[0]));
	for (size_t i = 0; i < naming->profile->functions.n; i++)
		*find_slot(naming, &naming->profile->functions.items[i]) = (uint32_t)i + 1;
}

static void bind_text(sqlite3_stmt *statement, int column, const char *text)
{
	if (text)
		sqlite3_bind_text(statement, column, text, -1, SQLITE_TRANSIENT);
	else
		sqlite3_bind_null(statement, column);
}

static void run_statement(struct naming *naming, sqlite3_stmt *statement)
{
	if (sqlite3_step(statement) != SQLITE_DONE)
		naming->failed = true;
	sqlite3_reset(statement);
}

/* The new id, or one that no row has where the store is not written. */
static int64_t store_function(struct naming *naming, const struct papi_profile_function *function)
{
	struct papi_profile *profile = naming->profile;
	int64_t id = profile->functions.n ? profile->functions.ids[profile->functions.n - 1] + 1 : 1;

	if (!naming->kept)
		return id;
	sqlite3_bind_int64(naming->add_function, 1, id);
	sqlite3_bind_int64(naming->add_function, 2, profile->modules.ids[function->module]);
	bind_text(naming->add_function, 3, function->name);
	bind_text(naming->add_function, 4, function->linkage);
	sqlite3_bind_int64(naming->add_function, 5, (int64_t)function->low);
	sqlite3_bind_int64(naming->add_function, 6, (int64_t)function->high);
	bind_text(naming->add_function, 7, function->file);
	if (function->line)
		sqlite3_bind_int64(naming->add_function, 8, function->line);
	else
		sqlite3_bind_null(naming->add_function, 8);
	run_statement(naming, naming->add_function);
	return id;
}

/* The index of a function, which is added if it is new. The texts are copied. */
static uint32_t add_function(struct naming *naming, const struct papi_profile_function *function)
{
	struct papi_profile *profile = naming->profile;
	uint32_t *slot = find_slot(naming, function);
	size_t ids_room = profile->functions.room;
	struct papi_profile_function *added;

	if (*slot)
		return *slot - 1;
	profile->functions.items = papi_memory_extend(profile->functions.items, profile->functions.n,
		&profile->functions.room, sizeof(profile->functions.items[0]));
	profile->functions.ids = papi_memory_extend(
		profile->functions.ids, profile->functions.n, &ids_room, sizeof(profile->functions.ids[0]));
	profile->functions.ids[profile->functions.n] = store_function(naming, function);
	added = &profile->functions.items[profile->functions.n++];
	*added = *function;
	added->name = papi_memory_copy(function->name);
	added->linkage = papi_memory_copy(function->linkage);
	added->file = function->file ? papi_memory_copy(function->file) : NULL;
	*slot = (uint32_t)profile->functions.n;
	if (2 * profile->functions.n > naming->known.n)
		remember_all(naming, 2 * profile->functions.n);
	return (uint32_t)profile->functions.n - 1;
}

/* ---- Places ---- */

static void store_place(struct naming *naming, uint32_t address, uint32_t depth, const struct papi_profile_place *place)
{
	if (!naming->kept)
		return;
	sqlite3_bind_int64(naming->add_location, 1, naming->profile->addresses.ids[address]);
	sqlite3_bind_int64(naming->add_location, 2, depth);
	sqlite3_bind_int64(naming->add_location, 3, naming->profile->functions.ids[place->function]);
	bind_text(naming->add_location, 4, place->file);
	if (place->line)
		sqlite3_bind_int64(naming->add_location, 5, place->line);
	else
		sqlite3_bind_null(naming->add_location, 5);
	run_statement(naming, naming->add_location);
}

static void add_place(struct naming *naming, uint32_t address, const struct papi_profile_place *place)
{
	struct papi_profile *profile = naming->profile;
	struct papi_profile_address *found = &profile->addresses.items[address];

	profile->places = papi_memory_extend(
		profile->places, profile->n_places, &profile->places_room, sizeof(profile->places[0]));
	if (found->first == PAPI_PROFILE_NONE)
		found->first = (uint32_t)profile->n_places;
	profile->places[profile->n_places++] = *place;
	store_place(naming, address, found->n++, place);
}

/* A name where nothing better is known: module+0x1234, or the one name for all of a module that is no file. */
static void add_unknown(struct naming *naming, uint32_t address)
{
	const struct papi_profile_address *found = &naming->profile->addresses.items[address];
	const struct papi_profile_module *module = &naming->profile->modules.items[found->module];
	const char *slash = strrchr(module->path, '/');
	struct papi_profile_function function = { .module = found->module };
	struct papi_profile_place place = { 0 };

	if (strcmp(module->kind, "file") == 0 || strcmp(module->kind, "vdso") == 0) {
		function.name = papi_memory_print("%s+0x%" PRIx64, slash ? slash + 1 : module->path, found->offset);
		function.low = found->offset;
		function.high = found->offset + 1;
	} else if (strcmp(module->kind, "truncated") == 0) {
		function.name = papi_memory_copy(module->path);
	} else {
		function.name = papi_memory_print("[%s]", module->kind);
	}
	function.linkage = function.name;
	place.function = add_function(naming, &function);
	add_place(naming, address, &place);
	free(function.name);
}

static void name_address(struct naming *naming, struct papi_symbols *symbols, uint32_t address)
{
	const struct papi_profile_address *found = &naming->profile->addresses.items[address];
	struct papi_symbols_place places[PAPI_SYMBOLS_DEPTH];
	size_t n = symbols ? papi_symbols_find(symbols, found->offset, places) : 0;

	for (size_t i = 0; i < n; i++) {
		struct papi_profile_function function = {
			.module = found->module,
			.name = (char *)places[i].function.name,
			.linkage = (char *)places[i].function.linkage,
			.low = places[i].function.low,
			.high = places[i].function.high,
			.file = (char *)places[i].function.file,
			.line = places[i].function.line,
		};
		struct papi_profile_place place = {
			.function = add_function(naming, &function),
			.file = papi_profile_file(naming->profile, places[i].file),
			.line = places[i].line,
		};

		add_place(naming, address, &place);
	}
	if (!n)
		add_unknown(naming, address);
}

/* ---- Modules ---- */

/* Whether the kernel of the run is the one that runs here, and has not been started since: then its code moved. */
static bool is_same_kernel(const struct papi_profile *profile)
{
	struct timespec up, now;
	struct tm started = { 0 };
	struct utsname here;
	time_t start;

	if (uname(&here) != 0 || !strstr(profile->run.kernel, here.release))
		return false;
	if (!strptime(profile->run.started, "%Y-%m-%dT%H:%M:%S", &started))
		return false;
	start = timegm(&started);
	return clock_gettime(CLOCK_BOOTTIME, &up) == 0 && clock_gettime(CLOCK_REALTIME, &now) == 0 &&
		start >= now.tv_sec - up.tv_sec;
}

struct papi_symbols *papi_profile_symbols(
	const struct papi_profile *profile, uint32_t module, const char *debug_path, char *reason, size_t size)
{
	const struct papi_profile_module *wanted = &profile->modules.items[module];

	*reason = '\0';
	if (strcmp(wanted->kind, "file") == 0)
		return papi_symbols_open_file(wanted->path, wanted->build_id, debug_path, reason, size);
	if (strcmp(wanted->kind, "jit") == 0 && wanted->process != PAPI_PROFILE_NONE)
		return papi_symbols_open_jit(profile->processes.items[wanted->process].pid, reason, size);
	if (strcmp(wanted->kind, "vdso") != 0 && strcmp(wanted->kind, "kernel") != 0)
		return NULL;
	if (!is_same_kernel(profile)) {
		snprintf(reason, size, "the kernel that runs here is not the one of the run");
		return NULL;
	}
	return strcmp(wanted->kind, "vdso") == 0 ? papi_symbols_open_vdso(wanted->build_id, reason, size)
						 : papi_symbols_open_kernel(reason, size);
}

struct todo {
	uint32_t module, address;
};

static int compare(const void *left, const void *right)
{
	const struct todo *a = left, *b = right;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

static void name_all(struct naming *naming, const struct papi_profile_naming *wanted, const struct todo *todo, size_t n)
{
	struct papi_symbols *symbols = NULL;
	bool kept = naming->kept;

	for (size_t i = 0; i < n; i++) {
		if (i == 0 || todo[i].module != todo[i - 1].module) {
			char reason[256];

			papi_symbols_close(symbols);
			if (wanted->progress)
				wanted->progress(i, n);
			symbols = papi_profile_symbols(
				naming->profile, todo[i].module, wanted->debug_path, reason, sizeof(reason));
			/* Where nothing is known now there may be more the next time. */
			naming->kept = kept && symbols;
			if (!symbols && *reason)
				naming->profile->modules.items[todo[i].module].trouble = papi_memory_copy(reason);
		}
		if (wanted->progress && i % 256 == 0)
			wanted->progress(i, n);
		name_address(naming, symbols, todo[i].address);
	}
	papi_symbols_close(symbols);
	if (wanted->progress)
		wanted->progress(n, n);
}

static void forget(struct papi_profile *profile)
{
	for (size_t i = 0; i < profile->functions.n; i++) {
		free(profile->functions.items[i].name);
		free(profile->functions.items[i].linkage);
		free(profile->functions.items[i].file);
	}
	profile->functions.n = 0;
	profile->n_places = 0;
	for (size_t i = 0; i < profile->addresses.n; i++) {
		profile->addresses.items[i].first = PAPI_PROFILE_NONE;
		profile->addresses.items[i].n = 0;
	}
}

static bool begin(struct naming *naming, bool again)
{
	sqlite3 *store = naming->profile->store;

	if (!naming->profile->writable || sqlite3_exec(store, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
		return false;
	if (again)
		sqlite3_exec(store, "DELETE FROM location; DELETE FROM function", NULL, NULL, NULL);
	if (sqlite3_prepare_v2(store,
		    "INSERT INTO function (id, module, name, linkage, low, high, file, line) "
		    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		    -1, &naming->add_function, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(store,
			"INSERT INTO location (address, depth, function, file, line) VALUES (?, ?, ?, ?, ?)", -1,
			&naming->add_location, NULL) == SQLITE_OK)
		return true;
	sqlite3_finalize(naming->add_function);
	naming->add_function = NULL;
	sqlite3_exec(store, "ROLLBACK", NULL, NULL, NULL);
	return false;
}

/* All or nothing: where the disk is full, or another report was faster, the work is done again the next time. */
static void end(struct naming *naming, bool began)
{
	sqlite3 *store = naming->profile->store;

	sqlite3_finalize(naming->add_function);
	sqlite3_finalize(naming->add_location);
	if (began && (naming->failed || sqlite3_exec(store, "COMMIT", NULL, NULL, NULL) != SQLITE_OK))
		sqlite3_exec(store, "ROLLBACK", NULL, NULL, NULL);
	free(naming->known.slots);
}

void papi_profile_name(struct papi_profile *profile, const struct papi_profile_naming *wanted)
{
	struct naming naming = { .profile = profile };
	struct todo *todo = papi_memory_grow(NULL, profile->addresses.n, sizeof(todo[0]));
	size_t n = 0;
	bool began;

	if (wanted->again)
		forget(profile);
	for (uint32_t i = 0; i < profile->addresses.n; i++)
		if (profile->addresses.items[i].first == PAPI_PROFILE_NONE)
			todo[n++] = (struct todo){ profile->addresses.items[i].module, i };
	if (n) {
		qsort(todo, n, sizeof(todo[0]), compare);
		began = begin(&naming, wanted->again);
		naming.kept = began;
		remember_all(&naming, profile->functions.n);
		name_all(&naming, wanted, todo, n);
		end(&naming, began);
	}
	free(todo);
}
