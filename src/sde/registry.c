/* SPDX-License-Identifier: BSD-3-Clause */
#include "sde/registry.h"

#include <pthread.h>
#include <sched.h>
#include <search.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sde/store.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static struct papi_sde_library *libraries;
static struct papi_sde_entry *first_entry, *last_entry;
static void *by_name; /* of tsearch(3) */
static _Atomic unsigned changes;

_Thread_local int papi_sde_callback_depth;

/* A static link leaves out what is referred to weakly only, as by libpapi: this goes in with the registry. */
__attribute__((used)) static const struct papi_sde_tools *(*const keep_tools)(void) = papi_sde_tools;

void papi_sde_lock(void)
{
	pthread_mutex_lock(&lock);
}

void papi_sde_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static void leave_group(struct papi_sde_entry *group, const struct papi_sde_entry *member)
{
	for (unsigned i = 0; i < group->n_members; i++) {
		if (group->members[i] == member) {
			group->members[i] = group->members[--group->n_members];
			return;
		}
	}
}

static void leave_groups(const struct papi_sde_entry *member)
{
	for (struct papi_sde_entry *entry = first_entry; entry && member->library->groups; entry = entry->next)
		if (entry->library == member->library && entry->kind == PAPI_SDE_GROUP)
			leave_group(entry, member);
}

/* The work that is left when nobody reads the entry any more. */
static void finish(struct papi_sde_entry *entry)
{
	entry->ending = false;
	leave_groups(entry);
	if (entry->kind == PAPI_SDE_GROUP) {
		free(entry->members);
		entry->members = NULL;
		entry->n_members = 0;
		entry->library->groups--;
	}
	if (entry->store)
		papi_sde_store_clear(entry->store);
	free(entry->description);
	entry->description = NULL;
	papi_sde_changed();
}

void papi_sde_fork_prepare(void)
{
	papi_sde_lock();
	for (struct papi_sde_entry *entry = first_entry; entry; entry = entry->next)
		if (entry->store)
			papi_sde_store_lock(entry->store);
}

static void unlock_stores(void)
{
	for (struct papi_sde_entry *entry = first_entry; entry; entry = entry->next)
		if (entry->store)
			papi_sde_store_unlock(entry->store);
}

void papi_sde_fork_parent(void)
{
	unlock_stores();
	papi_sde_unlock();
}

/* A thread that was reading is not here, nor is one that waited for readers before it ended an event. */
void papi_sde_fork_child(void)
{
	unlock_stores();
	for (struct papi_sde_entry *entry = first_entry; entry; entry = entry->next) {
		atomic_store(&entry->readers, 0);
		if (entry->ending)
			finish(entry);
	}
	papi_sde_unlock();
}

/*
 * libpapi waits for these locks while it holds its own, so at a fork its own must come first, whichever library was
 * loaded first. Therefore libpapi, once it has found libsde, does all at its turn. The flag changes inside the lock
 * only.
 */
static bool forks_taken_over;
static bool prepared; /* by own_prepare, inside the lock */

static void own_prepare(void)
{
	papi_sde_fork_prepare();
	prepared = !forks_taken_over;
	if (!prepared)
		papi_sde_fork_parent();
}

static void own_parent(void)
{
	if (!prepared)
		return;
	prepared = false;
	papi_sde_fork_parent();
}

static void own_child(void)
{
	if (!prepared)
		return;
	prepared = false;
	papi_sde_fork_child();
}

static void install_fork_handlers(void)
{
	pthread_atfork(own_prepare, own_parent, own_child);
}

/* The caller holds locks of libpapi, which the thread that has this one may want, if it is forking: no long waiting. */
bool papi_sde_take_over_forks(void)
{
	struct timespec limit;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec++;
	if (pthread_mutex_timedlock(&lock, &limit) != 0)
		return false;
	forks_taken_over = true;
	papi_sde_unlock();
	return true;
}

/* Libraries are looked up by address: a handle that was never one is found out. */
struct papi_sde_library *papi_sde_library_get(papi_handle_t handle)
{
	for (struct papi_sde_library *library = libraries; library; library = library->next)
		if (library == handle)
			return library->users ? library : NULL;
	return NULL;
}

/* "::" stands between library and event. */
static bool is_name(const char *name)
{
	return name && *name && !strstr(name, "::") && name[strlen(name) - 1] != ':' && name[0] != ':';
}

papi_handle_t papi_sde_init(const char *name_of_library)
{
	struct papi_sde_library *library;
	size_t length;

	if (!is_name(name_of_library))
		return NULL;
	length = strlen(name_of_library);
	if (length >= PAPI_SDE_NAME_MAX - sizeof("::x"))
		return NULL;
	pthread_once(&fork_once, install_fork_handlers);
	papi_sde_lock();
	for (library = libraries; library && strcmp(library->name, name_of_library) != 0; library = library->next)
		;
	if (!library) {
		library = calloc(1, sizeof(*library) + length + 1);
		if (library) {
			memcpy(library->name, name_of_library, length);
			library->next = libraries;
			libraries = library;
		}
	}
	if (library)
		library->users++;
	papi_sde_unlock();
	return library;
}

