/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions of the program, carried over. All are copied as they are but those that address memory relative to rip:
 * their displacement is adapted where it reaches, else the address is put into a register that they do not use.
 *
 *	add  eax, [rip + x]     mov  gs:[spilled rcx], rcx
 *	                        mov  rcx, x
 *	                        add  eax, [rcx]
 *	                        mov  rcx, gs:[spilled rcx]
 */
#include "components/vpmu/x86_64/translate/translate.h"

/* What an instruction addresses relative to rip. */
static bool find_relative(const struct papi_vpmu_instruction *instruction, uint64_t *address)
{
	for (unsigned i = 0; i < instruction->operand_count; i++) {
		const struct papi_vpmu_operand *operand = &instruction->operands[i];

		if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		if (operand->base != ZYDIS_REGISTER_RIP && operand->base != ZYDIS_REGISTER_EIP)
			continue;
		*address = instruction->pc + instruction->length + (uint64_t)operand->value;
		if (operand->base == ZYDIS_REGISTER_EIP)
			*address &= UINT32_MAX;
		return true;
	}
	return false;
}

/* A register that ModRM can name without a prefix and without SIB byte or displacement. There is always one: no
 * instruction uses more than four of these. */
static unsigned free_register(const struct papi_vpmu_instruction *instruction)
{
	static const unsigned candidates[] = { RAX, RCX, RDX, RBX, RSI, RDI };
	unsigned used = papi_vpmu_used_registers(instruction);

	for (unsigned i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++)
		if (!(used >> candidates[i] & 1))
			return candidates[i];
	__builtin_unreachable();
}

/* ModRM's rm field names a low register: the bit that would make it a high one has to go. */
static void clear_base_bit(const struct papi_vpmu_instruction *instruction, uint8_t *bytes)
{
	switch (instruction->encoding) {
	case ZYDIS_INSTRUCTION_ENCODING_LEGACY:
		if (instruction->attributes & ZYDIS_ATTRIB_HAS_REX)
			bytes[instruction->prefix_at] &= (uint8_t)~1;
		break;
	case ZYDIS_INSTRUCTION_ENCODING_VEX: /* inverted, and in the three-byte form only */
		if (instruction->prefix_size == 3)
			bytes[instruction->prefix_at + 1] |= 0x20;
		break;
	case ZYDIS_INSTRUCTION_ENCODING_XOP:
	case ZYDIS_INSTRUCTION_ENCODING_EVEX:
		bytes[instruction->prefix_at + 1] |= 0x20;
		break;
	default:
		break;
	}
}

/* With [reg] for [rip + displacement]. */
static void copy_through(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *instruction, unsigned reg)
{
	const uint8_t *from = papi_vpmu_view_bytes(t->request.view, instruction->pc);
	uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH] = { 0 };
	unsigned count = 0;

	for (unsigned i = 0; i < instruction->length; i++)
		if (i < instruction->displacement_at || i >= instruction->displacement_at + 4u)
			bytes[count++] = from[i];
	bytes[instruction->modrm_at] = (uint8_t)((bytes[instruction->modrm_at] & 0x38) | reg);
	clear_base_bit(instruction, bytes);
	papi_vpmu_emit_bytes(&t->e, bytes, count);
}

/* With another displacement, if the address is near. */
static bool copy_near(
	struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *instruction, uint64_t address)
{
	int64_t displacement = (int64_t)(address - (papi_vpmu_emit_address(&t->e) + instruction->length));
	int32_t narrow = (int32_t)displacement;
	uint8_t *start = t->e.next;

	if (narrow != displacement || instruction->address_width != 64)
		return false;
	papi_vpmu_emit_bytes(&t->e, papi_vpmu_view_bytes(t->request.view, instruction->pc), instruction->length);
	memcpy(start + instruction->displacement_at, &narrow, 4);
	return true;
}

/* lea reg, [rip + x] is a constant. */
static bool copy_as_constant(
	struct papi_vpmu_emitter *e, const struct papi_vpmu_instruction *instruction, uint64_t address)
{
	if (instruction->mnemonic != ZYDIS_MNEMONIC_LEA || instruction->operand_width != 64)
		return false;
	papi_vpmu_emit_constant(e, (unsigned)papi_vpmu_register_number(instruction->operands[0].reg), address);
	return true;
}

void papi_vpmu_copy(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *instruction)
{
	uint64_t address, pc = instruction->pc;
	unsigned reg;

	if (!find_relative(instruction, &address)) {
		/* When the block becomes stale, its first two bytes change: nobody may stand between them. */
		if (instruction->length == 1 && papi_vpmu_emit_address(&t->e) == t->entry)
			papi_vpmu_emit_empty_prefix(&t->e);
		papi_vpmu_emit_bytes(&t->e, papi_vpmu_view_bytes(t->request.view, pc), instruction->length);
		return;
	}
	if (copy_as_constant(&t->e, instruction, address) || copy_near(t, instruction, address))
		return;
	reg = free_register(instruction);
	papi_vpmu_spill(t, reg, pc);
	papi_vpmu_emit_constant(&t->e, reg, address);
	copy_through(t, instruction, reg);
	papi_vpmu_mark(t, pc + instruction->length);
	papi_vpmu_unspill(t, reg, pc + instruction->length);
}

/*
 * jmp [memory] and call [memory], as mov rcx, [memory]: the prefixes that matter, REX with W, the opcode, and ModRM
 * with rcx in its reg field; what follows is the same.
 *
 *	call fs:[r11 + rax * 8 + 40]        mov  rcx, fs:[r11 + rax * 8 + 40]
 *	64 41 ff 54 c3 28                   64 49 8b 4c c3 28
 */
static void load_target(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *instruction)
{
	const uint8_t *bytes = papi_vpmu_view_bytes(t->request.view, instruction->pc);
	unsigned modrm = instruction->modrm_at;
	unsigned rex = instruction->attributes & ZYDIS_ATTRIB_HAS_REX ? bytes[instruction->prefix_at] : 0u;

	papi_vpmu_emit_load_like(&t->e, RCX, instruction->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_FS,
		instruction->attributes & ZYDIS_ATTRIB_HAS_ADDRESSSIZE, rex, bytes[modrm]);
	papi_vpmu_emit_bytes(&t->e, bytes + modrm + 1, instruction->length - modrm - 1);
}

void papi_vpmu_copy_target(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *instruction)
{
	uint64_t address;

	if (instruction->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER) {
		papi_vpmu_emit_move(&t->e, RCX, (unsigned)papi_vpmu_register_number(instruction->operands[0].reg));
	} else if (find_relative(instruction, &address)) {
		papi_vpmu_emit_constant(&t->e, RCX, address);
		papi_vpmu_emit_load_at(&t->e, RCX, RCX);
	} else {
		load_target(t, instruction);
	}
}

/* The displacement of 8 bits is the last byte of such an instruction. */
void papi_vpmu_copy_loop(
	struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *instruction, unsigned distance)
{
	papi_vpmu_emit_bytes(&t->e, papi_vpmu_view_bytes(t->request.view, instruction->pc), instruction->length - 1u);
	papi_vpmu_emit_byte(&t->e, distance);
}
