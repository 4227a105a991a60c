/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/wants.h"

#include <string.h>

#include "base/error.h"
#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/calls.h"
#include "components/vpmu/translator/jumps.h"
#include "components/vpmu/translator/profile.h"
#include "components/vpmu/translator/trace.h"

void papi_vpmu_wants_join(struct papi_vpmu_wants *all, const struct papi_vpmu_wants *wants)
{
	all->counters |= wants->counters;
	all->parts |= wants->parts;
	all->profile |= wants->profile;
	all->modelled |= wants->modelled;
	all->calls |= wants->calls;
	all->contexts |= wants->contexts;
	all->inherit |= wants->inherit;
	all->overflow |= wants->overflow;
	for (unsigned i = 0; i <= PAPI_VPMU_LAST_MODELLED; i++)
		if (wants->weights[i] > all->weights[i])
			all->weights[i] = wants->weights[i];
	all->instructions_start = wants->instructions_start;
	all->instructions_end = wants->instructions_end;
	all->data_start = wants->data_start;
	all->data_end = wants->data_end;
}

bool papi_vpmu_wants_same_ranges(const struct papi_vpmu_wants *a, const struct papi_vpmu_wants *b)
{
	return a->instructions_start == b->instructions_start && a->instructions_end == b->instructions_end &&
		a->data_start == b->data_start && a->data_end == b->data_end;
}

bool papi_vpmu_wants_are_same(const struct papi_vpmu_wants *a, const struct papi_vpmu_wants *b)
{
	return a->counters == b->counters && a->parts == b->parts && a->profile == b->profile &&
		a->modelled == b->modelled && a->region == b->region && a->calls == b->calls &&
		a->contexts == b->contexts && a->inherit == b->inherit && a->traces == b->traces &&
		papi_vpmu_wants_same_ranges(a, b) && a->overflow == b->overflow &&
		(!a->overflow || !memcmp(a->weights, b->weights, sizeof(a->weights)));
}

/* Sorts of code that nobody uses make room for others. */
static void exchange(struct papi_vpmu_flavour **used, struct papi_vpmu_flavour *flavour)
{
	if (flavour)
		flavour->users++;
	if (*used)
		(*used)->users--;
	*used = flavour;
}

void papi_vpmu_thread_trace(struct papi_vpmu_thread *thread, bool traces)
{
	struct papi_vpmu_wants wants = thread->wants;
	struct papi_vpmu_flavour *flavour;

	wants.traces = traces;
	flavour = papi_vpmu_flavour_get(&wants);
	if (!flavour || flavour == thread->flavour)
		return;
	papi_vpmu_jumps_change(thread);
	exchange(&thread->flavour, flavour);
	thread->wants.traces = traces;
	thread->looks = !traces;
	papi_vpmu_trace_choose(thread);
}

static int use(struct papi_vpmu_thread *thread, const struct papi_vpmu_wants *wants, uint64_t stack)
{
	struct papi_vpmu_flavour *flavour = NULL, *library, *stepping = NULL;
	bool complete;

	papi_vpmu_cache_lock();
	library = papi_vpmu_flavour_library();
	exchange(&flavour, papi_vpmu_flavour_get(wants));
	if (wants->overflow)
		exchange(&stepping, papi_vpmu_flavour_step(wants));
	complete = flavour && library && (stepping || !wants->overflow) &&
		(!wants->profile || papi_vpmu_profile_enter(thread));
	if (complete && wants->calls && !thread->calls) {
		thread->wants = *wants;
		complete = papi_vpmu_calls_begin(thread);
	}
	if (complete) {
		if (thread->flavour && flavour != thread->flavour)
			papi_vpmu_jumps_change(thread);
		exchange(&thread->flavour, flavour);
		exchange(&thread->stepping, stepping);
		thread->library = library;
	}
	exchange(&flavour, NULL);
	exchange(&stepping, NULL);
	papi_vpmu_cache_unlock();
	if (!complete)
		return papi_error(PAPI_ENOMEM,
			"no room for another sort of translated code: what the threads of the program count "
			"differs in too many ways");
	thread->wants = *wants;
	if (wants->parts && !papi_vpmu_trace_begin(thread, stack))
		return papi_error(PAPI_ENOMEM, "no memory for the simulators of caches and branches");
	return PAPI_OK;
}

int papi_vpmu_thread_use(struct papi_vpmu_thread *thread, const struct papi_vpmu_wants *wants, uint64_t stack)
{
	struct papi_vpmu_wants chosen = *wants;

	chosen.traces = !thread->looks && papi_vpmu_trace_comes_first(wants);
	return use(thread, &chosen, stack);
}
