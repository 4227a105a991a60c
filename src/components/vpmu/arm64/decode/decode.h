/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a word of A64 code to what a translator has to know of the instruction, and what one execution of it counts.
 *
 * The groups are those of the Arm Architecture Reference Manual, in its chapter of A64 encodings, to version 9.2 and
 * what later ones have among the general instructions. Where an encoding is not known, or reserved, every register
 * counts as used that any encoding of the kind could name; whatever might depend on the pc is for the processor to run
 * where it is.
 *
 * Calls nothing, uses no memory but its arguments: safe in signal handlers, and on any host.
 */
#ifndef PAPI_VPMU_ARM64_DECODE_DECODE_H
#define PAPI_VPMU_ARM64_DECODE_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/counters.h"

#pragma GCC visibility push(hidden)

enum papi_a64_kind {
	PAPI_A64_PLAIN,           /* the same wherever it is */
	PAPI_A64_ADDRESS,         /* adr, adrp */
	PAPI_A64_LITERAL,         /* ldr, ldrsw, prfm of an address relative to the pc */
	PAPI_A64_JUMP,            /* b */
	PAPI_A64_CALL,            /* bl */
	PAPI_A64_CONDITIONAL,     /* b.cond, bc.cond, cbz, cbnz, tbz, tbnz */
	PAPI_A64_JUMP_INDIRECT,   /* br, braa and the like */
	PAPI_A64_CALL_INDIRECT,   /* blr, blraa */
	PAPI_A64_RETURN,          /* ret, retaa */
	PAPI_A64_SYSTEM_CALL,     /* svc */
	PAPI_A64_LOAD_EXCLUSIVE,  /* ldxr, ldaxr, ldxp, ldaxp */
	PAPI_A64_STORE_EXCLUSIVE, /* stxr and the like */
	PAPI_A64_TRAP,            /* brk, hlt, udf and others that fault at once, reserved ones among them */
	PAPI_A64_IN_PLACE,        /* depends on the pc in a way of its own, or may do so */
};

enum papi_a64_authentication { PAPI_A64_NO_KEY, PAPI_A64_KEY_A, PAPI_A64_KEY_B };

/* The logarithm of its bytes. */
enum papi_a64_element { PAPI_A64_NO_ELEMENT, PAPI_A64_HALF, PAPI_A64_SINGLE, PAPI_A64_DOUBLE };

enum papi_a64_calculation {
	PAPI_A64_OTHER, /* minimum, maximum, steps of Newton, dot product */
	PAPI_A64_ADD,   /* and subtract */
	PAPI_A64_MULTIPLY,
	PAPI_A64_DIVIDE,
	PAPI_A64_SQUARE_ROOT,
	PAPI_A64_INVERSE,
	PAPI_A64_MULTIPLY_ADD,
};

/* How an index is extended before it is shifted, as in words: the others are not in addresses. */
enum papi_a64_extension { PAPI_A64_UXTW = 2, PAPI_A64_UXTX = 3, PAPI_A64_SXTW = 6, PAPI_A64_SXTX = 7 };

#define PAPI_A64_NO_REGISTER 32u

/* Of an access of vectors of any length: which elements it accesses, and where each is. */
struct papi_a64_active {
	uint8_t predicate; /* PAPI_A64_NO_REGISTER: the whole register is accessed, as by ldr */
	uint8_t vector;    /* its elements are added to base, index and displacement; PAPI_A64_NO_REGISTER */
	uint8_t element;   /* logarithm of the bytes that each has in vectors */
	uint8_t size;      /* in memory: of all its registers, where it is a structure; 0: as large as the register */
	uint8_t elements;  /* how many there may be; 0: as many as a vector has */
	uint8_t shift;     /* of the vector's elements; where the whole register is accessed, 3: that is a predicate */
	bool is_wide;      /* elements of the vector are 64 bits, not the lowest 32 of each */
	bool is_signed;
	bool is_any;    /* one element is accessed, if any of the vector is active */
	bool stops;     /* before the first element that cannot be read */
	bool by_length; /* the displacement is in units of all that may be accessed, in a row */
};

/*
 * What an instruction accesses: so many bytes at base + index + displacement, from there on; a pair, or a structure, is
 * one access. Of a literal, that its offset tells, there is no base.
 */
struct papi_a64_operand {
	uint16_t size;            /* 0: nothing, or it is not known what (is_known), or is_scalable */
	uint8_t base;             /* 31: the stack pointer; PAPI_A64_NO_REGISTER */
	uint8_t index;            /* PAPI_A64_NO_REGISTER: there is none */
	uint8_t extension, shift; /* of the index: enum papi_a64_extension */
	bool is_known;
	bool is_zeroed;   /* dc zva and its kin: the block of the base, however large blocks are */
	bool moves;       /* the base becomes another: by a constant, or by an index */
	bool is_scalable; /* the size is not known before vectors have a length: active tells */
	int32_t displacement;
	int32_t moved; /* by so much, where that is a constant, once the access is done */
	bool moves_by_register;
	struct papi_a64_active active;
};

struct papi_a64_instruction {
	uint32_t word;
	uint8_t kind; /* enum papi_a64_kind */
	bool known;
	/* General registers, a bit each; the stack pointer and the zero register are none. First the registers that may
	 * be read, or of which a part stays; then those that are surely written, all 64 bits of them, if the
	 * instruction is done. */
	uint32_t reads, writes;
	int64_t offset; /* of a direct branch and a literal from the pc, adr; of adrp, from the pc's page */
	/* Indirect branches: the key that the target is authenticated with, and whether zero is the modifier. */
	uint8_t key;
	bool zero_modifier;

	uint8_t loads, stores; /* 0 or 1: a pair is one */
	struct papi_a64_operand operand;
	bool prefetches, is_atomic, is_fence;
	bool is_integer; /* computes in general registers, or atomically in memory */
	bool is_vector;  /* on more than one element of a vector register */
	/* Floating-point operations: so many in each of so many elements. */
	uint8_t element, calculation, operations, elements;
	/* Of vectors of any length: elements is 0, for as many compute as there are, or as are active in the predicate
	 * of bits 12 to 10. A prefix has to be followed by its instruction at once. */
	bool is_scalable, by_predicate, is_prefix;
	/* The lines above tell nothing, as of newer instructions; nor does the one on memory, of matrices. */
	bool work_is_unknown, memory_is_unknown;
};

/* What it is. */
void papi_a64_decode(uint32_t word, struct papi_a64_instruction *instruction);

/* Which of the exact counters has the operations of floating-point arithmetic. vector: so many bytes are in vectors of
 * any length. */
enum papi_vpmu_counter papi_a64_operations_counter(const struct papi_a64_instruction *instruction, unsigned vector);

/* What an execution of it adds to each exact counter but BRANCHES_TAKEN, and to that of operations if it is active. */
void papi_a64_classify(const struct papi_a64_instruction *instruction, uint8_t counts[PAPI_VPMU_FIRST_MODELLED]);
/* Whether the operations that it does are known when it runs, not before. */
static inline bool papi_a64_is_active(const struct papi_a64_instruction *instruction)
{
	return instruction->is_scalable && instruction->operations;
}

#pragma GCC visibility pop

#endif
