/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * EventSets on the virtual PMU. The engine's counters run on for ever; a control keeps, for each of its events, the sum
 * that was the baseline. Everything counts all the time: there is no limit, and nothing to multiplex.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "components/vpmu/engine.h"
#include "components/vpmu/mode.h"
#include "components/vpmu/models/geometry.h"
#include "components/vpmu/names.h"
#include "components/vpmu/sampling.h"
#include "components/vpmu/vpmu.h"
#include "core/thread.h"
#include "linux/time/clock.h"

struct control {
	const struct papi_vpmu_event **events;
	long long *base; /* of each event: its sum at the baseline */
	unsigned n;
	uint32_t thread; /* papi_thread_number() of whom it counts */
	bool running;
	bool inherit;
	struct papi_range data, instructions;
	struct papi_vpmu_wants wants;        /* as started */
	long long started, ran;              /* real time, ns */
	struct papi_vpmu_sampling *sampling; /* NULL: no event overflows */
};

static PAPI_component_info_t info = {
	.name = "vpmu",
	.short_name = "vpmu",
	.description =
		"Virtual PMU: exact counts of instructions by translation; modelled caches, branch prediction and "
		"cycles",
	.version = "7.0",
	.default_domain = PAPI_DOM_USER,
	.available_domains = PAPI_DOM_USER,
	.default_granularity = PAPI_GRN_THR,
	.available_granularities = PAPI_GRN_THR,
	.fast_counter_read = 1,
};

static int probe(PAPI_component_info_t *facts)
{
	/* Not in the initializer: they are in another struct of the union, which would put the bits above out. */
	facts->data_address_range = facts->instr_address_range = 1;
	facts->num_cntrs = facts->num_mpx_cntrs = (int)papi_vpmu_event_count;
	if (papi_vpmu_mode_forbids(facts->disabled_reason, sizeof(facts->disabled_reason)) ||
		!papi_vpmu_engine_probe(facts->disabled_reason, sizeof(facts->disabled_reason)))
		return PAPI_ECMP_DISABLED;
	return PAPI_OK;
}

/* Whether the engine can feed the models that the event needs. */
static bool can_be_modelled(const struct papi_vpmu_event *event)
{
	return !papi_vpmu_event_is_modelled(event) || papi_vpmu_engine_parts();
}

/* Where there is nothing to model, what is modelled is not listed. */
static bool is_listed(const struct papi_vpmu_event *event)
{
	const struct papi_vpmu_geometry *geometry;
	char reason[PAPI_MAX_STR_LEN];

	if (!can_be_modelled(event))
		return false;
	if (!papi_vpmu_event_is_l3(event))
		return true;
	geometry = papi_vpmu_geometry_current(reason, sizeof(reason));
	return !geometry || geometry->l3.ways;
}

static void survey(PAPI_component_info_t *facts)
{
	facts->num_native_events = 0;
	for (size_t i = 0; i < papi_vpmu_event_count; i++)
		facts->num_native_events += is_listed(&papi_vpmu_events[i]);
}

static void forget(void)
{
	/* Threads that an agent counts need it at any moment. */
	if (!papi_vpmu_engine_is_lent())
		papi_vpmu_geometry_forget();
}

static int event_name(unsigned position, char *name, size_t size)
{
	for (size_t i = 0; i < papi_vpmu_event_count; i++)
		if (is_listed(&papi_vpmu_events[i]) && position-- == 0) {
			snprintf(name, size, "%s", papi_vpmu_events[i].name);
			return PAPI_OK;
		}
	return PAPI_ENOEVNT;
}

static int mask_name(const char *event, unsigned position, char *name, size_t size)
{
	(void)event;
	(void)position;
	(void)name;
	(void)size;
	return PAPI_ENOEVNT;
}

/* Modelled events need to know what to model. */
static int check_model(const struct papi_vpmu_event *event)
{
	const struct papi_vpmu_geometry *geometry;
	char reason[PAPI_HUGE_STR_LEN];

	if (!papi_vpmu_event_is_modelled(event))
		return PAPI_OK;
	if (!can_be_modelled(event))
		return papi_error(PAPI_ENOEVNT,
			"caches, branch prediction and cycles are modelled on x86-64 only, as yet: on this processor "
			"exact events are counted");
	geometry = papi_vpmu_geometry_current(reason, sizeof(reason));
	if (!geometry)
		return papi_error(PAPI_ENOEVNT, "%s", reason);
	if (papi_vpmu_event_is_l3(event) && geometry->l3.ways == 0)
		return papi_error(PAPI_ENOEVNT,
			"there is no third level of cache to model: this machine has none, or "
			"PAPI_VPMU_CACHE takes it away");
	return PAPI_OK;
}

