/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel puts on the stack for a signal handler, and rt_sigreturn(2) takes from there: sigaction(2) shows the
 * handler the second member as its ucontext_t. */
#ifndef PAPI_VPMU_X86_64_FRAME_H
#define PAPI_VPMU_X86_64_FRAME_H

#include <stdint.h>

#include "components/vpmu/x86_64/thread.h"

/* Where the general registers are in it. */
enum papi_vpmu_frame_register {
	FRAME_R8,
	FRAME_R9,
	FRAME_R10,
	FRAME_R11,
	FRAME_R12,
	FRAME_R13,
	FRAME_R14,
	FRAME_R15,
	FRAME_RDI,
	FRAME_RSI,
	FRAME_RBP,
	FRAME_RBX,
	FRAME_RDX,
	FRAME_RAX,
	FRAME_RCX,
	FRAME_RSP,
	FRAME_PC,
	FRAME_FLAGS,
	FRAME_SEGMENTS,
	FRAME_ERROR,
	FRAME_TRAP,
	FRAME_OLD_MASK,
	FRAME_CR2,
	FRAME_REGISTERS
};

struct papi_vpmu_frame {
	uint64_t restorer; /* where the handler returns to */
	struct papi_vpmu_context {
		uint64_t flags, link;
		struct papi_vpmu_signal_stack stack; /* the alternate one */
		uint64_t registers[FRAME_REGISTERS];
		uint64_t vectors; /* address of the xsave area */
		uint64_t reserved
			[8]; /* the kernel neither writes nor reads them: the first says how the frame came here */
		uint64_t mask;
	} context;
	struct papi_vpmu_signal_info {
		int number, error, code, padding;
		uint64_t address;
		unsigned char rest[104];
	} info;
};

_Static_assert(sizeof(struct papi_vpmu_context) == 304, "not the kernel's layout");
_Static_assert(sizeof(struct papi_vpmu_signal_info) == 128, "not the kernel's layout");
_Static_assert(sizeof(struct papi_vpmu_frame) == 440, "not the kernel's layout");

#endif
