/* SPDX-License-Identifier: BSD-3-Clause */
/* Created counters tell when they have counted a threshold; of others the engine's timer finds it out. See sde.h. */
#include <stdlib.h>
#include <ucontext.h>

#include "base/error.h"
#include "components/sde/sde.h"
#include "core/overflow.h"

/* In papi_sde_inc_counter(), whichever thread called it. */
static void tell(int cookie)
{
	ucontext_t context;

	getcontext(&context);
	papi_overflow_pending(cookie, &context);
}

void papi_sde_overflow_forget(struct papi_sde_native *native)
{
	if (!native->watch)
		return;
	papi_sde_find()->unwatch(native->watched, native->watch);
	free(native->watch);
	native->watch = NULL;
}

int papi_sde_arm(void *pointer, unsigned position, long long threshold, int cookie)
{
	struct papi_sde_control *control = pointer;
	struct papi_sde_native *native = &control->natives[position];
	const struct papi_sde_tools *tools = papi_sde_find();
	struct papi_sde_watch *watch;

	if (!threshold) {
		papi_sde_overflow_forget(native);
		return PAPI_OK;
	}
	watch = calloc(1, sizeof(*watch));
	if (!watch)
		return papi_error(PAPI_ENOMEM, "no memory for an event that overflows");
	watch->threshold = threshold;
	watch->tell = tell;
	watch->cookie = cookie;
	if (!native->entry || !tools->watch || !tools->watch(native->entry, watch)) {
		free(watch);
		return papi_error(PAPI_ENOSUPP,
			"only counters of papi_sde_create_counter tell by themselves what they have counted");
	}
	papi_sde_overflow_forget(native);
	native->watch = watch;
	native->watched = native->entry;
	return PAPI_OK;
}

int papi_sde_overflow_start(struct papi_sde_control *control)
{
	for (unsigned i = 0; i < control->n; i++) {
		struct papi_sde_native *native = &control->natives[i];

		if (!native->watch || papi_sde_find()->expect(native->watched, native->watch, true))
			continue;
		return papi_error(PAPI_ENOSUPP,
			"sde:::%.128s is to overflow in hardware, and is no counter of papi_sde_create_counter any "
			"more",
			native->name);
	}
	return PAPI_OK;
}

void papi_sde_overflow_stop(struct papi_sde_control *control)
{
	for (unsigned i = 0; i < control->n; i++)
		if (control->natives[i].watch)
			papi_sde_find()->expect(control->natives[i].watched, control->natives[i].watch, false);
}

unsigned papi_sde_overflows(void *pointer, struct papi_overflow taken[], unsigned n)
{
	struct papi_sde_control *control = pointer;
	unsigned found = 0;

	for (unsigned i = 0; i < control->n && (found < n || !n); i++) {
		struct papi_sde_watch *watch = control->natives[i].watch;
		uint64_t passed = watch ? atomic_load(&watch->passed) : 0;

		if (!passed)
			continue;
		if (!n)
			return 1;
		passed = atomic_exchange(&watch->passed, 0);
		taken[found++] = (struct papi_overflow){ .natives = 1ull << i,
			.address = atomic_load(&watch->address),
			.lost = passed - 1,
			.happened = true };
	}
	return found;
}

static int not_ours(const char *function)
{
	return papi_result(papi_error(PAPI_ECMP,
		"%s: overflows of software-defined events are found by the timer of PAPI_overflow, or told by the "
		"libsde of this library; that of another making is not asked to look for them",
		function));
}

int papi_sde_check_overflow_status(unsigned int cntr_id, long long latest)
{
	(void)cntr_id;
	(void)latest;
	return not_ours("papi_sde_check_overflow_status");
}

int papi_sde_set_timer_for_overflow(void)
{
	return not_ours("papi_sde_set_timer_for_overflow");
}
