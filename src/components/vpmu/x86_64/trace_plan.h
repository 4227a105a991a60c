/* SPDX-License-Identifier: BSD-3-Clause */
/* What has to be stored for the record of a block, found out before any of its code is emitted. */
#ifndef PAPI_VPMU_X86_64_TRACE_PLAN_H
#define PAPI_VPMU_X86_64_TRACE_PLAN_H

#include "components/vpmu/models/trace.h"
#include "components/vpmu/x86_64/block.h"

enum papi_vpmu_trace_sort {
	PAPI_VPMU_STORE_ADDRESS, /* base + index * scale */
	PAPI_VPMU_STORE_VECTOR,  /* several words: the 32 bytes of the vector register base */
	PAPI_VPMU_STORE_LARGE,   /* its 64 bytes */
	PAPI_VPMU_STORE_MASK,    /* the mask register base, 16 bits of it */
};

/* A value of the record. */
struct papi_vpmu_trace_store {
	uint8_t sort;        /* enum papi_vpmu_trace_sort */
	uint8_t instruction; /* it is stored before this one */
	bool after;          /* or after it */
	uint8_t slot;
	int8_t base, index; /* numbers of registers, -1: none */
	uint8_t scale;
	bool narrow;          /* 32-bit addressing */
	int32_t displacement; /* with narrow only: there, the whole address is a value */
};

/* What a value will be, if that can be told before the block runs: of registers as they are then. */
struct papi_vpmu_source {
	int8_t base, index; /* as above */
	uint8_t scale;
	bool known;
	int32_t constant;
};

struct papi_vpmu_trace_plan {
	struct papi_vpmu_description description;
	uint64_t last; /* pc of the last instruction */
	uint64_t end;  /* of what the models see: what belongs to a call of the library is not fetched */
	struct papi_vpmu_access accesses[256];
	struct papi_vpmu_trace_store stores[256];
	struct papi_vpmu_source sources[256]; /* of each slot */
	unsigned n_stores;
	bool needs_scratch;        /* some value takes a lea */
	unsigned pointer, scratch; /* registers that the block does not use */
};

/* Plans the record of a block, which it makes shorter where there would be no free register or no room in a record. */
void papi_vpmu_trace_plan_block(struct papi_vpmu_trace_plan *plan, struct papi_vpmu_decoded *decoded);

#endif
