/* SPDX-License-Identifier: BSD-3-Clause */
/* Which events of a set overflow, and how. */
#include "core/overflow.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/handles.h"
#include "core/thread.h"

/* Bits of the overflow vector, and of struct papi_overflow. */
#define VECTOR_BITS 64

static struct papi_sampler *find(const struct papi_eventset *set, int code)
{
	for (unsigned i = 0; papi_eventset_armed(set) && i < set->sampling->n; i++)
		if (set->sampling->samplers[i].code == code)
			return &set->sampling->samplers[i];
	return NULL;
}

static const struct papi_part *part_of_place(const struct papi_eventset *set, unsigned place)
{
	const struct papi_part *part = set->parts;

	while (place >= part->first + part->count)
		part++;
	return part;
}

/* Only what is counted by one native can overflow in hardware; and that native must be one of the first of its part. */
static bool may_be_hardware(const struct papi_eventset *set, unsigned event)
{
	const struct papi_set_event *one = &set->events[event];
	const struct papi_part *part = part_of_place(set, one->places[0]);

	return !one->event.formula && one->event.n_natives == 1 && part->component->overflow &&
		one->places[0] - part->first < VECTOR_BITS;
}

static int arm_native(const struct papi_eventset *set, unsigned place, long long threshold)
{
	const struct papi_part *part = part_of_place(set, place);

	return part->component->overflow->arm(part->control, place - part->first, threshold, set->handle);
}

/* What can be said against it whichever way the event overflows. */
static int check(const struct papi_eventset *set, int code, int threshold, int flags, bool histogram)
{
	int event = papi_eventset_position(set, code);
	const struct papi_sampler *sampler = find(set, code);

	if (set->running)
		return papi_error(PAPI_EISRUN, "the EventSet is counting: stop it before changing what overflows");
	if (event < 0)
		return papi_error(PAPI_ENOEVNT, "event 0x%08x is not in the EventSet: add it first", (unsigned)code);
	if (threshold < 0)
		return papi_error(PAPI_EINVAL, "threshold %d is negative; 0 turns overflow off", threshold);
	if (flags & ~(PAPI_OVERFLOW_FORCE_SW | PAPI_OVERFLOW_HARDWARE) ||
		flags == (PAPI_OVERFLOW_FORCE_SW | PAPI_OVERFLOW_HARDWARE))
		return papi_error(PAPI_EINVAL,
			"overflow flags 0x%x are not 0, PAPI_OVERFLOW_FORCE_SW or PAPI_OVERFLOW_HARDWARE",
			(unsigned)flags);
	if (event >= VECTOR_BITS)
		return papi_error(PAPI_ECOUNT,
			"the event is number %d of the EventSet, and the overflow vector has %d bits", event + 1,
			VECTOR_BITS);
	if (sampler && histogram != (sampler->profil != NULL))
		return papi_error(PAPI_ECNFLCT,
			histogram ? "the event has an overflow handler: turn that off first"
				  : "the event is profiled: turn that off first");
	if (set->options.multiplex)
		return papi_error(PAPI_ECNFLCT,
			"the EventSet is multiplexed: its counts are estimates, which no threshold "
			"can be compared with");
	return PAPI_OK;
}

static int check_software(const struct papi_options *options)
{
	if (options->attach || options->cpu >= 0 || options->granularity != PAPI_GRN_THR)
		return papi_error(PAPI_ECNFLCT,
			"overflow in software looks where the calling thread is, and the EventSet "
			"counts something else");
	return PAPI_OK;
}

int papi_overflow_check(const struct papi_eventset *set, const struct papi_options *options)
{
	if (options->multiplex)
		return papi_error(PAPI_ECNFLCT,
			"events of the EventSet overflow, and the counts of a multiplexed one are "
			"estimates: turn overflow off first");
	return set->sampling->software ? check_software(options) : PAPI_OK;
}

/* All events of a set overflow the same way. */
static int check_mixture(const struct papi_eventset *set, const struct papi_sampler *but, bool software)
{
	bool alone = !papi_eventset_armed(set) || (but && set->sampling->n == 1);

	if (alone || set->sampling->software == software)
		return PAPI_OK;
	if (software)
		return papi_error(PAPI_ECNFLCT,
			"other events of the EventSet overflow in hardware and this one would in software: "
			"use PAPI_OVERFLOW_FORCE_SW for all of them, or another EventSet");
	return papi_error(PAPI_ECNFLCT,
		"other events of the EventSet overflow in software and this one would in hardware: "
		"use PAPI_OVERFLOW_FORCE_SW for it too, or another EventSet");
}

