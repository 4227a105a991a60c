/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A store of papi_profile in memory, as the views need it. doc/profiles.md has the store's schema.
 *
 * What a row of the store refers to by its id is here an index into the array of its kind; PAPI_PROFILE_NONE where it
 * refers to nothing. Everything belongs to the profile. One thread at a time.
 */
#ifndef PAPI_PROFILE_PROFILE_H
#define PAPI_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sqlite3;

#define PAPI_PROFILE_NONE UINT32_MAX

struct papi_profile_run {
	char *command; /* a JSON array of words */
	char *directory;
	char *started; /* ISO 8601, UTC */
	double seconds;
	char *machine; /* its processor */
	char *kernel;  /* the release of the kernel that it ran on */
	char *source;
	int64_t lost; /* samples that the kernel had no room for */
};

struct papi_profile_event {
	char *name;
	char *unit;
	char *kind;
	char *note;             /* what else is to be known; NULL: nothing */
	bool user, kernel;      /* what is in it */
	int64_t samples, value; /* of all counts */
};

struct papi_profile_process {
	long pid;
	char *name;
};

struct papi_profile_thread {
	uint32_t process;
	long tid;
	char *name;
};

struct papi_profile_module {
	char *path;
	char *build_id; /* NULL where it has none */
	char *kind;
	uint32_t process; /* of code that one process made */
	char *trouble;    /* why its names are not known; NULL where nothing is wrong */
};

struct papi_profile_function {
	uint32_t module;
	char *name;    /* for people */
	char *linkage; /* for the linker */
	uint64_t low, high;
	char *file; /* where it is declared; NULL where that is not known */
	int line;
};

/* A place in the source that an address is: of several, the first is inlined into the second, and so on. */
struct papi_profile_place {
	uint32_t function;
	const char *file; /* NULL where it is not known; one pointer for one name */
	int line;
};

struct papi_profile_address {
	uint32_t module;
	uint64_t offset;
	uint32_t first; /* of its places; NONE until names are known */
	uint32_t n;
};

/* A way to be called. */
struct papi_profile_context {
	uint32_t parent;
	uint32_t address;
};

struct papi_profile_region {
	char *name; /* "" outside of all */
};

struct papi_profile_count {
	uint32_t thread;
	uint32_t region; /* of papi_profile.regions, of which the first is what is outside of all */
	uint32_t event;
	uint32_t context; /* NONE: nobody knows */
	uint32_t address;
	int64_t samples, value;
	bool whole; /* it is the function's that begins at the address, wherever in it */
};

/* What a place has called, in an exact profile: how often in that region, and what happened in the region until it came
 * back. */
struct papi_profile_call {
	uint32_t thread;
	uint32_t region;
	uint32_t event;
	uint32_t site, callee; /* addresses */
	int64_t calls, value;
};

/* Of each kind a list, with the ids that the store has for it, in their order. */
#define PAPI_PROFILE_LIST(type, name) \
	struct {                      \
		type *items;          \
		int64_t *ids;         \
		size_t n, room;       \
	} name

struct papi_profile {
	char *path;
	struct sqlite3 *store;
	bool writable;
	int64_t schema; /* the version of the store's */
	struct papi_profile_run run;
	PAPI_PROFILE_LIST(struct papi_profile_event, events);
	PAPI_PROFILE_LIST(struct papi_profile_process, processes);
	PAPI_PROFILE_LIST(struct papi_profile_thread, threads);
	PAPI_PROFILE_LIST(struct papi_profile_region, regions);
	PAPI_PROFILE_LIST(struct papi_profile_module, modules);
	PAPI_PROFILE_LIST(struct papi_profile_address, addresses);
	PAPI_PROFILE_LIST(struct papi_profile_context, contexts);
	PAPI_PROFILE_LIST(struct papi_profile_function, functions);
	struct papi_profile_count *counts;
	size_t n_counts;
	struct papi_profile_call *calls;
	size_t n_calls;
	bool calls_by_region;             /* of calls and paths it is known in which region they were */
	struct papi_profile_count *paths; /* of an exact profile with contexts: what functions did, by their callers */
	size_t n_paths;
	struct papi_profile_place *places;
	size_t n_places, places_room;
	char **files; /* names of source files, each once, sorted */
	size_t n_files, files_room;
};

/* load.c: NULL if the file is no store that can be read, with a sentence in reason. */
struct papi_profile *papi_profile_load(const char *path, char *reason, size_t size);
void papi_profile_free(struct papi_profile *profile);

/* The one pointer for the name of a source file; NULL for NULL. */
const char *papi_profile_file(struct papi_profile *profile, const char *name);

/* The function that has the code at an address of its own; it has names. */
uint32_t papi_profile_function_of(const struct papi_profile *profile, uint32_t address);

/* What happened in a call of an exact profile; names are there. 0 where a function calls itself, or a part of it that
 * lies elsewhere: that is in the call of the function already. */
int64_t papi_profile_value_of(const struct papi_profile *profile, const struct papi_profile_call *call);

/* The counts that say the most of callers: paths, or counts where there are none; how many. */
const struct papi_profile_count *papi_profile_stacks(const struct papi_profile *profile, size_t *n);

/* Whether any count says by whom its place was called. */
bool papi_profile_has_contexts(const struct papi_profile *profile);

#endif
