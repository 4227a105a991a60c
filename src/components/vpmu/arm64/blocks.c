/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks are made, filed, led to each other, and become stale (translator/processor.h). Before the entry is the way
 * that a stale one takes:
 *
 *	way    nop                             or where x15 has a count, that is stored
 *	       movz x15, link;  movk x15, link
 *	       str  x15, [x18, exit]
 *	       ldr  x15, [x18, dispatch]
 *	       br   x15
 *	       ...                             the ways in from elsewhere (translate.h)
 *	entry  b    way                        once the block is stale; before that, nop
 *	start  ...                             links lead here, until it is
 *
 * Nothing but these branches is ever replaced while others may run it, and each is a word: so they see the old one or
 * the new. Code is written in one mapping and run in another, and caches are told of both addresses.
 */
#include "components/vpmu/arm64/profile.h"
#include "components/vpmu/arm64/describe.h"
#include "components/vpmu/arm64/translate/translate.h"
#include "components/vpmu/arm64/vectors.h"
#include "components/vpmu/models/geometry.h"
#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/jumps.h"
#include "components/vpmu/translator/maps.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/tracer.h"

#define NOP 0xd503201fu

const unsigned papi_vpmu_processor_stub = A64_STUB;

/* ---- code that is seen ---- */

static uint64_t line_of(unsigned shift)
{
	uint64_t caches;

	__asm__ volatile("mrs %0, ctr_el0" : "=r"(caches));
	return (uint64_t)4 << (caches >> shift & 15);
}

/* So many bytes have been written there, and are to be run to_code bytes on. */
static void synchronize(const uint8_t *start, uint64_t size, intptr_t to_code)
{
	uint64_t data = line_of(16), instructions = line_of(0), from = (uint64_t)(uintptr_t)start, end = from + size;
	uint64_t run = from + (uint64_t)to_code;

	for (uint64_t at = from & ~(data - 1); at < end; at += data)
		__asm__ volatile("dc cvau, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb ish" : : : "memory");
	for (uint64_t at = run & ~(instructions - 1); at < run + size; at += instructions)
		__asm__ volatile("ic ivau, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb ish; isb" : : : "memory");
}

static void replace(uint8_t *place, uint32_t word, intptr_t to_code)
{
	__atomic_store_n((uint32_t *)(void *)place, word, __ATOMIC_RELEASE);
	synchronize(place, sizeof(word), to_code);
}

/* ---- the beginning of blocks, and branches between them ---- */

void papi_vpmu_processor_begin_block(struct papi_vpmu_emitter *e, int32_t link)
{
	uint32_t number = (uint32_t)link;

	while ((uintptr_t)e->next % 8)
		papi_a64_emit(e, NOP);
	papi_a64_emit(e, NOP);
	papi_a64_emit(e, 0xd2800000u | (number & 0xffff) << 5 | A64_BORROWED); /* movz */
	papi_a64_emit(e, 0xf2a00000u | (number >> 16) << 5 | A64_BORROWED);    /* movk */
	papi_a64_emit_store(e, A64_BORROWED, A64_EXIT);
	papi_a64_emit_load(e, A64_BORROWED, A64_DISPATCH);
	papi_a64_emit_branch_register(e, A64_BORROWED);
}

void papi_vpmu_processor_make_stale(uint8_t *entry, intptr_t to_code, unsigned before)
{
	(void)before;
	replace(entry + A64_ENTRY, papi_a64_branch(-(A64_STUB + A64_ENTRY)), to_code);
}

void papi_vpmu_processor_connect(const struct papi_vpmu_link *link, uint64_t code)
{
	uint64_t place = (uint64_t)((intptr_t)link->place + link->to_code);
	int64_t distance = (int64_t)(code + A64_START - place), reach = (int64_t)papi_vpmu_processor_reach;

	if (distance >= -reach && distance < reach)
		replace(link->place, papi_a64_branch(distance), link->to_code);
}

const bool papi_vpmu_processor_disconnects = true;

/* To the dispatcher, right behind it. */
void papi_vpmu_processor_disconnect(const struct papi_vpmu_link *link)
{
	replace(link->place, papi_a64_branch(4), link->to_code);
}

/* ---- making and filing ---- */

static struct papi_a64_translation translation; /* under the lock */

static uint64_t find(const void *flavour, uint64_t pc)
{
	const struct papi_vpmu_block *block = papi_vpmu_cache_find(flavour, pc);

	return block ? block->code : 0;
}

/* Where code is to be put. False when the segment is full, or the flavour's table. */
static bool open_place(struct papi_a64_place *place, struct papi_vpmu_flavour *flavour, uint64_t pc)
{
	if ((flavour && !papi_vpmu_flavour_open(flavour)) || !papi_vpmu_cache_open(&place->e))
		return false;
	papi_vpmu_cache_begin_block(&place->e, pc);
	place->first_link = papi_vpmu_cache_next_link();
	place->find = find;
	place->translated = flavour;
	return true;
}

/* Numbers of links are given in their order. What they lead to has been translated, or they wait for it. */
static struct papi_vpmu_block *file(const struct papi_a64_translation *t)
{
	const uint8_t *start = t->place.e.next - A64_STUB;
	struct papi_vpmu_block *filed;

	for (unsigned i = 0; i < t->n_links; i++)
		papi_vpmu_cache_new_link(&t->links[i]);
	synchronize(start, (uint64_t)(t->e.next - start), t->e.to_code);
	filed = papi_vpmu_cache_close(&t->e, &t->block, t->marks);
	for (unsigned i = 0; i < t->n_links; i++) {
		struct papi_vpmu_block *block = t->links[i].place ? papi_vpmu_cache_find(filed->flavour, t->links[i].pc)
								  : NULL;

		if (block)
			papi_vpmu_cache_connect(t->place.first_link + i, block);
	}
	return filed;
}

