/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness_calls.h"

#include <sys/mman.h>

#define MEMORY    65536
#define FIRST     1000 /* what the clocks of the frame for the return say */
#define LEFT_HERE 64   /* so far below is what was left behind */
#define MODELLED  9000 /* what simulators have counted, when they have come as far as the program */

/* What the code notes for simulators. */
static _Alignas(PAPI_VPMU_CALL_NOTES_SIZE) uint8_t notes[PAPI_VPMU_CALL_NOTES_SIZE];

static struct area *area_of_run;
static uint64_t end; /* of the frames: its lower 32 bits are 0 */
static uint64_t top_at_first;
static uint64_t active_at_first;
static uint8_t *first_note;

static struct seen {
	long frames;
	uint64_t calls, active, spent[2][PAPI_VPMU_CALL_ALL]; /* within another call of the function, the second */
	struct papi_vpmu_call_frame last;                     /* that was opened */
	bool noted[2];                                        /* of the last frame, and of the one before: its end */
	bool notes_are_wrong;
} seen;

/* Sanitizers have memory of their own at some of these places. */
bool harness_calls_begin(void)
{
	static const uint64_t ends[] = { 0x700000000, 0x200000000000 };
	void *place;

	for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		end = ends[i];
		place = (void *)(end - MEMORY);
		if (mmap(place, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
			    0) == place)
			return true;
	}
	return false;
}

static uint64_t *word(unsigned offset)
{
	return (uint64_t *)(void *)(area_of_run->bytes + offset);
}

static uint64_t clocks_of(const struct subject *s)
{
	return s->wants.profile | s->wants.modelled;
}

static uint64_t size(const struct subject *s)
{
	return papi_vpmu_call_frame_size(clocks_of(s));
}

static unsigned n_clocks(const struct subject *s)
{
	return (unsigned)__builtin_popcountll(clocks_of(s));
}

static unsigned first_modelled(const struct subject *s)
{
	return (unsigned)__builtin_popcountll(s->wants.profile);
}

static bool returns(const struct subject *s)
{
	unsigned n = s->t.decoded.count;

	return n && s->t.decoded.instructions[n - 1].kind == PAPI_VPMU_RETURN;
}

static bool is_shared(const struct subject *s)
{
	return s->calls == CALL_SHARED || s->calls == CALL_UNNOTED;
}

static long to_close(const struct subject *s)
{
	return !returns(s) ? 0 : is_shared(s) ? 2 : 1;
}

/* Two frames, of which the last is that of the return, or one that was left behind. */
static void make_frames(const struct subject *s, uint64_t slot)
{
	for (unsigned i = 0; i < 2; i++) {
		struct papi_vpmu_call_frame *frame = (void *)(top_at_first - (2 - i) * size(s));

		memset(frame, 0, size(s));
		frame->slot = i == 0 && !is_shared(s) ? UINT64_MAX : slot - (s->calls == CALL_MISSING ? LEFT_HERE : 0);
		frame->pair = HARNESS_PAIR;
		frame->active = HARNESS_ACTIVE;
		for (unsigned j = 0; j < (size(s) - 16) / 8; j++)
			frame->clocks[j] = FIRST + j;
	}
}

/* Or none. */
static void make_context(const struct subject *s, uint64_t callee)
{
	uint64_t sum = callee + papi_vpmu_call_salt(HARNESS_BLOCK);
	unsigned place = 8 * papi_vpmu_context_word(HARNESS_PAIR, sum);

	*word(VPMU_PAIR_KEYS + place) = s->calls == CALL_MISSING ? 0 : -papi_vpmu_context_key(HARNESS_PAIR, sum);
	*word(VPMU_PAIR_KEYS + place + 8) = HARNESS_PAIR | (uint64_t)HARNESS_ACTIVE << 32;
}

static void make_pair(uint64_t callee)
{
	uint64_t key = callee + papi_vpmu_call_salt(HARNESS_BLOCK);
	unsigned place = 8 * (unsigned)(key & 0xffff);

	*word(VPMU_PAIR_KEYS + place) = -key;
	*word(VPMU_PAIR_VALUES + place) = HARNESS_PAIR | (uint64_t)HARNESS_ACTIVE << 32;
}

void harness_calls_set_up(const struct subject *s, struct area *area, uint64_t slot)
{
	area_of_run = area;
	top_at_first = end - (s->calls == CALL_FULL ? size(s) : MEMORY / 2);
	active_at_first = (is_shared(s) && returns(s) ? 1u : 0) + (returns(s) ? 1u : 0) +
		(s->calls == CALL_NESTED ? 1u : 0);
	make_frames(s, slot);
	for (uint64_t left = s->wants.modelled; left; left &= left - 1)
		*word(VPMU_COUNTERS + 8 * (unsigned)__builtin_ctzll(left)) = MODELLED;
	first_note = notes + (s->calls == CALL_UNNOTED ? sizeof(notes) - sizeof(struct papi_vpmu_call_note) : 64);
	*word(VPMU_NOTES_NEXT) = (uint64_t)(uintptr_t)first_note;
	*word(VPMU_CALLS_TOP) = top_at_first;
	*word(HARNESS_ACTIVE) = active_at_first;
	memset(area->pairs, 0, sizeof(area->pairs[0]) * PAPI_VPMU_PAIRS);
	make_context(s, s->t.block.target);
	make_context(s, harness_target());
	if (s->calls != CALL_MISSING && !s->wants.contexts)
		make_pair(harness_target());
}

