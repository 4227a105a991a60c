/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profile's store as it is written: one SQLite file, whose tables doc/profiles.md documents. They are an interface:
 * other versions of this project, scripts and people read them.
 *
 * A store is written while the program runs. Everything goes into a transaction that papi_profile_store_commit() ends,
 * so that a writer that is killed loses what came since the last one, and no more; the file stays whole. Counts of the
 * same place add up.
 *
 * Who owns what: the store copies strings. One thread; no signal handlers. Functions return PAPI_OK or a negative code
 * with the reason in the error detail (base/error.h). After a failure of a write (a full disk) nothing more is written,
 * every later call fails the same way, and what was committed before stays.
 */
#ifndef PAPI_PROFILE_STORE_H
#define PAPI_PROFILE_STORE_H

#include <stdint.h>

#define PAPI_PROFILE_APPLICATION 0x50415049 /* PAPI, in the header of the file */
#define PAPI_PROFILE_SCHEMA      5

struct papi_profile_store;

/* NULL stands for what is not known, in this and the other rows. */
struct papi_profile_run_row {
	const char *command; /* a JSON array */
	const char *directory;
	const char *started; /* ISO 8601, UTC */
	const char *machine;
	const char *kernel;
	const char *version;
	const char *source; /* "sampled" */
};

struct papi_profile_event_row {
	const char *name, *native, *unit;
	const char *kind;
	int64_t period, frequency; /* 0: not by that */
	int user, kernel;          /* whether what was done in that mode is in it */
	const char *note;
};

/*
 * PAPI_OK when a store can be made there: there is nothing, or an empty file, or another profile of ours, which is then
 * replaced. Writes nothing that stays.
 */
int papi_profile_store_check(const char *path);

/* Makes the file, with all its tables and the run. */
int papi_profile_store_create(
	const char *path, const struct papi_profile_run_row *run, struct papi_profile_store **store);

/* Rows, each with the number that the others refer to. parent and process: 0 where there is none. */
int papi_profile_store_event(struct papi_profile_store *store, int64_t id, const struct papi_profile_event_row *event);
int papi_profile_store_event_note(struct papi_profile_store *store, int64_t id, const char *note);
int papi_profile_store_process(
	struct papi_profile_store *store, int64_t id, int64_t pid, int64_t parent, const char *name);
int papi_profile_store_process_name(
	struct papi_profile_store *store, int64_t id, const char *name, const char *command);
int papi_profile_store_thread(
	struct papi_profile_store *store, int64_t id, int64_t process, int64_t tid, const char *name);
int papi_profile_store_thread_name(struct papi_profile_store *store, int64_t id, const char *name);
int papi_profile_store_module(struct papi_profile_store *store, int64_t id, const char *path, const char *build_id,
	const char *kind, int64_t process);
int papi_profile_store_address(struct papi_profile_store *store, int64_t id, int64_t module, uint64_t offset);
int papi_profile_store_context(struct papi_profile_store *store, int64_t id, int64_t parent, int64_t address);

int papi_profile_store_region(struct papi_profile_store *store, int64_t id, const char *name);

/* Where and when something happened; region: 0 where that was outside of all, and context, where it is not known. */
struct papi_profile_count_key {
	int64_t thread, event, context, address, region;
};

/* Adds to what is there. */
int papi_profile_store_count(
	struct papi_profile_store *store, const struct papi_profile_count_key *key, int64_t samples, int64_t value);

/* From where an address was called: an address, or a path. How many calls there were counts for the region in which
 * they began, what happened in them for that in which it did. */
struct papi_profile_call_key {
	int64_t thread, event, from, callee, region;
};

/* Likewise, of calls from an address: how many, and what happened in them. */
int papi_profile_store_call(
	struct papi_profile_store *store, const struct papi_profile_call_key *key, int64_t calls, int64_t value);

/* Likewise, of calls by a path: how many, and what the callee did itself in them. */
int papi_profile_store_path(
	struct papi_profile_store *store, const struct papi_profile_call_key *key, int64_t calls, int64_t value);

/* How long the run has gone on, and what was lost; status: the wait status, negative while there is none. */
int papi_profile_store_progress(struct papi_profile_store *store, double seconds, int64_t lost, int status);

/* From here on it survives the end of the writer. */
int papi_profile_store_commit(struct papi_profile_store *store);

/* Commits and closes; store may be NULL. */
int papi_profile_store_close(struct papi_profile_store *store);

#endif
