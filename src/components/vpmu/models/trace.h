/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trace: how translated code tells the simulators which blocks it ran, which addresses they touched, and where
 * branches went.
 *
 * A trace is an array of 64-bit words. Each run of a block appends one record: the offset of the block's description in
 * the arena of descriptions, then the values that only the run knows. The description holds all the rest, so that the
 * appended code is a few stores:
 *
 *	record:	     [ description ][ value 1 ][ value 2 ] ... [ value words - 1 ]
 *	description: pc, end, and the accesses in the order of the program, each an address = value[word] + displacement
 *
 * Accesses that differ by a constant share a value: all of [rsp + constant] in a block, pushes and pops included, cost
 * one store of rsp. An address that never changes (relative to rip) has word 0 and costs none. A base register alone is
 * stored as it is; base and index need a lea.
 *
 * A record becomes part of the trace when the pointer to its end is stored, at the end of the block: a block that is
 * left in its middle by a signal leaves nothing behind, unless who delivers that makes a record of what has run.
 *
 * A function that begins with a comparison and a branch is a block that has nothing to tell. The record of the block
 * that calls it stands for both, or of one that jumps there; a signal in between changes nothing of it.
 *
 * A block that conditional branches may leave in its middle has a description for each way out: of what ran up to
 * there. A return, or an indirect jump or call, has the address where it goes in the last word of its record.
 *
 * The description has the conditional branches of a block, in 32 bits each: what the predictor looks at of the address,
 * and whether it was taken. Of the one at its end the next record tells that, as it says where it went, unless either
 * way has a description.
 *
 * For profiles the description also says of which instruction each of these is.
 *
 * The outcomes of conditional branches are all that their history is made of: the order of these and of all else does
 * not matter. So with the branch predictor alone they come in a stream of their own, which needs no description: which
 * way out of a block it is says all that is to be told. Only calls, returns and indirect branches then have a record.
 */
#ifndef PAPI_VPMU_MODELS_TRACE_H
#define PAPI_VPMU_MODELS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A longer block is cut by the translator. */
#define PAPI_VPMU_RECORD_WORDS_MAX 250

enum papi_vpmu_access_kind {
	PAPI_VPMU_READ,
	PAPI_VPMU_WRITE,
	PAPI_VPMU_MODIFY, /* a read, then a write of the same address, which never misses */
	PAPI_VPMU_PREFETCH,
};

/* Where an address comes from; THREAD_LOCAL and STRING are off the fast path. */
enum papi_vpmu_access_form {
	PAPI_VPMU_FORM_PLAIN,
	PAPI_VPMU_FORM_THREAD_LOCAL, /* relative to fs: the simulator adds the base of the thread */
	PAPI_VPMU_FORM_STRING,       /* rep: value[word] and value[word + 1] are the pointer before and after */
	/* A gather or scatter: what value[word] and those behind it are, the bits of its extent tell. */
	PAPI_VPMU_FORM_GATHER,
	PAPI_VPMU_FORM_ACTIVE, /* likewise of vectors of any length; struct papi_vpmu_active tells */
	/* Of what spans others: each is 8 bytes, whole ones from the first, all read or all write, and they go up or
	 * down. */
	PAPI_VPMU_FORM_RISING,
	PAPI_VPMU_FORM_FALLING,
};

/*
 * An access of those elements of vectors that a predicate says are active. Its values are the base register; then the
 * predicate, so many bits for each element, of which the lowest tells, in whole words; then, if there is one, a vector,
 * of which each element is added to what all have in common. They are as they were before the instruction.
 */
struct papi_vpmu_active {
	int32_t displacement;
	uint8_t last;   /* how many elements there are, less one */
	uint8_t size;   /* bytes of each, in memory */
	uint8_t stride; /* logarithm of the bits that each has in the predicate, and of its bytes in vectors */
	uint8_t how;
};

/* How the addresses of ACTIVE come about. Below these bits is how far elements of the vector are shifted. */
enum {
	PAPI_VPMU_ACTIVE_SHIFT = 3,
	PAPI_VPMU_ACTIVE_NO_BASE = 1 << 2, /* it is not among the values */
	PAPI_VPMU_ACTIVE_INDEXED = 1 << 3, /* there is a vector; without, elements are in a row */
	PAPI_VPMU_ACTIVE_WIDE = 1 << 4,    /* its elements have 64 bits; without, the lowest 32 of each count */
	PAPI_VPMU_ACTIVE_SIGNED = 1 << 5,
	PAPI_VPMU_ACTIVE_ANY = 1 << 6,   /* one element is accessed, if any is active */
	PAPI_VPMU_ACTIVE_STOPS = 1 << 7, /* before the first that cannot be read */
};

