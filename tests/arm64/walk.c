/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program natively, one instruction after the other: each is run alone, with the registers that the one before has
 * left. Where the decoder says that it accesses memory, it runs once more where nothing can be accessed: the address
 * of the fault is the processor's word for it.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"
#include "components/vpmu/arm64/decode/decode.h"
#include "components/vpmu/models/frames.h"
#include "modelled.h"

#define STEP_WORDS  16u
#define KEEPS_SP    0x910003f8u /* add x24, sp, #0 */
#define RESTORES_SP 0x9100031fu
#define SP          31

const struct papi_vpmu_geometry small_caches = {
	.l1i = { 4, 2, 6 },
	.l1d = { 8, 2, 6 },
	.l2 = { 16, 4, 6 },
	.l3 = { 64, 4, 6 },
	.itlb = { 2, 2, 12 },
	.dtlb = { 2, 2, 12 },
	.itlb2 = { 4, 2, 12 },
	.dtlb2 = { 4, 2, 12 },
};

struct walk {
	const struct program *program;
	struct reference_model *model;
	struct state state;
	unsigned at; /* word */
	uint64_t link;
	struct papi_a64_instruction instruction;
};

static sigjmp_buf back;
static volatile uint64_t fault_address;

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	fault_address = (uint64_t)(uintptr_t)info->si_addr;
	siglongjmp(back, 1);
}

static void handle_faults(void)
{
	static char stack[65536];
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	REQUIRE(sigaltstack(&own, NULL) == 0 && sigaction(SIGSEGV, &action, NULL) == 0 &&
		sigaction(SIGBUS, &action, NULL) == 0);
}

static uint64_t pc_of(const struct walk *walk)
{
	return code_address(walk->program->page) + 4ull * walk->at;
}

/* Code pages have their numbers in the order in which they are first run. */
static uint64_t numbered(const struct walk *walk, uint64_t pc)
{
	return ((uint64_t)PAPI_VPMU_FRAME_OF_CODE + walk->program->number + 1) * PAGE + pc % PAGE;
}

static uint64_t register_of(const struct walk *walk, unsigned reg)
{
	return walk->state.registers[reg == SP ? 19 : reg];
}

/* ---- one instruction ---- */

enum variant { ITSELF, BRANCH, STORE, VARIANTS };

/* Code for each word of the program, made when it is first needed. It is never changed: emulators do not look. */
static const void *place_of(const struct walk *walk, enum variant variant, const uint32_t *instructions, unsigned n)
{
	static const void *places[PAGE_WORDS][VARIANTS];
	static unsigned used = MAX_PAGES * PAGE_WORDS, of_page = UINT32_MAX;
	unsigned page = used / PAGE_WORDS, i = used % PAGE_WORDS;
	uint32_t *words = code_words(page);

	if (of_page != walk->program->page)
		memset(places, 0, sizeof(places));
	of_page = walk->program->page;
	if (places[walk->at][variant])
		return places[walk->at][variant];
	REQUIRE(used < (ALL_PAGES - 1) * PAGE_WORDS);
	places[walk->at][variant] = (const void *)(uintptr_t)(code_address(page) + 4 * i);
	words[i++] = KEEPS_SP;
	words[i++] = 0x9100027f; /* add sp, x19, #0 */
	memcpy(words + i, instructions, n * sizeof(*instructions));
	i += n;
	words[i++] = 0x910003f3; /* add x19, sp, #0 */
	words[i++] = RESTORES_SP;
	put_end(words + i);
	used += STEP_WORDS;
	code_changed(page, 1);
	return places[walk->at][variant];
}

/* With the program's stack pointer, which is in x19. */
static bool run_alone(struct walk *walk, enum variant variant, const uint32_t *instructions, unsigned n)
{
	const void *code = place_of(walk, variant, instructions, n);
	struct state before = walk->state;

	enter_scalable = vector_bytes ? scalable_registers : NULL;
	if (sigsetjmp(back, 1)) {
		walk->state = before;
		enter_scalable = NULL;
		return false;
	}
	enter(&walk->state, code);
	enter_scalable = NULL;
	return true;
}

/* Whether a conditional branch is taken. */
static bool takes(struct walk *walk)
{
	uint32_t word = walk->instruction.word;
	bool by_bit = (word & 0x7e000000) == 0x36000000;
	uint32_t over_one = by_bit ? (word & ~(0x3fffu << 5)) | 2 << 5 : (word & ~(0x7ffffu << 5)) | 2 << 5;
	const uint32_t words[] = { 0xd280003d, over_one, 0xd280001d }; /* x29 = 1; it; x29 = 0 */

	bool taken;

	REQUIRE(run_alone(walk, BRANCH, words, 3));
	taken = walk->state.registers[29];
	walk->state.registers[29] = 0;
	return taken;
}

