/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs for the simulators, whose every instruction is known: a page of code that starts to count, runs a loop of
 * what was drawn, and stops. They run natively too, one instruction after the other (walk.c).
 *
 *	x20, x23  PAPI_start and PAPI_stop      x26  rounds left          x19, x24  the stack pointer, walking and kept
 *	x21, x22  what they are called with     x27  a small index        x29       whether a branch was taken, walking
 *	x25, sp   pointers that instructions move, from x28, the base
 */
#ifndef PAPI_TESTS_ARM64_MODELLED_H
#define PAPI_TESTS_ARM64_MODELLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "components/vpmu/arm64/decode/decode.h"
#include "reference_model.h"

#define PAGE        4096u
#define ARENA_SIZE  65536u
#define PAGE_WORDS  (PAGE / 4)
#define MAX_PAGES   192 /* of programs */
#define ALL_PAGES   4096
#define LOADED_SIZE 1024u /* of the arena: what registers begin with */

/* enter.S; vectors of any length, or NULL. */
extern void *enter_scalable;
struct state {
	uint64_t registers[31], flags;
	uint64_t vectors[64];
};
void enter(struct state *state, const void *code);
extern const char leave[];

struct program {
	unsigned page;   /* of the code */
	unsigned number; /* of pages whose code a process has run before that */
	unsigned begin,
		end;   /* words that are counted: from behind PAPI_start to the call of PAPI_stop, itself included */
	uint64_t seed; /* of the arena */
};

extern uint8_t *arena;

/* programs.c */
uint64_t draw(void);
void draw_from(uint64_t seed);
void make_memory(void);
uint32_t *code_words(unsigned page);  /* where they are written */
uint64_t code_address(unsigned page); /* where they run */
void code_changed(unsigned page, unsigned pages);
/* What of the program there is: exclusive accesses that branches may leave, which fail where blocks end at branches, so
 * that the runtime comes between; or without these; or nothing that cannot fault. Where zeros do, QEMU's user mode goes
 * back further than to them; and it ends where an element of vectors of any length does in its second page. */
enum sort { ANYTHING, WITHOUT_LEAVING, RESTARTABLE };
struct program make_program(unsigned page, enum sort sort);
/* To leave(), at the end of code. Returns how many words. */
unsigned put_end(uint32_t *words);
void fill_arena(uint64_t seed);
struct state initial_state(const struct program *program, int set, long long *counts);

/* programs_scalable.c: how many bytes vectors of any length have, once that has been asked for; 0: there are none.
 * Accesses of elements in a row, from a base; and of others, with what has to come before them: nothing may lead in
 * between. What computes in them, and gives them values at first. */
extern unsigned vector_bytes;
void find_vectors(void);
uint32_t draw_in_row(uint32_t base, enum sort sort);
unsigned put_gather(uint32_t *words, unsigned n, uint32_t base, enum sort sort);
uint32_t draw_scalable(void);
unsigned put_scalable_loads(uint32_t *words, unsigned n);
/* A program's, walking: 32 vectors, and 16 predicates; and the addresses of elements that are accessed then, where base
 * and index come to that sum. Returns how many. */
extern uint64_t scalable_registers[];
unsigned chosen_addresses(const struct papi_a64_operand *operand, uint64_t from, uint64_t addresses[256]);

/* walk.c: so small that much misses. */
extern const struct papi_vpmu_geometry small_caches;
#define SMALL_CACHES "L1I=512/2/64,L1D=1K/2/64,L2=4K/4/64,L3=16K/4/64,ITLB=4/2,DTLB=4/2,ITLB2=8/2,DTLB2=8/2"

/* The reference model is told all that the program does, and exact counters count; of_words, unless NULL: how much each
 * counter grows at each word. False when the processor and the decoder disagree about an address; that is printed. */
extern unsigned long
	walked_chosen; /* how many accesses of vectors of any length have been told, of one element at least */
bool walk(const struct program *program, struct reference_model *model,
	uint64_t (*of_words)[PAPI_VPMU_LAST_MODELLED + 1]);

#endif
