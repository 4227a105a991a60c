/* SPDX-License-Identifier: BSD-3-Clause */
/* What libpapi sees of the registry. See tools.h. */
#include "sde/tools.h"

#include <stdio.h>
#include <string.h>

#include "sde/registry.h"
#include "sde/store.h"

static bool name_at(unsigned position, char *name, size_t size)
{
	struct papi_sde_entry *entry = NULL;

	papi_sde_lock();
	while ((entry = papi_sde_entry_next(entry)))
		if (atomic_load(&entry->live) && position-- == 0)
			break;
	if (entry)
		snprintf(name, size, "%s", entry->name);
	papi_sde_unlock();
	return entry != NULL;
}

static struct papi_sde_entry *find(const char *name)
{
	struct papi_sde_entry *entry;

	papi_sde_lock();
	entry = papi_sde_entry_find(name);
	if (entry && !atomic_load(&entry->live))
		entry = NULL;
	papi_sde_unlock();
	return entry;
}

static bool facts_of(struct papi_sde_entry *entry, struct papi_sde_facts *facts)
{
	bool live;

	papi_sde_lock();
	live = atomic_load(&entry->live);
	if (live) {
		*facts = (struct papi_sde_facts){ .incarnation = atomic_load(&entry->incarnation),
			.born = entry->born,
			.kind = entry->kind,
			.mode = entry->mode,
			.type = entry->type,
			.operation = entry->operation };
		facts->quantiles = entry->kind == PAPI_SDE_RECORDER && papi_sde_store_sorts(entry->store);
		snprintf(facts->description, sizeof(facts->description), "%s",
			entry->description ? entry->description : "");
	}
	papi_sde_unlock();
	return live;
}

static struct papi_sde_entry *member_of(struct papi_sde_entry *group, unsigned position)
{
	struct papi_sde_entry *member;

	papi_sde_lock();
	member = position < group->n_members ? group->members[position] : NULL;
	papi_sde_unlock();
	return member;
}

/*
 * A variable that the program changes as it likes: read whole, but in no order with anything else. Of a misaligned one
 * not even that can be had.
 */
static union papi_sde_value value_at(const void *variable, int type)
{
	union papi_sde_value value = { 0 };
	float narrow;
	int small;

	switch (type) {
	case PAPI_SDE_int:
		__atomic_load((const int *)variable, &small, __ATOMIC_RELAXED);
		value.integer = small;
		break;
	case PAPI_SDE_double:
		__atomic_load((const double *)variable, &value.real, __ATOMIC_RELAXED);
		break;
	case PAPI_SDE_float:
		__atomic_load((const float *)variable, &narrow, __ATOMIC_RELAXED);
		value.real = (double)narrow;
		break;
	default:
		__atomic_load((const long long *)variable, &value.integer, __ATOMIC_RELAXED);
	}
	return value;
}

/* What a function gives is as a variable of the type, at the start of the eight bytes; of an int it is the number. */
static union papi_sde_value call(const struct papi_sde_entry *entry)
{
	long long result;

	papi_sde_callback_depth++;
	result = entry->function(entry->param);
	papi_sde_callback_depth--;
	if (entry->type == PAPI_SDE_int)
		return (union papi_sde_value){ .integer = (int)result };
	return value_at(&result, entry->type);
}

static bool read_value(struct papi_sde_entry *entry, uint32_t incarnation, union papi_sde_value *value)
{
	if (!papi_sde_reader_enter(entry, incarnation))
		return false;
	switch (entry->source) {
	case PAPI_SDE_VARIABLE:
		*value = value_at(entry->variable, entry->type);
		break;
	case PAPI_SDE_FUNCTION:
		*value = call(entry);
		break;
	case PAPI_SDE_CREATED:
		value->integer = atomic_load_explicit(&entry->count, memory_order_relaxed);
		/* Resets are for those who read the counter as it stands. */
		if (entry->mode & PAPI_SDE_INSTANT)
			value->integer -= atomic_load_explicit(&entry->zero, memory_order_relaxed);
		break;
	case PAPI_SDE_NO_SOURCE:
		value->integer = 0;
		break;
	}
	papi_sde_reader_leave(entry);
	return true;
}

const struct papi_sde_tools *papi_sde_tools(void)
{
	static const struct papi_sde_tools tools = {
		.version = PAPI_SDE_TOOLS_VERSION,
		.take_over_forks = papi_sde_take_over_forks,
		.fork_prepare = papi_sde_fork_prepare,
		.fork_parent = papi_sde_fork_parent,
		.fork_child = papi_sde_fork_child,
		.changes = papi_sde_changes,
		.name = name_at,
		.find = find,
		.facts = facts_of,
		.member = member_of,
		.read = read_value,
		.copy = papi_sde_store_copy,
		.watch = papi_sde_watch_add,
		.expect = papi_sde_watch_expect,
		.unwatch = papi_sde_watch_remove,
	};

	return &tools;
}
