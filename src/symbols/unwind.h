/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the registers and the stack of a moment to those of the caller, by the unwind tables of ELF files (DWARF's call
 * frame information): one step for each call.
 *
 * A table is that of a file, wherever the file is mapped. It belongs to whoever opened it, and keeps what it found once
 * for an address. Nothing here reads the memory of a process: a step that would need more than the part of the stack
 * that was copied fails. Files are untrusted. One thread for each table; no signal handlers.
 *
 *	unwind.c             tables and steps
 *	unwind_machines.c    registers of processors
 *	unwind_expression.c  what DWARF computes
 */
#ifndef PAPI_SYMBOLS_UNWIND_H
#define PAPI_SYMBOLS_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAPI_UNWIND_REGISTERS 33

/* What differs between processors. Numbers of registers are DWARF's; that of pc may be one that DWARF does not have. */
struct papi_unwind_machine {
	const char *name;               /* as uname(2) has it */
	unsigned elf;                   /* as ELF files have it */
	uint64_t sampled;               /* the mask of registers to ask perf_event for */
	const unsigned char *from_perf; /* for each bit of the mask, from the lowest on, the number of the register */
	unsigned number;                /* of DWARF's registers */
	unsigned stack, frame, pc, back;
	uint64_t code; /* the bits of an address of code */
};

/* NULL: this processor is not known. */
const struct papi_unwind_machine *papi_unwind_machine(const char *name);

struct papi_unwind_state {
	const struct papi_unwind_machine *machine;
	uint64_t registers[PAPI_UNWIND_REGISTERS];
	uint64_t known; /* which of them are: a bit for each */
};

/* A copy of the stack from an address on. */
struct papi_unwind_stack {
	const unsigned char *bytes;
	uint64_t address, size;
};

enum papi_unwind_step {
	PAPI_UNWIND_CALLED,      /* the state is the caller's, whose pc is that which the call returns to */
	PAPI_UNWIND_INTERRUPTED, /* a signal came there: the instruction at pc is the next one */
	PAPI_UNWIND_OUTERMOST,   /* nobody has called */
	PAPI_UNWIND_BEYOND,      /* the caller is in a part of the stack that was not copied */
	PAPI_UNWIND_LOST         /* the tables say nothing, or nothing that makes sense */
};

struct papi_unwind_table;

/* The table of a file, whose descriptor stays the caller's and open as long; NULL if it has none that can be used. */
struct papi_unwind_table *papi_unwind_open_file(int file);

/* That of the code that the kernel maps into each process. */
struct papi_unwind_table *papi_unwind_open_vdso(void);

void papi_unwind_close(struct papi_unwind_table *table);

/*
 * To the caller. address: where the state's pc is in the file; of what has made a call, an address inside of the
 * instruction that calls. table: NULL for code without one; then, as where it has nothing for the address, the frame
 * pointer is followed. The state is undefined after a step that has not come to a caller.
 */
enum papi_unwind_step papi_unwind_step(struct papi_unwind_table *table, uint64_t address,
	struct papi_unwind_state *state, const struct papi_unwind_stack *stack);

#endif
