/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/calls.h"

#include <stddef.h>

#include "components/vpmu/call_record.h"
#include "components/vpmu/translator/memory.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/profile.h"
#include "components/vpmu/translator/thread.h"

#define MAX_FRAMES    (1u << 20) /* of each stack; room is taken as it is used */
#define MAX_STACKS    64u
#define MAX_FUNCTIONS (1u << 20)
#define FAR           ((uint64_t)1 << 20) /* no frame is that large */

struct frame {
	uint64_t slot; /* where the return address is */
	uint32_t pair;
	uint32_t outermost; /* its function was not active before */
	uint64_t clocks[PAPI_VPMU_CALL_CLOCKS];
};

struct stack {
	uint64_t low, high; /* places that were seen */
	struct frame *frames;
	uint32_t n;
	uint64_t left[PAPI_VPMU_CALL_CLOCKS];   /* the clocks when it was left */
	uint64_t paused[PAPI_VPMU_CALL_CLOCKS]; /* what they went on meanwhile */
};

/* Of a thread. */
struct papi_vpmu_calls {
	_Alignas(PAPI_VPMU_CALLS_MEMORY) unsigned char records[PAPI_VPMU_CALLS_MEMORY];
	struct stack stacks[MAX_STACKS];
	unsigned n_stacks, current;
	uint32_t *active; /* how often each function is, by its number */
};

/* ---- memory ---- */

/* The first record is not at the beginning: 0 in the lower bits says that it is full. */
static unsigned size_of_record(const struct papi_vpmu_thread *thread)
{
	return 8 * papi_vpmu_call_words(thread->wants.profile);
}

static unsigned n_clocks(const struct papi_vpmu_thread *thread)
{
	return (unsigned)__builtin_popcountll(thread->wants.profile);
}

static uint64_t *first_record(struct papi_vpmu_thread *thread)
{
	return (uint64_t *)(void *)(thread->calls->records + size_of_record(thread));
}

static struct papi_vpmu_calls *map_aligned(void)
{
	const size_t size = sizeof(struct papi_vpmu_calls), alignment = PAPI_VPMU_CALLS_MEMORY;
	char *start = papi_vpmu_memory_map(size + alignment), *aligned;

	if (!start)
		return NULL;
	aligned = (char *)(((uintptr_t)start + alignment - 1) & ~(uintptr_t)(alignment - 1));
	if (aligned > start)
		papi_vpmu_memory_unmap(start, (size_t)(aligned - start));
	if (start + alignment > aligned)
		papi_vpmu_memory_unmap(aligned + size, (size_t)(start + alignment - aligned));
	return (struct papi_vpmu_calls *)(void *)aligned;
}

bool papi_vpmu_calls_begin(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_calls *calls = thread->calls;

	if (!calls) {
		calls = map_aligned();
		if (!calls)
			return false;
		calls->active = papi_vpmu_memory_map(MAX_FUNCTIONS * sizeof(*calls->active));
		if (!calls->active) {
			papi_vpmu_memory_unmap(calls, sizeof(*calls));
			return false;
		}
		thread->calls = calls;
	}
	thread->calls_next = first_record(thread);
	return true;
}

static void give_back(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_calls *calls = thread->calls;

	for (unsigned i = 0; i < calls->n_stacks; i++)
		papi_vpmu_memory_unmap(calls->stacks[i].frames, MAX_FRAMES * sizeof(struct frame));
	papi_vpmu_memory_unmap(calls->active, MAX_FUNCTIONS * sizeof(*calls->active));
	papi_vpmu_memory_unmap(calls, sizeof(*calls));
	thread->calls = NULL;
}

/* ---- stacks ---- */

static bool is_near(const struct stack *stack, uint64_t place)
{
	return place + FAR >= stack->low && place <= stack->high + FAR;
}

/* Time stands still on the one that is left. */
static void change_stack(struct papi_vpmu_calls *calls, unsigned to, const uint64_t *clocks, unsigned n)
{
	struct stack *from = &calls->stacks[calls->current], *stack = &calls->stacks[to];

	for (unsigned i = 0; i < n; i++) {
		from->left[i] = clocks[i];
		stack->paused[i] += clocks[i] - stack->left[i];
	}
	calls->current = to;
}

static struct stack *new_stack(struct papi_vpmu_calls *calls, uint64_t place)
{
	struct stack *stack = &calls->stacks[calls->n_stacks];

	if (calls->n_stacks == MAX_STACKS)
		return NULL;
	stack->frames = papi_vpmu_memory_map(MAX_FRAMES * sizeof(struct frame));
	if (!stack->frames)
		return NULL;
	stack->low = stack->high = place;
	calls->n_stacks++;
	return stack;
}

/* The one that a place is in: NULL when there are too many. */
static struct stack *stack_at(struct papi_vpmu_calls *calls, uint64_t place, const uint64_t *clocks, unsigned n)
{
	struct stack *stack = &calls->stacks[calls->current];
	unsigned i = 0;

