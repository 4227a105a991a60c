/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters and groups: registering, counting, ending. What each function promises: sde_lib.h. */
#include <stdlib.h>
#include <string.h>

#include "sde/registry.h"

static bool is_mode(int mode)
{
	return (mode & ~(PAPI_SDE_RW | PAPI_SDE_INSTANT)) == 0;
}

static bool is_type(int type)
{
	return type >= PAPI_SDE_long_long && type <= PAPI_SDE_float;
}

static bool is_real(int type)
{
	return type == PAPI_SDE_double || type == PAPI_SDE_float;
}

/* What the three kinds of counters have in common; source says which of the others matter. */
struct counter {
	enum papi_sde_source source;
	int mode, type;
	const void *variable;
	papi_sde_fptr_t function;
	void *param;
};

static int register_counter(
	papi_handle_t handle, const char *event_name, const struct counter *counter, struct papi_sde_entry **made)
{
	struct papi_sde_entry *entry;
	int status;

	if (!is_mode(counter->mode) || !is_type(counter->type))
		return PAPI_EINVAL;
	papi_sde_lock();
	status = papi_sde_entry_claim(handle, event_name, &entry);
	if (status == PAPI_OK) {
		entry->source = counter->source;
		entry->mode = counter->mode;
		entry->type = counter->type;
		entry->variable = counter->variable;
		entry->function = counter->function;
		entry->param = counter->param;
		papi_sde_entry_begin(entry);
	}
	/* The first caller has made it; the handle is the same for all. */
	if (status == PAPI_ECNFLCT)
		status = PAPI_OK;
	if (status == PAPI_OK)
		*made = entry;
	papi_sde_unlock();
	return status;
}

int papi_sde_register_counter(papi_handle_t handle, const char *event_name, int cntr_mode, int cntr_type, void *counter)
{
	struct papi_sde_entry *entry;

	if (!counter)
		return PAPI_EINVAL;
	return register_counter(handle, event_name,
		&(struct counter){
			.source = PAPI_SDE_VARIABLE, .mode = cntr_mode, .type = cntr_type, .variable = counter },
		&entry);
}

int papi_sde_register_counter_cb(papi_handle_t handle, const char *event_name, int cntr_mode, int cntr_type,
	papi_sde_fptr_t callback, void *param)
{
	struct papi_sde_entry *entry;

	if (!callback)
		return PAPI_EINVAL;
	return register_counter(handle, event_name,
		&(struct counter){ .source = PAPI_SDE_FUNCTION,
			.mode = cntr_mode,
			.type = cntr_type,
			.function = callback,
			.param = param },
		&entry);
}

int papi_sde_create_counter(papi_handle_t handle, const char *event_name, int cntr_mode, void **cntr_handle)
{
	struct papi_sde_entry *entry;
	int status;

	if (!cntr_handle)
		return PAPI_EINVAL;
	status = register_counter(handle, event_name,
		&(struct counter){ .source = PAPI_SDE_CREATED, .mode = cntr_mode, .type = PAPI_SDE_long_long }, &entry);
	if (status == PAPI_OK)
		*cntr_handle = entry;
	return status;
}

static struct papi_sde_entry *created(void *cntr_handle)
{
	struct papi_sde_entry *entry = papi_sde_handle_entry(cntr_handle);

	return entry && entry->source == PAPI_SDE_CREATED ? entry : NULL;
}

int papi_sde_inc_counter(void *cntr_handle, long long increment)
{
	struct papi_sde_entry *entry = created(cntr_handle);
	long long before;

	if (!entry)
		return PAPI_EINVAL;
	before = atomic_fetch_add_explicit(&entry->count, increment, memory_order_relaxed);
	if (atomic_load_explicit(&entry->watches, memory_order_relaxed))
		papi_sde_watch_look(entry, (long long)((unsigned long long)before + (unsigned long long)increment),
			__builtin_return_address(0));
	return PAPI_OK;
}

/* The count itself goes on: EventSets have their start in terms of it. */
int papi_sde_reset_counter(void *cntr_handle)
{
	struct papi_sde_entry *entry = created(cntr_handle);

	if (!entry)
		return PAPI_EINVAL;
	atomic_store(&entry->zero, atomic_load(&entry->count));
	return PAPI_OK;
}