static int resolve(const char *name, void **encoding)
{
	const struct papi_vpmu_event *event = papi_vpmu_event_find(name);
	int status;

	if (!event)
		return papi_error(PAPI_ENOEVNT,
			"component vpmu has no event \"%.64s\"; papi_native_avail lists those it has", name);
	status = check_model(event);
	if (status == PAPI_OK)
		*encoding = (void *)(uintptr_t)event;
	return status;
}

static void release(void *encoding)
{
	(void)encoding;
}

/* Something unusual comes first. */
static void write_note(const struct papi_vpmu_event *event, char *note, size_t size)
{
	char reason[PAPI_MAX_STR_LEN];
	const struct papi_vpmu_geometry *geometry = papi_vpmu_event_is_modelled(event)
		? papi_vpmu_geometry_current(reason, sizeof(reason))
		: NULL;

	if (geometry && geometry->choice.groups && papi_vpmu_event_is_sampled(event))
		snprintf(note, size,
			"estimated from %u of %u parts of the sets of caches (PAPI_VPMU_MODEL=sampled; papi_run tells "
			"how far the count may be off); %s",
			geometry->choice.groups, geometry->choice.classes, papi_vpmu_event_note(event));
	else if (geometry && geometry->shared_l3 && papi_vpmu_event_asks_l3(event))
		snprintf(note, size,
			"depends on the timing of threads, which share the L3 (PAPI_VPMU_CACHE has L3=shared); %s",
			papi_vpmu_event_note(event));
	else
		snprintf(note, size, "%s", papi_vpmu_event_note(event));
}

static int describe(const char *name, const void *encoding, PAPI_event_info_t *event_info)
{
	const struct papi_vpmu_event *event = encoding ? encoding : papi_vpmu_event_find(name);

	if (!event)
		return papi_error(PAPI_ENOEVNT, "component vpmu has no event \"%.64s\"", name);
	snprintf(event_info->long_descr, sizeof(event_info->long_descr), "%s", event->description);
	snprintf(event_info->short_descr, sizeof(event_info->short_descr), "%.63s", event->description);
	snprintf(event_info->units, sizeof(event_info->units), "%s",
		event->worth == PAPI_VPMU_CYCLE_MODEL ? "cycles" : "");
	write_note(event, event_info->note, sizeof(event_info->note));
	event_info->location = PAPI_LOCATION_CPU;
	return PAPI_OK;
}

static int add(void *pointer, const void *encoding)
{
	struct control *control = pointer;
	const struct papi_vpmu_event **events = realloc(control->events, (control->n + 1) * sizeof(*events));
	long long *base;

	if (events)
		control->events = events;
	base = realloc(control->base, (control->n + 1) * sizeof(*base));
	if (base)
		control->base = base;
	if (!events || !base)
		return papi_error(PAPI_ENOMEM, "no memory for the counters of an EventSet");
	control->events[control->n++] = encoding;
	return PAPI_OK;
}

static int take_out(void *pointer, unsigned position)
{
	struct control *control = pointer;

	control->n--;
	papi_vpmu_sampling_remove(control->sampling, position);
	memmove(&control->events[position], &control->events[position + 1],
		(control->n - position) * sizeof(*control->events));
	return PAPI_OK;
}

static int configure(void *pointer, const struct papi_options *options)
{
	struct control *control = pointer;

	if (options->attach || options->cpu >= 0)
		return papi_error(PAPI_ECMP,
			"virtual events count by translating the calling thread: other threads, processes "
			"and CPUs cannot be counted. papi_run counts whole programs");
	if (options->granularity != PAPI_GRN_THR)
		return papi_error(PAPI_ECMP, "virtual events count single threads: PAPI_GRN_THR");
	if (papi_range_is_set(&options->data) && !papi_vpmu_engine_parts())
		return papi_error(PAPI_ECMP, "virtual events cannot count in ranges of data on this processor as yet");
	if (!(options->domain & PAPI_DOM_USER))
		return papi_error(PAPI_EINVAL_DOM,
			"virtual events count in user mode only, the kernel cannot be translated: add "
			"PAPI_DOM_USER to the domain");
	/* Programs ask for all modes as a habit. They get what can be counted, and are told. */
	if (options->domain & (PAPI_DOM_KERNEL | PAPI_DOM_SUPERVISOR))
		papi_error(PAPI_OK,
			"virtual events count in user mode only, the kernel cannot be translated: of domain 0x%x "
			"PAPI_DOM_USER is counted",
			(unsigned)options->domain);
	control->inherit = options->inherit;
	control->data = options->data;
	control->instructions = options->instructions;
	return PAPI_OK;
}

