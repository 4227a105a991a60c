/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/sampling.h"

#include <stdlib.h>
#include <string.h>

#include "components/vpmu/engine.h"
#include "core/error.h"
#include "core/overflow.h"

#define NATIVES 64 /* that can overflow: those with a bit */
#define QUEUE   16

struct sampler {
	struct papi_vpmu_sampling *sampling;
	const struct papi_vpmu_event *event;
	long long threshold; /* 0: does not overflow */
	long long next;      /* the sum at which it does */
	bool begun;          /* next is known */
	unsigned position;
};

struct papi_vpmu_sampling {
	_Atomic bool abandoned; /* stopped by another thread than the one that counts, which may look at any time */
	struct sampler samplers[NATIVES];
	int cookie;
	/* Overflows that nobody has fetched. */
	struct papi_overflow queue[QUEUE];
	unsigned first, n;
	struct papi_vpmu_sampling *next; /* among the abandoned */
};

/* Called between two instructions of the program: this file is compiled for general registers only. */
static int64_t left(void *argument, const uint64_t *counters)
{
	struct sampler *sampler = argument;
	long long sum;

	if (sampler->sampling->abandoned)
		return INT64_MAX;
	sum = papi_vpmu_event_sum(sampler->event, counters);

	if (!sampler->begun) {
		sampler->begun = true;
		sampler->next = sum + sampler->threshold;
	}
	return sampler->next - sum;
}

/* A queue that is full keeps the number of those that it has no room for. */
static void keep(struct papi_vpmu_sampling *sampling, uint64_t natives, void *address)
{
	struct papi_overflow *place;

	if (sampling->n == QUEUE) {
		sampling->queue[(sampling->first + QUEUE - 1) % QUEUE].lost++;
		return;
	}
	place = &sampling->queue[(sampling->first + sampling->n++) % QUEUE];
	*place = (struct papi_overflow){ .natives = natives, .address = address, .happened = true };
}

static void happened(void *argument, void *pc, void *context)
{
	struct sampler *sampler = argument;

	sampler->next += sampler->threshold;
	keep(sampler->sampling, 1ull << sampler->position, pc);
	papi_overflow_pending(sampler->sampling->cookie, context);
}

int papi_vpmu_sampling_arm(struct papi_vpmu_sampling **sampling, const struct papi_vpmu_event *event, unsigned position,
	long long threshold, int cookie)
{
	struct sampler *sampler;

	if (!*sampling && threshold)
		*sampling = calloc(1, sizeof(**sampling));
	if (!*sampling)
		return threshold ? papi_error(PAPI_ENOMEM, "no memory for the overflows of an EventSet") : PAPI_OK;
	(*sampling)->cookie = cookie;
	sampler = &(*sampling)->samplers[position];
	/* Sums are in parts of what is counted. */
	*sampler = (struct sampler){ .sampling = *sampling, .event = event, .threshold = threshold << event->fraction,
		.position = position };
	return PAPI_OK;
}

void papi_vpmu_sampling_remove(struct papi_vpmu_sampling *sampling, unsigned position)
{
	if (!sampling || position >= NATIVES)
		return;
	memmove(&sampling->samplers[position], &sampling->samplers[position + 1],
		(NATIVES - 1 - position) * sizeof(sampling->samplers[0]));
	sampling->samplers[NATIVES - 1] = (struct sampler){ 0 };
	for (unsigned i = position; i < NATIVES; i++)
		sampling->samplers[i].position = i;
}

/* How often counters are in the sum; those that are subtracted do not make it grow. */
static void weigh(const struct papi_vpmu_event *event, struct papi_vpmu_wants *wants)
{
	for (unsigned i = 0; i < event->n_terms; i++) {
		const struct papi_vpmu_term *term = &event->terms[i];

		if (term->weight > wants->weights[term->counter])
			wants->weights[term->counter] = (uint16_t)term->weight;
	}
}

int papi_vpmu_sampling_start(struct papi_vpmu_sampling *sampling, struct papi_vpmu_wants *wants)
{
	int status = PAPI_OK;

	if (!sampling)
		return PAPI_OK;
	sampling->n = 0;
	for (unsigned i = 0; i < NATIVES && status == PAPI_OK; i++) {
		struct sampler *sampler = &sampling->samplers[i];
		struct papi_vpmu_overflow overflow = { .left = left, .happened = happened, .argument = sampler };

		if (!sampler->threshold)
			continue;
		sampler->begun = false;
		wants->overflow = true;
		weigh(sampler->event, wants);
		status = papi_vpmu_engine_overflow(&overflow);
	}
	if (status != PAPI_OK)
		papi_vpmu_sampling_stop(sampling);
	return status;
}

/* Kept for as long as the process lives: the thread that they overflowed in has their addresses. */
static struct papi_vpmu_sampling *_Atomic abandoned;

void papi_vpmu_sampling_abandon(struct papi_vpmu_sampling **sampling)
{
	struct papi_vpmu_sampling *old = *sampling;

	if (!old)
		return;
	*sampling = calloc(1, sizeof(*old));
	for (unsigned i = 0; *sampling && i < NATIVES; i++) {
		(*sampling)->samplers[i] = old->samplers[i];
		(*sampling)->samplers[i].sampling = *sampling;
	}
	if (*sampling)
		(*sampling)->cookie = old->cookie;
	old->abandoned = true;
	old->next = abandoned;
	while (!__atomic_compare_exchange_n((struct papi_vpmu_sampling **)&abandoned, &old->next, old, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		continue;
}

void papi_vpmu_sampling_stop(struct papi_vpmu_sampling *sampling)
{
	for (unsigned i = 0; sampling && i < NATIVES; i++)
		if (sampling->samplers[i].threshold)
			papi_vpmu_engine_forget_overflow(&sampling->samplers[i]);
}

unsigned papi_vpmu_sampling_take(struct papi_vpmu_sampling *sampling, struct papi_overflow taken[], unsigned n)
{
	unsigned got = 0;

	if (!sampling)
		return 0;
	if (n == 0)
		return sampling->n;
	for (; got < n && sampling->n; sampling->n--) {
		taken[got++] = sampling->queue[sampling->first];
		sampling->first = (sampling->first + 1) % QUEUE;
	}
	return got;
}
