/* SPDX-License-Identifier: BSD-3-Clause */
/* An instruction of arm64, as probes look at it: by the encoding tables of the architecture. Pure; any thread. */
#ifndef PAPI_PROBES_ARM64_INSTRUCTION_H
#define PAPI_PROBES_ARM64_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum papi_probe_kind {
	PAPI_PROBE_PLAIN,
	PAPI_PROBE_BRANCH_IF, /* b.cond, bc.cond, cbz, cbnz, tbz, tbnz */
	PAPI_PROBE_BRANCH,    /* direct */
	PAPI_PROBE_CALL,      /* direct */
	PAPI_PROBE_ADDRESS,   /* adr, adrp */
	PAPI_PROBE_LITERAL,   /* a load or prefetch from a place relative to it */
	PAPI_PROBE_ODD,       /* it cannot stand elsewhere */
};

struct papi_probe_instruction {
	uint32_t word;
	enum papi_probe_kind kind;
	uint64_t target; /* what it refers to, unless it is plain or odd */
};

enum {
	PAPI_PROBE_PACIASP = (int)0xd503233f,
	PAPI_PROBE_PACIBSP = (int)0xd503237f,
	PAPI_PROBE_AUTIASP = (int)0xd50323bf,
	PAPI_PROBE_AUTIBSP = (int)0xd50323ff,
};

struct papi_probe_instruction papi_probe_decode(uint32_t word, uint64_t address);

static inline uint32_t papi_probe_word(const unsigned char *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

#endif
