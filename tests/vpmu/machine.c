/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

void *change_memory(void *memory, size_t old, size_t new)
{
	void *changed = new ? aligned_alloc(64, (new + 63) & ~(size_t)63) : NULL;

	if (changed) {
		memset(changed, 0, new);
		memcpy(changed, memory ? memory : changed, old < new ? old : new);
	}
	if (old && (changed || !new))
		free(memory);
	return changed;
}

const struct papi_vpmu_geometry geometry = {
	.l1i = { 64, 8, 6 },
	.l1d = { 64, 12, 6 },
	.l2 = { 1024, 16, 6 },
	.l3 = { 100, 20, 6 },
	.itlb = { 1, 64, 12 },
	.dtlb = { 1, 96, 12 },
	.dtlb2 = { 16, 8, 12 },
};

static uint64_t place_code(uint64_t pc)
{
	return pc >> PAPI_VPMU_PAGE_SHIFT == UNCOUNTED
		? 0
		: ((uint64_t)PAPI_VPMU_FRAME_OF_CODE << PAPI_VPMU_PAGE_SHIFT) + pc;
}

struct machine *make_machine_of(const struct papi_vpmu_geometry *shape)
{
	struct machine *machine = aligned_alloc(64, sizeof(*machine));

	assert_non_null(machine);
	memset(machine, 0, sizeof(*machine));
	machine->models = papi_vpmu_models_make(shape, change_memory);
	assert_non_null(machine->models);
	machine->models->place_code = place_code;
	papi_vpmu_models_give_room(machine->models, machine->told);
	papi_vpmu_models_give_checks(machine->models, &machine->checks);
	return machine;
}

struct machine *make_machine(void)
{
	return make_machine_of(&geometry);
}

void free_machine(struct machine *machine)
{
	papi_vpmu_models_end(machine->models);
	free(machine);
}

struct papi_vpmu_description *describe(
	struct machine *machine, unsigned offset, uint64_t pc, enum papi_vpmu_ending end, unsigned words)
{
	struct papi_vpmu_description *block = (void *)(machine->arena + offset);
	const uint64_t place = ((uint64_t)PAPI_VPMU_FRAME_OF_CODE << PAPI_VPMU_PAGE_SHIFT) + pc;
	const unsigned shift = machine->models->l1i.shift;
	const uint64_t last = place + 15, split = last >> PAPI_VPMU_PAGE_SHIFT << PAPI_VPMU_PAGE_SHIFT;
	const bool whole = split <= place;

	*block = (struct papi_vpmu_description){
		.pc = pc,
		.next = pc + 16,
		.entry = place,
		.branch = place + 14,
		.first_line = place >> shift,
		.n_lines = (uint8_t)(((whole ? last : split - 1) >> shift) - (place >> shift) + 1),
		.other_line = whole ? 0 : split >> shift,
		.n_other_lines = !whole,
		.words = (uint8_t)words,
		.end = (uint8_t)end,
		.counted = true,
		.plain = true,
	};
	return block;
}

struct papi_vpmu_access *add_access(struct papi_vpmu_description *block, enum papi_vpmu_access_kind kind, unsigned word,
	int64_t displacement, unsigned size)
{
	struct papi_vpmu_access *access = (struct papi_vpmu_access *)(void *)(block + 1) + block->accesses++;

	*access = (struct papi_vpmu_access){ .displacement = displacement,
		.extent = (uint16_t)(size - 1),
		.word = (uint8_t)word,
		.is_write = kind == PAPI_VPMU_WRITE,
		.kind = (uint8_t)kind };
	if (kind == PAPI_VPMU_PREFETCH)
		block->plain = false;
	return access;
}

void finish(struct papi_vpmu_description *block)
{
	papi_vpmu_description_finish(block, papi_vpmu_described_accesses(block));
}

void record(struct machine *machine, uint64_t description, uint64_t value)
{
	struct papi_vpmu_description *block = (void *)(machine->arena + description);

	finish(block);
	machine->trace[machine->words++] = description;
	if (block->words > 1)
		machine->trace[machine->words++] = value;
}

void simulate(struct machine *machine)
{
	papi_vpmu_simulate(
		machine->models, machine->counters, machine->trace, machine->trace + machine->words, machine->arena);
	papi_vpmu_simulate_branches(
		machine->models, machine->counters, machine->branches, machine->branches + machine->n_branches);
	machine->words = machine->n_branches = 0;
}

void branch(struct machine *machine, uint64_t pc, bool taken)
{
	machine->branches[machine->n_branches++] = (uint16_t)pc | (taken ? PAPI_VPMU_BRANCH_TAKEN : 0);
}

uint64_t count(const struct machine *machine, enum papi_vpmu_counter counter)
{
	return machine->counters[counter];
}