void *papi_sde_get_counter_handle(papi_handle_t handle, const char *event_name)
{
	struct papi_sde_library *library;
	struct papi_sde_entry *entry = NULL;

	papi_sde_lock();
	library = papi_sde_library_get(handle);
	if (library)
		entry = papi_sde_entry_get(library, event_name);
	if (entry && entry->source != PAPI_SDE_CREATED && entry->kind != PAPI_SDE_RECORDER &&
		entry->kind != PAPI_SDE_COUNTING_SET)
		entry = NULL;
	papi_sde_unlock();
	return entry;
}

/* Enters the lock; what is not PAPI_OK has left it. */
static int find(
	papi_handle_t handle, const char *event_name, struct papi_sde_library **library, struct papi_sde_entry **entry)
{
	papi_sde_lock();
	*library = papi_sde_library_get(handle);
	*entry = *library ? papi_sde_entry_get(*library, event_name) : NULL;
	if (*entry)
		return PAPI_OK;
	papi_sde_unlock();
	return *library && event_name ? PAPI_ENOEVNT : PAPI_EINVAL;
}

int papi_sde_unregister_counter(papi_handle_t handle, const char *event_name)
{
	struct papi_sde_library *library;
	struct papi_sde_entry *entry;
	int status;

	if (papi_sde_callback_depth)
		return PAPI_EINVAL;
	status = find(handle, event_name, &library, &entry);
	if (status != PAPI_OK)
		return status;
	papi_sde_entry_end(entry);
	papi_sde_unlock();
	return PAPI_OK;
}

int papi_sde_describe_counter(papi_handle_t handle, const char *event_name, const char *event_description)
{
	struct papi_sde_library *library;
	struct papi_sde_entry *entry;
	char *copy;
	int status;

	if (!event_description)
		return PAPI_EINVAL;
	status = find(handle, event_name, &library, &entry);
	if (status != PAPI_OK)
		return status;
	copy = strndup(event_description, PAPI_SDE_NAME_MAX - 1);
	if (copy) {
		free(entry->description);
		entry->description = copy;
	}
	papi_sde_unlock();
	return copy ? PAPI_OK : PAPI_ENOMEM;
}

/* Whether what is looked for is the entry, or in it. */
static bool holds(const struct papi_sde_entry *entry, const struct papi_sde_entry *wanted)
{
	if (entry == wanted)
		return true;
	for (unsigned i = 0; i < entry->n_members; i++)
		if (holds(entry->members[i], wanted))
			return true;
	return false;
}

/* The group, made for its first member. */
static int find_group(papi_handle_t handle, const struct papi_sde_library *library, const char *name, int operation,
	const struct papi_sde_entry *member, struct papi_sde_entry **group)
{
	int type = is_real(member->type) ? PAPI_SDE_double : PAPI_SDE_long_long, status;

	*group = papi_sde_entry_get(library, name);
	if (*group) {
		if ((*group)->kind != PAPI_SDE_GROUP || (*group)->operation != operation)
			return PAPI_ECNFLCT;
		return (*group)->type == type ? PAPI_OK : PAPI_EINVAL;
	}
	status = papi_sde_entry_claim(handle, name, group);
	if (status != PAPI_OK)
		return status;
	(*group)->kind = PAPI_SDE_GROUP;
	(*group)->operation = operation;
	(*group)->type = type;
	papi_sde_entry_begin(*group);
	return PAPI_OK;
}

static int join_group(struct papi_sde_entry *group, struct papi_sde_entry *member)
{
	struct papi_sde_entry **members;

	for (unsigned i = 0; i < group->n_members; i++)
		if (group->members[i] == member)
			return PAPI_ECNFLCT;
	if (holds(member, group))
		return PAPI_ECNFLCT;
	members = realloc(group->members, (group->n_members + 1) * sizeof(struct papi_sde_entry *));
	if (!members)
		return PAPI_ENOMEM;
	group->members = members;
	members[group->n_members++] = member;
	papi_sde_changed();
	return PAPI_OK;
}

int papi_sde_add_counter_to_group(
	papi_handle_t handle, const char *event_name, const char *group_name, uint32_t group_flags)
{
	struct papi_sde_entry *member, *group;
	struct papi_sde_library *library;
	int status;

	if (group_flags > PAPI_SDE_MIN)
		return PAPI_EINVAL;
	status = find(handle, event_name, &library, &member);
	if (status != PAPI_OK)
		return status;
	if (member->kind != PAPI_SDE_COUNTER && member->kind != PAPI_SDE_GROUP)
		status = PAPI_EINVAL;
	if (status == PAPI_OK)
		status = find_group(handle, library, group_name, (int)group_flags, member, &group);
	if (status == PAPI_OK)
		status = join_group(group, member);
	papi_sde_unlock();
	return status;
}
