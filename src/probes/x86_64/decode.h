/* SPDX-License-Identifier: BSD-3-Clause */
/* An instruction of x86-64, as probes look at it. Pure; any thread. */
#ifndef PAPI_PROBES_X86_64_DECODE_H
#define PAPI_PROBES_X86_64_DECODE_H

#include <Zydis/Zydis.h>

#include "probes/window.h"

enum papi_probe_kind {
	PAPI_PROBE_PLAIN,
	PAPI_PROBE_JCC,
	PAPI_PROBE_JMP, /* direct */
	PAPI_PROBE_JMP_INDIRECT,
	PAPI_PROBE_CALL, /* direct */
	PAPI_PROBE_CALL_INDIRECT,
	PAPI_PROBE_RETURN,
	PAPI_PROBE_ODD, /* it cannot stand elsewhere */
};

struct papi_probe_instruction {
	enum papi_probe_kind kind;
	unsigned length;
	bool has_target; /* a direct branch or call */
	uint64_t target;
	bool is_filling;   /* what stands between functions */
	unsigned relative; /* where a displacement from the next instruction's address is; 0: there is none */
	uint64_t refers;   /* what that leads to */
	unsigned operand; /* of an indirect call that does not use the stack pointer: where its ModRM byte is; else 0 */
	unsigned condition; /* of a conditional branch */
};

/* False: it is none. */
bool papi_probe_decode(const unsigned char *bytes, size_t size, uint64_t address, struct papi_probe_instruction *found);

#endif
