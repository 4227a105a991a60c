/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks: runs of the program's instructions up to one that may go elsewhere, and their translations.
 *
 *	program   mov  rax, [rdi]          code   [ask the dispatcher]   where the entry leads once the block is stale
 *	          lea  rbx, [rip + x]      entry  add  gs:[instructions], 3
 *	          jmp  somewhere                  mov  rax, [rdi]
 *	                                          mov  rbx, x
 *	                                          jmp  its translation, or the dispatcher while there is none
 *
 * Marks tell for every address of code where the program is: a signal may arrive anywhere.
 */
#ifndef PAPI_VPMU_X86_64_BLOCK_H
#define PAPI_VPMU_X86_64_BLOCK_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/classify.h"
#include "components/vpmu/engine.h"

#define PAPI_VPMU_BLOCK_LENGTH 64

enum papi_vpmu_kind {
	PAPI_VPMU_PLAIN,
	PAPI_VPMU_CONDITIONAL, /* jcc */
	PAPI_VPMU_LOOP,        /* jrcxz, loop: a short jump that depends on rcx */
	PAPI_VPMU_JUMP,
	PAPI_VPMU_JUMP_INDIRECT,
	PAPI_VPMU_CALL,
	PAPI_VPMU_CALL_INDIRECT,
	PAPI_VPMU_RETURN,
	PAPI_VPMU_SYSCALL,
	PAPI_VPMU_TRANSACTION, /* xbegin: aborts at once, as the processor is free to do */
	PAPI_VPMU_STEP,        /* runs natively, alone */
};

/* A decoded instruction of the program. */
struct papi_vpmu_instruction {
	uint64_t pc;
	enum papi_vpmu_kind kind;
	bool counted;                   /* its class is added up */
	bool trimmed;                   /* it belongs to a call of the library, and is not */
	unsigned flags_read, flags_set; /* arithmetic flags; set: whatever they were before */
	struct papi_vpmu_class class;
	ZydisDecodedInstruction decoded;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/* A block being translated. Large; there is one, under the lock of the cache. */
struct papi_vpmu_decoded {
	uint64_t pc, end; /* of the first instruction, past the last */
	unsigned count;
	struct papi_vpmu_instruction instructions[PAPI_VPMU_BLOCK_LENGTH];
};

/* Once, before anything is decoded. */
bool papi_vpmu_decode_begin(void);

/* Decodes the block at pc: as many instructions as can be executed there, none when none can. */
void papi_vpmu_decode_block(struct papi_vpmu_decoded *block, uint64_t pc, unsigned max);

/* Decodes one instruction out of a copy of the program's bytes. False when it is none. */
bool papi_vpmu_decode_copy(struct papi_vpmu_instruction *instruction, uint64_t pc, const uint8_t *bytes, uint64_t size);

/* Whether an instruction needs the program's own base of gs, or sets it. */
bool papi_vpmu_uses_gs(const struct papi_vpmu_instruction *instruction);

/* Whether it is int3. */
bool papi_vpmu_is_breakpoint(const struct papi_vpmu_instruction *instruction);

/* Whether it is popf or iret: it can set the trap flag, and then has to be stepped. */
bool papi_vpmu_loads_flags(const struct papi_vpmu_instruction *instruction);

/* Whether nothing that the program does from pc on needs the arithmetic flags; false when it cannot be seen soon. */
bool papi_vpmu_flags_unused(uint64_t pc);

/* The target of a direct branch. */
uint64_t papi_vpmu_branch_target(const struct papi_vpmu_instruction *instruction);

/* 0 to 15; -1 where the operand is no general register. */
int papi_vpmu_register_number(ZydisRegister reg);

/* From a mark to the next one, code has this meaning. */
struct papi_vpmu_mark {
	uint16_t code;    /* offset from the entry */
	uint16_t pc;      /* offset from the pc of the block of the instruction that is next */
	uint16_t spilled; /* bit per register whose value is in spilled[] */
	uint8_t added;    /* of the block's counters, in the order of their numbers, so many have been added */
	uint8_t kind;     /* enum papi_vpmu_mark_kind */
};

enum papi_vpmu_mark_kind {
	PAPI_VPMU_MARK_AT,       /* at that pc */
	PAPI_VPMU_MARK_FLAGS,    /* at that pc; the flags are in rax: ah as lahf puts them, al 1 or 0x80 for overflow */
	PAPI_VPMU_MARK_REP,      /* at that pc; what a rep string instruction has done is rep_count - rcx */
	PAPI_VPMU_MARK_REPEATED, /* behind it; what it has loaded and stored is still to be counted */
	PAPI_VPMU_MARK_REPEATED_LOADS, /* the loads have been */
	PAPI_VPMU_MARK_TARGET,         /* the whole block is done, and goes on at what is in rcx */
	PAPI_VPMU_MARK_DISTANCE,       /* at what is in rcx, from that pc */
	PAPI_VPMU_MARK_STORED_TARGET,  /* the whole block is done, and goes on at the thread's pc */
	PAPI_VPMU_MARK_TAKEN,          /* at the target of the conditional branch, the taken branch not yet counted */
	PAPI_VPMU_MARK_BRANCH,         /* at the target of the conditional or direct branch, all is counted */
};

struct papi_vpmu_flavour;

/* A translation. */
struct papi_vpmu_block {
	uint64_t pc; /* of the program; with size, what it was made of */
	uint32_t size;
	uint32_t code_size;
	uint64_t code;     /* entry */
	uint64_t indirect; /* where indirect branches to it go, 0: less than two have come */
	uint64_t target;   /* of a direct branch at its end */
	struct papi_vpmu_flavour *flavour;
	struct papi_vpmu_block *next; /* in its bucket of the table of blocks */
	struct papi_vpmu_mark *marks;
	const uint8_t *bytes; /* size of the program's, as they were */
	uint16_t n_marks;
	uint16_t branch;      /* offset of the last instruction */
	uint8_t trimmed;      /* so many instructions at its end belong to a call of the library */
	int32_t weight;       /* the most that a pass brings any overflow nearer */
	int32_t least_weight; /* the same if all that it touches is in the first level */
	uint32_t description; /* of its records in the trace, + 1; 0: it has none */
	bool stale;
	bool reached; /* by an indirect branch, once */
	bool follows; /* it is the end of another, where that jumps to: nobody else finds it */
};

#endif
