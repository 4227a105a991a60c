/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/trace.h"

#include <errno.h>
#include <stdatomic.h>

#include "components/vpmu/call_frame.h"
#include "components/vpmu/models/models.h"
#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/calls.h"
#include "components/vpmu/translator/descriptions.h"
#include "components/vpmu/translator/library.h"
#include "components/vpmu/translator/memory.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/profile_models.h"
#include "components/vpmu/translator/signals.h"

/* Small enough to stay in the processor's caches until it is read, large enough that reading it costs nothing
 * beside. */
#define TRACE_WORDS 2048
/* Blocks that look do not ask for room: they leave when there have been so many uses since the last time, of which each
 * has one at least, and tells at most of one conditional branch, and another with a record of two words. */
#define LOOKS      4096
#define TRACE_SIZE ((TRACE_WORDS + PAPI_VPMU_RECORD_WORDS_MAX + 2 * LOOKS) * sizeof(uint64_t))

/*
 * Where code looks by itself whether accesses hit and one of so many does not, it leaves too often, and a trace takes
 * less: sooner where a miss takes longer, as it may also be one of the TLB. And where a trace tells of few misses for
 * its words, it is needless. Nobody judges before there have been enough of either; and of twice as many after each
 * change, since all code has to be there for both.
 */
#define ENOUGH 65536
/* Code that has begun with a trace looks for the first time when so many words have come and few blocks, or after very
 * many: what runs while a program starts runs seldom, and takes less memory so. */
#define WORDS_AT_FIRST  ((uint64_t)1 << 22)
#define BLOCKS_AT_FIRST 256
#define ENOUGH_AT_FIRST ((uint64_t)3 << 25)

static unsigned too_much(const struct papi_vpmu_thread *thread)
{
	if (thread->wants.parts & PAPI_VPMU_PART_CODE)
		return 10;
	return thread->wants.parts & PAPI_VPMU_PART_PAGES ? 12 : 5;
}

static unsigned little(const struct papi_vpmu_thread *thread)
{
	return 2 * too_much(thread);
}

/* Any other block asks for room in the trace, or if it makes no record, among the branches. Behind their limit is room
 * for those of all blocks that do not ask. */
#define BRANCHES      4096
#define BRANCHES_SIZE ((BRANCHES + LOOKS + (TRACE_WORDS + 2) * PAPI_VPMU_BRANCHES_OF_RECORD) * sizeof(uint32_t))
#define BUFFERS_SIZE  (TRACE_SIZE + BRANCHES_SIZE)

/* Where indirect branches have been is known by its number, which the page may not have yet. */
static uint64_t place_code(uint64_t pc)
{
	uint64_t place;

	if (papi_vpmu_library_holds(pc))
		return 0;
	papi_vpmu_cache_lock();
	place = papi_vpmu_describe_place(pc);
	papi_vpmu_cache_unlock();
	return place;
}

/* The kernel is asked, by a call that cannot succeed: no signal comes of that. It does not know of bits that processors
 * ignore, the highest eight. */
static bool can_read(uint64_t address)
{
	uint64_t page = (uint64_t)1 << PAPI_VPMU_PAGE_SHIFT;
	int64_t at = (int64_t)((address & -page) << 8) >> 8;

	return papi_vpmu_raw(SYS_rt_sigprocmask, -1, (long)at, 0, sizeof(uint64_t), 0, 0) != -EFAULT;
}

/* The L3 of all threads; under the lock of the cache until it is there. */
static struct papi_vpmu_shared *shared_l3;