struct papi_vpmu_access {
	union {
		int64_t displacement;
		struct papi_vpmu_active active; /* of ACTIVE */
	};
	uint16_t extent; /* bytes less one; of one element in STRING; more than that in GATHER; not of ACTIVE */
	uint8_t word; /* word of the record; the first, for an address that never changes: the displacement makes up */
	uint8_t is_write; /* no read, and no read before the write */
	uint8_t kind;     /* enum papi_vpmu_access_kind */
	uint8_t form;     /* enum papi_vpmu_access_form */
	/*
	 * Accesses in a row that are near each other are led by one that spans them all, and has none of its own: when
	 * all that it spans is in one line, the first of them decides, and the others are skipped. How many they are.
	 */
	uint8_t spanned;
	uint8_t line; /* of code, from the block's first: where the instruction, or the last of those spanned, ends */
};

/* Whether it is more than one address and an extent. */
static inline bool papi_vpmu_is_special(const struct papi_vpmu_access *access)
{
	return access->form == PAPI_VPMU_FORM_STRING || access->form == PAPI_VPMU_FORM_GATHER ||
		access->form == PAPI_VPMU_FORM_ACTIVE || access->kind == PAPI_VPMU_PREFETCH;
}

/*
 * The extent of a GATHER. Its values are the base register, then the vector of indexes, then the mask: a bit for each
 * element, or a vector whose elements' signs tell. They are as they were before the instruction.
 */
enum {
	PAPI_VPMU_GATHER_ALWAYS = 1 << 15, /* longer than any other access */
	PAPI_VPMU_GATHER_LANES = 15,       /* how many elements there are, less one */
	PAPI_VPMU_GATHER_WIDE = 1 << 4,    /* elements of 8 bytes, not 4 */
	PAPI_VPMU_GATHER_WIDE_INDEX = 1 << 5,
	PAPI_VPMU_GATHER_MASK_BITS = 1 << 6,
	PAPI_VPMU_GATHER_SCALE_SHIFT = 7, /* of the binary logarithm of the scale, two bits */
	PAPI_VPMU_GATHER_NO_BASE = 1 << 9,
	PAPI_VPMU_GATHER_NARROW = 1 << 10, /* addresses of 32 bits */
	PAPI_VPMU_GATHER_THREAD_LOCAL = 1 << 11,
};

static inline unsigned papi_vpmu_gather_lanes(unsigned extent)
{
	return (extent & PAPI_VPMU_GATHER_LANES) + 1;
}

/* Words of the record that the indexes and the mask take: whole registers, the largest there are. */
static inline unsigned papi_vpmu_gather_index_words(unsigned extent)
{
	return extent & PAPI_VPMU_GATHER_MASK_BITS ? 8 : 4;
}

static inline unsigned papi_vpmu_gather_mask_words(unsigned extent)
{
	return extent & PAPI_VPMU_GATHER_MASK_BITS ? 1 : 4;
}

/* How a block ends. */
enum papi_vpmu_ending {
	PAPI_VPMU_ENDS_ANYHOW, /* nothing to predict, or a conditional branch, which is in the stream */
	PAPI_VPMU_ENDS_CALL,
	PAPI_VPMU_ENDS_INDIRECT_JUMP,
	PAPI_VPMU_ENDS_INDIRECT_CALL,
	PAPI_VPMU_ENDS_RETURN,
};

/* Whether the last word of its records is where it went. */
static inline bool papi_vpmu_tells_target(enum papi_vpmu_ending end)
{
	return end > PAPI_VPMU_ENDS_CALL;
}

/* Conditional branches of one record, or of one block that makes none, at most. */
#define PAPI_VPMU_BRANCHES_OF_RECORD 8

/* A conditional branch: below these bits are the lowest of its address, with numbered pages. */
enum {
	PAPI_VPMU_BRANCH_TAKEN = 1 << 16,
	PAPI_VPMU_BRANCH_UNCOUNTED = 1 << 23, /* outside of the range of instructions: it teaches only */
};

/* How often it takes a look at the caches for data: what spans others counts as one. */
enum papi_vpmu_touches {
	PAPI_VPMU_TOUCHES_NOTHING,
	PAPI_VPMU_TOUCHES_ONCE,
	PAPI_VPMU_TOUCHES_OFTEN,
};

/*
 * Addresses are the program's but for those that pick places in the models. What a program does must not miss more in
 * one run than in another because it was loaded elsewhere: pages are numbered as they come up, code pages for the whole
 * process when they are first translated, data pages for each thread when they are first touched (frames.h).
 */
