/* SPDX-License-Identifier: BSD-3-Clause */
/* Exits of blocks that are not links, by number: how translated code says why it has left for the dispatcher. */
#ifndef PAPI_VPMU_TRANSLATOR_EXITS_H
#define PAPI_VPMU_TRANSLATOR_EXITS_H

enum papi_vpmu_exit {
	PAPI_VPMU_EXIT_INDIRECT = -1, /* the target of a jump or call, in pc, is not among the jumps */
	PAPI_VPMU_EXIT_RETURN = -2,   /* likewise, of a return */
	PAPI_VPMU_EXIT_SYSCALL = -3,  /* the system call before pc is for the runtime */
	PAPI_VPMU_EXIT_STEP = -4,     /* the instruction at pc is to be run natively, alone */
	PAPI_VPMU_EXIT_TRACE = -5,    /* the trace is full; goes on at pc */
	PAPI_VPMU_EXIT_CONTINUE = -6, /* after a signal, at pc */
	/* By the thread's call_site: the call of its callee, at the end of that block in the log, is not open yet; 0:
	 * frames that are left behind are still there; -1: there is no room for another frame. Goes on at pc. */
	PAPI_VPMU_EXIT_CALLS = -7,
	PAPI_VPMU_EXIT_CHILD = -8, /* the child of a fork goes on natively, at pc: for the processor's dispatcher */
};

#endif
