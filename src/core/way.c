/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/way.h"

#include <stdatomic.h>

#include "core/direct.h"
#include "core/handles.h"

_Thread_local int papi_way_kept;

/* Whether any set has ever been kept: most programs that attach sets never see one. */
static _Atomic bool any_kept;

/* Where a set has several components, the answer only tells that something can be read, or is kept. */
static struct papi_direct *ask(const struct papi_eventset *set)
{
	struct papi_direct *direct = NULL;

	for (unsigned i = 0; i < set->n_parts; i++)
		if (set->parts[i].component->direct)
			direct = set->parts[i].component->direct->describe(set->parts[i].control);
	return direct;
}

static void let_go(struct papi_slot *slot)
{
	struct papi_eventset *set = slot->set;

	for (unsigned i = 0; !set->running && i < set->n_parts; i++)
		if (set->parts[i].component->direct)
			set->parts[i].component->direct->let_go(set->parts[i].control);
	papi_handle_leave(slot);
}

/* What the calling thread keeps, unless it is this set. */
static void let_go_other(const struct papi_eventset *set)
{
	int handle = papi_way_kept - 1;
	struct papi_slot *slot = papi_handle_slot(handle);

	if (handle < 0 || handle == set->handle)
		return;
	papi_way_kept = 0;
	/* A signal handler may have interrupted a call on that set: then it is in use, and not just kept. */
	if (!papi_handle_enter_another(slot, false))
		return;
	if (slot->set && slot->set->handle == handle)
		let_go(slot);
	else
		papi_handle_leave(slot);
}

void papi_way_clear(struct papi_eventset *set)
{
	if (__builtin_expect(papi_way_kept, 0))
		let_go_other(set);
	/* Of any thread, but for the sets that the caller is inside of. */
	if (set->options.attach && atomic_load_explicit(&any_kept, memory_order_relaxed))
		papi_handle_each(let_go, false);
}

/* The set is kept, or will be when it stops. */
static void keep(const struct papi_eventset *set)
{
	let_go_other(set);
	papi_way_kept = set->handle + 1;
	atomic_store_explicit(&any_kept, true, memory_order_relaxed);
}

void papi_way_choose(struct papi_eventset *set)
{
	set->direct = ask(set);
	if (set->direct && set->direct->can_keep)
		keep(set);
	/* A set that counts others must clear the way each time it starts. */
	if (!set->as_counted || set->features || (!set->direct && set->options.attach))
		set->way = PAPI_WAY_FULL;
	else
		set->way = set->direct ? PAPI_WAY_DIRECT : PAPI_WAY_SHORT;
}

void papi_way_settle(struct papi_eventset *set)
{
	if (!set->direct)
		return;
	set->direct = ask(set);
	if (set->direct)
		keep(set);
}

/* Features: what has been written since. Where nothing describes the direct way any more, the next start chooses. */
static bool may_open(const struct papi_eventset *set)
{
	return set->way != PAPI_WAY_FULL && (set->way == PAPI_WAY_SHORT || set->direct) && !set->features &&
		set->owner == papi_thread_number();
}

void papi_way_open(struct papi_slot *slot)
{
	const struct papi_eventset *set = slot->set;
	uint64_t key = papi_way_key(set->owner, set->handle);

	if (!may_open(set))
		return;
	slot->open.direct = NULL;
	if (set->way == PAPI_WAY_DIRECT) {
		slot->open.direct = set->direct->counters;
		set->direct->keeps = set->direct->can_keep && papi_way_kept == set->handle + 1;
	}
	if (set->running)
		papi_way_starts(slot, key);
	else
		papi_way_stops(slot, key);
}
