/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From bytes of the program to decoded blocks: what each instruction is to the translator, its flags, and what one
 * execution of it counts.
 */
#ifndef PAPI_VPMU_X86_64_TRANSLATE_DECODE_H
#define PAPI_VPMU_X86_64_TRANSLATE_DECODE_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/classify.h"
#include "components/vpmu/translator/view.h"

#define PAPI_VPMU_BLOCK_LENGTH 64
#define PAPI_VPMU_MAX_ASIDES   6 /* conditional branches that a block goes on behind */

#define PAPI_VPMU_ARITHMETIC_FLAGS                                                                      \
	(ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF | \
		ZYDIS_CPUFLAG_OF)

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

/* Of an operand, what translation asks for. The Zydis library tells ten times as much, and blocks have many. */
struct papi_vpmu_operand {
	uint8_t type;    /* ZydisOperandType */
	uint8_t actions; /* ZydisOperandActions */
	bool is_hidden;  /* the instruction has it without naming it, and the bytes do not say so */
	uint8_t memory;  /* ZydisMemoryOperandType; with it base, index, segment and scale */
	uint8_t scale;
	uint16_t reg, base, index, segment; /* ZydisRegister */
	uint16_t size;                      /* bits */
	int64_t value;                      /* the displacement, or the immediate */
};

/* A decoded instruction of the program. */
struct papi_vpmu_instruction {
	uint64_t pc;
	enum papi_vpmu_kind kind;
	bool counted;                   /* its class is added up */
	bool trimmed;                   /* it belongs to a call of the library, and is not */
	unsigned flags_read, flags_set; /* arithmetic flags; set: whatever they were before */
	struct papi_vpmu_class class;
	uint64_t attributes;                  /* ZYDIS_ATTRIB_... */
	int64_t immediate;                    /* the first; of a direct branch its displacement */
	uint16_t mnemonic;                    /* ZydisMnemonic */
	uint16_t vector_length;               /* bits */
	uint16_t mask;                        /* ZydisRegister that masks elements */
	uint8_t length;                       /* bytes */
	uint8_t opcode, category;             /* category: ZydisInstructionCategory */
	uint8_t encoding;                     /* ZydisInstructionEncoding */
	uint8_t operand_width, address_width; /* bits */
	bool wide;                            /* VEX.W or EVEX.W */
	uint8_t immediate_size;               /* bits; 0: there is none */
	/* Where they are in its bytes; prefix: the REX, VEX, EVEX or XOP prefix. */
	uint8_t prefix_at, modrm_at, displacement_at, immediate_at;
	uint8_t prefix_size;
	uint8_t operand_count; /* those that it has without naming them included; others are of no type */
	struct papi_vpmu_operand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/* The instructions of a block. Large: nobody has one on a stack of the runtime. */
struct papi_vpmu_decoded {
	uint64_t pc, end; /* of the first instruction, past the last */
	unsigned count;
	struct papi_vpmu_instruction instructions[PAPI_VPMU_BLOCK_LENGTH];
};

/* Whether the Zydis library is one that decodes for this processor. */
bool papi_vpmu_decode_works(void);

/*
 * Decodes the block at pc: as many instructions as can be executed there, none when none can. It goes on behind so many
 * conditional branches, which leave it when they are taken.
 */
void papi_vpmu_decode_block(
	const struct papi_vpmu_view *view, struct papi_vpmu_decoded *block, uint64_t pc, unsigned asides);

/* Whether that instruction is such a branch. */
static inline bool papi_vpmu_leads_aside(const struct papi_vpmu_decoded *block, unsigned i)
{
	return block->instructions[i].kind == PAPI_VPMU_CONDITIONAL && i + 1 < block->count;
}

/* Decodes one instruction out of a copy of the program's bytes. False when it is none. */
bool papi_vpmu_decode_copy(struct papi_vpmu_instruction *instruction, uint64_t pc, const uint8_t *bytes, uint64_t size);

/* Whether an instruction needs the program's own base of gs, or sets it. */
bool papi_vpmu_uses_gs(const struct papi_vpmu_instruction *instruction);

/* Whether it is int3. */
bool papi_vpmu_is_breakpoint(const struct papi_vpmu_instruction *instruction);

/* Whether it is popf or iret: it can set the trap flag, and then has to be stepped. */
bool papi_vpmu_loads_flags(const struct papi_vpmu_instruction *instruction);

/* Whether nothing that the program does from pc on needs the arithmetic flags; false when it cannot be seen soon. */
bool papi_vpmu_flags_unused(const struct papi_vpmu_view *view, uint64_t pc);

/* glance.c: of an instruction that reads none of these flags, and leads to the one behind it. */
#define PAPI_VPMU_LONGEST_GLANCE 15
struct papi_vpmu_glance {
	unsigned length;
	bool sets_flags; /* all of them, else none */
};
/* False where only the Zydis library can tell. */
bool papi_vpmu_glance(const uint8_t *bytes, uint64_t size, struct papi_vpmu_glance *glance);

/* The target of a direct branch. */
uint64_t papi_vpmu_branch_target(const struct papi_vpmu_instruction *instruction);

/* By how much a return moves the stack pointer. */
uint64_t papi_vpmu_popped(const struct papi_vpmu_instruction *instruction);

/* 0 to 15; -1 where the operand is no general register. */
int papi_vpmu_register_number(ZydisRegister reg);

/* A bit for each general register that an instruction uses. */
unsigned papi_vpmu_used_registers(const struct papi_vpmu_instruction *instruction);

/* trim.c: where a stub of the procedure linkage table at pc has the address that it leads to; 0: there is none. */
uint64_t papi_vpmu_stub_slot(const struct papi_vpmu_view *view, uint64_t pc);
/* Takes the call of a function of the library at the end of a block, and its arguments, out of what is
 * counted. */
void papi_vpmu_trim_call(const struct papi_vpmu_view *view, struct papi_vpmu_decoded *decoded);

#endif
