/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel puts on the stack for a signal handler, and rt_sigreturn(2) takes from there: sigaction(2) shows the
 * handler the second member as its ucontext_t. Above it lies a frame record, to which x29 points. */
#ifndef PAPI_VPMU_ARM64_FRAME_H
#define PAPI_VPMU_ARM64_FRAME_H

#include <stdint.h>
#include <ucontext.h>

#include "components/vpmu/translator/signals.h"

struct papi_vpmu_context {
	uint64_t flags, link;
	struct papi_vpmu_signal_stack stack; /* the alternate one */
	uint64_t mask;
	uint64_t unused[15]; /* the kernel neither writes nor reads them */
	uint64_t padding;
	uint64_t fault_address;
	uint64_t registers[32]; /* the last is the stack pointer */
	uint64_t pc, state;
};

#define PAPI_A64_RECORDS 4096 /* bytes of records of further registers, at most, but for what an extra one points to */

struct papi_vpmu_frame {
	struct papi_vpmu_signal_info info;
	union {
		struct papi_vpmu_context context;
		struct {
			unsigned char head[464];
			unsigned char records[PAPI_A64_RECORDS];
		};
	};
};

_Static_assert(sizeof(struct papi_vpmu_context) == 456, "not the kernel's layout");
_Static_assert(sizeof(struct papi_vpmu_frame) == 4688, "not the kernel's layout");
_Static_assert(sizeof(ucontext_t) == 464 + PAPI_A64_RECORDS, "not the kernel's layout");

#endif