	if (!calls->n_stacks)
		return new_stack(calls, place);
	if (!is_near(stack, place)) {
		while (i < calls->n_stacks && !is_near(&calls->stacks[i], place))
			i++;
		if (i == calls->n_stacks && !new_stack(calls, place))
			return NULL;
		change_stack(calls, i, clocks, n);
		stack = &calls->stacks[i];
	}
	if (place < stack->low)
		stack->low = place;
	if (place > stack->high)
		stack->high = place;
	return stack;
}

/* ---- frames ---- */

/* What has happened since it was opened, or since the last time. */
static void count_frame(
	struct papi_vpmu_thread *thread, const struct stack *stack, struct frame *frame, const uint64_t *clocks)
{
	unsigned n = n_clocks(thread);
	uint64_t spent[PAPI_VPMU_CALL_CLOCKS];

	if (!frame->outermost)
		return;
	for (unsigned i = 0; i < n; i++) {
		spent[i] = clocks[i] - stack->paused[i] - frame->clocks[i];
		frame->clocks[i] += spent[i];
	}
	papi_vpmu_profile_returned(thread, frame->pair, spent, n);
}

static void close_frame(struct papi_vpmu_thread *thread, struct stack *stack, const uint64_t *clocks)
{
	struct frame *frame = &stack->frames[--stack->n];

	thread->calls->active[papi_vpmu_profile_function(frame->pair)]--;
	count_frame(thread, stack, frame, clocks);
}

static void take_call(struct papi_vpmu_thread *thread, const struct papi_vpmu_call_record *record)
{
	uint64_t slot = record->stack - sizeof(uint64_t);
	unsigned n = n_clocks(thread);
	struct stack *stack = stack_at(thread->calls, slot, record->clocks, n);
	uint32_t pair = papi_vpmu_profile_pair((uint32_t)record->site, record->target), *active;
	struct frame *frame;

	while (stack && stack->n && stack->frames[stack->n - 1].slot <= slot)
		close_frame(thread, stack, record->clocks);
	if (!pair)
		return;
	papi_vpmu_profile_called(thread, pair);
	if (!stack || stack->n == MAX_FRAMES)
		return;
	active = &thread->calls->active[papi_vpmu_profile_function(pair)];
	frame = &stack->frames[stack->n++];
	frame->slot = slot;
	frame->pair = pair;
	frame->outermost = !*active;
	++*active;
	for (unsigned i = 0; i < n; i++)
		frame->clocks[i] = record->clocks[i] - stack->paused[i];
}

static void take_return(struct papi_vpmu_thread *thread, const struct papi_vpmu_call_record *record)
{
	struct stack *stack = stack_at(thread->calls, record->stack, record->clocks, n_clocks(thread));

	while (stack && stack->n && stack->frames[stack->n - 1].slot <= record->stack)
		close_frame(thread, stack, record->clocks);
}

void papi_vpmu_calls_drain(struct papi_vpmu_thread *thread)
{
	unsigned words = papi_vpmu_call_words(thread->wants.profile);
	const uint64_t *at, *end = thread->calls_next;

	if (!thread->calls)
		return;
	for (at = first_record(thread); at < end; at += words) {
		const struct papi_vpmu_call_record *record = (const void *)at;

		if (record->site)
			take_call(thread, record);
		else
			take_return(thread, record);
	}
	thread->calls_next = first_record(thread);
}

static unsigned read_clocks(const struct papi_vpmu_thread *thread, uint64_t *clocks)
{
	unsigned n = 0;

	for (uint64_t left = thread->wants.profile; left; left &= left - 1)
		clocks[n++] = thread->counters[0][__builtin_ctzll(left)];
	return n;
}

void papi_vpmu_calls_settle(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_calls *calls = thread->calls;
	uint64_t clocks[PAPI_VPMU_CALL_CLOCKS] = { 0 };
	struct stack *stack;

	if (!calls)
		return;
	papi_vpmu_calls_drain(thread);
	read_clocks(thread, clocks);
	stack = &calls->stacks[calls->current];
	for (uint32_t i = 0; i < stack->n; i++)
		count_frame(thread, stack, &stack->frames[i], clocks);
}

void papi_vpmu_calls_end(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_calls *calls = thread->calls;
	uint64_t clocks[PAPI_VPMU_CALL_CLOCKS] = { 0 };
	unsigned n;

	if (!calls)
		return;
	papi_vpmu_calls_drain(thread);
	n = read_clocks(thread, clocks);
	for (unsigned i = 0; i < calls->n_stacks; i++) {
		if (i != calls->current)
			change_stack(calls, i, clocks, n);
		while (calls->stacks[i].n)
			close_frame(thread, &calls->stacks[i], clocks);
	}
	give_back(thread);
}

void papi_vpmu_calls_take_back(struct papi_vpmu_thread *thread)
{
	if (thread->calls && thread->calls_next > first_record(thread))
		thread->calls_next -= papi_vpmu_call_words(thread->wants.profile);
}

void papi_vpmu_calls_forked(struct papi_vpmu_thread *self)
{
	if (self->calls)
		give_back(self);
}
