/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes and threads that are sampled, what is mapped where in them, and what an address of theirs is in the store:
 * a module and an offset in it.
 *
 * It follows the kernel's records in the order of time: what is mapped over something replaces it, a child begins with
 * the mappings of its parent, a program that is executed with none. So code that was unloaded keeps its samples, and
 * what came to lie at its addresses gets its own.
 *
 * Numbers of the store are those of doc/profiles.md; 0 stands for none. Rows are written when they are first needed. A
 * failure of the store is remembered there, so that nothing here has to be asked for one. One thread.
 */
#ifndef PAPI_PROFILE_PLACES_H
#define PAPI_PROFILE_PLACES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "papi_profile/modules.h"
#include "papi_profile/table.h"
#include "profile/store.h"

struct papi_profile_process;

struct papi_profile_places {
	struct papi_profile_store *store;
	struct papi_profile_table processes, threads, addresses;
	int64_t last_process, last_thread, last_module, last_address;
};

/* A mapping of code. */
struct papi_profile_mapping {
	uint64_t start, end, offset;
	struct papi_profile_module *module;
};

/* A process that is there: found by /proc, with all that it has mapped. */
void papi_profile_places_present(struct papi_profile_places *places, pid_t pid);

void papi_profile_places_forked(struct papi_profile_places *places, pid_t pid, pid_t parent, pid_t tid);
void papi_profile_places_ended(struct papi_profile_places *places, pid_t pid, pid_t tid);
/* executed: another program runs in the process now. */
void papi_profile_places_named(
	struct papi_profile_places *places, pid_t pid, pid_t tid, const char *name, bool executed);
/* build_id may be NULL: the kernel does not say it. */
void papi_profile_places_mapped(struct papi_profile_places *places, pid_t pid, uint64_t start, uint64_t size,
	uint64_t offset, const char *name, const struct papi_profile_build_id *build_id);

/* The number of a process in the store, and of a thread. */
int64_t papi_profile_places_process(struct papi_profile_places *places, pid_t pid);
int64_t papi_profile_places_thread(struct papi_profile_places *places, pid_t pid, pid_t tid);

/*
 * The number of an address in the store. strict: 0 where nothing is mapped, as for what a broken frame pointer led to;
 * else it is then counted as unknown.
 */
int64_t papi_profile_places_address(
	struct papi_profile_places *places, pid_t pid, uint64_t address, bool kernel, bool strict);

/* The same where it is known what the process had mapped there. */
int64_t papi_profile_places_address_in(
	struct papi_profile_places *places, pid_t pid, const struct papi_profile_mapping *mapping, uint64_t address);

/*
 * The module of code at an address, and where the address is in it, as papi_profile_places_address() has it. NULL:
 * nothing is mapped there.
 */
struct papi_profile_module *papi_profile_places_module(
	struct papi_profile_places *places, pid_t pid, uint64_t address, uint64_t *offset);

/* The number of the address that stands for what is not known, by its name: callers which nobody has seen, or calls. */
int64_t papi_profile_places_special(struct papi_profile_places *places, const char *name);
int64_t papi_profile_places_truncated(struct papi_profile_places *places);

void papi_profile_places_free(struct papi_profile_places *places);

#endif
