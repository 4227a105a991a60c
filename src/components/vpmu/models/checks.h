/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * L1D where translated code looks by itself whether its accesses hit: alone (alone.h), or beside the TLB of data
 * (checks_pages.h), L1I and the TLB of code (checks_code.h), and branches, which records tell.
 *
 * Of each line there is when it was used last, counted in uses; the one whose use is the oldest of its set leaves. So
 * that a line which is there is found in a few instructions, a table says of each 16 bytes of addresses in which line
 * they are: a slot has the line's first address, and where its last use is noted. Lines of a stack begin at any
 * multiple of 16, as stacks are moved (papi_vpmu_settle()). A slot is chosen by bits of the address, and another line
 * may have taken it: then the set is searched.
 *
 *	address -- slot: address - start, and all of it within a line? -- yes -- use = now, which goes on
 *	                             | no
 *	                       search the set; if it is not there, it takes the place of the oldest
 *
 * What misses costs more here than with records: so rows are put in order, and are so again, where the engine finds
 * that much does (translator/trace.c).
 */
#ifndef PAPI_VPMU_MODELS_CHECKS_H
#define PAPI_VPMU_MODELS_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "components/vpmu/models/large.h"

struct papi_vpmu_geometry;
struct papi_vpmu_models;
struct papi_vpmu_shape;

struct papi_vpmu_slot {
	uint64_t start; /* of the line; 0: no line, as nothing is at address 0 */
	uint64_t use;   /* papi_vpmu_use_of() its place, in bytes from uses on; without a line 0 */
};

/* As many bytes of addresses have a slot as the slot has, so that finding it is one operation. */
#define PAPI_VPMU_SLOT_SHIFT    4
#define PAPI_VPMU_SLOTS         32768
#define PAPI_VPMU_CHECKED_LINES 2048 /* at most */
#define PAPI_VPMU_CHECKED_PAGES 256
/* From one time to the next: below there is room for the place of a line in its set. */
#define PAPI_VPMU_TICK 16
/* Before that come the uses of lines that are there when it begins, as many as ways. */
#define PAPI_VPMU_FIRST_USE (17 * PAPI_VPMU_TICK)

/*
 * Of a line of code, by its lowest bits: it is in L1I and its page in the ITLB where line is its number, without
 * PAPI_VPMU_CODE_HIDDEN; and when it was used last. Which slot a line has is known when it is translated.
 */
struct papi_vpmu_code_slot {
	uint64_t use;
	uint32_t line;  /* 0: none */
	uint32_t place; /* in L1I */
};
#define PAPI_VPMU_CODE_LINES  16384
#define PAPI_VPMU_CODE_PAGES  1024
#define PAPI_VPMU_CODE_HIDDEN ((uint32_t)1 << 31)
/* So many at least: as many lines as a block has in one page, which have one time together. */
#define PAPI_VPMU_CHECKED_SETS 32

/* Where translated code can reach it. */
struct papi_vpmu_checks {
	uint64_t now; /* the time of the next use */
	/* Of each place the last; 0: never. The first is what empty slots have. */
	uint64_t uses[1 + PAPI_VPMU_CHECKED_LINES];
	struct papi_vpmu_slot slots[PAPI_VPMU_SLOTS];
	struct papi_vpmu_code_slot code[PAPI_VPMU_CODE_LINES];
	/* Of pages of code, by their lowest bits, the last; of the page that has the place (checks_code.h). */
	uint64_t page_uses[PAPI_VPMU_CODE_PAGES];
};
_Static_assert(sizeof(struct papi_vpmu_slot) == 1 << PAPI_VPMU_SLOT_SHIFT, "a slot has another size");

/* Of the page that has the place of those with the same lowest bits. */
struct papi_vpmu_code_page {
	uint64_t page;  /* 0: none */
	uint64_t lines; /* that have slots: a bit for each, from the first of the page */
	bool is_hidden; /* all of them are */
};

/* L1I, a row of places for each set. */
struct papi_vpmu_checked_code {
	uint32_t *lines; /* at each place; 0: none */
	uint64_t *uses;  /* of those whose slots others have: the last */
	struct papi_vpmu_code_page *pages;
	struct papi_vpmu_large_watch watch; /* of the ITLB, while it is simulated so */
};

/* The lines are those of alone.h, where they are, but the row of a set has them in any order. */
struct papi_vpmu_checked {
	uint64_t *starts; /* of each line, its start in slots; 0: it is not there */
	uint64_t last;    /* byte of a line */
	struct papi_vpmu_checks *checks;
	/* Where the DTLB is simulated as well (checks_pages.h): who looks after it, and of each of its nodes which
	 * lines. */
	struct papi_vpmu_large_watch watch;
	uint64_t *held;
	uint64_t pages[PAPI_VPMU_CHECKED_PAGES]; /* that have a number, by their lowest bits; 0: none */
	struct papi_vpmu_checked_code code;
};

static inline struct papi_vpmu_slot *papi_vpmu_slot_of(struct papi_vpmu_checks *checks, uint64_t address)
{
	return &checks->slots[address >> PAPI_VPMU_SLOT_SHIFT & (PAPI_VPMU_SLOTS - 1)];
}

static inline uint64_t papi_vpmu_use_of(uint64_t place)
{
	return (1 + place) * sizeof(uint64_t);
}

/* Whether that L1D can be looked up so, and that L1I; what it needs besides, zeros at first; and one made of them. */
bool papi_vpmu_checks_are_possible(const struct papi_vpmu_shape *l1d);
bool papi_vpmu_checks_of_code_are_possible(const struct papi_vpmu_shape *l1i);
size_t papi_vpmu_checks_size(const struct papi_vpmu_geometry *geometry);
void papi_vpmu_checks_init(struct papi_vpmu_checked *checked, const struct papi_vpmu_geometry *geometry, void *zeroed);

/* Lines are in rows, the newest first: from there it begins, and there it ends. */
void papi_vpmu_checks_enter(struct papi_vpmu_models *models);
void papi_vpmu_checks_leave(struct papi_vpmu_models *models);

/* Simulates one access, or one line of code, of which code could not tell that it hits; and a whole record. */
void papi_vpmu_checks_touch(
	struct papi_vpmu_models *models, uint64_t counters[], uint64_t address, uint64_t extent, unsigned is_write);
void papi_vpmu_checks_fetch(struct papi_vpmu_models *models, uint64_t counters[], uint64_t line);
void papi_vpmu_checks_run(
	struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *record, const unsigned char *arena);

#endif
