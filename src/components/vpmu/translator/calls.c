/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/calls.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "components/vpmu/call_frame.h"
#include "components/vpmu/translator/memory.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/profile_pairs.h"
#include "components/vpmu/translator/thread.h"

#define MAX_FRAMES   (1u << 20) /* of each stack; room is taken as it is used */
#define FIRST_STACKS 64u
#define MAX_STACKS   1024u
#define NEAR         4096u      /* a jump leads no further below the last call */
#define ABOVE        16384u     /* nor a return above the first, to what called that before it was counted */
#define FAR          (1u << 20) /* nor do signals come further away */
#define END_SHIFT    32         /* a stack ends at a multiple of that */
#define ENDS         4096u      /* so many are tried */
#define NO_SLOT      UINT64_MAX /* of the frame below all others */

struct stack {
	unsigned char *memory, *first, *top; /* top: while it is left */
	uint64_t place;                      /* where the stack pointer was last seen */
	uint64_t left[PAPI_VPMU_CALL_ALL];
};

/* Of a thread. */
struct papi_vpmu_calls {
	unsigned frame_size, n_clocks, n_stacks, room, current;
	bool told;                                /* that there are too many stacks */
	unsigned first_modelled;                  /* of the clocks, those from here on are */
	unsigned char clocks[PAPI_VPMU_CALL_ALL]; /* which counters they are */
	struct stack *stacks;                     /* room for so many */
	unsigned char *notes;                     /* what translated code has noted; NULL: nothing is modelled */
};

/* ---- memory ---- */

static unsigned char *end_of(const struct stack *stack)
{
	return (unsigned char *)((((uintptr_t)stack->memory >> END_SHIFT) + 1) << END_SHIFT);
}

