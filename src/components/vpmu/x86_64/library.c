/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/library.h"

#include <dlfcn.h>
#include <link.h>

#include "components/vpmu/translator/actions.h"
#include "components/vpmu/translator/maps.h"
#include "components/vpmu/x86_64/signals.h"
#include "components/vpmu/x86_64/thread.h"

/* A program without a dynamic linker has none. */
#pragma weak dlsym

#define MAX_TEXTS 8

struct text {
	uint64_t start, end;
};

static struct text texts[MAX_TEXTS];
static unsigned n_texts;

bool papi_vpmu_library_holds(uint64_t pc)
{
	for (unsigned i = 0; i < n_texts; i++)
		if (pc >= texts[i].start && pc < texts[i].end)
			return true;
	return false;
}

/* Where the static library has its code (static.sh). */
extern const char __start_papi_text[] __attribute__((weak, visibility("hidden")));
extern const char __stop_papi_text[] __attribute__((weak, visibility("hidden")));

/* The executable segment that this very function is in, unless it is the program's own. */
static int find_text(struct dl_phdr_info *object, size_t size, void *is_program)
{
	uint64_t here = (uint64_t)(uintptr_t)papi_vpmu_library_holds;

	(void)size;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &object->dlpi_phdr[i];
		uint64_t start = object->dlpi_addr + header->p_vaddr, end = start + header->p_memsz;

		if (header->p_type != PT_LOAD || !(header->p_flags & PF_X) || here < start || here >= end)
			continue;
		/* The program comes first, and has no name. */
		if (!*(bool *)is_program)
			texts[n_texts++] = (struct text){ start, end };
		return 1;
	}
	*(bool *)is_program = false;
	return 0;
}

/* How many objects have been loaded and unloaded in the life of the process. */
struct loads {
	unsigned long long loaded, unloaded;
};

static int read_loads(struct dl_phdr_info *info, size_t size, void *pointer)
{
	(void)size;
	*(struct loads *)pointer = (struct loads){ info->dlpi_adds, info->dlpi_subs };
	return 1;
}

static struct loads count_loads(void)
{
	struct loads loads = { 0, 0 };

	dl_iterate_phdr(read_loads, &loads);
	return loads;
}

static unsigned long long bound, unloaded; /* as they were at the last look */

bool papi_vpmu_library_begin(void)
{
	bool is_program = true;

	if (!n_texts && __start_papi_text)
		texts[n_texts++] = (struct text){ (uint64_t)(uintptr_t)__start_papi_text,
			(uint64_t)(uintptr_t)__stop_papi_text };
	else if (!n_texts)
		dl_iterate_phdr(find_text, &is_program);
	unloaded = count_loads().unloaded;
	return n_texts > 0;
}

int papi_vpmu_library_exclude(uint64_t start, uint64_t end)
{
	if (n_texts == MAX_TEXTS)
		return -1;
	texts[n_texts++] = (struct text){ start, end };
	return 0;
}

bool papi_vpmu_library_is_engine(uint64_t pc)
{
	static const void *const functions[] = {
		papi_vpmu_engine_probe,
		papi_vpmu_engine_start,
		papi_vpmu_engine_stop,
		papi_vpmu_engine_abandon,
		papi_vpmu_engine_overflow,
		papi_vpmu_engine_forget_overflow,
		papi_vpmu_engine_counters,
		papi_vpmu_engine_exclude,
		papi_vpmu_engine_forked,
		papi_vpmu_engine_lend,
		papi_vpmu_engine_borrow,
		papi_vpmu_engine_settle,
		papi_vpmu_action_native,
	};

	for (unsigned i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (pc == (uint64_t)(uintptr_t)functions[i])
			return true;
	return false;
}

/* ---- the calls of the library's functions ---- */

/* Where a stub of the procedure linkage table leads to: [endbr64] [bnd] jmp [rip + x]. 0: it is none. */
static uint64_t follow_stub(uint64_t pc)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const uint8_t *code = (const uint8_t *)(uintptr_t)pc;
	int32_t displacement;
	unsigned i = 0;

	while (i < sizeof(endbr64) && code[i] == endbr64[i])
		i++;
	if (i != 0 && i != sizeof(endbr64))
		return 0;
	code += i;
	if (*code == 0xf2)
		code++;
	if (code[0] != 0xff || code[1] != 0x25)
		return 0;
	__builtin_memcpy(&displacement, code + 2, 4);
	return *(const uint64_t *)(uintptr_t)(code + 6 + displacement);
}

static bool leads_to_library(const struct papi_vpmu_instruction *instruction)
{
	const ZydisDecodedOperand *operand = &instruction->operands[0];
	uint64_t target;

	switch (instruction->kind) {
	case PAPI_VPMU_CALL:
		target = papi_vpmu_branch_target(instruction);
		break;
	case PAPI_VPMU_JUMP_INDIRECT: /* the stub itself, or a program that was built without stubs */
	case PAPI_VPMU_CALL_INDIRECT:
		if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || operand->mem.base != ZYDIS_REGISTER_RIP)
			return false;
		target = *(const uint64_t *)(uintptr_t)(instruction->pc + instruction->decoded.length +
			(uint64_t)operand->mem.disp.value);
		return papi_vpmu_library_holds(target);
	default:
		return false;
	}
	if (papi_vpmu_library_holds(target))
		return true;
	return papi_vpmu_maps_executable_until(target) >= target + 16 && papi_vpmu_library_holds(follow_stub(target));
}