int papi_sde_shutdown(papi_handle_t handle)
{
	struct papi_sde_library *library;
	int status = PAPI_EINVAL;

	if (papi_sde_callback_depth)
		return PAPI_EINVAL;
	papi_sde_lock();
	library = papi_sde_library_get(handle);
	if (library) {
		status = PAPI_OK;
		if (--library->users == 0)
			for (struct papi_sde_entry *entry = first_entry; entry; entry = entry->next)
				if (entry->library == library && atomic_load(&entry->live))
					papi_sde_entry_end(entry);
	}
	papi_sde_unlock();
	return status;
}

static int compare_names(const void *first, const void *second)
{
	return strcmp(((const struct papi_sde_entry *)first)->name, ((const struct papi_sde_entry *)second)->name);
}

struct papi_sde_entry *papi_sde_entry_find(const char *name)
{
	char copy[PAPI_SDE_NAME_MAX];
	struct papi_sde_entry key = { .name = copy }, **found;

	snprintf(copy, sizeof(copy), "%s", name);
	found = tfind(&key, &by_name, compare_names);
	return found ? *found : NULL;
}

static bool join(char *name, size_t size, const struct papi_sde_library *library, const char *event)
{
	int length = snprintf(name, size, "%s::%s", library->name, event);

	return length > 0 && (size_t)length < size;
}

struct papi_sde_entry *papi_sde_entry_get(const struct papi_sde_library *library, const char *event)
{
	char name[PAPI_SDE_NAME_MAX];
	struct papi_sde_entry *entry = event && join(name, sizeof(name), library, event) ? papi_sde_entry_find(name)
											 : NULL;

	return entry && atomic_load(&entry->live) ? entry : NULL;
}

static struct papi_sde_entry *make_entry(struct papi_sde_library *library, const char *name)
{
	struct papi_sde_entry *entry = calloc(1, sizeof(*entry));

	if (entry)
		entry->name = strdup(name);
	if (!entry || !entry->name || !tsearch(entry, &by_name, compare_names)) {
		if (entry)
			free(entry->name);
		free(entry);
		return NULL;
	}
	entry->magic = PAPI_SDE_ENTRY_MAGIC;
	entry->library = library;
	if (last_entry)
		last_entry->next = entry;
	else
		first_entry = entry;
	last_entry = entry;
	return entry;
}

int papi_sde_entry_claim(papi_handle_t handle, const char *event, struct papi_sde_entry **claimed)
{
	struct papi_sde_library *library = papi_sde_library_get(handle);
	char name[PAPI_SDE_NAME_MAX];
	struct papi_sde_entry *entry;

	if (!library || !is_name(event) || !join(name, sizeof(name), library, event))
		return PAPI_EINVAL;
	entry = papi_sde_entry_find(name);
	*claimed = entry;
	/* The thread that ends it needs the lock. In a counter's function, where nothing may be registered, it may wait
	 * for us. */
	while (entry && entry->ending) {
		if (papi_sde_callback_depth)
			return PAPI_EINVAL;
		papi_sde_unlock();
		sched_yield();
		papi_sde_lock();
		if (!library->users)
			return PAPI_EINVAL;
	}
	if (entry && atomic_load(&entry->live))
		return PAPI_ECNFLCT;
	if (!entry)
		entry = make_entry(library, name);
	if (!entry)
		return PAPI_ENOMEM;
	entry->source = PAPI_SDE_NO_SOURCE;
	entry->kind = PAPI_SDE_COUNTER;
	entry->mode = PAPI_SDE_RO | PAPI_SDE_DELTA;
	entry->type = PAPI_SDE_long_long;
	atomic_store(&entry->count, 0);
	atomic_store(&entry->zero, 0);
	*claimed = entry;
	return PAPI_OK;
}

void papi_sde_entry_begin(struct papi_sde_entry *entry)
{
	entry->library->groups += entry->kind == PAPI_SDE_GROUP;
	atomic_fetch_add(&entry->incarnation, 1);
	atomic_store(&entry->live, true);
	papi_sde_changed();
	entry->born = papi_sde_changes();
}

/* Readers may be inside functions of the program that want the lock: it is let go while they are waited for. */
void papi_sde_entry_end(struct papi_sde_entry *entry)
{
	atomic_store(&entry->live, false);
	entry->ending = true;
	papi_sde_unlock();
	while (atomic_load(&entry->readers))
		sched_yield();
	papi_sde_lock();
	finish(entry);
}
struct papi_sde_entry *papi_sde_entry_next(const struct papi_sde_entry *entry)
{
	return entry ? entry->next : first_entry;
}

void papi_sde_changed(void)
{
	atomic_fetch_add(&changes, 1);
}

unsigned papi_sde_changes(void)
{
	return atomic_load(&changes);
}

bool papi_sde_reader_enter(struct papi_sde_entry *entry, uint32_t incarnation)
{
	atomic_fetch_add(&entry->readers, 1);
	if (atomic_load(&entry->live) && atomic_load(&entry->incarnation) == incarnation)
		return true;
	papi_sde_reader_leave(entry);
	return false;
}

void papi_sde_reader_leave(struct papi_sde_entry *entry)
{
	atomic_fetch_sub(&entry->readers, 1);
}
