/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that a program has in the processor: machine_run() loads it from machine_state, jumps to machine_target, and what
 * comes back to machine_leave by a jump finds it stored again. One thread.
 */
#ifndef PAPI_TESTS_VPMU_MACHINE_STATE_H
#define PAPI_TESTS_VPMU_MACHINE_STATE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* The assembly code knows the offsets. */
struct machine_state {
	uint64_t registers[16]; /* in the order of their numbers in instructions */
	uint64_t flags;
	uint64_t unused[7];
	_Alignas(64) unsigned char vectors[4096]; /* as xsave has them, and wants them: x87, SSE, AVX, AVX-512 */
};

extern struct machine_state machine_state;
extern uint64_t machine_target;
void machine_run(void);
void machine_leave(void);

/* What there is of vector registers gets random values; the flags, too. General registers are the caller's. */
void machine_state_randomize(struct machine_state *state, uint64_t *random);
/* As the program was when a signal came. */
void machine_state_of_signal(struct machine_state *state, const ucontext_t *context);
/* The x87 and SSE control registers as programs begin with them. */
void machine_state_reset_control(void);

/* What is different first, by its name; NULL: nothing. flags: those that count. partly: no more than a signal shows. */
const char *machine_state_difference(
	const struct machine_state *a, const struct machine_state *b, uint64_t flags, bool partly);
/* Prints all that is different. */
void machine_state_print(const struct machine_state *native, const struct machine_state *translated);

#endif
