/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/sampling.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "components/vpmu/engine.h"
#include "components/vpmu/models/geometry.h"
#include "core/overflow.h"

#define NATIVES 64 /* that can overflow: those with a bit */
#define QUEUE   16

struct sampler {
	struct run *run;
	const struct papi_vpmu_event *event;
	long long threshold; /* 0: does not overflow */
	long long next;      /* the sum at which it does */
	bool begun;          /* next is known */
	unsigned position;
};

/*
 * What the thread that counts looks at, at any time. It may still do so when another thread has stopped the EventSet,
 * or destroyed it: whoever lets go last, thread or EventSet, puts it among the unused ones.
 */
struct run {
	_Atomic unsigned users; /* the EventSet, and the engine for each sampler that it knows */
	_Atomic bool abandoned; /* stopped by another thread */
	struct sampler samplers[NATIVES];
	int cookie;
	/* Overflows that nobody has fetched. */
	struct papi_overflow queue[QUEUE];
	unsigned first, n;
	struct run *next; /* among the unused */
};

struct papi_vpmu_sampling {
	struct {
		const struct papi_vpmu_event *event;
		long long threshold;
	} armed[NATIVES];
	int cookie;
	struct run *run; /* NULL: another thread has stopped the last one */
};

/* ---- runs ---- */

/* Mapped: PAPI_start may be called where malloc() may not. */
static struct run *_Atomic unused;

/* Also between two instructions of the program. */
static void let_go(struct run *run)
{
	struct run *first = atomic_load(&unused);

	if (atomic_fetch_sub(&run->users, 1) > 1)
		return;
	do
		run->next = first;
	while (!atomic_compare_exchange_weak(&unused, &first, run));
}

