/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference_model.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 4096u

static void count(struct reference_model *model, enum papi_vpmu_counter counter, unsigned n)
{
	if (model->counting)
		model->counters[counter] += n;
}

/* ---- what is chosen of lines ---- */

/* PAPI_VPMU_NO_GROUP where the line is not chosen, and where nothing is. */
static unsigned group_of(const struct reference_model *model, uint64_t address)
{
	const struct papi_vpmu_choice *choice = &model->choice;

	return choice->groups ? choice->group_of[(address >> choice->low) % choice->classes] : PAPI_VPMU_NO_GROUP;
}

/* A line of which missed levels, counted by three counters, a step apart. */
static void estimate(
	struct reference_model *model, uint64_t address, unsigned missed, unsigned counter, unsigned step, int sign)
{
	unsigned group = group_of(model, address);

	for (unsigned level = 0; level < missed && model->counting && group != PAPI_VPMU_NO_GROUP; level++)
		model->estimates[group][counter + level * step] += sign * (int64_t)model->choice.scale;
}

/* ---- caches ---- */

/* Whether the line was there. It is afterwards, as the newest of its set; the oldest leaves a set that is full. */
static bool look_up(struct reference_cache *cache, uint64_t line)
{
	uint64_t *set = cache->lines + line % cache->shape.sets * cache->shape.ways;
	unsigned at = 0;
	bool found;

	while (at < cache->shape.ways - 1 && set[at] != line)
		at++;
	found = set[at] == line;
	memmove(set + 1, set, at * sizeof(*set));
	set[0] = line;
	return found;
}

/* How many of the three levels do not have it. Each sees what misses the one before it. */
static unsigned levels_missed(struct reference_model *model, struct reference_cache *first, uint64_t place)
{
	if (look_up(first, place >> first->shape.shift))
		return 0;
	if (look_up(&model->l2, place >> model->l2.shape.shift))
		return 1;
	return model->l3.shape.ways && look_up(&model->l3, place >> model->l3.shape.shift) ? 2 : 3;
}

static void translate(struct reference_model *model, bool code, uint64_t page, unsigned misses, unsigned walks)
{
	struct reference_cache *first = code ? &model->itlb : &model->dtlb,
			       *second = code && !model->shared_tlb2 ? &model->itlb2 : &model->dtlb2;

	if (look_up(first, page))
		return;
	count(model, misses, 1);
	if (!second->shape.ways || !look_up(second, page))
		count(model, walks, 1);
}

/* ---- code ---- */

void reference_fetch(struct reference_model *model, uint64_t address, unsigned size)
{
	uint64_t line_size = 1ull << model->l1i.shape.shift;

	for (uint64_t line = address & -line_size; line < address + size; line += line_size) {
		unsigned missed;

		translate(model, true, line / PAGE, PAPI_VPMU_ITLB_MISSES, PAPI_VPMU_ITLB_WALKS);
		missed = levels_missed(model, &model->l1i, line);
		count(model, PAPI_VPMU_L1I_MISSES, missed > 0);
		count(model, PAPI_VPMU_L2I_MISSES, missed > 1);
		count(model, PAPI_VPMU_L3I_MISSES, missed > 2);
		estimate(model, line, missed > 1 ? missed - 1 : 0, PAPI_VPMU_L2I_MISSES, 1, 1);
	}
}

/* ---- data ---- */

/* As if stacks began where pages do. */
static uint64_t settle(const struct reference_model *model, uint64_t address)
{
	return address >= model->stack_start && address < model->stack_end ? address + model->stack_shift : address;
}

/* As if pages had been given out in the order of their first use. */
static uint64_t place_of(struct reference_model *model, uint64_t settled)
{
	uint64_t page = settled / PAGE, i = page % REFERENCE_PAGES;

	while (model->pages[i].page && model->pages[i].page != page)
		i = (i + 1) % REFERENCE_PAGES;
	if (!model->pages[i].page) {
		model->pages[i].page = page;
		model->pages[i].before = model->n_pages++;
	}
	if (model->n_pages == REFERENCE_PAGES)
		__builtin_trap(); /* the next one would be searched for ever */
	return (model->pages[i].before + 1) * (uint64_t)PAGE + settled % PAGE;
}

