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

/*
 * Why a block that looks by itself whether its accesses hit leaves in its middle, in the same field: its record is to
 * be run, or one may miss. Then that says which registers have its address and the time of its use, and whether what
 * the block does is counted, and the thread's access says the rest.
 */
#define PAPI_VPMU_CHECK_RECORD (-1)
enum { PAPI_VPMU_CHECK_ADDRESS = 0, PAPI_VPMU_CHECK_NOW = 5, PAPI_VPMU_CHECK_IS_COUNTED = 10 };

/* Where code goes on, from the entry of the block: 16 bits. Or where there is as much, the number of accesses, and each
 * of them in 16 bits: what has been looked at as one. */
enum { PAPI_VPMU_ACCESS_EXTENT = 16, PAPI_VPMU_ACCESS_IS_WRITE = 24 };
#define PAPI_VPMU_ACCESS_PARTS (1u << 25)
#define PAPI_VPMU_ACCESS_LAST  (1u << 26) /* of the block */
/* A line of code, whose number is where records begin. */
#define PAPI_VPMU_ACCESS_CODE (1u << 27)
/* None: the time has come to drain what tells of branches. */
#define PAPI_VPMU_ACCESS_NONE (1u << 28)
/* Of parts, above the extent. */
enum { PAPI_VPMU_PART_OFFSET = 8, PAPI_VPMU_PART_IS_WRITE = 15 };

#endif
