/* SPDX-License-Identifier: BSD-3-Clause */
/* Among the files of the decoder: fields of words, and the groups that have a file of their own. */
#ifndef PAPI_VPMU_ARM64_DECODE_PARTS_H
#define PAPI_VPMU_ARM64_DECODE_PARTS_H

#include "components/vpmu/arm64/decode/decode.h"

#pragma GCC visibility push(hidden)

/* Bits high to low. */
static inline uint32_t papi_a64_bits(uint32_t word, unsigned high, unsigned low)
{
	return word >> low & ((2u << (high - low)) - 1);
}

static inline bool papi_a64_bit(uint32_t word, unsigned n)
{
	return word >> n & 1;
}

static inline bool papi_a64_matches(uint32_t word, uint32_t mask, uint32_t value)
{
	return (word & mask) == value;
}

/* The register that is named in the five bits from there on; no bit where it is sp or zero. */
static inline uint32_t papi_a64_register(uint32_t word, unsigned low)
{
	uint32_t number = papi_a64_bits(word, low + 4, low);

	return number == 31 ? 0 : 1u << number;
}

/* Every general register of an A64 instruction is in one of these places. */
#define PAPI_A64_D(word) papi_a64_register(word, 0)
#define PAPI_A64_N(word) papi_a64_register(word, 5)
#define PAPI_A64_A(word) papi_a64_register(word, 10)
#define PAPI_A64_M(word) papi_a64_register(word, 16)

/* The lowest so many bits, the highest of which is a sign. */
static inline int64_t papi_a64_signed(uint32_t value, unsigned bits)
{
	return (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
}

/* The registers of an instruction are known. */
static inline void papi_a64_uses(struct papi_a64_instruction *i, uint32_t reads, uint32_t writes)
{
	i->known = true;
	i->reads = reads;
	i->writes = writes;
}

void papi_a64_decode_memory(uint32_t word, struct papi_a64_instruction *i);
/* Vector registers, and floating point in them. */
void papi_a64_decode_vector(uint32_t word, struct papi_a64_instruction *i);
/* Vector registers of any length; and what those that are loads, stores and prefetches access. */
void papi_a64_decode_scalable(uint32_t word, struct papi_a64_instruction *i);
void papi_a64_decode_scalable_memory(uint32_t word, struct papi_a64_instruction *i);

#pragma GCC visibility pop

#endif