/* What the records of each way out are described by, and the branches. False when there is no room. */
static bool describe(struct papi_a64_translation *t)
{
	const struct papi_a64_part all = { t->decoded.count, false };

	if (!papi_a64_tells_anything(t))
		return true;
	/* Even if no way makes a record, the pages of its branches get their numbers. */
	for (unsigned i = 0; i < papi_a64_ways(&t->decoded); i++)
		if (!papi_a64_describe(&t->plan, &t->decoded, papi_a64_way(&t->decoded, i), &t->descriptions[i]))
			return false;
	papi_a64_describe_branches(&t->plan, &t->decoded, all, t->branches);
	return true;
}

/* Before any such instruction runs; where there are none, programs are led past them. */
static void note_scalable(const struct papi_a64_block *decoded)
{
	if (!papi_a64_vector_bytes)
		return;
	for (unsigned i = 0; i < decoded->count && !(papi_a64_scalable_used && papi_a64_stops_used); i++) {
		if (decoded->instructions[i].is_scalable)
			__atomic_store_n(&papi_a64_scalable_used, 1, __ATOMIC_RELAXED);
		if (decoded->instructions[i].operand.active.stops)
			__atomic_store_n(&papi_a64_stops_used, 1, __ATOMIC_RELAXED);
	}
}

static struct papi_vpmu_block *translate(struct papi_vpmu_flavour *flavour, uint64_t pc, bool readable)
{
	struct papi_a64_request request = {
		.view = &papi_vpmu_process,
		.wants = &flavour->wants,
		.pc = pc,
		.library = flavour->library,
		.step = flavour->step,
		.unreadable = !readable,
		.watched = papi_vpmu_agent,
		.vector = papi_a64_vector_bytes,
	};
	struct papi_a64_place place;

	if (flavour->wants.parts) {
		request.line_shift = papi_vpmu_geometry_current(NULL, 0)->l1i.shift;
		request.zero_shift = papi_a64_zero_shift();
	}
	papi_a64_translation_plan(&translation, &request);
	note_scalable(&translation.decoded);
	if (translation.n_ways)
		translation.block.profile = papi_a64_profile_translation(&translation, &place.first_way);
	translation.plan.has_origins = flavour->wants.modelled;
	translation.plan.profile = translation.block.profile;
	if (!describe(&translation) || !open_place(&place, flavour, pc))
		return NULL;
	translation.block.flavour = flavour;
	papi_a64_translation_emit(&translation, &place);
	return file(&translation);
}

struct papi_vpmu_block *papi_vpmu_translate(
	const struct papi_vpmu_thread *thread, struct papi_vpmu_flavour *flavour, bool indirect)
{
	(void)indirect;
	return translate(flavour, thread->pc, true);
}

struct papi_vpmu_block *papi_vpmu_translate_step(
	const struct papi_vpmu_thread *thread, struct papi_vpmu_flavour *flavour)
{
	return translate(flavour, thread->pc, false);
}

/* ---- the jumps of a thread (indirect.c) ---- */

static void enter_place(struct papi_vpmu_thread *thread, unsigned place, uint64_t pc, uint64_t code)
{
	papi_vpmu_jumps_enter(thread, place, pc);
	thread->jumps[place + 1] = code;
}

/* What has the place moves to its other one. */
void papi_vpmu_processor_enter_jump(struct papi_vpmu_thread *thread, struct papi_vpmu_block *block)
{
	unsigned place = (unsigned)(block->pc >> 2 & 0xfff) * 2;
	uint64_t pc = thread->jumps[place], code = thread->jumps[place + 1];

	if (pc != block->pc && papi_vpmu_cache_is_live(code))
		enter_place(thread, 2 * 4096 + (unsigned)((pc ^ pc >> 12) >> 2 & 0xfff) * 2, pc, code);
	enter_place(thread, place, block->pc, block->code + 4);
}

/* ---- what cannot be translated ---- */

static uint64_t read_word(uint64_t pc, uint64_t unused, uint64_t unused_too)
{
	(void)unused;
	(void)unused_too;
	return *(const volatile uint32_t *)(uintptr_t)pc;
}

/* How much a record holds of them was known when its block was translated. */
static bool has_other_vectors(void)
{
	uint64_t bytes;

	if (!papi_a64_vector_bytes || !(papi_vpmu_self->wants.parts & PAPI_VPMU_PART_DATA))
		return false;
	__asm__ volatile(".arch_extension sve\n\trdvl %0, #1" : "=r"(bytes));
	return bytes != papi_a64_vector_bytes;
}

static const char *obstacle_at(uint64_t pc)
{
	struct papi_a64_instruction instruction;
	uint64_t word = PAPI_VPMU_GUARD_FAILED;

	if (pc % 4 == 0 && papi_vpmu_maps_executable_until(pc))
		word = papi_vpmu_guarded(read_word, pc, 0, 0);
	if (word == PAPI_VPMU_GUARD_FAILED)
		return "the program goes on where there is no code";
	if (has_other_vectors())
		return "vectors of any length (SVE) have another length than when the library began, where accesses "
		       "are simulated";
	papi_a64_decode((uint32_t)word, &instruction);
	return papi_a64_obstacle(&instruction, papi_vpmu_tracer_owns_breakpoints(), &papi_vpmu_self->wants);
}

const char *papi_vpmu_step_obstacle(uint64_t pc)
{
	const char *obstacle = obstacle_at(pc);

	return obstacle ? obstacle : "an instruction of the program was being changed";
}

bool papi_vpmu_step_is_over(uint64_t pc)
{
	return !obstacle_at(pc);
}
