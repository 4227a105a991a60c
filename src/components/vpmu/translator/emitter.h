/* SPDX-License-Identifier: BSD-3-Clause */
/* A place where code is written. Code is written through one mapping and runs in another; addresses are those of the
 * second. */
#ifndef PAPI_VPMU_TRANSLATOR_EMITTER_H
#define PAPI_VPMU_TRANSLATOR_EMITTER_H

#include <stdint.h>

struct papi_vpmu_emitter {
	uint8_t *next;    /* where the next byte is written */
	intptr_t to_code; /* from a place of writing to the address where it runs */
};

/* What a block may take at most, by far. */
#define PAPI_VPMU_EMIT_MARGIN 65536

static inline uint64_t papi_vpmu_emit_address(const struct papi_vpmu_emitter *e)
{
	return (uint64_t)((intptr_t)e->next + e->to_code);
}

#endif
