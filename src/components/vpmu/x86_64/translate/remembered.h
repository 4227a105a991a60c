/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions that have been decoded already, by their bytes. A program has many that are the same, and to compare
 * bytes and copy what is remembered takes a fraction of what decoding does.
 *
 *	bytes at pc ---> as many of the first as a glance tells ---> slot, by their hash ---> place
 *	                                                               the same bytes: a copy
 *	                                                               others: decoded, and from now on it has these
 *
 * Of a direct branch with a displacement of four bytes, all but that is compared, which is then read anew. Places are
 * taken in their order, so that a small program touches little memory; when all are taken, the first go, and the slots
 * that lead there find other bytes.
 *
 * Nothing is kept that bytes do not tell, so that nothing has to be forgotten. Each caller holds a lock, or has such
 * places of its own.
 */
#ifndef PAPI_VPMU_X86_64_TRANSLATE_REMEMBERED_H
#define PAPI_VPMU_X86_64_TRANSLATE_REMEMBERED_H

#include <stddef.h>

#include "components/vpmu/x86_64/translate/decode.h"

#define PAPI_VPMU_REMEMBERED_SLOTS    8192 /* a power of two */
#define PAPI_VPMU_REMEMBERED_PLACES   4096
#define PAPI_VPMU_REMEMBERED_OPERANDS 5 /* what has more is decoded each time */

#define PAPI_VPMU_REMEMBERED_SIZE                           \
	(offsetof(struct papi_vpmu_instruction, operands) + \
		PAPI_VPMU_REMEMBERED_OPERANDS * sizeof(struct papi_vpmu_operand))

struct papi_vpmu_remembered {
	unsigned taken;                             /* places, and how often all were */
	uint16_t slots[PAPI_VPMU_REMEMBERED_SLOTS]; /* numbers of places, from 1 on; 0: none yet */
	struct papi_vpmu_remembered_place {
		uint64_t mask[2], bytes[2]; /* which bits are compared, and with what */
		bool is_there;
		bool is_relative; /* a displacement is behind what is compared */
		_Alignas(struct papi_vpmu_instruction) unsigned char instruction[PAPI_VPMU_REMEMBERED_SIZE];
	} places[PAPI_VPMU_REMEMBERED_PLACES];
};

/* The same as papi_vpmu_decode_copy(). remembered: NULL, or zeros at first. */
bool papi_vpmu_decode_remembered(struct papi_vpmu_remembered *remembered, struct papi_vpmu_instruction *instruction,
	uint64_t pc, const uint8_t *bytes, uint64_t size);

#endif
