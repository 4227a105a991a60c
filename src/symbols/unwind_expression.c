/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unwind_expression.c - what DWARF computes where a register is saved: for the entries of procedure linkage tables, the
 * frames of signals and stacks that were aligned. Operations without jumps; others make the result unknown.
 */
#include <dwarf.h>
#include <string.h>

#include "symbols/unwind_rows.h"

enum { DEPTH = 32, MOST_OPERATIONS = 256 };

struct machine {
	const struct papi_unwind_state *state;
	const struct papi_unwind_stack *stack;
	uint64_t cfa;
	uint64_t values[DEPTH + 1]; /* one more, so that there is always a last one */
	size_t n;
	bool is_value, *beyond;
};

bool papi_unwind_read(const struct papi_unwind_stack *stack, uint64_t address, uint64_t *value, bool *beyond)
{
	if (address >= stack->address && stack->size >= sizeof(*value) &&
		address - stack->address <= stack->size - sizeof(*value)) {
		memcpy(value, stack->bytes + (address - stack->address), sizeof(*value));
		return true;
	}
	*beyond |= address >= stack->address;
	return false;
}

bool papi_unwind_register(const struct papi_unwind_state *state, uint64_t number, uint64_t *value)
{
	if (number >= PAPI_UNWIND_REGISTERS || !(state->known >> number & 1))
		return false;
	*value = state->registers[number];
	return true;
}

static bool push(struct machine *machine, uint64_t value)
{
	if (machine->n == DEPTH)
		return false;
	machine->values[machine->n++] = value;
	return true;
}

static bool push_register(struct machine *machine, uint64_t number, uint64_t offset)
{
	uint64_t value;

	return papi_unwind_register(machine->state, number, &value) && push(machine, value + offset);
}

/* What takes two values, or none of these operations: false. */
static bool binary(struct machine *machine, unsigned operation)
{
	uint64_t right, left, *to;

	if (machine->n < 2)
		return false;
	right = machine->values[--machine->n];
	to = &machine->values[machine->n - 1];
	left = *to;
	switch (operation) {
	case DW_OP_plus:
		*to = left + right;
		return true;
	case DW_OP_minus:
		*to = left - right;
		return true;
	case DW_OP_mul:
		*to = left * right;
		return true;
	case DW_OP_and:
		*to = left & right;
		return true;
	case DW_OP_or:
		*to = left | right;
		return true;
	case DW_OP_xor:
		*to = left ^ right;
		return true;
	case DW_OP_shl:
		*to = right < 64 ? left << right : 0;
		return true;
	case DW_OP_shr:
		*to = right < 64 ? left >> right : 0;
		return true;
	case DW_OP_shra:
		right = right < 64 ? right : 63;
		*to = (int64_t)left < 0 ? ~(~left >> right) : left >> right;
		return true;
	case DW_OP_eq:
		*to = left == right;
		return true;
	case DW_OP_ne:
		*to = left != right;
		return true;
	case DW_OP_ge:
		*to = (int64_t)left >= (int64_t)right;
		return true;
	case DW_OP_gt:
		*to = (int64_t)left > (int64_t)right;
		return true;
	case DW_OP_le:
		*to = (int64_t)left <= (int64_t)right;
		return true;
	case DW_OP_lt:
		*to = (int64_t)left < (int64_t)right;
		return true;
	default:
		return false;
	}
}

/* What takes the last value, or more of them as they are. */
static bool unary(struct machine *machine, const Dwarf_Op *operation)
{
	uint64_t *last;

	if (machine->n == 0)
		return false;
	last = &machine->values[machine->n - 1];
	switch (operation->atom) {
	case DW_OP_deref:
		return papi_unwind_read(machine->stack, *last, last, machine->beyond);
	case DW_OP_plus_uconst:
		*last += operation->number;
		return true;
	case DW_OP_neg:
		*last = -*last;
		return true;
	case DW_OP_not:
		*last = ~*last;
		return true;
	case DW_OP_dup:
		return push(machine, *last);
	case DW_OP_drop:
		machine->n--;
		return true;
	case DW_OP_over:
		return machine->n >= 2 && push(machine, last[-1]);
	case DW_OP_pick:
		return operation->number < machine->n &&
			push(machine, machine->values[machine->n - 1 - operation->number]);
	case DW_OP_swap:
		if (machine->n < 2)
			return false;
		uint64_t other = last[-1];
		last[-1] = *last;
		*last = other;
		return true;
	default:
		return binary(machine, operation->atom);
	}
}

static bool step(struct machine *machine, const Dwarf_Op *operation)
{
	unsigned atom = operation->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return push(machine, atom - DW_OP_lit0);
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return push_register(machine, atom - DW_OP_breg0, operation->number);
	/* In a register: its value. */
	if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
		machine->is_value = true;
		return push_register(machine, atom - DW_OP_reg0, 0);
	}
	switch (atom) {
	case DW_OP_bregx:
		return push_register(machine, operation->number, operation->number2);
	case DW_OP_regx:
		machine->is_value = true;
		return push_register(machine, operation->number, 0);
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return push(machine, operation->number);
	case DW_OP_call_frame_cfa:
		return push(machine, machine->cfa);
	case DW_OP_stack_value:
		machine->is_value = true;
		return machine->n > 0;
	case DW_OP_nop:
		return true;
	default:
		return unary(machine, operation);
	}
}

bool papi_unwind_evaluate(const Dwarf_Op *operations, size_t n, const struct papi_unwind_state *state,
	const struct papi_unwind_stack *stack, uint64_t cfa, uint64_t *result, bool *is_value, bool *beyond)
{
	struct machine machine = { .state = state, .stack = stack, .cfa = cfa, .beyond = beyond };

	if (n > MOST_OPERATIONS)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!step(&machine, &operations[i]))
			return false;
	if (machine.n == 0)
		return false;
	*result = machine.values[machine.n - 1];
	*is_value = machine.is_value;
	return true;
}