/* As the simulators do when they have come there: all records before it are the program's last. */
static void read_note(const struct subject *s, const struct papi_vpmu_call_note *note)
{
	unsigned before = (unsigned)((top_at_first - note->frame) / size(s)); /* frames; 0: it is a new one */

	if (note->trace != *word(VPMU_TRACE_NEXT) || before > 2 || note->pair != (before ? HARNESS_PAIR : 0) ||
		(before && seen.noted[before - 1]))
		seen.notes_are_wrong = true;
	for (unsigned i = first_modelled(s); i < n_clocks(s) && before <= 2; i++)
		if (before)
			seen.spent[note->within != 0][i] += MODELLED - (FIRST + i);
		else
			seen.last.clocks[i] = MODELLED;
	if (before && before <= 2)
		seen.noted[before - 1] = true;
}

static void read_notes(const struct subject *s)
{
	const uint8_t *next = (const uint8_t *)(uintptr_t)*word(VPMU_NOTES_NEXT);

	memset(seen.noted, 0, sizeof(seen.noted));
	seen.notes_are_wrong = next < first_note || next > notes + sizeof(notes);
	for (const uint8_t *at = first_note; !seen.notes_are_wrong && at < next;
		at += sizeof(struct papi_vpmu_call_note))
		read_note(s, (const void *)at);
}

void harness_calls_read(void)
{
	const struct subject *s = harness_running();

	seen.frames = (long)(*word(VPMU_CALLS_TOP) - top_at_first) / (long)size(s);
	seen.calls = *word(HARNESS_PAIR);
	seen.active = *word(HARNESS_ACTIVE) - active_at_first;
	for (unsigned i = 0; i < n_clocks(s); i++) {
		seen.spent[0][i] = word(HARNESS_PAIR)[1 + i];
		seen.spent[1][i] = word(HARNESS_PAIR)[1 + n_clocks(s) + i];
	}
	if (seen.frames > 0)
		memcpy(&seen.last, (const void *)top_at_first, size(s));
	read_notes(s);
}

static void open_call(const struct subject *s, uint64_t stack)
{
	unsigned i = 0;

	seen.frames++;
	seen.calls++;
	seen.active++;
	seen.last.slot = stack;
	seen.last.pair = HARNESS_PAIR;
	seen.last.active = HARNESS_ACTIVE;
	for (uint64_t left = clocks_of(s); left; left &= left - 1)
		seen.last.clocks[i++] = *word(VPMU_COUNTERS + 8 * (unsigned)__builtin_ctzll(left));
}

/* Of the frame that is behind the last that is open. Of what simulators count, what was noted is known. */
static void spend(const struct subject *s, unsigned first)
{
	bool within = seen.active + active_at_first != 0, noted = seen.frames < 0 && seen.noted[-seen.frames - 1];
	unsigned i = 0;

	for (uint64_t left = clocks_of(s); left; left &= left - 1, i++)
		if (i >= first && (!within || s->wants.contexts) && !(noted && i >= first_modelled(s)))
			seen.spent[within][i] += *word(VPMU_COUNTERS + 8 * (unsigned)__builtin_ctzll(left)) -
				(FIRST + i);
}

void harness_calls_finish(const struct subject *s, unsigned step, uint64_t callee, uint64_t stack)
{
	switch (step) {
	case PAPI_VPMU_CALL_MADE:
	case PAPI_VPMU_CALL_MADE_NOTED:
		open_call(s, stack);
		if (step == PAPI_VPMU_CALL_MADE_NOTED && callee != harness_target() &&
			!(s->wants.contexts && callee == s->t.block.target))
			seen.calls = 100;
		break;
	case PAPI_VPMU_CALL_OPENED:
		for (unsigned i = first_modelled(s); i < n_clocks(s); i++)
			seen.last.clocks[i] = MODELLED;
		seen.calls++; /* fall through */
	case PAPI_VPMU_CALL_COUNTED:
		seen.active++;
		break;
	case PAPI_VPMU_CALL_AGAIN:
	case PAPI_VPMU_CALL_RETURNED:
		while (seen.frames > -to_close(s)) {
			seen.frames--;
			seen.active--;
			spend(s, 0);
		}
		break;
	case PAPI_VPMU_CALL_CLOSED:
		seen.active--; /* fall through */
	default:
		spend(s, step < PAPI_VPMU_CALL_SPENT ? 0 : step - PAPI_VPMU_CALL_SPENT);
		if (seen.frames > -to_close(s))
			harness_calls_finish(s, PAPI_VPMU_CALL_RETURNED, callee, stack);
		break;
	}
}

static bool clocks_are_wrong(const struct subject *s, bool behind, const uint64_t *counters)
{
	bool returned = behind && returns(s), outermost = returned && active_at_first == (uint64_t)to_close(s);
	uint64_t within = returned ? (uint64_t)to_close(s) - outermost : 0; /* of the frames that were closed */
	unsigned i = 0;

	for (uint64_t left = clocks_of(s); left; left &= left - 1, i++) {
		uint64_t now = counters[__builtin_ctzll(left)];

		if (behind && !returns(s) && seen.last.clocks[i] != now)
			return true;
		if (seen.spent[0][i] != (outermost ? now - (FIRST + i) : 0))
			return true;
		if (s->wants.contexts && seen.spent[1][i] != within * (now - (FIRST + i)))
			return true;
	}
	return false;
}

const char *harness_calls_wrong(const struct subject *s, bool behind, const uint64_t *counters)
{
	long more = !behind ? 0 : returns(s) ? -to_close(s) : 1;

	if (seen.frames != more)
		return "number of frames";
	if (seen.calls != (uint64_t)(more == 1))
		return "number of calls";
	if (seen.active != (uint64_t)more)
		return "number of open ones";
	if (more == 1 && (seen.last.pair != HARNESS_PAIR || seen.last.active != HARNESS_ACTIVE))
		return "pair";
	if (seen.notes_are_wrong)
		return "notes";
	return clocks_are_wrong(s, behind, counters) ? "clocks" : NULL;
}