static bool is_asked_for(const struct reference_model *model, uint64_t address, unsigned size)
{
	return !model->data_end || (address < model->data_end && address + size > model->data_start);
}

/* How many levels miss one of its lines. It is estimated if it stands for its access: two neighbours that are chosen
 * and both miss are no miss. */
static unsigned touch(struct reference_model *model, uint64_t address, unsigned size, bool is_write, bool stands)
{
	uint64_t line_size = 1ull << model->l1d.shape.shift, settled = settle(model, address);
	unsigned most = 0, before = 0, counter = PAPI_VPMU_L1D_READ_MISSES + is_write;

	for (uint64_t line = settled & -line_size; line < settled + size; line += line_size) {
		uint64_t place = place_of(model, line);
		unsigned missed, both;

		translate(model, false, place / PAGE, PAPI_VPMU_DTLB_READ_MISSES + is_write,
			PAPI_VPMU_DTLB_READ_WALKS + is_write);
		missed = levels_missed(model, &model->l1d, place);
		most = missed > most ? missed : most;
		both = missed < before ? missed : before;
		if (stands)
			estimate(model, line, missed, counter, 2, 1);
		if (stands && group_of(model, line) != PAPI_VPMU_NO_GROUP &&
			group_of(model, line - line_size) != PAPI_VPMU_NO_GROUP) {
			estimate(model, line, both, counter, 2, -1);
			estimate(model, line - line_size, both, counter, 2, -1);
		}
		before = missed;
	}
	return most;
}

static void access_pieces(struct reference_model *model, const uint64_t addresses[], const unsigned sizes[], unsigned n,
	unsigned size, enum papi_vpmu_access_kind kind)
{
	bool counting = model->counting, is_write = kind == PAPI_VPMU_WRITE, any = false;
	unsigned most = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned missed;
		bool asked;

		size = sizes ? sizes[i] : size;
		asked = is_asked_for(model, addresses[i], size);

		model->counting = counting && asked;
		missed = touch(model, addresses[i], size, is_write, !any && asked);
		model->counting = counting;
		any = any || asked;
		most = asked && missed > most ? missed : most;
	}
	count(model, PAPI_VPMU_L1D_READ_MISSES + is_write, most > 0);
	count(model, PAPI_VPMU_L2D_READ_MISSES + is_write, most > 1);
	count(model, PAPI_VPMU_L3D_READ_MISSES + is_write, most > 2);
	if (!model->counts_accesses || !any)
		return;
	count(model, PAPI_VPMU_LOADS, kind != PAPI_VPMU_WRITE);
	count(model, PAPI_VPMU_STORES, kind != PAPI_VPMU_READ);
}

void reference_access(struct reference_model *model, const uint64_t addresses[], unsigned n, unsigned size,
	enum papi_vpmu_access_kind kind)
{
	access_pieces(model, addresses, NULL, n, size, kind);
}

void reference_access_of(struct reference_model *model, const uint64_t addresses[], const unsigned sizes[], unsigned n,
	enum papi_vpmu_access_kind kind)
{
	access_pieces(model, addresses, sizes, n, 0, kind);
}

/* Only that it missed the first level is counted. */
void reference_prefetch(struct reference_model *model, uint64_t address, unsigned size)
{
	bool counting = model->counting;
	uint64_t place = place_of(model, settle(model, address));
	unsigned missed;

	model->counting = false;
	translate(model, false, place / PAGE, PAPI_VPMU_DTLB_READ_MISSES, PAPI_VPMU_DTLB_READ_WALKS);
	missed = levels_missed(model, &model->l1d, place);
	model->counting = counting && is_asked_for(model, address, size);
	count(model, PAPI_VPMU_PREFETCH_MISSES, missed > 0);
	estimate(model, place, missed > 0, PAPI_VPMU_PREFETCH_MISSES, 0, 1);
	model->counting = counting;
}

/* ---- branches ---- */

static void learn(unsigned char *counter, bool up)
{
	if (up && *counter < 3)
		++*counter;
	if (!up && *counter > 0)
		--*counter;
}

