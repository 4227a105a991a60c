/* SPDX-License-Identifier: BSD-3-Clause */
/* Of the harness: where indirect branches arrive. */
#include "harness_step.h"

static struct papi_vpmu_block entry_block;
static struct machine expected_at_entry;
static uint64_t arrived;

static uint64_t *word(unsigned offset)
{
	return (uint64_t *)(void *)(harness_area()->bytes + offset);
}

/* Each step is a place where the program is at the target, with its own rcx and rdx. */
static bool observe_entry(const struct machine *seen, int signal)
{
	struct papi_vpmu_recovery recovery = { .block = &entry_block, .spilled = word(VPMU_SPILLED) };
	struct papi_vpmu_state state = { .pc = seen->pc, .flags = seen->flags };

	arrived = seen->pc;
	if (signal || seen->pc == harness_label_known() || seen->pc == harness_label_miss() ||
		seen->pc == harness_label_other())
		return true;
	memcpy(state.registers, seen->registers, sizeof(state.registers));
	papi_vpmu_recover_state(&recovery, &state);
	if (state.pc != expected_at_entry.pc || state.flags != expected_at_entry.flags ||
		memcmp(state.registers, expected_at_entry.registers, sizeof(state.registers)))
		return !harness_complain("not at %llx in the entry", (unsigned long long)expected_at_entry.pc);
	return false;
}

/* A stale block leaves by what is before this, with all registers the program's. */
static void on_the_way_out(const struct machine *machine, uint64_t pc)
{
	struct papi_vpmu_recovery recovery = { .block = &entry_block, .spilled = word(VPMU_SPILLED) };
	struct papi_vpmu_state state = { .pc = entry_block.code - 1, .flags = machine->flags };

	memcpy(state.registers, machine->registers, sizeof(state.registers));
	papi_vpmu_recover_state(&recovery, &state);
	assert_int_equal(state.pc, pc);
	assert_memory_equal(state.registers, machine->registers, sizeof(state.registers));
}

/* The jump that may lead elsewhere is made to. */
static void lead_on(const struct papi_vpmu_translation *t, uint64_t otherwise)
{
	uint8_t *place = (uint8_t *)(uintptr_t)t->entry + t->block.branch;
	int64_t distance = (int64_t)(otherwise - ((uint64_t)(uintptr_t)place + 4));
	int32_t displacement = (int32_t)distance;

	assert_true(displacement == distance && ((uintptr_t)place & 7) <= 4);
	memcpy(place, &displacement, sizeof(displacement));
}

uint64_t run_arrival(struct papi_vpmu_translation *t, uint64_t pc, bool before, uint64_t otherwise, uint64_t target)
{
	struct papi_vpmu_place place = { .e = { .next = harness_code(), .to_code = 0 } };
	static uint8_t marks[PAPI_VPMU_MAX_MARKS * PAPI_VPMU_PACKED_MARK_MAX];
	struct machine start = { .flags = 0x8d7 | 0x200 };

	harness_catch_signals();
	papi_vpmu_translation_emit_arrival(t, &place, pc, before ? 0 : harness_label_known());
	if (before) {
		assert_int_equal((uintptr_t)t->e.next % 2, 0);
		papi_vpmu_emit_jump(&t->e, harness_label_known());
	}
	if (otherwise)
		lead_on(t, otherwise);
	entry_block = t->block;
	papi_vpmu_marks_pack(t->marks, t->n_marks, marks);
	entry_block.marks = marks;
	memset(harness_area()->bytes, 0, sizeof(harness_area()->bytes));
	*word(VPMU_JUMP_MISS) = harness_label_miss();
	for (unsigned i = 0; i < 16; i++)
		start.registers[i] = 1000 + i;
	expected_at_entry = start;
	expected_at_entry.pc = target;
	*word(VPMU_SPILLED + 8 * RCX) = start.registers[RCX];
	*word(VPMU_SPILLED + 8 * RDX) = start.registers[RDX];
	start.registers[RCX] = target;
	start.registers[RDX] = target & 0xffff;
	start.pc = t->entry;
	harness_run(&start, observe_entry);
	on_the_way_out(&start, pc);
	if (harness_complaint())
		fail_msg("%s", harness_complaint());
	return arrived;
}
