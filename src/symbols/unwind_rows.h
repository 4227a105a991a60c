/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwinding inside: what unwind.c asks of unwind_expression.c. The rules of unwind.h hold here, too. */
#ifndef PAPI_SYMBOLS_UNWIND_ROWS_H
#define PAPI_SYMBOLS_UNWIND_ROWS_H

#include <elfutils/libdw.h>

#include "symbols/unwind.h"

/* Eight bytes of the copied stack. *beyond becomes true where they lie behind it. */
bool papi_unwind_read(const struct papi_unwind_stack *stack, uint64_t address, uint64_t *value, bool *beyond);

bool papi_unwind_register(const struct papi_unwind_state *state, uint64_t number, uint64_t *value);

/* What operations make of a state. *is_value: it is the value itself, not the address of one. False: nothing. */
bool papi_unwind_evaluate(const Dwarf_Op *operations, size_t n, const struct papi_unwind_state *state,
	const struct papi_unwind_stack *stack, uint64_t cfa, uint64_t *result, bool *is_value, bool *beyond);

#endif
