/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What libsde shows to libpapi: one table of functions, behind the one symbol papi_sde_tools.
 *
 * libpapi finds the symbol when it first needs it (components/sde/find.c), so neither library is linked with the other.
 * The table only ever grows at its end, and version says how far: libpapi refuses one that is too short. For a libsde
 * of another making libpapi makes such a table itself (components/sde/foreign.c).
 *
 * An entry is an event, live or not. Entries are never freed, so their addresses stay good; each registration of the
 * name gives the entry a new incarnation, and reads ask for the one that they were planned for. All functions may be
 * called by any thread at any time; read is also safe in signal handlers where a counter's own function is.
 */
#ifndef PAPI_SDE_TOOLS_H
#define PAPI_SDE_TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stdatomic.h>

#include "sde_lib.h"

#define PAPI_SDE_TOOLS_VERSION 2
#define PAPI_SDE_NAME_MAX      1024 /* bytes of "library::event", and of descriptions */

struct papi_sde_entry;

enum papi_sde_kind { PAPI_SDE_COUNTER, PAPI_SDE_GROUP, PAPI_SDE_RECORDER, PAPI_SDE_COUNTING_SET };

struct papi_sde_facts {
	uint32_t incarnation;
	unsigned born; /* what changes() said when it was registered */
	enum papi_sde_kind kind;
	int mode;       /* of counters: PAPI_SDE_RO | PAPI_SDE_DELTA and so on */
	int type;       /* of counters, and of the members of a group: PAPI_SDE_long_long and so on */
	int operation;  /* of groups: PAPI_SDE_SUM and so on */
	bool quantiles; /* of recorders */
	char description[PAPI_SDE_NAME_MAX];
};

/* double and float are real, long long and int are not. */
union papi_sde_value {
	long long integer;
	double real;
};

/*
 * Somebody who wants to hear when a counter of papi_sde_create_counter has counted another threshold. It belongs to who
 * watches, and stays where it is from watch() to unwatch().
 */
struct papi_sde_watch {
	_Atomic(struct papi_sde_watch *) next;
	long long threshold;
	_Atomic long long due;   /* the count that is waited for */
	_Atomic uint64_t passed; /* thresholds, until the watcher takes them */
	_Atomic(void *) address; /* of the call that passed the last of them */
	void (*tell)(
		int cookie); /* from papi_sde_inc_counter(), when passed has grown; what it does is async-signal-safe */
	int cookie;
};

struct papi_sde_tools {
	unsigned version;
	/*
	 * Who calls functions of this table while it holds locks of its own must see to forks: take_over_forks, and if
	 * that says false (somebody is busy here, perhaps forking) leave libsde alone for now. From then on these
	 * three, called inside the caller's own fork handlers, do what handlers of libsde did: prepare after all other
	 * locks were taken, parent and child before they are given back.
	 */
	bool (*take_over_forks)(void);
	void (*fork_prepare)(void);
	void (*fork_parent)(void);
	void (*fork_child)(void);
	/* A number that changes with every registration, its end, and every change of a group. */
	unsigned (*changes)(void);
	/* The name, "library::event", of the live event at a position 0, 1, ...; false past the last. */
	bool (*name)(unsigned position, char *name, size_t size);
	/* The live event of a name; NULL if there is none. */
	struct papi_sde_entry *(*find)(const char *name);
	/* False when the event is not live. */
	bool (*facts)(struct papi_sde_entry *entry, struct papi_sde_facts *facts);
	/* The member of a group at a position; NULL past the last. */
	struct papi_sde_entry *(*member)(struct papi_sde_entry *group, unsigned position);
	/* The present value of a counter; false when this incarnation of it has ended. */
	bool (*read)(struct papi_sde_entry *entry, uint32_t incarnation, union papi_sde_value *value);
	/*
	 * A recorder's values, sorted if asked, in one block of malloc(), or a counting set's list, each object and
	 * each element a block of its own; NULL where there is nothing in it. *count of values or elements, *size in
	 * bytes of one value. A PAPI code: PAPI_ENOEVNT, PAPI_ENOMEM.
	 */
	int (*copy)(struct papi_sde_entry *entry, uint32_t incarnation, bool sorted, void **copy, size_t *count,
		size_t *size);
	/* For a counter that somebody created; false: it is none. It tells nothing before it is expected to. */
	bool (*watch)(struct papi_sde_entry *entry, struct papi_sde_watch *watch);
	/* From now on, a fresh period, or no longer. False: this is no counter of that kind any more. */
	bool (*expect)(struct papi_sde_entry *entry, struct papi_sde_watch *watch, bool on);
	/* When it returns, nobody uses the watch any more. Not for signal handlers. */
	void (*unwatch)(struct papi_sde_entry *entry, struct papi_sde_watch *watch);
	/* Where a counter keeps its start by itself: makes now the start. NULL: the reader keeps it. */
	void (*rebase)(struct papi_sde_entry *entry);
};

PAPI_SDE_API const struct papi_sde_tools *papi_sde_tools(void);

#endif
