/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * frames.c - calls and returns of probed functions. See runtime.h. Where the thread is known, no event is counted, and
 * calls end in the order of their beginnings, stubs.S does the same: what is changed here may have to be changed there.
 */
#include "probes/runtime/runtime.h"
#include "probes/runtime/system.h"

#define NEAR ((uint64_t)1 << 20) /* no frame of a function is that large: further apart are other stacks */

static void count_value(struct papi_probe_value *value, uint64_t spent, uint64_t children, bool outermost, bool first)
{
	if (first || spent < value->least)
		value->least = spent;
	if (spent > value->most)
		value->most = spent;
	papi_probe_add(&value->sum, spent);
	/* Where stacks are changed, what was called from one may have had its time on another. */
	if (children < spent)
		papi_probe_add(&value->exclusive, spent - children);
	if (outermost)
		papi_probe_add(&value->inclusive, spent);
}

/* now: the time, and counters if has_events. */
struct moment {
	uint64_t values[PAPI_PROBE_VALUES];
	bool has_events;
};

static void count_end(
	struct papi_probe_thread *self, struct papi_probe_frame *frame, const struct moment *now, bool left)
{
	struct papi_probe_counts *counts = &self->counts[frame->function];
	const bool has_events = now->has_events && !(frame->flags & PAPI_PROBE_UNREAD);
	const unsigned n = has_events ? 1 + self->n_events : 1;

	if (frame->visit != (uint16_t)self->visit)
		return;
	for (unsigned i = 0; i < n; i++) {
		const struct papi_probe_measure *measure = &frame->measures[i];
		const uint64_t spent = now->values[i] - measure->begun;

		count_value(&counts->values[i], spent, measure->children, frame->flags & PAPI_PROBE_OUTERMOST,
			counts->returns == (i ? counts->unread : 0));
		if (frame->parent)
			frame->parent->measures[i].children += spent;
	}
	papi_probe_add(&counts->returns, 1);
	if (!has_events && self->n_events)
		papi_probe_add(&counts->unread, 1);
	if (left)
		papi_probe_add(&counts->left, 1);
	self->active[frame->function]--;
}

static void take_moment(const struct papi_probe_thread *self, struct moment *now)
{
	now->values[0] = papi_probe_ticks();
	now->has_events = self->n_events && papi_probe_events_read(self, now->values);
}

/* The thread has come to a place above it. */
static bool was_left(const struct papi_probe_frame *frame, const uint64_t *slot)
{
	return frame->slot < slot && (uint64_t)(slot - frame->slot) * sizeof(*slot) < NEAR;
}

static void leave_behind(struct papi_probe_thread *self, struct papi_probe_frame *frame, const struct moment *now)
{
	self->top = frame->parent;
	count_end(self, frame, now, true);
	papi_probe_frame_abandon(self, frame);
}

/* A call that has found a frame of its own place: one function has jumped to another, or what was there is over.
 * Whether the function has a frame there: then the thread is in it all the time. */
static bool is_inside(struct papi_probe_thread *self, uint32_t function, const uint64_t *slot, uint64_t back,
	const struct moment *now)
{
	while (self->top && self->top->slot == slot && back != self->top->stub)
		leave_behind(self, self->top, now);
	for (const struct papi_probe_frame *frame = self->top; frame && frame->slot == slot; frame = frame->parent)
		if (frame->function == function && frame->visit == (uint16_t)self->visit)
			return true;
	return false;
}

static void begin_frame(struct papi_probe_thread *self, struct papi_probe_frame *frame, uint32_t function,
	uint64_t *slot, uint64_t *back, const struct moment *now)
{
	frame->owner = self;
	frame->function = function;
	frame->visit = (uint16_t)self->visit;
	frame->flags = self->active[function]++ ? 0 : PAPI_PROBE_OUTERMOST;
	if (self->n_events && !now->has_events)
		frame->flags |= PAPI_PROBE_UNREAD;
	frame->measures[0].children = 0;
	for (unsigned i = 1; i <= self->n_events; i++) {
		frame->measures[i].children = 0;
		frame->measures[i].begun = now->has_events ? now->values[i] : 0;
	}
	frame->parent = self->top;
	frame->slot = slot;
	frame->back = *back;
	*back = frame->stub;
	self->top = frame;
	frame->measures[0].begun = papi_probe_ticks();
}

struct papi_probe_frame *papi_probe_enter(uint32_t function, uint64_t *slot, uint64_t *back, int32_t saved)
{
	struct papi_probe_table *table = atomic_load_explicit(&papi_probe_current, memory_order_acquire);
	struct papi_probe_thread *self;
	struct papi_probe_frame *frame;
	struct moment now;

	if (!table || !atomic_load_explicit(&table->enabled, memory_order_relaxed) || function >= table->n_functions)
		return NULL;
	self = papi_probe_thread_self(table);
	if (!self) {
		atomic_fetch_add(&table->unseen, 1);
		return NULL;
	}
	papi_probe_add(&self->counts[function].calls, 1);
	if (table->calls_only)
		return NULL;
	/* A clock is read for some nanoseconds: here only where the times of other calls end. To fill all of it with
	 * zeroes takes as long as several calls. */
	now.values[0] = 0;
	now.has_events = false;
	if (self->n_events || (self->top && (self->top->slot == slot || was_left(self->top, slot))))
		take_moment(self, &now);
	while (self->top && was_left(self->top, slot))
		leave_behind(self, self->top, &now);
	frame = is_inside(self, function, slot, *back, &now) ? NULL : papi_probe_frame_take(self);
	if (frame) {
		frame->saved = saved;
		begin_frame(self, frame, function, slot, back, &now);
	} else {
		papi_probe_add(&self->counts[function].untimed, 1);
	}
	return frame;
}

/* Takes it out of the thread's stack, where it is the last but for those that were left, or of another stack. */
static bool unlink_frame(struct papi_probe_thread *self, struct papi_probe_frame *frame, const struct moment *now)
{
	struct papi_probe_frame **at = &self->top;

	while (self->top && self->top != frame && was_left(self->top, frame->slot))
		leave_behind(self, self->top, now);
	while (*at && *at != frame)
		at = &(*at)->parent;
	if (!*at)
		return false;
	*at = frame->parent;
	return true;
}

uint64_t papi_probe_leave(struct papi_probe_frame *frame, uint64_t *place)
{
	struct papi_probe_table *table = atomic_load_explicit(&papi_probe_current, memory_order_acquire);
	struct papi_probe_thread *self;
	const uint64_t back = frame->back;
	struct moment now;

	/* The place must not look as if somebody were to return to it. */
	*place = back;
	self = table ? papi_probe_thread_self(table) : NULL;
	if (!self || frame->owner != self) {
		frame->flags |= PAPI_PROBE_RETURNED;
		return back;
	}
	take_moment(self, &now);
	if (frame->flags & PAPI_PROBE_ZOMBIE) {
		papi_probe_frame_revive(self, frame);
	} else if (unlink_frame(self, frame, &now)) {
		count_end(self, frame, &now, false);
		papi_probe_frame_free(self, frame);
	}
	return back;
}

void papi_probe_settle(void)
{
	struct papi_probe_table *table = atomic_load(&papi_probe_current);
	struct papi_probe_thread *self = table ? papi_probe_thread_self(table) : NULL;
	struct moment now;

	if (!self)
		return;
	take_moment(self, &now);
	for (struct papi_probe_frame *frame = self->top; frame; frame = frame->parent)
		count_end(self, frame, &now, false);
	self->top = NULL;
}
