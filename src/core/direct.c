/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/direct.h"

#include <stdatomic.h>

#include "core/handles.h"

_Thread_local int papi_direct_kept;

/* Whether any set has ever been kept: most programs that attach sets never see one. */
static _Atomic bool any_kept;

struct papi_direct *papi_direct_ask(struct papi_eventset *set)
{
	struct papi_direct *direct = NULL;

	for (unsigned i = 0; i < set->n_parts; i++)
		if (set->parts[i].component->direct)
			direct = set->parts[i].component->direct(set->parts[i].control);
	return direct;
}

void papi_direct_keep(struct papi_eventset *set)
{
	if (papi_direct_kept != set->handle + 1)
		papi_direct_let_go_other(set);
	papi_direct_kept = set->handle + 1;
	atomic_store_explicit(&any_kept, true, memory_order_relaxed);
}

static void let_go(struct papi_slot *slot)
{
	struct papi_eventset *set = slot->set;

	for (unsigned i = 0; !set->running && i < set->n_parts; i++)
		if (set->parts[i].component->let_go)
			set->parts[i].component->let_go(set->parts[i].control);
	papi_handle_leave(slot);
}

void papi_direct_let_go_other(struct papi_eventset *set)
{
	int handle = papi_direct_kept - 1;
	struct papi_slot *slot = papi_handle_slot(handle);

	if (handle < 0 || handle == set->handle)
		return;
	papi_direct_kept = 0;
	/* A signal handler may have interrupted a call on that set: then it is in use, and not just kept. */
	if (!papi_handle_enter_another(slot, false))
		return;
	if (slot->set && slot->set->handle == handle)
		let_go(slot);
	else
		papi_handle_leave(slot);
}

void papi_direct_let_go_all(void)
{
	if (atomic_load_explicit(&any_kept, memory_order_relaxed))
		papi_handle_each(let_go, false);
}
