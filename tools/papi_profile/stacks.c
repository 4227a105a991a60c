/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi_profile/stacks.h"

#include <linux/perf_event.h>
#include <string.h>

/*
 * The kernel writes: which registers it has; those; how much of the stack it wanted to copy; that; how much it had.
 * False: nothing of use.
 */
static bool parse(const struct papi_unwind_machine *machine, const uint64_t *part, size_t n,
	struct papi_unwind_state *state, struct papi_unwind_stack *stack, bool *full)
{
	size_t number = (size_t)__builtin_popcountll(machine->sampled), size;

	*state = (struct papi_unwind_state){ .machine = machine };
	/* Programs of 32 bits have other registers. */
	if (n < number + 2 || part[0] != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (size_t i = 0; i < number; i++) {
		state->registers[machine->from_perf[i]] = part[1 + i];
		state->known |= UINT64_C(1) << machine->from_perf[i];
	}
	part += number + 1;
	n -= number + 1;
	size = part[0] / sizeof(uint64_t);
	if (part[0] % sizeof(uint64_t) != 0 || size == 0 || size > n - 1 || n - 1 - size < 1 ||
		part[1 + size] > part[0])
		return false;
	*stack = (struct papi_unwind_stack){ .bytes = (const unsigned char *)&part[1],
		.address = state->registers[machine->stack],
		.size = part[1 + size] };
	*full = part[1 + size] == part[0];
	return true;
}

size_t papi_profile_stacks_path(struct papi_profile_stacks *stacks, struct papi_profile_places *places, pid_t pid,
	const uint64_t *part, size_t n, bool own, int64_t path[PAPI_PROFILE_STACK_DEPTH])
{
	enum papi_unwind_step step = PAPI_UNWIND_INTERRUPTED;
	struct papi_unwind_state state;
	struct papi_unwind_stack stack;
	size_t length = 0;
	bool full;

	if (!parse(stacks->machine, part, n, &state, &stack, &full))
		return 0;
	for (bool first = true;; first = false) {
		/* A call returns behind itself, perhaps to another function; a signal interrupts anywhere. */
		uint64_t pc = state.registers[stacks->machine->pc], address = pc - (step == PAPI_UNWIND_CALLED), offset;
		struct papi_profile_module *module = papi_profile_places_module(places, pid, address, &offset);

		if (!module)
			break;
		step = papi_unwind_step(papi_profile_module_unwind(module), offset, &state, &stack);
		/* What a handler returns to was never called. */
		if (step == PAPI_UNWIND_INTERRUPTED)
			address = pc;
		if (!first || own)
			path[length++] = papi_profile_places_address(places, pid, address, false, false);
		if ((step == PAPI_UNWIND_BEYOND && full) || length == PAPI_PROFILE_STACK_DEPTH - 1) {
			path[length++] = papi_profile_places_truncated(places);
			stacks->truncated++;
			break;
		}
		if (step != PAPI_UNWIND_CALLED && step != PAPI_UNWIND_INTERRUPTED)
			break;
	}
	return length;
}
