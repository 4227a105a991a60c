/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The entry of a function, as what a jump is to take the place of: a few whole instructions, its window, which then run
 * elsewhere. Pure functions from bytes; addresses are those that the bytes have, or will have, when they run.
 *
 * No branch may lead into a window but to its beginning. Direct branches of the whole module are collected for that;
 * indirect ones are taken not to go there, which is what compilers make.
 *
 * Everything is the caller's. One thread at a time; no signal handlers.
 */
#ifndef PAPI_PROBES_WINDOW_H
#define PAPI_PROBES_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Code of a module. */
struct papi_probe_code {
	const unsigned char *bytes;
	uint64_t low, high; /* of the function */
	uint64_t limit;     /* up to here there are bytes, and no other function begins */
};

/* Where direct branches of a module go. */
struct papi_probe_targets {
	uint64_t low, high;
	unsigned char *bits;
};

/* False: no memory. */
bool papi_probe_targets_begin(struct papi_probe_targets *targets, uint64_t low, uint64_t high);
/* All branches of code that begins at an instruction. */
void papi_probe_targets_add(
	struct papi_probe_targets *targets, const unsigned char *bytes, uint64_t low, uint64_t high);
void papi_probe_targets_end(struct papi_probe_targets *targets);

struct papi_probe_window {
	const char *refusal; /* NULL: it has one */
	uint64_t low;
	unsigned length;
	uint32_t sign; /* of arm64: the instruction in front of it, if that has signed the return address; or 0 */
};

/*
 * How long a jump is, and how far it reaches; and whether a trampoline changes registers, those that a linker's code
 * between a call and its function may change.
 */
#ifdef __aarch64__
#define PAPI_PROBE_JUMP    4
#define PAPI_PROBE_REACH   ((uint64_t)1 << 27)
#define PAPI_PROBE_CHANGES true
#else
#define PAPI_PROBE_JUMP    5
#define PAPI_PROBE_REACH   ((uint64_t)1 << 31)
#define PAPI_PROBE_CHANGES false
#endif
/* What a window can become, with the jump back: more than any does. */
#define PAPI_PROBE_MOVED 128
/* And what a trampoline takes, with that. */
#define PAPI_PROBE_TRAMPOLINE (PAPI_PROBE_MOVED + 64)

/* Whether a branch of the code leads to its own beginning, or that cannot be told: then not only calls come there. */
bool papi_probe_window_comes_back(const struct papi_probe_code *code);

void papi_probe_window_find(
	const struct papi_probe_code *code, const struct papi_probe_targets *targets, struct papi_probe_window *window);

/*
 * The window's instructions as they are to stand at an address, and what goes on behind the window; bytes are the
 * window's, and from is where it runs. How many bytes; 0: what they refer to is too far from there.
 */
size_t papi_probe_window_move(
	const unsigned char *bytes, unsigned length, uint64_t from, uint64_t to, unsigned char moved[PAPI_PROBE_MOVED]);

/* What a trampoline is made of, besides its window. */
struct papi_probe_trampoline {
	uint64_t address; /* of itself */
	uint64_t from;    /* of the window, where it runs */
	uint64_t enter;   /* the runtime's code that counts */
	uint64_t patches; /* where its area's struct papi_probe_patches is (table.h), which has that, too */
	uint64_t patch;   /* where its struct papi_probe_patch is */
};

/* How many bytes, and how far behind the beginning the jump is to lead; 0: as above. */
size_t papi_probe_trampoline(const struct papi_probe_window *window, const unsigned char *bytes,
	const struct papi_probe_trampoline *trampoline, unsigned char to[PAPI_PROBE_TRAMPOLINE], unsigned *enter);

/* A jump of PAPI_PROBE_JUMP bytes. False: too far. */
bool papi_probe_jump(uint64_t from, uint64_t to, unsigned char bytes[PAPI_PROBE_JUMP]);

#endif
