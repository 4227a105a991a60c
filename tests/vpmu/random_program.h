/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random programs for the simulators: blocks with instructions, accesses and branches, where their values go from run
 * to run, on caches and TLBs of many shapes; and their descriptions, as the translator makes them.
 *
 * One thread. Nothing is allocated: what is made lies in the trace that is handed in, descriptions in its arena.
 */
#ifndef PAPI_TESTS_RANDOM_PROGRAM_H
#define PAPI_TESTS_RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/models/attribute.h"
#include "components/vpmu/models/models.h"
#include "reference_model.h"

#define PAGE         4096u
#define BLOCKS       12
#define INSTRUCTIONS 10
#define ACCESSES     10
#define WORDS        3
/* Of a record, but for where it goes: with a string, a gather, and an access of active elements. */
#define WORDS_MOST (1 + WORDS + 2 + 10 + 10)

/* ---- random numbers: the same ones from the same state ---- */

extern uint64_t random_state;

unsigned below(unsigned n);
bool often(void);
uint64_t one_of(const uint64_t values[], unsigned n);

#define ONE_OF(...) \
	one_of((const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* ---- programs ---- */

enum sort { ORDINARY, CONSTANT, PREFETCH, STRING, THREAD_LOCAL, GATHER, ACTIVE };

/* What an instruction does to memory. */
struct access {
	enum sort sort;
	enum papi_vpmu_access_kind kind;
	unsigned instruction, word, size;
	int64_t displacement;           /* from its value; of CONSTANT the address */
	struct papi_vpmu_active active; /* of ACTIVE; the base, 64 bits of a predicate, and 64 bytes of a vector */
	bool prefetches;
};

/* Where the value of a word goes from run to run. */
struct walk {
	enum { STRIDES, ANYWHERE, CHAIN } manner;
	uint64_t start, at, stride, pages;
};

struct block {
	uint64_t pc;
	unsigned sizes[INSTRUCTIONS], instructions;
	bool passes[INSTRUCTIONS]; /* a conditional branch in the middle right before it */
	bool takes[INSTRUCTIONS];  /* which is said to be taken */
	struct access accesses[ACCESSES];
	unsigned n_accesses;
	struct walk walks[WORDS];
	struct papi_vpmu_description *description;
	uint64_t offset;            /* of the description in the arena */
	const struct block *called; /* that ends the same record */
	bool conditional;           /* a branch at its end, or at that of what it calls */
	bool counted;
};

struct trace {
	struct papi_vpmu_geometry geometry;
	unsigned parts; /* of the simulators that run */
	struct papi_vpmu_models *models;
	struct reference_model *plain;
	uint64_t counters[PAPI_VPMU_GROUPS_MAX][PAPI_VPMU_COUNTERS];
	struct block blocks[BLOCKS + 1];
	unsigned char *arena;
	uint64_t words[8192];
	uint32_t branches[8192], told[65536]; /* of the stream; and room for those of records */
	unsigned n_words, n_branches;
	uint64_t data_pages;
	/* Where it is to be known at which instruction counters have grown: in the simulators, and in the reference
	 * model, whose counters were noted. */
	bool attributes;
	struct papi_vpmu_attribution attribution;
	uint64_t noted[PAPI_VPMU_COUNTERS];
	uint64_t found[BLOCKS + 1][INSTRUCTIONS][PAPI_VPMU_COUNTERS],
		expected[BLOCKS + 1][INSTRUCTIONS][PAPI_VPMU_COUNTERS];
};

/* Any shapes; and such that can be sampled, with the choice that is made of them. */
void choose_geometry(struct papi_vpmu_geometry *geometry);
void choose_sampled_geometry(struct papi_vpmu_geometry *geometry);

/* empty: without accesses and branches in the middle. */
void make_block(struct trace *trace, struct block *block, bool empty);
/* With what ends it, and with a call of the trace's last block now and then. */
void describe(const struct trace *trace, struct block *block);

/* ---- addresses of code ---- */

/* Of what is there, nothing is counted: indirect branches that go there are not predicted. */
bool is_uncounted(uint64_t pc);
/* As the models number them. */
uint64_t numbered(uint64_t pc);
uint64_t size_of(const struct block *block);
/* The address of the last byte of an instruction. */
uint64_t end_of(const struct block *block, unsigned instruction);

#endif