struct papi_vpmu_description {
	uint64_t pc;    /* of the first instruction */
	uint64_t next;  /* address behind the block */
	uint64_t entry; /* pc and the last instruction, with numbered pages */
	uint64_t branch;
	/* The address behind its last branch, if the next record tells the outcome of that: it was taken, unless that
	 * record begins here. 0: none. */
	uint64_t behind;
	uint64_t first_line; /* of L1I, with numbered pages, and how many the block is in */
	uint64_t other_line; /* likewise of what is in a second page, or of the block that follows in the same record */
	uint8_t n_lines, n_other_lines;
	uint8_t words; /* of a record, the description included */
	uint8_t accesses;
	uint8_t touches;  /* enum papi_vpmu_touches */
	uint8_t end;      /* enum papi_vpmu_ending */
	bool counted : 1; /* false: outside of the range of instructions; it runs through the models uncounted */
	bool plain : 1;   /* all accesses are of that form, and none is a prefetch */
	bool usual : 1;   /* plain, counted, and in one page of code */
	uint8_t branches; /* conditional ones that its record tells of */
};

_Static_assert(
	sizeof(struct papi_vpmu_description) == 64 && sizeof(struct papi_vpmu_access) == 16, "as small as can be");

/* They lie behind the description. */
static inline const struct papi_vpmu_access *papi_vpmu_described_accesses(const struct papi_vpmu_description *block)
{
	return (const struct papi_vpmu_access *)(const void *)(block + 1);
}

/* The lines of L1I that it is in, from 0 on. */
static inline uint64_t papi_vpmu_line_of(const struct papi_vpmu_description *block, unsigned i)
{
	return i < block->n_lines ? block->first_line + i : block->other_line + (i - block->n_lines);
}

/* And behind these the branches, in their order. Where they end there is room for as many as a record may have: to copy
 * so many takes less than to ask how many there are. */
static inline uint32_t *papi_vpmu_described_branches(const struct papi_vpmu_description *block)
{
	return (uint32_t *)(uintptr_t)(papi_vpmu_described_accesses(block) + block->accesses);
}

/*
 * And behind these, where a profile is to know at which instruction something missed: of which instruction of the block
 * each access is, each line of code (the first in it), each branch, and the end. An access that spans others is that of
 * the first of them.
 */
struct papi_vpmu_origins {
	uint32_t block,
		following;      /* what the profile's log has of it, and of the one that is described with it; or 0 */
	uint8_t instructions[]; /* from 1 on, with PAPI_VPMU_ORIGIN_FOLLOWS: of that other block */
};
#define PAPI_VPMU_ORIGIN_FOLLOWS 0x80u

static inline const struct papi_vpmu_origins *papi_vpmu_described_origins(const struct papi_vpmu_description *block)
{
	return (const struct papi_vpmu_origins *)(const void *)(papi_vpmu_described_branches(block) + block->branches);
}

/* How much room they take, so that what comes behind is at a multiple of 4. */
static inline size_t papi_vpmu_origins_size(const struct papi_vpmu_description *block)
{
	size_t instructions = block->accesses + 1u + block->n_lines + block->n_other_lines + block->branches;

	return sizeof(struct papi_vpmu_origins) + ((instructions + 3) & ~(size_t)3);
}

/* Of a block that nothing follows yet, when all else is known; first: its accesses. */
static inline void papi_vpmu_description_finish(
	struct papi_vpmu_description *block, const struct papi_vpmu_access *first)
{
	block->usual = block->plain && block->counted && block->n_other_lines == 0;
	if (block->accesses == 0)
		block->touches = PAPI_VPMU_TOUCHES_NOTHING;
	else
		block->touches = block->accesses == 1u + first->spanned ? PAPI_VPMU_TOUCHES_ONCE
									: PAPI_VPMU_TOUCHES_OFTEN;
}

struct papi_vpmu_models;

/*
 * Runs the records from start to end through the models of a thread and adds to its counters. arena is where the
 * descriptions are. Of sampled models the lanes of the counters follow them (sampled.h). It may be called between two
 * instructions of the program: it uses general registers only, calls no function of another library, and allocates
 * nothing.
 */
void papi_vpmu_simulate(struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *start,
	const uint64_t *end, const unsigned char *arena);

/* The thread has arrived at the pc of a block of which there is no record yet: that is where the last one that has been
 * simulated led to. */
void papi_vpmu_simulate_arrival(struct papi_vpmu_models *models, uint64_t counters[], uint64_t pc);

/* Likewise the branches of a stream. */
void papi_vpmu_simulate_branches(
	struct papi_vpmu_models *models, uint64_t counters[], const uint32_t *branch, const uint32_t *end);

#endif