/* ---- accesses ---- */

static uint64_t index_of(const struct walk *walk, const struct papi_a64_operand *operand)
{
	uint64_t index = register_of(walk, operand->index);

	if (operand->extension == PAPI_A64_UXTW)
		index = (uint32_t)index;
	else if (operand->extension == PAPI_A64_SXTW)
		index = (uint64_t)(int32_t)(uint32_t)index;
	return index << operand->shift;
}

static uint64_t address_of(const struct walk *walk, unsigned *size)
{
	const struct papi_a64_operand *operand = &walk->instruction.operand;
	uint64_t address;

	*size = operand->is_scalable ? vector_bytes >> operand->active.shift : operand->size;
	if (walk->instruction.kind == PAPI_A64_LITERAL)
		return pc_of(walk) + (uint64_t)walk->instruction.offset;
	address = register_of(walk, operand->base) +
		(uint64_t)(int64_t)operand->displacement * (operand->is_scalable ? *size : 1);
	if (operand->index != PAPI_A64_NO_REGISTER)
		address += index_of(walk, operand);
	if (operand->is_zeroed) {
		uint64_t id;

		__asm__("mrs %0, dczid_el0" : "=r"(id));
		*size = 4u << (id & 15);
		address &= -(uint64_t)*size;
	}
	return address;
}

/* A load that never faults (ldnf1). */
static bool is_quiet(uint32_t word)
{
	return (word & 0xfe10e000) == 0xa410a000;
}

/* What the processor says; a prefetch says nothing, nor does a store that nothing exclusive precedes, and zeros may be
 * named anywhere in their block. */
static bool agrees(struct walk *walk, uint64_t address, unsigned size)
{
	struct state before = walk->state;
	bool faulted;

	if (walk->instruction.prefetches || walk->instruction.kind == PAPI_A64_LITERAL ||
		walk->instruction.kind == PAPI_A64_STORE_EXCLUSIVE || is_quiet(walk->instruction.word))
		return true;
	REQUIRE(mprotect(arena, ARENA_SIZE, PROT_NONE) == 0);
	faulted = !run_alone(walk, ITSELF, &walk->instruction.word, 1);
	REQUIRE(mprotect(arena, ARENA_SIZE, PROT_READ | PROT_WRITE) == 0);
	if (walk->instruction.operand.is_zeroed && faulted && fault_address - address < size)
		return true;
	if (faulted && fault_address == address)
		return true;
	walk->state = before;
	if (!faulted && !address) /* it has accessed nothing */
		return true;
	printf("word %08x accesses %llx, and the decoder says %llx\n", walk->instruction.word,
		(unsigned long long)fault_address, (unsigned long long)address);
	return false;
}

unsigned long walked_chosen;

/* The processor says which element is the first, or that there is none. */
static bool tell_chosen(struct walk *walk)
{
	const struct papi_a64_instruction *i = &walk->instruction;
	const struct papi_a64_operand *operand = &i->operand;
	uint64_t addresses[256], from = operand->base == PAPI_A64_NO_REGISTER ? 0 : register_of(walk, operand->base);
	unsigned n;

	if (operand->index != PAPI_A64_NO_REGISTER)
		from += index_of(walk, operand);
	n = chosen_addresses(operand, from, addresses);
	walked_chosen += n > 0;
	fault_address = 0;
	if (!agrees(walk, n ? addresses[0] : 0, operand->active.size))
		return false;
	for (unsigned each = 0; i->prefetches && each < n; each++)
		reference_prefetch(walk->model, addresses[each], operand->active.size);
	if (!i->prefetches)
		reference_access(
			walk->model, addresses, n, operand->active.size, i->stores ? PAPI_VPMU_WRITE : PAPI_VPMU_READ);
	return true;
}

static bool tell_access(struct walk *walk)
{
	const struct papi_a64_instruction *i = &walk->instruction;
	enum papi_vpmu_access_kind kind = PAPI_VPMU_READ;
	unsigned size;
	uint64_t address;

	if (i->operand.is_scalable && i->operand.active.predicate != PAPI_A64_NO_REGISTER)
		return tell_chosen(walk);
	address = address_of(walk, &size);
	if (!agrees(walk, address, size))
		return false;
	if (i->stores)
		kind = i->loads ? PAPI_VPMU_MODIFY : PAPI_VPMU_WRITE;
	if (i->prefetches)
		reference_prefetch(walk->model, address, size);
	else
		reference_access(walk->model, &address, 1, size, kind);
	return true;
}

/* ---- what cannot run elsewhere, or alone ---- */