/* A native has one period. */
static int check_native(const struct papi_eventset *set, const struct papi_sampler *but, unsigned place)
{
	for (unsigned i = 0; papi_eventset_armed(set) && !set->sampling->software && i < set->sampling->n; i++)
		if (&set->sampling->samplers[i] != but && set->sampling->samplers[i].place == place)
			return papi_error(PAPI_ECNFLCT,
				"%s counts for another event of the EventSet, too, which overflows already",
				set->natives[place].native->name);
	return PAPI_OK;
}

/* Room for one more, and the set is armed; whoever fails after this calls shrink(). */
static int grow(struct papi_eventset *set)
{
	struct papi_sampling *sampling = set->sampling ? set->sampling : calloc(1, sizeof(*sampling));
	struct papi_sampler *samplers = sampling ? realloc(sampling->samplers, (sampling->n + 1) * sizeof(*samplers))
						 : NULL;

	if (samplers)
		sampling->samplers = samplers;
	else if (!set->sampling)
		free(sampling);
	if (!samplers)
		return papi_error(PAPI_ENOMEM, "no memory for an event that overflows");
	set->sampling = sampling;
	return PAPI_OK;
}

static void shrink(struct papi_eventset *set)
{
	if (set->sampling && set->sampling->n)
		set->features |= PAPI_FEATURE_OVERFLOW;
	else
		papi_overflow_forget(set);
}

static void free_profil(struct papi_sampler *sampler, const struct papi_profil *but)
{
	if (sampler->profil != but)
		free(sampler->profil);
}

/* In hardware unless that is not to be had or not wanted; *software tells which it came to. */
static int choose_and_arm(struct papi_eventset *set, const struct papi_sampler *old, unsigned event, int threshold,
	int flags, bool *software)
{
	unsigned place = set->events[event].places[0];
	int status = PAPI_ENOSUPP;

	*software = flags == PAPI_OVERFLOW_FORCE_SW || !may_be_hardware(set, event);
	if (!*software) {
		status = check_mixture(set, old, false);
		if (status == PAPI_OK)
			status = check_native(set, old, place);
		if (status == PAPI_OK)
			status = arm_native(set, place, threshold);
		if (status != PAPI_ENOSUPP)
			return status;
		*software = true;
		if (flags == PAPI_OVERFLOW_HARDWARE)
			return papi_error_prefix(PAPI_ENOSUPP, "%s", "not in hardware");
	}
	if (flags == PAPI_OVERFLOW_HARDWARE)
		return papi_error(PAPI_ENOSUPP, "the event is derived, or its component has no interrupt");
	status = check_mixture(set, old, true);
	if (status == PAPI_OK)
		status = check_software(&set->options);
	return status;
}

int papi_overflow_arm(struct papi_eventset *set, int code, int threshold, int flags, PAPI_overflow_handler_t handler,
	struct papi_profil *profil)
{
	int status = check(set, code, threshold, flags, profil != NULL);
	bool software, was_hardware;
	struct papi_sampler *sampler;
	unsigned event;

	if (status == PAPI_OK)
		status = papi_eventset_adopt(set);
	if (status == PAPI_OK)
		status = grow(set);
	if (status != PAPI_OK)
		return status;
	event = (unsigned)papi_eventset_position(set, code);
	sampler = find(set, code);
	was_hardware = sampler && !set->sampling->software;
	status = choose_and_arm(set, sampler, event, threshold, flags, &software);
	if (status != PAPI_OK) {
		shrink(set);
		return status;
	}
	if (was_hardware && software)
		arm_native(set, sampler->place, 0);
	if (!sampler)
		sampler = &set->sampling->samplers[set->sampling->n++];
	else
		free_profil(sampler, profil);
	*sampler = (struct papi_sampler){ .code = code,
		.event = event,
		.place = set->events[event].places[0],
		.threshold = threshold,
		.handler = handler,
		.profil = profil };
	set->sampling->software = software;
	shrink(set);
	return PAPI_OK;
}

static void take_out(struct papi_eventset *set, struct papi_sampler *sampler)
{
	struct papi_sampling *sampling = set->sampling;

	/* Should the counters fail to open anew without it, the next start tries again. */
	if (!sampling->software)
		arm_native(set, sampler->place, 0);
	free_profil(sampler, NULL);
	*sampler = sampling->samplers[--sampling->n];
	shrink(set);
}

