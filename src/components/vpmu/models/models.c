/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/models/models.h"

#include "components/vpmu/models/sampled.h"

/* So many pages of data, and of code, at first: a small program has no more. */
#define FIRST_PAGES 256

static size_t size_of_models(void)
{
	return papi_vpmu_whole_lines(sizeof(struct papi_vpmu_models));
}

/* None where it is shared. */
static const struct papi_vpmu_shape *own_l3(const struct papi_vpmu_geometry *geometry)
{
	static const struct papi_vpmu_shape none;

	return geometry->shared_l3 ? &none : &geometry->l3;
}

/* With a second level of TLB for both, itlb2 is a copy. */
static size_t size_of(const struct papi_vpmu_geometry *geometry)
{
	return size_of_models() + papi_vpmu_alone_size(&geometry->l1d) + papi_vpmu_checks_size(geometry) +
		papi_vpmu_lru_size(&geometry->l1i) + papi_vpmu_lru_size(&geometry->l1d) +
		papi_vpmu_lru_size(&geometry->l2) + papi_vpmu_lru_size(own_l3(geometry)) +
		papi_vpmu_lru_size(&geometry->itlb) + papi_vpmu_lru_size(&geometry->dtlb) +
		papi_vpmu_lru_size(&geometry->itlb2) + papi_vpmu_lru_size(&geometry->dtlb2);
}

static void init_caches(struct papi_vpmu_models *models, const struct papi_vpmu_geometry *geometry)
{
	struct part {
		struct papi_vpmu_lru *cache;
		const struct papi_vpmu_shape *shape;
	} const parts[] = {
		{ &models->l1i, &geometry->l1i },
		{ &models->l1d, &geometry->l1d },
		{ &models->l2, &geometry->l2 },
		{ &models->l3, own_l3(geometry) },
		{ &models->itlb, &geometry->itlb },
		{ &models->dtlb, &geometry->dtlb },
		{ &models->itlb2, &geometry->itlb2 },
		{ &models->dtlb2, &geometry->dtlb2 },
	};
	char *memory = (char *)models + size_of_models();

	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		papi_vpmu_lru_init(parts[i].cache, parts[i].shape, memory);
		memory += papi_vpmu_lru_size(parts[i].shape);
	}
	papi_vpmu_alone_init(&models->alone, &geometry->l1d, memory);
	papi_vpmu_checks_init(&models->checked, geometry, memory + papi_vpmu_alone_size(&geometry->l1d));
}

static bool reach_names(struct papi_vpmu_models *models, uint32_t pages)
{
	uint64_t *page_of = models->memory(
		models->page_of, models->pages[false] * sizeof(*page_of), pages * sizeof(*page_of));

	if (!page_of && pages)
		return false;
	models->page_of = page_of;
	return true;
}

/* The tables of the caches that see data, or code, become long enough for that many pages. */
static bool reach(struct papi_vpmu_models *models, bool code, uint32_t pages)
{
	struct papi_vpmu_lru *const caches[2][5] = {
		{ &models->l1d, &models->l2, &models->l3, &models->dtlb, &models->dtlb2 },
		{ &models->l1i, &models->l2, &models->l3, &models->itlb,
			models->shared_tlb2 ? &models->dtlb2 : &models->itlb2 },
	};
	bool reached = true;

	for (unsigned i = 0; i < sizeof(caches[0]) / sizeof(caches[0][0]); i++)
		reached = papi_vpmu_lru_reach(caches[code][i], code, pages, models->memory) && reached;
	if (!code)
		reached = reach_names(models, pages) && reached;
	/* A copy: the sets and tables are where they are. */
	if (models->shared_tlb2)
		models->itlb2 = models->dtlb2;
	if (reached)
		models->pages[code] = pages;
	return reached;
}

bool papi_vpmu_models_reach(struct papi_vpmu_models *models, bool code, uint64_t number)
{
	uint64_t index = number - (code ? PAPI_VPMU_FRAME_OF_CODE : 0), pages = models->pages[code];

	while (pages <= index && pages < PAPI_VPMU_FRAME_LARGEST)
		pages *= 2;
	if (pages > models->pages[code] && (models->failed || !reach(models, code, (uint32_t)pages)))
		models->failed = true;
	return index < models->pages[code];
}