/* So that it ends where that many lower bits are 0. They are tried in turn. */
static unsigned char *map_frames(const struct papi_vpmu_thread *thread, size_t size)
{
	static unsigned last; /* under the lock */

	for (unsigned i = 0; i < ENDS; i++) {
		uintptr_t end = (((uintptr_t)thread >> END_SHIFT) - last++ % ENDS) << END_SHIFT;
		long got = papi_vpmu_raw(SYS_mmap, (long)(end - size), (long)size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

		if (got == (long)(end - size))
			return (unsigned char *)(uintptr_t)got;
		if (!papi_vpmu_failed(got)) /* an old kernel, which takes it for a hint */
			papi_vpmu_raw(SYS_munmap, got, (long)size, 0, 0, 0, 0);
		else if (got != -EEXIST)
			return NULL;
	}
	return NULL;
}

static struct papi_vpmu_call_frame *frame_at(unsigned char *place)
{
	return (struct papi_vpmu_call_frame *)(void *)place;
}

/* Room for one more. */
static bool extend(struct papi_vpmu_calls *calls)
{
	unsigned room = calls->room ? 2 * calls->room : FIRST_STACKS;
	void *stacks;

	if (calls->n_stacks < calls->room)
		return true;
	if (room > MAX_STACKS)
		return false;
	stacks = papi_vpmu_change_memory(
		calls->stacks, calls->room * sizeof(*calls->stacks), room * sizeof(*calls->stacks));
	if (!stacks)
		return false;
	calls->stacks = stacks;
	calls->room = room;
	return true;
}

/* A stack that is left and has no frames: nobody will come back to any. */
static struct stack *spare_stack(struct papi_vpmu_calls *calls)
{
	for (unsigned i = 0; i < calls->n_stacks; i++)
		if (i != calls->current && calls->stacks[i].top == calls->stacks[i].first)
			return &calls->stacks[i];
	return NULL;
}

static struct stack *new_stack(struct papi_vpmu_thread *thread, uint64_t place)
{
	struct papi_vpmu_calls *calls = thread->calls;
	struct stack *stack = spare_stack(calls);

	if (stack) {
		stack->place = place;
		return stack;
	}
	if (!extend(calls))
		return NULL;
	stack = &calls->stacks[calls->n_stacks];
	stack->memory = map_frames(thread, (size_t)MAX_FRAMES * calls->frame_size);
	if (!stack->memory)
		return NULL;
	frame_at(stack->memory)->slot = NO_SLOT;
	stack->first = stack->top = stack->memory + calls->frame_size;
	stack->place = place;
	calls->n_stacks++;
	return stack;
}

/* Twice as much as is used, so that they end where they are to. */
static bool map_notes(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_calls *calls = thread->calls;

	if (!thread->wants.modelled)
		return true;
	calls->notes = papi_vpmu_memory_map((size_t)2 * PAPI_VPMU_CALL_NOTES_SIZE);
	papi_vpmu_calls_forget_notes(thread);
	return calls->notes;
}

void papi_vpmu_calls_forget(struct papi_vpmu_thread *thread)
{
	if (thread->calls)
		papi_vpmu_raw(SYS_madvise, (long)((uintptr_t)thread + papi_vpmu_processor_pairs),
			PAPI_VPMU_PAIR_WORDS * sizeof(uint64_t), MADV_DONTNEED, 0, 0, 0);
}

static void give_back(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_calls *calls = thread->calls;

	for (unsigned i = 0; i < calls->n_stacks; i++)
		papi_vpmu_memory_unmap(calls->stacks[i].memory, (size_t)MAX_FRAMES * calls->frame_size);
	papi_vpmu_memory_unmap(calls->stacks, calls->room * sizeof(*calls->stacks));
	papi_vpmu_memory_unmap(calls->notes, (size_t)2 * PAPI_VPMU_CALL_NOTES_SIZE);
	papi_vpmu_memory_unmap(calls, sizeof(*calls));
	thread->calls = NULL;
	thread->notes_next = NULL;
}

bool papi_vpmu_calls_begin(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_calls *calls = papi_vpmu_memory_map(sizeof(*calls));
	uint64_t counters = thread->wants.profile | thread->wants.modelled;

	if (!calls)
		return false;
	thread->calls = calls;
	calls->frame_size = papi_vpmu_call_frame_size(counters);
	calls->first_modelled = (unsigned)__builtin_popcountll(thread->wants.profile);
	for (uint64_t left = counters; left; left &= left - 1)
		calls->clocks[calls->n_clocks++] = (unsigned char)__builtin_ctzll(left);
	if (!map_notes(thread) || !new_stack(thread, 0)) {
		give_back(thread);
		return false;
	}
	thread->calls_top = calls->stacks[0].top;
	papi_vpmu_calls_forget(thread);
	return true;
}

/* ---- frames ---- */

static struct stack *current(const struct papi_vpmu_thread *thread)
{
	return &thread->calls->stacks[thread->calls->current];
}

static uint64_t *counter(struct papi_vpmu_thread *thread, uint32_t offset)
{
	return (uint64_t *)((uintptr_t)thread + offset);
}

static uint64_t clock_of(const struct papi_vpmu_thread *thread, unsigned i)
{
	unsigned counter = thread->calls->clocks[i];
	uint64_t counted = thread->counters[0][counter];

	return papi_vpmu_processor_clock ? counted + thread->counters[papi_vpmu_processor_clock][counter] : counted;
}

/* What has happened since it was opened, or since the last time; of clocks from first on. What happened within another
 * call of the function is known by context alone. */
static void spend(struct papi_vpmu_thread *thread, struct papi_vpmu_call_frame *frame, unsigned first)
{
	bool within = *counter(thread, frame->active);

	if (within && !thread->wants.contexts)
		return;
	for (unsigned i = first; i < thread->calls->n_clocks; i++) {
		uint64_t now = clock_of(thread, i);

		counter(thread, frame->pair)[1 + i + (within ? thread->calls->n_clocks : 0)] += now - frame->clocks[i];
		frame->clocks[i] = now;
	}
}

static void end_frame(struct papi_vpmu_thread *thread, struct papi_vpmu_call_frame *frame)
{
	--*counter(thread, frame->active);
	spend(thread, frame, 0);
}

static void close_frame(struct papi_vpmu_thread *thread)
{
	thread->calls_top -= thread->calls->frame_size;
	end_frame(thread, frame_at(thread->calls_top));
}

/* Where there is no room for it, it has no end. */
static void drop_last(struct papi_vpmu_thread *thread)
{
	if (thread->calls_top < end_of(current(thread)))
		return;
	thread->calls_top -= thread->calls->frame_size;
	--*counter(thread, frame_at(thread->calls_top)->active);
}

static void open_frame(struct papi_vpmu_thread *thread, const struct papi_vpmu_pair *pair, uint64_t slot)
{
	struct papi_vpmu_call_frame *frame = frame_at(thread->calls_top);

	frame->slot = slot;
	frame->pair = pair->counters;
	frame->active = pair->active;
	for (unsigned i = 0; i < thread->calls->n_clocks; i++)
		frame->clocks[i] = clock_of(thread, i);
	thread->calls_top += thread->calls->frame_size;
	++*counter(thread, pair->counters);
	++*counter(thread, pair->active);
	drop_last(thread);
}

static void close_below(struct papi_vpmu_thread *thread, uint64_t place)
{
	while (frame_at(thread->calls_top - thread->calls->frame_size)->slot < place)
		close_frame(thread);
}

/* ---- what simulators count ---- */

static unsigned char *first_note(const struct papi_vpmu_thread *thread)
{
	uintptr_t memory = (uintptr_t)thread->calls->notes;

	return (unsigned char *)((memory + PAPI_VPMU_CALL_NOTES_SIZE - 1) & -(uintptr_t)PAPI_VPMU_CALL_NOTES_SIZE);
}

const struct papi_vpmu_call_note *papi_vpmu_calls_notes(
	const struct papi_vpmu_thread *thread, const struct papi_vpmu_call_note **end)
{
	*end = (const void *)thread->notes_next;
	return thread->notes_next ? (const void *)first_note(thread) : NULL;
}

void papi_vpmu_calls_forget_notes(struct papi_vpmu_thread *thread)
{
	if (thread->calls && thread->calls->notes)
		thread->notes_next = first_note(thread);
}

/* As spend(). */
void papi_vpmu_calls_catch_up(struct papi_vpmu_thread *thread, const struct papi_vpmu_call_note *note)
{
	struct papi_vpmu_call_frame *frame = frame_at((unsigned char *)(uintptr_t)note->frame);
	const struct papi_vpmu_calls *calls = thread->calls;

	if (note->within && !thread->wants.contexts)
		return;
	for (unsigned i = calls->first_modelled; i < calls->n_clocks; i++) {
		uint64_t now = clock_of(thread, i);

		if (note->pair)
			counter(thread, note->pair)[1 + i + (note->within ? calls->n_clocks : 0)] += now -
				frame->clocks[i];
		frame->clocks[i] = now;
	}
}

/* It may be that the simulators have come to the note of a frame that has been opened, and to none. */
static void begin_modelled(struct papi_vpmu_thread *thread, struct papi_vpmu_call_frame *frame)
{
	for (unsigned i = thread->calls->first_modelled; i < thread->calls->n_clocks; i++)
		frame->clocks[i] = clock_of(thread, i);
}

/* ---- stacks ---- */

static unsigned char *top_of(const struct papi_vpmu_thread *thread, const struct stack *stack)
{
	return stack == current(thread) ? thread->calls_top : stack->top;
}

/* Whether an address lies beside the open frames: no further below, and no further above. */
static bool holds(const struct papi_vpmu_thread *thread, const struct stack *stack, uint64_t place, uint64_t below,
	uint64_t above)
{
	unsigned char *top = top_of(thread, stack);

	if (top == stack->first)
		return !stack->place || (place + below >= stack->place && place <= stack->place + above);
	return place + below >= frame_at(top - thread->calls->frame_size)->slot &&
		place <= frame_at(stack->first)->slot + above;
}

static struct stack *find_among(struct papi_vpmu_thread *thread, uint64_t place, uint64_t below, uint64_t above)
{
	struct papi_vpmu_calls *calls = thread->calls;

	if (holds(thread, current(thread), place, below, above))
		return current(thread);
	for (unsigned i = 0; i < calls->n_stacks; i++)
		if (holds(thread, &calls->stacks[i], place, below, above))
			return &calls->stacks[i];
	return NULL;
}

/* Time has stood still there; and a function that is open in what is left may be called anew. */
static void change_to(struct papi_vpmu_thread *thread, struct stack *stack)
{
	struct papi_vpmu_calls *calls = thread->calls;
	struct stack *from = current(thread);

	if (stack == from)
		return;
	from->top = thread->calls_top;
	for (unsigned i = 0; i < calls->n_clocks; i++)
		from->left[i] = clock_of(thread, i);
	for (unsigned char *place = from->first; place < from->top; place += calls->frame_size)
		--*counter(thread, frame_at(place)->active);
	for (unsigned char *place = stack->first; place < stack->top; place += calls->frame_size) {
		++*counter(thread, frame_at(place)->active);
		for (unsigned i = 0; i < calls->n_clocks; i++)
			frame_at(place)->clocks[i] += clock_of(thread, i) - stack->left[i];
	}
	calls->current = (unsigned)(stack - calls->stacks);
	thread->calls_top = stack->top;
}

/* Its calls are taken for those of the stack that is left. */
static void tell(struct papi_vpmu_calls *calls)
{
	if (!calls->told && papi_vpmu_agent)
		papi_vpmu_agent->lose("more than 1,023 coroutines wait in a thread: who calls whom there, and what "
				      "happens in calls, is not right");
	calls->told = true;
}

/* The stack pointer is there: what was called below has ended. */
static void arrive(struct papi_vpmu_thread *thread, uint64_t place, uint64_t below)
{
	struct stack *stack = find_among(thread, place, below, sizeof(uint64_t));

	if (!stack)
		stack = find_among(thread, place, below, ABOVE);
	if (!stack)
		stack = new_stack(thread, place);
	if (!stack) {
		tell(thread->calls);
		return;
	}
	change_to(thread, stack);
	stack->place = place;
	close_below(thread, place);
}

/* ---- what comes to pass ---- */

static struct papi_vpmu_call_frame *last_frame(const struct papi_vpmu_thread *thread)
{
	return frame_at(thread->calls_top - thread->calls->frame_size);
}

/* So that translated code finds it. */
static void remember(struct papi_vpmu_thread *thread, uint32_t from, uint64_t sum, const struct papi_vpmu_pair *pair)
{
	uint64_t *table = counter(thread, (uint32_t)papi_vpmu_processor_pairs);
	uint64_t value = pair->counters | (uint64_t)pair->active << 32;

	if (thread->wants.contexts) {
		table += papi_vpmu_context_word(from, sum);
		table[1] = value;
		*table = -papi_vpmu_context_key(from, sum);
	} else {
		table += sum % PAPI_VPMU_PAIRS;
		table[PAPI_VPMU_PAIRS] = value;
		*table = -sum;
	}
}

/* True: there is a frame. */
static bool call(struct papi_vpmu_thread *thread, uint32_t block, uint64_t callee, uint64_t slot, bool again)
{
	const struct papi_vpmu_called called = { callee, block, thread->wants.region };
	uint32_t from = last_frame(thread)->pair;
	struct papi_vpmu_pair pair;

	if (papi_vpmu_profile_others(from, &called, &pair)) {
		open_frame(thread, &pair, slot);
		from = pair.counters;
		again = false;
	}
	if (!papi_vpmu_profile_pair(from, &called, &pair))
		return false;
	if (again)
		remember(thread, from, callee + papi_vpmu_call_salt(block), &pair);
	open_frame(thread, &pair, slot);
	return true;
}

void papi_vpmu_calls_exit(struct papi_vpmu_thread *thread)
{
	uint64_t stack = papi_vpmu_processor_stack_pointer(thread);

	if (!thread->calls)
		return;
	if (thread->call_site > 0)
		call(thread, (uint32_t)thread->call_site, papi_vpmu_processor_callee(thread->pc, thread->callee),
			papi_vpmu_processor_slot(stack), true);
	else if (!thread->call_site)
		arrive(thread, stack, NEAR);
	else
		drop_last(thread);
}

void papi_vpmu_calls_finish(
	struct papi_vpmu_thread *thread, unsigned step, uint32_t block, uint64_t callee, uint64_t stack)
{
	struct papi_vpmu_call_frame *last;

	if (!thread->calls)
		return;
	last = last_frame(thread);
	switch (step) {
	case PAPI_VPMU_CALL_MADE:
	case PAPI_VPMU_CALL_MADE_NOTED:
		call(thread, block, callee, stack, false);
		break;
	case PAPI_VPMU_CALL_OPENED:
		begin_modelled(thread, last);
		++*counter(thread, last->pair);
		/* fall through */
	case PAPI_VPMU_CALL_COUNTED:
		++*counter(thread, last->active);
		break;
	case PAPI_VPMU_CALL_RETURNED:
		arrive(thread, stack, NEAR);
		break;
	case PAPI_VPMU_CALL_CLOSED:
		end_frame(thread, frame_at(thread->calls_top));
		/* fall through */
	case PAPI_VPMU_CALL_AGAIN:
		close_below(thread, stack);
		break;
	default:
		last = frame_at(thread->calls_top);
		spend(thread, last, step - PAPI_VPMU_CALL_SPENT);
		close_below(thread, stack);
		break;
	}
	drop_last(thread);
}

void papi_vpmu_calls_take_back(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_call_frame *frame;

	if (!thread->calls || thread->calls_top == current(thread)->first)
		return;
	do {
		thread->calls_top -= thread->calls->frame_size;
		frame = frame_at(thread->calls_top);
		--*counter(thread, frame->pair);
		--*counter(thread, frame->active);
	} while (papi_vpmu_profile_is_others(last_frame(thread)->pair) && last_frame(thread)->slot == frame->slot);
}

/* Its return is that of a call of nobody. */
void papi_vpmu_calls_interrupt(struct papi_vpmu_thread *thread)
{
	uint64_t stack = papi_vpmu_processor_stack_pointer(thread), slot = papi_vpmu_processor_slot(stack);
	struct papi_vpmu_pair nobody;

	if (!thread->calls)
		return;
	drop_last(thread);
	arrive(thread, stack, FAR);
	if (thread->wants.contexts && call(thread, 0, thread->pc, slot, false))
		return;
	papi_vpmu_profile_nobody(&nobody);
	open_frame(thread, &nobody, slot);
}

/* It may be where a function begins, whose frame stays. */
void papi_vpmu_calls_go_on(struct papi_vpmu_thread *thread)
{
	if (thread->calls)
		arrive(thread, papi_vpmu_processor_slot(papi_vpmu_processor_stack_pointer(thread)), FAR);
}

/* ---- ends ---- */

/* A function that is open several times is counted where its outermost call is. */
static void settle(struct papi_vpmu_thread *thread, struct stack *stack)
{
	unsigned size = thread->calls->frame_size;

	change_to(thread, stack);
	for (unsigned char *at = thread->calls_top; at > stack->first; at -= size)
		end_frame(thread, frame_at(at - size));
	for (unsigned char *at = thread->calls_top; at > stack->first; at -= size)
		++*counter(thread, frame_at(at - size)->active);
}

void papi_vpmu_calls_settle(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_calls *calls = thread->calls;
	struct stack *stack;

	if (!calls)
		return;
	stack = current(thread);
	for (unsigned i = 0; i < calls->n_stacks; i++)
		settle(thread, &calls->stacks[i]);
	change_to(thread, stack);
}

/* What happens in the calls of a stack from now on is that region's; for them, how often a call is open stays. */
static void move(struct papi_vpmu_thread *thread, struct stack *stack, uint8_t region)
{
	unsigned size = thread->calls->frame_size;
	struct papi_vpmu_pair pair;

	for (unsigned char *at = stack->first; at < top_of(thread, stack); at += size)
		if (papi_vpmu_profile_elsewhere(frame_at(at - size)->pair, frame_at(at)->pair, region, &pair))
			frame_at(at)->pair = pair.counters;
}

void papi_vpmu_calls_change_region(struct papi_vpmu_thread *thread, uint8_t region)
{
	struct papi_vpmu_calls *calls = thread->calls;

	papi_vpmu_calls_settle(thread);
	for (unsigned i = 0; calls && i < calls->n_stacks; i++)
		move(thread, &calls->stacks[i], region);
}

void papi_vpmu_calls_end(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_calls *calls = thread->calls;

	if (!calls)
		return;
	for (unsigned i = 0; i < calls->n_stacks; i++) {
		change_to(thread, &calls->stacks[i]);
		while (thread->calls_top > calls->stacks[i].first)
			close_frame(thread);
	}
	give_back(thread);
}

void papi_vpmu_calls_forked(struct papi_vpmu_thread *self)
{
	if (self->calls)
		give_back(self);
}