int papi_overflow_disarm(struct papi_eventset *set, int code, bool histogram)
{
	struct papi_sampler *sampler = find(set, code);

	if (set->running)
		return papi_error(PAPI_EISRUN, "the EventSet is counting: stop it before changing what overflows");
	if (papi_eventset_position(set, code) < 0)
		return papi_error(PAPI_ENOEVNT, "event 0x%08x is not in the EventSet", (unsigned)code);
	if (sampler && histogram == (sampler->profil != NULL))
		take_out(set, sampler);
	return PAPI_OK;
}

void papi_overflow_remove(struct papi_eventset *set, int code)
{
	struct papi_sampler *sampler = find(set, code);

	if (sampler)
		take_out(set, sampler);
}

void papi_overflow_replan(struct papi_eventset *set)
{
	for (unsigned i = 0; i < set->sampling->n; i++) {
		struct papi_sampler *sampler = &set->sampling->samplers[i];
		int event = papi_eventset_position(set, sampler->code);

		if (event < 0)
			continue;
		sampler->event = (unsigned)event;
		sampler->place = set->events[event].places[0];
	}
}

void papi_overflow_forget(struct papi_eventset *set)
{
	struct papi_sampling *sampling = set->sampling;

	if (!sampling)
		return;
	papi_overflow_timer_delete(set);
	for (unsigned i = 0; i < sampling->n; i++)
		free_profil(&sampling->samplers[i], NULL);
	free(sampling->samplers);
	free(sampling);
	set->sampling = NULL;
	set->features &= (uint8_t)~PAPI_FEATURE_OVERFLOW;
}

bool papi_overflow_uses(const struct papi_eventset *set, bool histogram)
{
	for (unsigned i = 0; papi_eventset_armed(set) && i < set->sampling->n; i++)
		if (histogram == (set->sampling->samplers[i].profil != NULL))
			return true;
	return false;
}

int papi_overflow_counts(const struct papi_eventset *set, int code, long long *delivered, long long *lost)
{
	const struct papi_sampler *sampler = find(set, code);

	if (!sampler)
		return papi_error(PAPI_EINVAL, "event 0x%08x does not overflow in this EventSet", (unsigned)code);
	if (delivered)
		*delivered = sampler->delivered;
	if (lost)
		*lost = sampler->lost;
	return PAPI_OK;
}

/* How often it is looked without being told. */
static long find_interval(const struct papi_eventset *set)
{
	if (set->sampling->software)
		return atomic_load(&papi_option_itimer_ns);
	for (unsigned i = 0; i < set->n_parts; i++) {
		const struct papi_component_overflow *overflow = set->parts[i].component->overflow;

		if (overflow && overflow->polled && overflow->polled(set->parts[i].control))
			return PAPI_OVERFLOW_LATER_NS;
	}
	return 0;
}

static int prepare(struct papi_slot *slot)
{
	struct papi_eventset *set = slot->set;
	int status;

	set->sampling->interval = find_interval(set);
	status = papi_overflow_timer_make(set);
	if (status != PAPI_OK)
		return status;
	/* A read that fails in a handler must find its place to say why. */
	if (!papi_error_prepare())
		return PAPI_ENOMEM;
	atomic_store(&slot->leftover, false);
	for (unsigned i = 0; i < set->sampling->n; i++) {
		struct papi_sampler *sampler = &set->sampling->samplers[i];

		sampler->seen = sampler->progress = 0;
		sampler->delivered = sampler->lost = 0;
	}
	return PAPI_OK;
}

static int started(struct papi_slot *slot)
{
	if (slot->set->sampling->interval)
		papi_overflow_timer_again(slot, slot->set->sampling->interval);
	return PAPI_OK;
}

static int stopping(struct papi_slot *slot)
{
	if (slot->set->sampling->interval)
		papi_overflow_timer_stop(slot->set);
	return PAPI_OK;
}

const struct papi_feature papi_overflow_feature = {
	.in[PAPI_PHASE_PREPARE] = prepare,
	.in[PAPI_PHASE_STARTED] = started,
	.in[PAPI_PHASE_REBASED] = papi_overflow_rebased,
	.in[PAPI_PHASE_STOPPING] = stopping,
	.in[PAPI_PHASE_STOPPED] = papi_overflow_stopped,
	.in[PAPI_PHASE_LEFT] = papi_overflow_left,
	.in[PAPI_PHASE_FORKED] = papi_overflow_forked,
};
