/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/processor.h"

#include "components/vpmu/models/geometry.h"
#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/jumps.h"
#include "components/vpmu/translator/profile.h"
#include "components/vpmu/translator/profile_pairs.h"
#include "components/vpmu/translator/trace.h"
#include "components/vpmu/x86_64/describe.h"
#include "components/vpmu/x86_64/profile.h"
#include "components/vpmu/x86_64/translate/remembered.h"
#include "components/vpmu/x86_64/translate/translate.h"

/* ---- making and filing ---- */

/* The block being translated, the one that follows it in its record, and where indirect branches arrive; under the
 * lock. */
static struct papi_vpmu_translation leading, following, arriving;
static unsigned last_lane;

/* The process, and what has been decoded of it. */
static struct papi_vpmu_remembered remembered;
static struct papi_vpmu_view process;

static uint64_t find(const void *flavour, uint64_t pc)
{
	const struct papi_vpmu_block *block = papi_vpmu_cache_find(flavour, pc);

	return block ? block->code : 0;
}

/* Where code is to be put. False when the segment is full, or the flavour's table. */
static bool open_place(struct papi_vpmu_place *place, struct papi_vpmu_flavour *flavour, uint64_t pc)
{
	if ((flavour && !papi_vpmu_flavour_open(flavour)) || !papi_vpmu_cache_open(&place->e))
		return false;
	papi_vpmu_cache_begin_block(&place->e, pc);
	place->first_link = papi_vpmu_cache_next_link();
	place->first_way = place->pair = place->active = 0;
	place->find = find;
	place->translated = flavour;
	return true;
}

/* Numbers of links are given in their order. */
static struct papi_vpmu_block *file(const struct papi_vpmu_translation *t)
{
	for (unsigned i = 0; i < t->n_links; i++)
		papi_vpmu_cache_new_link(&t->links[i]);
	return papi_vpmu_cache_close(&t->e, &t->block, t->marks);
}

/* Of a call whose target is known now. */
static void find_pair(const struct papi_vpmu_translation *t, struct papi_vpmu_place *place)
{
	const struct papi_vpmu_instruction *last;
	struct papi_vpmu_pair pair = { 0, 0 };

	place->pair = place->active = 0;
	if (!t->request.wants->calls || t->request.wants->contexts || t->gate || !t->decoded.count)
		return;
	last = &t->decoded.instructions[t->decoded.count - 1];
	if (last->counted && t->block.profile && papi_vpmu_is_call(t, last) &&
		!papi_vpmu_call_slot(t->request.view, papi_vpmu_branch_target(last)))
		papi_vpmu_profile_pair(0,
			&(struct papi_vpmu_called){
				papi_vpmu_branch_target(last), t->block.profile, t->request.wants->region },
			&pair);
	place->pair = pair.counters;
	place->active = pair.active;
}

/* Right before the code of the block that is emitted next. */
static void emit_arrival_before(struct papi_vpmu_translation *t, struct papi_vpmu_place *place)
{
	papi_vpmu_translation_emit_arrival(&arriving, place, t->pc, 0);
	place->e = arriving.e;
	t->block.arrival = file(&arriving);
	t->block.before = (uint8_t)t->block.arrival->code_size;
}

/* indirect: it is to have that, if it is one that indirect branches find by themselves. */
static struct papi_vpmu_block *emit(struct papi_vpmu_translation *t, struct papi_vpmu_flavour *flavour, bool indirect)
{
	struct papi_vpmu_place place;

	if (!open_place(&place, flavour, t->pc))
		return NULL;
	t->block.flavour = flavour;
	if (t->n_ways)
		t->block.profile = papi_vpmu_profile_translation(t, &place.first_way);
	find_pair(t, &place);
	if (indirect && !flavour->library && !flavour->step)
		emit_arrival_before(t, &place);
	papi_vpmu_translation_emit(t, &place);
	return file(t);
}

/* Where simulators attribute what they count, a description says to whom. */
static void note_origins(const struct papi_vpmu_flavour *flavour, struct papi_vpmu_translation *t)
{
	uint32_t first_way;

	t->plan.has_origins = flavour->wants.modelled;
	t->plan.profile = flavour->wants.modelled && t->n_ways ? papi_vpmu_profile_translation(t, &first_way) : 0;
}

/* Whether anybody reads a description of the block: of its record, or to foresee what it may do. */
static bool is_described(const struct papi_vpmu_flavour *flavour)
{
	return leading.traced || (leading.checked && leading.checks.always) || flavour->wants.modelled ||
		flavour->wants.overflow;
}