/* Loads of registers that a call destroys have no other use right before it than to pass arguments. */
static bool loads_argument(const struct papi_vpmu_instruction *instruction)
{
	const unsigned destroyed = 1u << RAX | 1u << RCX | 1u << RDX | 1u << RSI | 1u << RDI | 1u << R8 | 1u << R9 |
		1u << R10 | 1u << R11;
	const ZydisDecodedOperand *to = &instruction->operands[0];
	int number;

	if (to->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	number = papi_vpmu_register_number(to->reg.value);
	if (number < 0 || !(destroyed >> number & 1))
		return false;
	switch (instruction->decoded.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVSXD:
	case ZYDIS_MNEMONIC_LEA:
		return true;
	case ZYDIS_MNEMONIC_XOR:
		return instruction->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			instruction->operands[1].reg.value == to->reg.value;
	default:
		return false;
	}
}

static bool is_call(const struct papi_vpmu_instruction *instruction)
{
	return instruction->kind == PAPI_VPMU_CALL || instruction->kind == PAPI_VPMU_CALL_INDIRECT;
}

void papi_vpmu_library_trim_call(struct papi_vpmu_decoded *decoded)
{
	unsigned i = decoded->count - 1;

	if (!leads_to_library(&decoded->instructions[i]))
		return;
	decoded->instructions[i].trimmed = true;
	if (is_call(&decoded->instructions[i])) {
		while (i > 0 && loads_argument(&decoded->instructions[i - 1]))
			decoded->instructions[--i].trimmed = true;
	} else if (i > 0 && decoded->instructions[i - 1].decoded.mnemonic == ZYDIS_MNEMONIC_ENDBR64) {
		decoded->instructions[i - 1].trimmed = true;
	}
}

/* ---- binding ---- */

struct object {
	const ElfW(Sym) * symbols;
	const char *names;
	const ElfW(Rela) * jumps;
	size_t n_jumps;
	bool bound; /* all of it, when it was loaded */
};

static void read_dynamic(const struct dl_phdr_info *info, const ElfW(Dyn) * dynamic, struct object *object)
{
	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		/* The dynamic linker has made addresses of them, but in the vDSO. */
		uint64_t value = dynamic->d_un.d_val,
			 address = value < info->dlpi_addr ? info->dlpi_addr + value : value;

		if (dynamic->d_tag == DT_SYMTAB)
			object->symbols = (const ElfW(Sym) *)(uintptr_t)address;
		else if (dynamic->d_tag == DT_STRTAB)
			object->names = (const char *)(uintptr_t)address;
		else if (dynamic->d_tag == DT_JMPREL)
			object->jumps = (const ElfW(Rela) *)(uintptr_t)address;
		else if (dynamic->d_tag == DT_PLTRELSZ)
			object->n_jumps = value / sizeof(ElfW(Rela));
		else if (dynamic->d_tag == DT_FLAGS)
			object->bound = object->bound || value & DF_BIND_NOW;
		else if (dynamic->d_tag == DT_FLAGS_1)
			object->bound = object->bound || value & DF_1_NOW;
	}
}

static bool is_ours(const char *name)
{
	static const char prefix[] = "papi";

	for (unsigned i = 0; i < sizeof(prefix) - 1; i++)
		if ((name[i] | 0x20) != prefix[i])
			return false;
	return true;
}

static int bind_object(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct object object = { .symbols = NULL };

	(void)size;
	(void)unused;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			read_dynamic(info, (const ElfW(Dyn) *)(uintptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
				&object);
	if (!dlsym || object.bound || !object.symbols || !object.names || !object.jumps)
		return 0;
	for (size_t i = 0; i < object.n_jumps; i++) {
		const ElfW(Rela) *jump = &object.jumps[i];
		const char *name = object.names + object.symbols[ELF64_R_SYM(jump->r_info)].st_name;
		uint64_t *slot = (uint64_t *)(uintptr_t)(info->dlpi_addr + jump->r_offset);
		uint64_t function;

		if (ELF64_R_TYPE(jump->r_info) != R_X86_64_JUMP_SLOT || papi_vpmu_library_holds(*slot) ||
			!is_ours(name))
			continue;
		function = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, name);
		if (papi_vpmu_library_holds(function))
			__atomic_store_n(slot, function, __ATOMIC_RELAXED);
	}
	return 0;
}

bool papi_vpmu_library_bind(void)
{
	struct loads now = count_loads();

	if (__atomic_exchange_n(&bound, now.loaded, __ATOMIC_ACQ_REL) != now.loaded)
		dl_iterate_phdr(bind_object, NULL);
	return __atomic_exchange_n(&unloaded, now.unloaded, __ATOMIC_ACQ_REL) != now.unloaded;
}