static void let_others_run(void)
{
	papi_vpmu_raw(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

static bool share_l3(struct papi_vpmu_models *models, const struct papi_vpmu_geometry *geometry)
{
	papi_vpmu_cache_lock();
	if (!shared_l3 || !papi_vpmu_shared_is_like(shared_l3, &geometry->l3))
		shared_l3 = papi_vpmu_shared_make(&geometry->l3, papi_vpmu_change_memory, let_others_run);
	papi_vpmu_cache_unlock();
	models->shared = shared_l3;
	return shared_l3 != NULL;
}

static struct papi_vpmu_models *new_models(const struct papi_vpmu_geometry *geometry)
{
	struct papi_vpmu_models *models = papi_vpmu_models_make(geometry, papi_vpmu_change_memory);

	if (!models || !geometry->shared_l3 || share_l3(models, geometry))
		return models;
	papi_vpmu_models_end(models);
	return NULL;
}

void papi_vpmu_trace_forked(struct papi_vpmu_thread *thread)
{
	/* Who holds it is not in this process. */
	if (shared_l3 && papi_vpmu_shared_is_held(shared_l3))
		shared_l3 = NULL;
	if (thread && thread->models && thread->models->shared != shared_l3)
		papi_vpmu_trace_end(thread);
}

static bool make_models(struct papi_vpmu_thread *thread, const struct papi_vpmu_geometry *geometry, uint64_t stack)
{
	uint64_t *trace = papi_vpmu_change_memory(NULL, 0, BUFFERS_SIZE);
	struct papi_vpmu_models *models = trace ? new_models(geometry) : NULL;

	if (!models) {
		papi_vpmu_change_memory(trace, trace ? BUFFERS_SIZE : 0, 0);
		return false;
	}
	/* About: from there down a megabyte, and up to what called. */
	papi_vpmu_models_set_stack(models, stack - (1 << 20), stack + (1 << 16), stack);
	models->place_code = place_code;
	models->can_read = can_read;
	thread->models = models;
	thread->enough = ENOUGH;
	thread->trace = thread->trace_next = trace;
	thread->trace_limit = trace + TRACE_WORDS;
	thread->branches = thread->branches_next = (uint32_t *)(void *)trace + TRACE_SIZE / sizeof(uint32_t);
	thread->branches_limit = thread->branches + BRANCHES;
	papi_vpmu_models_give_checks(models, &thread->checks);
	papi_vpmu_models_give_room(models, thread->branches); /* it has no other use while records tell */
	return true;
}

static void run_records(
	struct papi_vpmu_thread *thread, const uint64_t *record, const uint64_t *end, const unsigned char *arena)
{
	struct papi_vpmu_attribution *attribution = papi_vpmu_profile_models(thread);

	if (attribution)
		papi_vpmu_simulate_attributed(thread->models, attribution, thread->counters[0], record, end, arena);
	else
		papi_vpmu_simulate(thread->models, thread->counters[0], record, end, arena);
}

/* Runs all of the trace. A profile may want to know between which records calls began and ended. */
static void run_trace(struct papi_vpmu_thread *thread)
{
	const struct papi_vpmu_call_note *end, *note = papi_vpmu_calls_notes(thread, &end);
	const unsigned char *arena = papi_vpmu_descriptions();
	const uint64_t *record = thread->trace;

	for (; note < end; note++) {
		const uint64_t *next = (const void *)(uintptr_t)note->trace;

		if (record < next)
			run_records(thread, record, next, arena);
		papi_vpmu_calls_catch_up(thread, note);
		record = next;
	}
	run_records(thread, record, thread->trace_next, arena);
	papi_vpmu_calls_forget_notes(thread);
}

static void note_failure(struct papi_vpmu_thread *thread)
{
	if (thread->models->failed && !thread->lost)
		thread->lost = "memory for the simulators of caches ended";
}

/* Runs what is in the trace through the models. */
static void simulate(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_models *models = thread->models;

	models->thread_base = papi_vpmu_processor_thread_pointer();
	run_trace(thread);
	papi_vpmu_simulate_branches(models, thread->counters[0], thread->branches, thread->branches_next);
	thread->trace_next = thread->trace;
	thread->branches_next = thread->branches;
	note_failure(thread);
}

/* Of the first level, whoever is counted. */
static uint64_t misses_of(const struct papi_vpmu_thread *thread)
{
	static const uint8_t first_level[] = { PAPI_VPMU_L1D_READ_MISSES, PAPI_VPMU_L1D_WRITE_MISSES,
		PAPI_VPMU_DTLB_READ_MISSES, PAPI_VPMU_DTLB_WRITE_MISSES, PAPI_VPMU_L1I_MISSES, PAPI_VPMU_ITLB_MISSES };
	const uint64_t *counted = thread->counters[0], *others = thread->models->uncounted;
	uint64_t all = 0;

	for (unsigned i = 0; i < sizeof(first_level); i++)
		all += counted[first_level[i]] + others[first_level[i]];
	return all;
}

static bool is_empty(const struct papi_vpmu_thread *thread)
{
	const struct papi_vpmu_call_note *end;

	return thread->trace_next == thread->trace && thread->branches_next == thread->branches &&
		papi_vpmu_calls_notes(thread, &end) == end;
}

bool papi_vpmu_trace_checks(const struct papi_vpmu_wants *wants)
{
	const struct papi_vpmu_geometry *geometry = papi_vpmu_geometry_current(NULL, 0);

	if (!papi_vpmu_processor_checks || geometry->choice.groups || geometry->recorded || wants->traces ||
		wants->modelled || wants->data_end || wants->overflow)
		return false;
	return wants->parts & PAPI_VPMU_PART_DATA && papi_vpmu_checks_are_possible(&geometry->l1d) &&
		(!(wants->parts & PAPI_VPMU_PART_CODE) || papi_vpmu_checks_of_code_are_possible(&geometry->l1i));
}

bool papi_vpmu_trace_comes_first(const struct papi_vpmu_wants *wants)
{
	return wants->parts & PAPI_VPMU_PART_CODE && papi_vpmu_trace_checks(wants) &&
		!papi_vpmu_geometry_current(NULL, 0)->checking;
}

/* Nothing has been told yet. */
static void begin_to_look(struct papi_vpmu_thread *thread)
{
	thread->look_limit = thread->checks.now + LOOKS * PAPI_VPMU_TICK;
}

void papi_vpmu_trace_choose(struct papi_vpmu_thread *thread)
{
	bool checks = papi_vpmu_trace_checks(&thread->wants);

	if (thread->models->is_checked == checks)
		return;
	if (!is_empty(thread))
		simulate(thread);
	papi_vpmu_models_check(thread->models, checks);
	begin_to_look(thread);
	thread->since = checks ? thread->checks.now : misses_of(thread);
	thread->passed = thread->passed_then = 0;
}

/* The records that are in the trace yet were made for the parts that ran before. All signals are blocked. */
static bool use_parts(struct papi_vpmu_thread *thread)
{
	bool attributes = thread->wants.modelled;
	unsigned parts = thread->wants.parts;

	/* What tells misses by instruction looks up pages with all data. */
	if (attributes && parts & PAPI_VPMU_PART_DATA)
		parts |= PAPI_VPMU_PART_PAGES;
	if (thread->models->parts == parts && attributes == (thread->attribution != NULL)) {
		papi_vpmu_trace_choose(thread);
		return true;
	}
	if (!is_empty(thread))
		simulate(thread);
	papi_vpmu_models_use(thread->models, parts);
	papi_vpmu_trace_choose(thread);
	if (attributes)
		return papi_vpmu_profile_models_begin(thread);
	papi_vpmu_profile_models_end(thread);
	return true;
}

static uint64_t *register_of(struct papi_vpmu_thread *thread, uint64_t what)
{
	return &thread->registers[what & (PAPI_VPMU_REGISTERS - 1)];
}

/* Each of several that have been looked at as one, which began at that address. Returns where code goes on. */
static uint64_t check_parts(struct papi_vpmu_thread *thread, uint64_t counters[], uint64_t address)
{
	const uint16_t *parts = (const void *)(uintptr_t)(thread->code + (uint16_t)thread->access), *part = parts + 2;

	for (unsigned i = 0; i < parts[1]; i++, part++)
		papi_vpmu_checks_touch(thread->models, counters, address + (*part >> PAPI_VPMU_PART_OFFSET & 0x7f),
			*part & 0xff, *part >> PAPI_VPMU_PART_IS_WRITE);
	return parts[0];
}

/* The thread's code is the entry of the block at first. */
static void check_access(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_models *models = thread->models;
	uint64_t what = (uint64_t)thread->exit, access = (uint64_t)thread->access, behind = access & 0xffff;
	uint64_t *counters = what >> PAPI_VPMU_CHECK_IS_COUNTED & 1 ? thread->counters[0] : models->uncounted;
	uint64_t address = *register_of(thread, what >> PAPI_VPMU_CHECK_ADDRESS),
		 *now = register_of(thread, what >> PAPI_VPMU_CHECK_NOW);

	thread->checks.now = *now;
	if (access & PAPI_VPMU_ACCESS_PARTS)
		behind = check_parts(thread, counters, address);
	else if (access & PAPI_VPMU_ACCESS_CODE)
		papi_vpmu_checks_fetch(models, counters, thread->record[0]);
	else if (!(access & PAPI_VPMU_ACCESS_NONE))
		papi_vpmu_checks_touch(models, counters, address, access >> PAPI_VPMU_ACCESS_EXTENT & 0xff,
			access >> PAPI_VPMU_ACCESS_IS_WRITE & 1);
	thread->code += behind;
	*now = thread->checks.now;
}

/* The thread goes over to the other sort of code. */
static bool go_over(struct papi_vpmu_thread *thread)
{
	thread->enough *= 2;
	return true;
}

bool papi_vpmu_trace_check(struct papi_vpmu_thread *thread)
{
	bool whole = thread->exit == PAPI_VPMU_CHECK_RECORD;
	uint64_t uses, passed;

	if (whole) {
		thread->models->thread_base = thread->thread_base;
		papi_vpmu_checks_run(thread->models, thread->counters[0], thread->record, papi_vpmu_descriptions());
	} else {
		check_access(thread);
	}
	note_failure(thread);
	thread->passed += whole || !((uint64_t)thread->access & PAPI_VPMU_ACCESS_NONE);
	if (thread->checks.now > thread->look_limit) {
		papi_vpmu_trace_drain(thread);
		begin_to_look(thread);
	}
	uses = (thread->checks.now - thread->since) / PAPI_VPMU_TICK;
	if (uses < thread->enough || !(whole || (uint64_t)thread->access & PAPI_VPMU_ACCESS_LAST))
		return false;
	passed = thread->passed;
	thread->since = thread->checks.now;
	thread->passed = 0;
	return passed * too_much(thread) >= uses && !papi_vpmu_geometry_current(NULL, 0)->checking && go_over(thread);
}

/* Whether the trace is that with which code has begun. */
static bool comes_first(const struct papi_vpmu_thread *thread)
{
	return thread->wants.parts & PAPI_VPMU_PART_CODE && thread->enough == ENOUGH;
}

/* Whether there have been enough words since it was last judged whether a trace is needed. */
static bool is_enough(struct papi_vpmu_thread *thread)
{
	unsigned more;

	if (!comes_first(thread))
		return thread->passed >= thread->enough;
	if (thread->passed - thread->passed_then < WORDS_AT_FIRST)
		return false;
	more = papi_vpmu_cache_blocks_made() - thread->blocks_seen;
	thread->passed_then = thread->passed;
	thread->blocks_seen += more;
	return more < BLOCKS_AT_FIRST || thread->passed >= ENOUGH_AT_FIRST;
}

bool papi_vpmu_trace_full(struct papi_vpmu_thread *thread)
{
	uint64_t words = (uint64_t)(thread->trace_next - thread->trace), missed;

	papi_vpmu_trace_drain(thread);
	if (!thread->wants.traces)
		return false;
	thread->passed += words;
	if (!is_enough(thread))
		return false;
	words = thread->passed;
	missed = misses_of(thread) - thread->since;
	thread->since += missed;
	thread->passed = thread->passed_then = 0;
	if (missed * little(thread) >= words)
		return false;
	papi_vpmu_trace_arrive(thread); /* the next record would have told where the last one led to */
	return go_over(thread);
}

bool papi_vpmu_trace_begin(struct papi_vpmu_thread *thread, uint64_t stack)
{
	const struct papi_vpmu_geometry *geometry = papi_vpmu_geometry_current(NULL, 0);

	if (thread->models && thread->models->failed)
		papi_vpmu_trace_end(thread);
	if (!geometry || (!thread->models && !make_models(thread, geometry, stack)) || !use_parts(thread))
		return false;
	thread->thread_base = papi_vpmu_processor_thread_pointer();
	thread->models->data_start = thread->wants.data_start;
	thread->models->data_end = thread->wants.data_end;
	thread->models->counts_accesses = thread->wants.data_end != 0;
	return true;
}

/*
 * Also in the library's own code, which signals may interrupt. The program's handlers run translated: what one appended
 * would be thrown away here, and if the trace got full, the same records would run through the same models again, in
 * the middle of one. So they wait, as for the runtime.
 */
void papi_vpmu_trace_drain(struct papi_vpmu_thread *thread)
{
	uint64_t in_runtime = thread->in_runtime;

	if (!thread->models || is_empty(thread))
		return;
	thread->in_runtime = 1;
	atomic_signal_fence(memory_order_seq_cst);
	simulate(thread);
	atomic_signal_fence(memory_order_seq_cst);
	thread->in_runtime = in_runtime;
	if (!in_runtime)
		papi_vpmu_signals_release(thread);
}

void papi_vpmu_trace_catch_up(struct papi_vpmu_thread *thread)
{
	if (!thread->notes_next || !thread->models || is_empty(thread))
		return;
	simulate(thread);
}

void papi_vpmu_trace_run(
	struct papi_vpmu_thread *thread, const uint64_t *record, const uint64_t *end, const unsigned char *arena)
{
	if (!is_empty(thread))
		simulate(thread);
	run_records(thread, record, end, arena);
}

/* Calls of the library leave no records: what follows one tells. */
void papi_vpmu_trace_arrive(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_attribution *attribution = papi_vpmu_profile_models(thread);

	papi_vpmu_trace_drain(thread);
	if (!thread->models || papi_vpmu_library_holds(thread->pc))
		return;
	if (attribution)
		papi_vpmu_simulate_attributed_arrival(thread->models, attribution, thread->counters[0], thread->pc);
	else
		papi_vpmu_simulate_arrival(thread->models, thread->counters[0], thread->pc);
}

void papi_vpmu_trace_end(struct papi_vpmu_thread *thread)
{
	papi_vpmu_profile_models_end(thread);
	if (!thread->models)
		return;
	papi_vpmu_change_memory(thread->trace, BUFFERS_SIZE, 0);
	papi_vpmu_models_end(thread->models);
	thread->models = NULL;
	thread->trace = NULL;
}