/* What the records of the block are described by, and its branches; follows: it is followed by another. False when
 * there is no room. */
static bool describe(struct papi_vpmu_flavour *flavour, bool follows)
{
	bool overflow = flavour->wants.overflow;

	if (!is_described(flavour))
		return papi_vpmu_describe_places(&leading.plan);
	note_origins(flavour, &leading);
	if (follows)
		note_origins(flavour, &following);
	if (!papi_vpmu_describe(&leading.plan, follows ? &following.plan : NULL, overflow, &leading.description))
		return false;
	if (overflow)
		leading.block.description = leading.description + 1;
	for (unsigned i = 0; leading.traced && i < leading.plan.n_ways_out; i++)
		if (!papi_vpmu_describe_way_out(&leading.plan, i, &leading.ways_out[i]))
			return false;
	return true;
}

/* The block that is about to be emitted, and before it the one that follows it. False when there is no room. */
static bool prepare(struct papi_vpmu_flavour *flavour)
{
	const struct papi_vpmu_block *block;
	bool follows = papi_vpmu_translation_plan_following(&following, &leading, last_lane + 1);

	/* Where branches are predicted, or code is fetched, pages of it have numbers in the order in which they come
	 * up. */
	bool needless = !is_described(flavour) &&
		!(flavour->wants.parts & (PAPI_VPMU_PART_BRANCHES | PAPI_VPMU_PART_CODE));

	if (leading.modelled && !needless && !describe(flavour, follows))
		return false;
	if (!follows)
		return true;
	last_lane++;
	block = emit(&following, flavour, false);
	if (block)
		leading.following = block->code;
	return block != NULL;
}

static struct papi_vpmu_block *translate(
	const struct papi_vpmu_thread *thread, struct papi_vpmu_flavour *flavour, bool readable, bool indirect)
{
	struct papi_vpmu_request request = {
		.view = &process,
		.wants = &flavour->wants,
		.pc = thread->pc,
		.registers = thread->registers,
		.library = flavour->library,
		.step = flavour->step,
		.unreadable = !readable,
		.lane = ++last_lane,
	};

	process = papi_vpmu_process;
	process.remembered = &remembered;
	if (flavour->wants.parts) {
		const struct papi_vpmu_geometry *geometry = papi_vpmu_geometry_current(NULL, 0);

		request.line_shift = geometry->l1i.shift;
		request.data_shift = geometry->l1d.shift;
		request.checks = papi_vpmu_trace_checks(&flavour->wants);
	}
	papi_vpmu_translation_plan(&leading, &request);
	return prepare(flavour) ? emit(&leading, flavour, indirect) : NULL;
}

struct papi_vpmu_block *papi_vpmu_translate(
	const struct papi_vpmu_thread *thread, struct papi_vpmu_flavour *flavour, bool indirect)
{
	return translate(thread, flavour, true, indirect);
}

struct papi_vpmu_block *papi_vpmu_translate_step(
	const struct papi_vpmu_thread *thread, struct papi_vpmu_flavour *flavour)
{
	return translate(thread, flavour, false, false);
}

/* Elsewhere: others than indirect branches have come to it before. NULL when there is no room. */
static struct papi_vpmu_block *emit_arrival(const struct papi_vpmu_block *block)
{
	struct papi_vpmu_place place;

	if (!open_place(&place, NULL, block->pc))
		return NULL;
	papi_vpmu_translation_emit_arrival(&arriving, &place, block->pc, block->code);
	return file(&arriving);
}

/* What has another target goes on there. Only what is in a table already comes behind what comes to one, so that no
 * circle can be. */
static void lead_on(const struct papi_vpmu_block *arrival, uint64_t code)
{
	intptr_t to_code;
	uint8_t *written = papi_vpmu_cache_written(arrival->code, &to_code);

	papi_vpmu_processor_connect(
		&(struct papi_vpmu_link){ .place = written + arrival->branch, .to_code = to_code }, code);
}

/* At the low 16 bits of its target; what was there comes behind it. */
void papi_vpmu_processor_enter_jump(struct papi_vpmu_thread *thread, struct papi_vpmu_block *block)
{
	unsigned place = block->pc & (PAPI_VPMU_JUMPS - 1);
	uint64_t jump = thread->jumps[place];
	struct papi_vpmu_block *arrival = block->arrival ? block->arrival : emit_arrival(block);

	if (!arrival)
		return;
	block->arrival = arrival;
	if (!arrival->reached && papi_vpmu_cache_is_live(jump))
		lead_on(arrival, jump);
	arrival->reached = true;
	papi_vpmu_jumps_enter(thread, place, arrival->code);
}