/* The L3 that is shared has numbers of its own. */
static bool meet(struct papi_vpmu_models *models, uint64_t page, uint64_t number)
{
	models->page_of[number] = page;
	if (models->shared && !papi_vpmu_shared_meet(models->shared, page))
		models->failed = true;
	return !models->failed;
}

uint64_t papi_vpmu_models_number(struct papi_vpmu_models *models, uint64_t page)
{
	uint64_t number;

	if (!papi_vpmu_frames_reserve(&models->frames, 1, models->memory))
		models->failed = true;
	else if (number = papi_vpmu_frames_number(&models->frames, page), papi_vpmu_models_reach(models, false, number))
		return meet(models, page, number) ? number : 1;
	return 1;
}

struct papi_vpmu_models *papi_vpmu_models_make(const struct papi_vpmu_geometry *geometry, papi_vpmu_memory *memory)
{
	struct papi_vpmu_models *models = memory(NULL, 0, size_of(geometry));

	if (!models)
		return NULL;
	models->size = size_of(geometry);
	models->memory = memory;
	models->shared_tlb2 = geometry->shared_tlb2;
	init_caches(models, geometry);
	papi_vpmu_predictor_init(&models->predictor);
	models->dtlb.large->now = PAPI_VPMU_FIRST_USE;
	papi_vpmu_models_use(models, PAPI_VPMU_PARTS);
	for (unsigned i = 0; i < PAPI_VPMU_RECENT; i++)
		models->recent[i].page = ~0ull;
	if (geometry->choice.groups)
		models->sampled = papi_vpmu_sampled_make(geometry, memory);
	if (!models->sampled == !geometry->choice.groups && reach(models, false, FIRST_PAGES) &&
		reach(models, true, FIRST_PAGES))
		return models;
	papi_vpmu_models_end(models);
	return NULL;
}

void papi_vpmu_models_end(struct papi_vpmu_models *models)
{
	papi_vpmu_memory *memory = models->memory;

	reach(models, false, 0);
	reach(models, true, 0);
	papi_vpmu_frames_end(&models->frames, memory);
	papi_vpmu_sampled_end(models->sampled, memory);
	memory(models, models->size, 0);
}

/* Records that have no branch look at the place before the first all the same. */
void papi_vpmu_models_give_room(struct papi_vpmu_models *models, uint32_t *branches)
{
	models->told = models->branches = branches + 1;
}

void papi_vpmu_models_give_checks(struct papi_vpmu_models *models, struct papi_vpmu_checks *checks)
{
	models->checked.checks = checks;
}

void papi_vpmu_models_check(struct papi_vpmu_models *models, bool checks)
{
	if (checks && !models->is_checked) {
		if (!models->is_alone)
			papi_vpmu_alone_enter(models);
		papi_vpmu_checks_enter(models);
	} else if (models->is_checked && !checks) {
		papi_vpmu_checks_leave(models);
		if (!models->is_alone)
			papi_vpmu_alone_leave(models);
	}
	models->is_checked = checks;
}

static void use_alone(struct papi_vpmu_models *models, bool is_alone)
{
	if (is_alone && !models->is_alone)
		papi_vpmu_alone_enter(models);
	if (models->is_alone && !is_alone)
		papi_vpmu_alone_leave(models);
	models->is_alone = is_alone;
}

void papi_vpmu_models_use(struct papi_vpmu_models *models, unsigned parts)
{
	bool shared = (parts & PAPI_VPMU_PARTS_SHARED) == PAPI_VPMU_PARTS_SHARED;

	models->parts = parts;
	papi_vpmu_models_check(models, false);
	use_alone(models, parts == PAPI_VPMU_PART_DATA && models->alone.ways && !models->sampled);
	/* Nobody will tell of the last branch any more. */
	models->told = models->branches;
	models->behind = 0;
	models->has_l2 = shared;
	models->has_tlb2[false] = models->dtlb2.ways && (shared || !models->shared_tlb2);
	models->has_tlb2[true] = models->itlb2.ways && (shared || !models->shared_tlb2);
}

void papi_vpmu_models_set_stack(struct papi_vpmu_models *models, uint64_t start, uint64_t end, uint64_t at)
{
	models->stack_start = start;
	models->stack_size = end - start;
	models->stack_shift = -at & ((1 << PAPI_VPMU_PAGE_SHIFT) - (1 << PAPI_VPMU_SLOT_SHIFT));
}
