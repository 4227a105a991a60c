/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's vector registers, saved and brought back by dispatch.S: for the time that code of libraries runs, which
 * may use them. Of scalable vectors the lower 128 bits: code that uses more is not translated. Safe anywhere. */
#ifndef PAPI_VPMU_ARM64_VECTORS_H
#define PAPI_VPMU_ARM64_VECTORS_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* An area of 520 bytes: fpsr and fpcr, and 32 registers of 16 bytes, as in the kernel's struct fpsimd_context. */
void papi_a64_save_vectors(void *area);
void papi_a64_restore_vectors(const void *area);

/*
 * Whether the program may use vectors of any length (SVE): from the first such instruction that is translated on, or
 * from the first frame of a signal that has them. Their registers have what the others have in their lowest 128 bits.
 * No function in C preserves the rest, nor does any system call, not even of the runtime's: so the dispatcher saves all
 * of them. Until then nobody pays for that.
 */
extern uint32_t papi_a64_scalable_used;

/* Whether accesses may be simulated that stop where nothing can be read: from the first that is translated on. They
 * have to be looked at before the program changes what can be. */
extern uint32_t papi_a64_stops_used;

/* How many bytes they have, when the processor was last asked; 0: it has none. */
extern unsigned papi_a64_vector_bytes;

#pragma GCC visibility pop

#endif