/* Who counts a modelled event knows the geometry since it was added. */
static unsigned parts_of(const struct papi_vpmu_event *event)
{
	const struct papi_vpmu_geometry *geometry = papi_vpmu_event_is_modelled(event)
		? papi_vpmu_geometry_current(NULL, 0)
		: NULL;

	return papi_vpmu_event_parts(event, !geometry || geometry->shared_tlb2);
}

/* What the thread has to have instrumented for these events. */
static struct papi_vpmu_wants wants_of(const struct control *control)
{
	struct papi_vpmu_wants wants = {
		.inherit = control->inherit,
		/* It is what knows addresses. */
		.parts = papi_range_is_set(&control->data) ? PAPI_VPMU_PART_DATA : 0,
		.instructions_start = control->instructions.start,
		.instructions_end = control->instructions.end,
		.data_start = control->data.start,
		.data_end = control->data.end,
	};

	for (unsigned i = 0; i < control->n; i++) {
		const struct papi_vpmu_event *event = control->events[i];

		wants.parts |= parts_of(event);
		for (unsigned j = 0; j < event->n_terms; j++)
			if (event->terms[j].counter < PAPI_VPMU_FIRST_MODELLED)
				wants.counters |= 1ull << event->terms[j].counter;
	}
	return wants;
}

static int start_from(void *pointer, void *frame)
{
	struct control *control = pointer;
	const uint64_t *counters;
	const char *lost;
	int status;

	control->wants = wants_of(control);
	if (control->wants.inherit && control->wants.parts)
		return papi_error(PAPI_ECMP,
			"modelled events, and ranges of data, do not count the threads that the counted one "
			"makes: leave PAPI_INHERIT out, or start an EventSet in each thread");
	status = papi_vpmu_sampling_start(control->sampling, &control->wants);
	/* Near an overflow of misses the models are asked what they hold. */
	if (control->wants.overflow && control->wants.parts)
		control->wants.parts = PAPI_VPMU_PARTS;
	if (status == PAPI_OK)
		status = papi_vpmu_engine_start(&control->wants, frame);
	if (status != PAPI_OK) {
		papi_vpmu_sampling_stop(control->sampling);
		return status;
	}
	counters = papi_vpmu_engine_counters(&lost);
	for (unsigned i = 0; i < control->n; i++)
		control->base[i] = papi_vpmu_event_sum(control->events[i], counters);
	control->thread = papi_thread_number();
	control->running = true;
	control->started = papi_clock_real_ns();
	return PAPI_OK;
}

static int start(void *pointer)
{
	return start_from(pointer, NULL);
}

static const uint64_t *counters_of(const struct control *control, int *status)
{
	const uint64_t *counters;
	const char *lost;

	if (__builtin_expect(control->thread != papi_thread_number(), 0)) {
		*status = papi_error(PAPI_ECMP, "virtual events can be read only by the thread that started them");
		return NULL;
	}
	counters = papi_vpmu_engine_counters(&lost);
	if (__builtin_expect(counters && !lost, 1))
		return counters;
	*status = papi_error(PAPI_ECNFLCT, "the counts are lost: %s", lost ? lost : "the thread has not started");
	return NULL;
}

/* All at one moment: the program's signal handlers count, too, and one may come while this reads. */
static int read_sums(const struct control *control, long long sums[])
{
	uint64_t interruptions;
	int status = PAPI_OK;

	do {
		const uint64_t *counters;

		interruptions = papi_vpmu_engine_interruptions();
		counters = counters_of(control, &status);
		if (!counters)
			return status;
		for (unsigned i = 0; i < control->n; i++)
			sums[i] = papi_vpmu_event_sum(control->events[i], counters) - control->base[i];
	} while (__builtin_expect(interruptions != papi_vpmu_engine_interruptions(), 0));
	return status;
}