/* The others that are unused are given back: a program that needs many at once gets them anew. */
static int provide(struct papi_vpmu_sampling *sampling)
{
	struct run *run, *other;

	if (sampling->run)
		return PAPI_OK;
	run = atomic_exchange(&unused, NULL);
	while (run && (other = run->next)) {
		run->next = other->next;
		munmap(other, sizeof(*other));
	}
	if (!run)
		run = mmap(NULL, sizeof(*run), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (run == MAP_FAILED)
		return papi_error(PAPI_ENOMEM, "no memory for the overflows of an EventSet");
	run->users = 1;
	run->abandoned = false;
	run->first = run->n = 0;
	sampling->run = run;
	return PAPI_OK;
}

/* ---- what the engine asks and tells ---- */

/* Called between two instructions of the program: this file is compiled for general registers only. */
static int64_t left(void *argument, const uint64_t *counters)
{
	struct sampler *sampler = argument;
	long long sum;

	if (sampler->run->abandoned)
		return INT64_MAX;
	sum = papi_vpmu_event_sum(sampler->event, counters);

	if (!sampler->begun) {
		sampler->begun = true;
		sampler->next = sum + sampler->threshold;
	}
	return sampler->next - sum;
}

/* A queue that is full keeps the number of those that it has no room for. */
static void keep(struct run *run, uint64_t natives, void *address)
{
	struct papi_overflow *place;

	if (run->n == QUEUE) {
		run->queue[(run->first + QUEUE - 1) % QUEUE].lost++;
		return;
	}
	place = &run->queue[(run->first + run->n++) % QUEUE];
	*place = (struct papi_overflow){ .natives = natives, .address = address, .happened = true };
}

static void happened(void *argument, void *pc, void *context)
{
	struct sampler *sampler = argument;

	sampler->next += sampler->threshold;
	keep(sampler->run, 1ull << sampler->position, pc);
	papi_overflow_pending(sampler->run->cookie, context);
}

static void dropped(void *argument)
{
	let_go(((struct sampler *)argument)->run);
}

/* ---- of an EventSet ---- */

int papi_vpmu_sampling_arm(struct papi_vpmu_sampling **sampling, const struct papi_vpmu_event *event, unsigned position,
	long long threshold, int cookie)
{
	int status = PAPI_OK;

	if (!*sampling && threshold)
		*sampling = calloc(1, sizeof(**sampling));
	if (!*sampling)
		return threshold ? papi_error(PAPI_ENOMEM, "no memory for the overflows of an EventSet") : PAPI_OK;
	if (threshold)
		status = provide(*sampling);
	if (status != PAPI_OK)
		return status;
	(*sampling)->cookie = cookie;
	(*sampling)->armed[position].event = event;
	/* Sums are in parts of what is counted. */
	(*sampling)->armed[position].threshold = threshold << event->fraction;
	return PAPI_OK;
}

void papi_vpmu_sampling_remove(struct papi_vpmu_sampling *sampling, unsigned position)
{
	if (!sampling || position >= NATIVES)
		return;
	memmove(&sampling->armed[position], &sampling->armed[position + 1],
		(NATIVES - 1 - position) * sizeof(sampling->armed[0]));
	sampling->armed[NATIVES - 1].threshold = 0;
}

void papi_vpmu_sampling_free(struct papi_vpmu_sampling *sampling)
{
	if (sampling && sampling->run)
		let_go(sampling->run);
	free(sampling);
}

/* How often counters are in the sum; those that are subtracted do not make it grow. */
static void weigh(const struct papi_vpmu_event *event, struct papi_vpmu_wants *wants)
{
	const struct papi_vpmu_geometry *geometry = papi_vpmu_geometry_current(NULL, 0);
	int scale = geometry && geometry->choice.groups ? (int)geometry->choice.scale : 1;

	for (unsigned i = 0; i < event->n_terms; i++) {
		const struct papi_vpmu_term *term = &event->terms[i];
		int weight = term->weight;

		/* One miss stands for many, of each group of lines that an access is in. */
		if (papi_vpmu_counter_is_sampled(term->counter))
			weight *= scale;
		if (weight > wants->weights[term->counter])
			wants->weights[term->counter] = (uint16_t)weight;
	}
}

static int start(struct sampler *sampler, struct papi_vpmu_wants *wants)
{
	const struct papi_vpmu_overflow overflow = {
		.left = left, .happened = happened, .dropped = dropped, .argument = sampler
	};
	int status;

	sampler->run->users++;
	status = papi_vpmu_engine_overflow(&overflow);
	if (status != PAPI_OK) {
		let_go(sampler->run);
		return status;
	}
	wants->overflow = true;
	weigh(sampler->event, wants);
	return PAPI_OK;
}

int papi_vpmu_sampling_start(struct papi_vpmu_sampling *sampling, struct papi_vpmu_wants *wants)
{
	int status = sampling ? provide(sampling) : PAPI_OK;
	struct run *run;

	if (!sampling || status != PAPI_OK)
		return status;
	run = sampling->run;
	run->cookie = sampling->cookie;
	run->n = 0;
	for (unsigned i = 0; i < NATIVES; i++)
		run->samplers[i] = (struct sampler){ .run = run,
			.event = sampling->armed[i].event,
			.threshold = sampling->armed[i].threshold,
			.position = i };
	for (unsigned i = 0; i < NATIVES && status == PAPI_OK; i++)
		if (run->samplers[i].threshold)
			status = start(&run->samplers[i], wants);
	if (status != PAPI_OK)
		papi_vpmu_sampling_stop(sampling);
	return status;
}

void papi_vpmu_sampling_abandon(struct papi_vpmu_sampling *sampling)
{
	if (!sampling || !sampling->run)
		return;
	sampling->run->abandoned = true;
	let_go(sampling->run);
	sampling->run = NULL;
}

void papi_vpmu_sampling_stop(struct papi_vpmu_sampling *sampling)
{
	for (unsigned i = 0; sampling && sampling->run && i < NATIVES; i++)
		if (sampling->run->samplers[i].threshold)
			papi_vpmu_engine_forget_overflow(&sampling->run->samplers[i]);
}

/* Runs that other threads had abandoned stay: nobody knows how far those had got. */
void papi_vpmu_sampling_forked(struct papi_vpmu_sampling *sampling)
{
	if (sampling && sampling->run)
		sampling->run->users = 1;
}

unsigned papi_vpmu_sampling_take(struct papi_vpmu_sampling *sampling, struct papi_overflow taken[], unsigned n)
{
	struct run *run = sampling ? sampling->run : NULL;
	unsigned got = 0;

	if (!run)
		return 0;
	if (n == 0)
		return run->n;
	for (; got < n && run->n; run->n--) {
		taken[got++] = run->queue[run->first];
		run->first = (run->first + 1) % QUEUE;
	}
	return got;
}
