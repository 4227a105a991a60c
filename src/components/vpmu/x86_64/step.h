/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions that translated code cannot hold: far transfers, interrupts, what cannot be decoded, what is not
 * executable. The processor runs them where they are, alone, with its trap flag set: what they do, or how they fail, is
 * right. The functions are those of translator/processor.h.
 */
#ifndef PAPI_VPMU_X86_64_STEP_H
#define PAPI_VPMU_X86_64_STEP_H

/* Why a thread that sets the trap flag counts no longer. */
#define PAPI_VPMU_STEPS_ITSELF "the program runs itself step by step, by the trap flag"

/* Labels of dispatch.S: the code that runs one so. */
void papi_vpmu_step_code(void) __attribute__((visibility("hidden")));
void papi_vpmu_step_code_end(void) __attribute__((visibility("hidden")));

#endif