static int read_values(void *pointer, long long values[], bool rebase)
{
	struct control *control = pointer;
	int status = read_sums(control, values);

	if (status != PAPI_OK)
		return status;
	for (unsigned i = 0; i < control->n; i++) {
		unsigned fraction = control->events[i]->fraction;

		values[i] >>= fraction;
		/* A part that is less than one is not lost: it is in the next value. */
		if (rebase)
			control->base[i] += values[i] << fraction;
	}
	if (rebase)
		control->started = papi_clock_real_ns();
	return PAPI_OK;
}

/* The thread counts for this EventSet no longer. */
static void leave(struct control *control)
{
	if (control->thread == papi_thread_number()) {
		papi_vpmu_sampling_stop(control->sampling);
		papi_vpmu_engine_stop(&control->wants);
	} else {
		papi_vpmu_sampling_abandon(control->sampling);
		papi_vpmu_engine_abandon(control->thread);
	}
	control->running = false;
}

static int stop(void *pointer, long long values[])
{
	struct control *control = pointer;
	int status = read_values(pointer, values, false);

	leave(control);
	control->ran = papi_clock_real_ns() - control->started;
	return status;
}

static void times(void *pointer, unsigned position, long long *enabled, long long *running, bool counting)
{
	struct control *control = pointer;

	(void)position;
	if (counting)
		control->ran = papi_clock_real_ns() - control->started;
	*enabled = *running = control->ran;
}

static int arm(void *pointer, unsigned position, long long threshold, int cookie)
{
	struct control *control = pointer;

	return papi_vpmu_sampling_arm(&control->sampling, control->events[position], position, threshold, cookie);
}

static unsigned overflows(void *pointer, struct papi_overflow taken[], unsigned n)
{
	return papi_vpmu_sampling_take(((struct control *)pointer)->sampling, taken, n);
}

void papi_vpmu_control_plan(const void *control, struct papi_agent_plan *plan)
{
	const struct control *chosen = control;
	struct papi_vpmu_wants wants = wants_of(control);

	*plan = (struct papi_agent_plan){ .counters = wants.counters, .parts = wants.parts };
	for (unsigned i = 0; i < chosen->n; i++)
		for (unsigned j = 0; j < chosen->events[i]->n_terms; j++)
			if (chosen->events[i]->terms[j].counter >= PAPI_VPMU_FIRST_MODELLED)
				plan->modelled |= 1ull << chosen->events[i]->terms[j].counter;
}

void papi_vpmu_control_values(const void *pointer, const uint64_t counters[], long long values[])
{
	const struct control *control = pointer;

	for (unsigned i = 0; i < control->n; i++)
		values[i] = papi_vpmu_event_sum(control->events[i], counters) >> control->events[i]->fraction;
}

static void close_control(void *pointer)
{
	struct control *control = pointer;

	if (control->running) /* PAPI_shutdown() stops nothing first */
		leave(control);
	free(control->events);
	free(control->base);
	papi_vpmu_sampling_free(control->sampling);
	*control = (struct control){ 0 };
}

static void forked(void *pointer)
{
	struct control *control = pointer;

	control->running = false;
	papi_vpmu_engine_forked();
	papi_vpmu_sampling_forked(control->sampling);
}

/* Presets are no events of what counts nothing. */
static int pmu_name(unsigned position, char *name, size_t size)
{
	return info.disabled ? PAPI_ENOEVNT : papi_vpmu_pmu_name(position, name, size);
}

static const struct papi_component_overflow overflow = {
	.arm = arm,
	.fetch = overflows,
};

static const struct papi_component_translator translator = {
	.start = start_from,
	.sigaction = papi_vpmu_engine_sigaction,
	.region = papi_vpmu_engine_region,
};

const struct papi_component papi_vpmu_component = {
	.info = &info,
	.control_size = sizeof(struct control),
	.probe = probe,
	.survey = survey,
	.shutdown = forget,
	.pmu_name = pmu_name,
	.event_name = event_name,
	.mask_name = mask_name,
	.resolve = resolve,
	.release = release,
	.describe = describe,
	.add = add,
	.remove = take_out,
	.configure = configure,
	.start = start,
	.stop = stop,
	.read = read_values,
	.times = times,
	.close = close_control,
	.forked = forked,
	.overflow = &overflow,
	.translator = &translator,
};
