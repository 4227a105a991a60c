/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's vector registers, saved and brought back by dispatch.S: for the time that code of libraries runs, which
 * may use them. Of scalable vectors the lower 128 bits: code that uses more is not translated. Safe anywhere. */
#ifndef PAPI_VPMU_ARM64_VECTORS_H
#define PAPI_VPMU_ARM64_VECTORS_H

#pragma GCC visibility push(hidden)

/* An area of 520 bytes: fpsr and fpcr, and 32 registers of 16 bytes, as in the kernel's struct fpsimd_context. */
void papi_a64_save_vectors(void *area);
void papi_a64_restore_vectors(const void *area);

#pragma GCC visibility pop

#endif
