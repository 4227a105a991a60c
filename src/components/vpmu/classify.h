/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a decoded instruction to what one execution of it adds to the exact counters.
 *
 * Calls no function but Zydis's own, uses no memory but its arguments: the translator calls it between two instructions
 * of the program, and from signal handlers.
 */
#ifndef PAPI_VPMU_CLASSIFY_H
#define PAPI_VPMU_CLASSIFY_H

#include <Zydis/Zydis.h>

#include "components/vpmu/counters.h"

struct papi_vpmu_class {
	/* Added by each execution. BRANCHES_TAKEN stays 0; in a rep string instruction loads and stores stay 0, too. */
	unsigned char counts[PAPI_VPMU_FIRST_MODELLED];
	/* rep string instructions: loads and stores of each iteration, as the change of rcx tells their number. */
	unsigned char loads_each, stores_each;
};

void papi_vpmu_classify(
	const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operands, struct papi_vpmu_class *class);

#endif
