/* SPDX-License-Identifier: BSD-3-Clause */
/* What dispatch.S and deliver.S have in common. */
#include "components/vpmu/arm64/translate/offsets.h"

#define SYS_sigaltstack 132
#define SYS_rt_sigprocmask 135
#define SYS_rt_sigreturn 139
#define SIG_SETMASK 2
	/* enum papi_vpmu_signal_state */
#define SIGNALS_OPEN 0
#define SIGNALS_DEFERRED 1

	/* Lands where it is branched to, also where landing places are guarded. */
	.macro function name
	.globl	\name
	.hidden	\name
	.type	\name, %function
	.balign	16
\name:
	hint	#38 /* bti jc */
	.endm

	/* A place within a function. */
	.macro label name
	.globl	\name
	.hidden	\name
	.type	\name, %function
\name:
	.endm

	/* The calling thread's block, or 0. */
	.macro get_self to, other
	mrs	\to, tpidr_el0
	adrp	\other, :gottprel:papi_vpmu_self
	ldr	\other, [\other, :gottprel_lo12:papi_vpmu_self]
	ldr	\to, [\to, \other]
	.endm

