/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks whose lines of code are fetched one by one, in the order of the program, and accesses that are not usual. The
 * full models (simulate.c), the sampled ones (sampled.c) and L1D by itself (alone.c, checks.c) do the same there, but
 * for what a touch does: so each hands in how it touches. All of it is compiled into the caller, for functions that are
 * known there.
 */
#ifndef PAPI_VPMU_MODELS_IN_ORDER_H
#define PAPI_VPMU_MODELS_IN_ORDER_H

#include "components/vpmu/models/active.h"
#include "components/vpmu/models/data.h"

struct papi_vpmu_touching {
	void (*fetch)(struct papi_vpmu_models *models, uint64_t counters[], uint64_t line);
	/* One of a block that has no others, or that spans some. */
	void (*plain)(struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *record,
		const struct papi_vpmu_access *access);
	/* Any one: papi_vpmu_touch_special(), in a function of its own. */
	void (*special)(struct papi_vpmu_models *models, uint64_t counters[], const struct papi_vpmu_access *access,
		const uint64_t *record);
	/* What that needs: an address that is settled, one that is not, and all elements, also those of ACTIVE. */
	void (*settled)(
		struct papi_vpmu_models *models, uint64_t counters[], uint64_t address, uint64_t extent, unsigned kind);
	void (*prefetch)(struct papi_vpmu_models *models, uint64_t counters[], uint64_t address);
	void (*gather)(struct papi_vpmu_models *models, uint64_t counters[], const struct papi_vpmu_access *access,
		const uint64_t *record);
};

/* Of models of data, where code is not among the parts that run. */
static inline void papi_vpmu_fetch_nothing(struct papi_vpmu_models *models, uint64_t counters[], uint64_t line)
{
	(void)models;
	(void)counters;
	(void)line;
}

/* One access at a known address, with all that is not the usual case. */
static inline void papi_vpmu_touch_any(const struct papi_vpmu_touching *how, struct papi_vpmu_models *models,
	uint64_t counters[], const struct papi_vpmu_access *access, uint64_t address)
{
	if (!papi_vpmu_models_ask_for(models, address, access->extent + 1u))
		counters = models->uncounted;
	if (access->kind == PAPI_VPMU_PREFETCH) {
		how->prefetch(models, counters, address);
		return;
	}
	if (models->counts_accesses) {
		counters[PAPI_VPMU_LOADS] += access->kind != PAPI_VPMU_WRITE;
		counters[PAPI_VPMU_STORES] += access->kind != PAPI_VPMU_READ;
	}
	how->settled(models, counters, papi_vpmu_settle(models, address), access->extent, access->is_write);
}

/* The same line again changes nothing: a long string goes from line to line, unless each element is to be counted. */
static inline uint64_t papi_vpmu_next_line(uint64_t address, uint64_t end, uint64_t line_size)
{
	uint64_t next;

	if (end > address) {
		next = (address | (line_size - 1)) + 1;
		return next < end ? next : end;
	}
	next = (address & -line_size) - 1;
	return next > end && next < address ? next : end;
}

/* rep movs and its like: from the pointer before to the pointer after. */
static inline void papi_vpmu_touch_string(const struct papi_vpmu_touching *how, struct papi_vpmu_models *models,
	uint64_t counters[], const struct papi_vpmu_access *access, const uint64_t *record)
{
	uint64_t address = record[access->word], end = record[access->word + 1];
	uint64_t size = access->extent + 1u, line_size = 1ull << models->l1d.shift;

	if (models->counts_accesses) {
		for (; address != end; address += end > address ? size : -size)
			papi_vpmu_touch_any(how, models, counters, access, address);
		return;
	}
	/* Downwards, the last element begins so far above the end. */
	if (end < address)
		end += size - 1;
	end += papi_vpmu_settle(models, address) - address;
	address = papi_vpmu_settle(models, address);
	while (address != end) {
		how->settled(models, counters, address, 0, access->is_write);
		address = papi_vpmu_next_line(address, end, line_size);
	}
}

/* A prefetch of vectors of any length, element by element: each brings in the line where it begins. */
static inline void papi_vpmu_prefetch_active(const struct papi_vpmu_touching *how, struct papi_vpmu_models *models,
	uint64_t counters[], const struct papi_vpmu_access *access, const uint64_t *record)
{
	const struct papi_vpmu_active *active = &access->active;
	const uint64_t *values = record + access->word;

	for (unsigned i = 0; i <= active->last; i++) {
		uint64_t address = papi_vpmu_active_address(active, values, i);
		bool in_range = papi_vpmu_models_ask_for(models, address, active->size);

		if (papi_vpmu_is_active(active, values, i))
			how->prefetch(models, in_range ? counters : models->uncounted, address);
	}
}

static inline __attribute__((always_inline)) void papi_vpmu_touch_special(const struct papi_vpmu_touching *how,
	struct papi_vpmu_models *models, uint64_t counters[], const struct papi_vpmu_access *access,
	const uint64_t *record)
{
	uint64_t address = papi_vpmu_address_of(access, record);

	switch (access->form) {
	case PAPI_VPMU_FORM_STRING:
		papi_vpmu_touch_string(how, models, counters, access, record);
		break;
	case PAPI_VPMU_FORM_GATHER:
		how->gather(models, counters, access, record);
		break;
	case PAPI_VPMU_FORM_ACTIVE:
		if (access->kind == PAPI_VPMU_PREFETCH)
			papi_vpmu_prefetch_active(how, models, counters, access, record);
		else
			how->gather(models, counters, access, record);
		break;
	case PAPI_VPMU_FORM_THREAD_LOCAL:
		address += models->thread_base;
		/* fall through */
	default:
		papi_vpmu_touch_any(how, models, counters, access, address);
	}
}

/*
 * Each line is fetched when the first instruction in it runs, behind the accesses of those before it: what misses goes
 * to levels that both share. So a block that is run instruction by instruction counts the same.
 */
static inline __attribute__((always_inline)) void papi_vpmu_run_in_order(const struct papi_vpmu_touching *how,
	struct papi_vpmu_models *models, uint64_t counters[], const struct papi_vpmu_description *block,
	const uint64_t *record)
{
	const struct papi_vpmu_access *access = papi_vpmu_described_accesses(block), *end = access + block->accesses;
	bool plain = block->plain && !models->data_end && !models->counts_accesses;
	unsigned fetched = models->parts & PAPI_VPMU_PART_CODE ? 0 : UINT32_MAX,
		 lines = block->n_lines + block->n_other_lines;

	while (access < end) {
		if (access->spanned && (!plain || access->line >= fetched)) {
			access++; /* one by one */
			continue;
		}
		for (; fetched <= access->line; fetched++)
			how->fetch(models, counters, papi_vpmu_line_of(block, fetched));
		if (plain)
			how->plain(models, counters, record, access);
		else
			how->special(models, counters, access, record);
		access += 1 + access->spanned;
	}
	for (; fetched < lines; fetched++)
		how->fetch(models, counters, papi_vpmu_line_of(block, fetched));
}

#endif
