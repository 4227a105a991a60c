/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries and their events inside libsde.
 *
 * Entries and libraries are made once for each name and never freed: handles of the program point to them, and events
 * of libpapi do. An entry whose event is unregistered is dead until its name is registered again.
 *
 * Locks. The registry's mutex covers names, liveness, descriptions and groups; a store's mutex (recorders, counting
 * sets) is taken inside it or alone. Readers of counters take none: they count themselves into entry->readers, look
 * whether the entry is live, and use it; whoever ends an event first marks it dead and then waits until readers is 0.
 * Both sides are sequentially consistent, so that either the reader sees the mark or the other sees the reader.
 *
 * fork: all mutexes are held while the process is copied, and the child forgets readers that it does not have. libsde
 * has handlers of its own for that, until libpapi takes over.
 */
#ifndef PAPI_SDE_REGISTRY_H
#define PAPI_SDE_REGISTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "papi_constants.h"
#include "sde/tools.h"

#define PAPI_SDE_ENTRY_MAGIC 0x53644531u

struct papi_sde_store;

struct papi_sde_library {
	struct papi_sde_library *next;
	unsigned users;  /* papi_sde_init less papi_sde_shutdown */
	unsigned groups; /* live ones */
	char name[];
};

enum papi_sde_source {
	PAPI_SDE_VARIABLE, /* the program's */
	PAPI_SDE_FUNCTION, /* the program's */
	PAPI_SDE_CREATED,  /* count, below */
	PAPI_SDE_NO_SOURCE /* groups, recorders, counting sets */
};

struct papi_sde_entry {
	uint32_t magic;
	_Atomic bool live;
	bool ending; /* no longer live, but perhaps still being read */
	_Atomic int readers;
	_Atomic uint32_t incarnation;
	unsigned born;               /* papi_sde_changes() when it began */
	struct papi_sde_entry *next; /* in the order in which the names were first registered */
	struct papi_sde_library *library;
	char *name;        /* library::event */
	char *description; /* NULL: none */
	enum papi_sde_kind kind;
	enum papi_sde_source source;
	int mode, type;
	const void *variable;
	papi_sde_fptr_t function;
	void *param;
	_Atomic long long count;                  /* only ever added to */
	_Atomic long long zero;                   /* what of it papi_sde_reset_counter has taken off */
	_Atomic(struct papi_sde_watch *) watches; /* those who wait for count; see watch.c */
	int operation;
	struct papi_sde_entry **members;
	unsigned n_members;
	struct papi_sde_store *store;
};

void papi_sde_lock(void);
void papi_sde_unlock(void);

/* papi_sde_tools.take_over_forks and the functions beside it. */
bool papi_sde_take_over_forks(void);
void papi_sde_fork_prepare(void);
void papi_sde_fork_parent(void);
void papi_sde_fork_child(void);

/* The library of a handle; NULL: it is none, or was shut down. This and all that follow: inside the lock. */
struct papi_sde_library *papi_sde_library_get(papi_handle_t handle);

/* The live event of the library by that name; NULL. */
struct papi_sde_entry *papi_sde_entry_get(const struct papi_sde_library *library, const char *event);

/* By its whole name; dead ones, too. */
struct papi_sde_entry *papi_sde_entry_find(const char *name);

/*
 * The entry for a new event, not yet live: the caller fills it in, then begins it. A PAPI code: PAPI_EINVAL for a bad
 * handle or name, PAPI_ENOMEM; PAPI_ECNFLCT for a name that is taken, of which *claimed is the event.
 */
int papi_sde_entry_claim(papi_handle_t handle, const char *event, struct papi_sde_entry **claimed);
void papi_sde_entry_begin(struct papi_sde_entry *entry);

/* Ends a live event, waits until nobody reads it any more, and takes it out of groups. Lets the lock go meanwhile. */
void papi_sde_entry_end(struct papi_sde_entry *entry);

/* The entry after this one, or the first after NULL; NULL past the last. */
struct papi_sde_entry *papi_sde_entry_next(const struct papi_sde_entry *entry);

/* What papi_sde_tools.changes shows; changed: listings or groups are no longer what they were. */
void papi_sde_changed(void);
unsigned papi_sde_changes(void);

/* Outside of the lock. When enter has returned true, the event cannot end before leave. */
bool papi_sde_reader_enter(struct papi_sde_entry *entry, uint32_t incarnation);
void papi_sde_reader_leave(struct papi_sde_entry *entry);

/* A created counter has come to a count, by a call from address: those who wait for it are told. */
void papi_sde_watch_look(struct papi_sde_entry *entry, long long count, void *address);

/* papi_sde_tools.watch and the functions beside it. */
bool papi_sde_watch_add(struct papi_sde_entry *entry, struct papi_sde_watch *watch);
bool papi_sde_watch_expect(struct papi_sde_entry *entry, struct papi_sde_watch *watch, bool on);
void papi_sde_watch_remove(struct papi_sde_entry *entry, struct papi_sde_watch *watch);

/* How deep the thread is inside functions of counters, where nothing may be ended. */
extern _Thread_local int papi_sde_callback_depth;

/* The entry that a handle of the program stands for; NULL where there is none, or its event has ended. */
static inline struct papi_sde_entry *papi_sde_handle_entry(void *handle)
{
	struct papi_sde_entry *entry = handle;

	if (!entry || entry->magic != PAPI_SDE_ENTRY_MAGIC)
		return NULL;
	return atomic_load_explicit(&entry->live, memory_order_acquire) ? entry : NULL;
}

#endif