/* Exclusive accesses succeed, in the program. */
static void step_exclusive(struct walk *walk)
{
	uint32_t word = walk->instruction.word, size = word >> 30 << 30;
	uint32_t plain = size | 0x39000000u | (word & 0x3ff); /* str, [base] */

	REQUIRE(run_alone(walk, STORE, &plain, 1));
	walk->state.registers[word >> 16 & 31] = 0;
}

static void step_literal(struct walk *walk, uint64_t address)
{
	memcpy(&walk->state.registers[walk->instruction.word & 31], (const void *)(uintptr_t)address, 8);
}

static void jump(struct walk *walk, uint64_t target)
{
	walk->at = (unsigned)(target - code_address(walk->program->page)) / 4;
}

static void step_indirect(struct walk *walk, uint64_t pc)
{
	uint64_t target = register_of(walk, walk->instruction.word >> 5 & 31);

	if (target == walk->state.registers[23]) { /* out of the program */
		walk->at++;
		return;
	}
	reference_indirect(walk->model, numbered(walk, pc), target, numbered(walk, target));
	reference_call(walk->model, pc + 4);
	walk->state.registers[30] = pc + 4;
	jump(walk, target);
}

static void step_branch(struct walk *walk, uint64_t pc)
{
	const struct papi_a64_instruction *i = &walk->instruction;
	bool taken;

	switch (i->kind) {
	case PAPI_A64_CONDITIONAL:
		taken = takes(walk);
		reference_conditional(walk->model, numbered(walk, pc), taken);
		jump(walk, taken ? pc + (uint64_t)i->offset : pc + 4);
		break;
	case PAPI_A64_CALL:
		reference_call(walk->model, pc + 4);
		walk->state.registers[30] = pc + 4;
		jump(walk, pc + (uint64_t)i->offset);
		break;
	case PAPI_A64_RETURN:
		reference_return(walk->model, walk->state.registers[30]);
		jump(walk, walk->state.registers[30]);
		break;
	default:
		step_indirect(walk, pc);
	}
}

static void step_plain(struct walk *walk, uint64_t pc)
{
	const struct papi_a64_instruction *i = &walk->instruction;

	if (i->kind == PAPI_A64_STORE_EXCLUSIVE)
		step_exclusive(walk);
	else if (i->kind == PAPI_A64_ADDRESS)
		walk->state.registers[i->word & 31] = pc + (uint64_t)i->offset;
	else if (i->word == KEEPS_SP || i->word == RESTORES_SP)
		; /* the stack pointer is kept already */
	else
		REQUIRE(run_alone(walk, ITSELF, &i->word, 1));
	walk->at++;
}

static bool is_branch(const struct papi_a64_instruction *i)
{
	return i->kind == PAPI_A64_CONDITIONAL || i->kind == PAPI_A64_CALL || i->kind == PAPI_A64_CALL_INDIRECT ||
		i->kind == PAPI_A64_RETURN;
}

static bool step(struct walk *walk)
{
	uint64_t pc = pc_of(walk);
	const struct papi_a64_instruction *i = &walk->instruction;
	unsigned size;

	papi_a64_decode(code_words(walk->program->page)[walk->at], &walk->instruction);
	walk->model->counters[PAPI_VPMU_INSTRUCTIONS]++;
	reference_fetch(walk->model, numbered(walk, pc), 4);
	if ((i->loads || i->stores || i->prefetches) && !tell_access(walk))
		return false;
	if (is_branch(i)) {
		step_branch(walk, pc);
	} else if (i->kind == PAPI_A64_LITERAL) {
		step_literal(walk, address_of(walk, &size));
		walk->at++;
	} else {
		step_plain(walk, pc);
	}
	return true;
}

/* The same, and what has grown there. */
static bool step_for(struct walk *walk, uint64_t of_word[PAPI_VPMU_LAST_MODELLED + 1])
{
	uint64_t before[PAPI_VPMU_LAST_MODELLED + 1];
	bool agreed;

	memcpy(before, walk->model->counters, sizeof(before));
	agreed = step(walk);
	for (unsigned i = 0; i <= PAPI_VPMU_LAST_MODELLED; i++)
		of_word[i] += walk->model->counters[i] - before[i];
	return agreed;
}

bool walk(
	const struct program *program, struct reference_model *model, uint64_t (*of_words)[PAPI_VPMU_LAST_MODELLED + 1])
{
	static struct walk walking;
	struct walk *walk = &walking;

	handle_faults();
	*walk = (struct walk){ .program = program, .model = model, .at = program->begin };
	walk->state = initial_state(program, 0, NULL);
	fill_arena(program->seed);
	while (walk->at != program->end)
		if (!(of_words ? step_for(walk, of_words[walk->at]) : step(walk)))
			return false;
	return true;
}