/* Counters of two bits: 2 and 3 are "taken"; of the chooser, "gshare". */
void reference_conditional(struct reference_model *model, uint64_t branch, bool taken)
{
	unsigned char *global = &model->gshare[(branch ^ model->history) % 65536];
	unsigned char *local = &model->bimodal[branch % 16384], *chooser = &model->chooser[branch % 16384];
	bool global_right = (*global >= 2) == taken, local_right = (*local >= 2) == taken;

	count(model, PAPI_VPMU_CONDITIONAL_MISPREDICTED, *chooser >= 2 ? !global_right : !local_right);
	if (global_right != local_right)
		learn(chooser, global_right);
	learn(global, taken);
	learn(local, taken);
	model->history = (model->history << 1 | taken) % 65536;
}

void reference_call(struct reference_model *model, uint64_t returns_to)
{
	model->returns[model->depth++ % 32] = returns_to;
}

void reference_return(struct reference_model *model, uint64_t target)
{
	count(model, PAPI_VPMU_RETURNS_MISPREDICTED, model->returns[--model->depth % 32] != target);
}

void reference_indirect(struct reference_model *model, uint64_t branch, uint64_t target, uint64_t entry)
{
	uint64_t *last = &model->targets[(branch ^ model->path) % 4096];

	count(model, PAPI_VPMU_INDIRECT_MISPREDICTED, *last != target);
	*last = target;
	model->path = model->path << 3 ^ entry >> 2;
}

/* ---- cycles ---- */

static uint64_t waits(
	const uint64_t counters[], unsigned first, unsigned second, unsigned third, unsigned misses, unsigned walks)
{
	return 16 * counters[first] + 40 * counters[second] + 200 * counters[third] + 8 * counters[misses] +
		32 * counters[walks];
}

uint64_t reference_cycles(const uint64_t counters[])
{
	return counters[PAPI_VPMU_INSTRUCTIONS] +
		4 *
		waits(counters, PAPI_VPMU_L1I_MISSES, PAPI_VPMU_L2I_MISSES, PAPI_VPMU_L3I_MISSES, PAPI_VPMU_ITLB_MISSES,
			PAPI_VPMU_ITLB_WALKS) +
		4 *
		waits(counters, PAPI_VPMU_L1D_READ_MISSES, PAPI_VPMU_L2D_READ_MISSES, PAPI_VPMU_L3D_READ_MISSES,
			PAPI_VPMU_DTLB_READ_MISSES, PAPI_VPMU_DTLB_READ_WALKS) +
		waits(counters, PAPI_VPMU_L1D_WRITE_MISSES, PAPI_VPMU_L2D_WRITE_MISSES, PAPI_VPMU_L3D_WRITE_MISSES,
			PAPI_VPMU_DTLB_WRITE_MISSES, PAPI_VPMU_DTLB_WRITE_WALKS) +
		4 * 16 *
		(counters[PAPI_VPMU_CONDITIONAL_MISPREDICTED] + counters[PAPI_VPMU_INDIRECT_MISPREDICTED] +
			counters[PAPI_VPMU_RETURNS_MISPREDICTED]);
}

/* ---- coming and going ---- */

static struct reference_cache make_cache(struct papi_vpmu_shape shape)
{
	return (struct reference_cache){ shape, calloc((size_t)shape.sets * shape.ways + 1, sizeof(uint64_t)) };
}

struct reference_model *reference_make(const struct papi_vpmu_geometry *geometry)
{
	struct reference_model *model = calloc(1, sizeof(*model));

	if (!model)
		abort();
	model->l1i = make_cache(geometry->l1i);
	model->l1d = make_cache(geometry->l1d);
	model->l2 = make_cache(geometry->l2);
	model->l3 = make_cache(geometry->l3);
	model->itlb = make_cache(geometry->itlb);
	model->dtlb = make_cache(geometry->dtlb);
	model->itlb2 = make_cache(geometry->itlb2);
	model->dtlb2 = make_cache(geometry->dtlb2);
	model->shared_tlb2 = geometry->shared_tlb2;
	return model;
}

void reference_end(struct reference_model *model)
{
	free(model->l1i.lines);
	free(model->l1d.lines);
	free(model->l2.lines);
	free(model->l3.lines);
	free(model->itlb.lines);
	free(model->dtlb.lines);
	free(model->itlb2.lines);
	free(model->dtlb2.lines);
	free(model);
}
