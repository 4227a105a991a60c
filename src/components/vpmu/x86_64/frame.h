/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel puts on the stack for a signal handler, and rt_sigreturn(2) takes from there: sigaction(2) shows the
 * handler the second member as its ucontext_t. */
#ifndef PAPI_VPMU_X86_64_FRAME_H
#define PAPI_VPMU_X86_64_FRAME_H

#include <stdint.h>
#include <ucontext.h>

#include "components/vpmu/translator/signals.h"

struct papi_vpmu_frame {
	uint64_t restorer; /* where the handler returns to */
	struct papi_vpmu_context {
		uint64_t flags, link;
		struct papi_vpmu_signal_stack stack; /* the alternate one */
		uint64_t registers[NGREG];           /* by REG_RAX and the other names of ucontext.h */
		uint64_t vectors;                    /* address of the xsave area */
		uint64_t reserved[8];                /* the kernel neither writes nor reads them */
		uint64_t mask;
	} context;
	struct papi_vpmu_signal_info info;
};

_Static_assert(sizeof(struct papi_vpmu_context) == 304, "not the kernel's layout");
_Static_assert(sizeof(struct papi_vpmu_frame) == 440, "not the kernel's layout");

/* For dispatch.S: the thread was about to go back to its code, into the middle of a block, and signals wait. Returns
 * the code to go on at, between two instructions of the program. */
uint64_t papi_vpmu_check_interrupted(struct papi_vpmu_thread *thread);
/* The same, and from now on code makes a trace. */
uint64_t papi_vpmu_check_trace(struct papi_vpmu_thread *thread);

#endif
