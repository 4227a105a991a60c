/* SPDX-License-Identifier: BSD-3-Clause */
/* unwind.c - unwind tables, and steps by them. See unwind.h. */
#include "symbols/unwind.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "symbols/memory.h"
#include "symbols/unwind_rows.h"

/* Of each table. A program has some ten thousand places that call; more are thrown away, and looked up again. */
enum { MOST_ROWS = 1 << 15, FIRST_SLOTS = 1 << 8 };

/* Where the caller's value of a register is. */
struct rule {
	enum { NOWHERE, SAME, AT_CFA, CFA_ITSELF, COMPUTED } kind;
	uint32_t n; /* operations */
	union {
		uint64_t offset; /* to the canonical frame address */
		const Dwarf_Op *operations;
	} by;
};

/* All that the table says of an address. */
struct row {
	uint64_t address;
	bool known, signal;
	bool restorer; /* the caller is what a signal interrupted, in the kernel's frame */
	unsigned back; /* the register whose value is the return address */
	unsigned base; /* the register that the frame address is at an offset to */
	uint64_t offset;
	const Dwarf_Op *operations; /* or what computes it; NULL: the former */
	size_t n_operations;        /* none of both: there is no caller */
	struct rule rules[PAPI_UNWIND_REGISTERS];
};

struct papi_unwind_table {
	Elf *elf;
	Dwarf *dwarf;
	Dwarf_CFI *loaded; /* what programs have in memory */
	Dwarf_CFI *debug;  /* what debuggers have */
	const struct papi_unwind_machine *machine;
	char *image; /* of what is no file */
	size_t image_size;
	struct row **slots;
	size_t n_slots, n;
};

/* ---- Opening ---- */

static const struct papi_unwind_machine *machine_of(Elf *elf)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header) || gelf_getclass(elf) != ELFCLASS64)
		return NULL;
	if (header.e_machine == EM_X86_64)
		return papi_unwind_machine("x86_64");
	return header.e_machine == EM_AARCH64 ? papi_unwind_machine("aarch64") : NULL;
}

static struct papi_unwind_table *open_elf(Elf *elf, char *image, size_t image_size)
{
	struct papi_unwind_table *table = papi_memory_zero(1, sizeof(*table));

	table->elf = elf;
	table->image = image;
	table->image_size = image_size;
	table->machine = elf && elf_kind(elf) == ELF_K_ELF ? machine_of(elf) : NULL;
	if (table->machine) {
		table->loaded = dwarf_getcfi_elf(elf);
		table->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
		table->debug = table->dwarf ? dwarf_getcfi(table->dwarf) : NULL;
	}
	/* The kernel's code has no table on arm64, and is_restorer() knows it all the same. */
	if (table->loaded || table->debug || (image && table->machine))
		return table;
	papi_unwind_close(table);
	return NULL;
}

struct papi_unwind_table *papi_unwind_open_file(int file)
{
	elf_version(EV_CURRENT);
	/* Not mapped: a file that is made shorter meanwhile would end the reader by a signal. */
	return open_elf(elf_begin(file, ELF_C_READ, NULL), NULL, 0);
}

/* The image ends behind its last segment or table of sections. */
static size_t size_of_image(const unsigned char *image)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)image;
	const Elf64_Phdr *segments = (const Elf64_Phdr *)(const void *)(image + header->e_phoff);
	size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;

	for (unsigned i = 0; i < header->e_phnum; i++)
		if (segments[i].p_offset + segments[i].p_filesz > size)
			size = segments[i].p_offset + segments[i].p_filesz;
	return size;
}

struct papi_unwind_table *papi_unwind_open_vdso(void)
{
	uintptr_t address = getauxval(AT_SYSINFO_EHDR);
	const unsigned char *image = (const unsigned char *)address;
	size_t size;
	char *copy;

	if (!image)
		return NULL;
	elf_version(EV_CURRENT);
	size = size_of_image(image);
	copy = papi_memory_grow(NULL, size, 1);
	memcpy(copy, image, size);
	return open_elf(elf_memory(copy, size), copy, size);
}

static void forget_rows(struct papi_unwind_table *table)
{
	for (size_t i = 0; i < table->n_slots; i++)
		free(table->slots[i]);
	free(table->slots);
	table->slots = NULL;
	table->n_slots = table->n = 0;
}

void papi_unwind_close(struct papi_unwind_table *table)
{
	if (!table)
		return;
	forget_rows(table);
	if (table->loaded)
		dwarf_cfi_end(table->loaded);
	if (table->dwarf)
		dwarf_end(table->dwarf);
	if (table->elf)
		elf_end(table->elf);
	free(table->image);
	free(table);
}

/* ---- Rows ---- */

static bool is_register_and_offset(const Dwarf_Op *operations, size_t n, unsigned *base, uint64_t *offset)
{
	if (n != 1)
		return false;
	if (operations->atom >= DW_OP_breg0 && operations->atom <= DW_OP_breg31) {
		*base = operations->atom - (unsigned)DW_OP_breg0;
		*offset = operations->number;
		return true;
	}
	if (operations->atom != DW_OP_bregx || operations->number >= PAPI_UNWIND_REGISTERS)
		return false;
	*base = (unsigned)operations->number;
	*offset = operations->number2;
	return true;
}

/* The frame address, an offset to it, or what is there: all that most functions need. */
static bool simplify(const Dwarf_Op *operations, size_t n, struct rule *rule)
{
	size_t at = 0;

	if (n == 0 || operations[at++].atom != DW_OP_call_frame_cfa)
		return false;
	rule->by.offset = 0;
	if (at < n && operations[at].atom == DW_OP_plus_uconst)
		rule->by.offset = operations[at++].number;
	rule->kind = at < n && operations[at].atom == DW_OP_stack_value ? CFA_ITSELF : AT_CFA;
	return at + (rule->kind == CFA_ITSELF) == n;
}

static struct rule rule_of(Dwarf_Frame *frame, int number)
{
	struct rule rule = { .kind = NOWHERE };
	Dwarf_Op memory[3], *operations;
	size_t n;

	if (dwarf_frame_register(frame, number, memory, &operations, &n) != 0)
		return rule;
	if (n == 0) {
		rule.kind = operations == memory ? NOWHERE : SAME;
	} else if (!simplify(operations, n, &rule)) {
		/* Operations that are not in the memory above live as long as the table. */
		rule.kind = operations == memory ? NOWHERE : COMPUTED;
		rule.n = (uint32_t)n;
		rule.by.operations = operations;
	}
	return rule;
}

static void fill(struct row *row, Dwarf_Frame *frame, unsigned number)
{
	Dwarf_Op *operations;
	size_t n;
	int back = dwarf_frame_info(frame, NULL, NULL, &row->signal);

	if (back < 0 || back >= PAPI_UNWIND_REGISTERS || dwarf_frame_cfa(frame, &operations, &n) != 0)
		return;
	/* Of a register that no machine has, which libdw keeps in the frame, and that is about to go. */
	if (n == 1 && operations->atom == DW_OP_bregx && operations->number >= PAPI_UNWIND_REGISTERS)
		return;
	row->back = (unsigned)back;
	row->known = true;
	row->n_operations = n;
	if (!is_register_and_offset(operations, n, &row->base, &row->offset))
		row->operations = operations;
	for (unsigned i = 0; i < number; i++)
		row->rules[i] = rule_of(frame, (int)i);
}

/*
 * On arm64 handlers return to code of the kernel's. It has no unwind table, and by its frame pointer comes what the
 * interrupted function would have returned to, without that function. address: inside of the instruction before, as if
 * that had called.
 */
static bool is_restorer(const struct papi_unwind_table *table, uint64_t address)
{
	static const uint32_t code[] = { 0xd2801168, 0xd4000001 }; /* mov x8, rt_sigreturn; svc 0 */
	uint64_t at = (address + 1) & ~UINT64_C(3);

	return table->image && table->machine->elf == EM_AARCH64 && at <= table->image_size &&
		table->image_size - at >= sizeof(code) && memcmp(table->image + at, code, sizeof(code)) == 0;
}

static struct row *make_row(struct papi_unwind_table *table, uint64_t address)
{
	struct row *row = papi_memory_zero(1, sizeof(*row));
	Dwarf_Frame *frame = NULL;

	row->address = address;
	row->restorer = is_restorer(table, address);
	if (!(table->loaded && dwarf_cfi_addrframe(table->loaded, address, &frame) == 0) &&
		!(table->debug && dwarf_cfi_addrframe(table->debug, address, &frame) == 0))
		return row;
	fill(row, frame, table->machine->number);
	free(frame);
	return row;
}

static struct row **find_slot(const struct papi_unwind_table *table, uint64_t address)
{
	size_t i = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 24) & (table->n_slots - 1);

	while (table->slots[i] && table->slots[i]->address != address)
		i = (i + 1) & (table->n_slots - 1);
	return &table->slots[i];
}

static void grow(struct papi_unwind_table *table)
{
	struct row **old = table->slots;
	size_t n_old = table->n_slots;

	table->n_slots = n_old ? 2 * n_old : FIRST_SLOTS;
	table->slots = papi_memory_zero(table->n_slots, sizeof(table->slots[0]));
	for (size_t i = 0; i < n_old; i++)
		if (old[i])
			*find_slot(table, old[i]->address) = old[i];
	free(old);
}

static const struct row *find_row(struct papi_unwind_table *table, uint64_t address)
{
	struct row **slot;

	if (table->n == MOST_ROWS)
		forget_rows(table);
	if (2 * table->n >= table->n_slots)
		grow(table);
	slot = find_slot(table, address);
	if (!*slot) {
		*slot = make_row(table, address);
		table->n++;
	}
	return *slot;
}

/* ---- Steps ---- */

struct step {
	const struct row *row;
	const struct papi_unwind_state *from;
	const struct papi_unwind_stack *stack;
	uint64_t cfa;
	bool beyond;
};

static bool find_cfa(struct step *step)
{
	const struct row *row = step->row;
	bool is_value;

	if (row->operations)
		return papi_unwind_evaluate(row->operations, row->n_operations, step->from, step->stack, 0, &step->cfa,
			&is_value, &step->beyond);
	if (!papi_unwind_register(step->from, row->base, &step->cfa))
		return false;
	step->cfa += row->offset;
	return true;
}

static bool value_of(struct step *step, unsigned number, uint64_t *value)
{
	const struct rule *rule = &step->row->rules[number];
	bool is_value;

	switch (rule->kind) {
	case SAME:
		return papi_unwind_register(step->from, number, value);
	case AT_CFA:
		return papi_unwind_read(step->stack, step->cfa + rule->by.offset, value, &step->beyond);
	case CFA_ITSELF:
		*value = step->cfa + rule->by.offset;
		return true;
	case COMPUTED:
		return papi_unwind_evaluate(rule->by.operations, rule->n, step->from, step->stack, step->cfa, value,
			       &is_value, &step->beyond) &&
			(is_value || papi_unwind_read(step->stack, *value, value, &step->beyond));
	default:
		return false;
	}
}

static void set(struct papi_unwind_state *state, unsigned number, uint64_t value)
{
	state->registers[number] = value;
	state->known |= UINT64_C(1) << number;
}

/* What a function does first that keeps a frame pointer: below it lie the caller's own and the return address. */
static enum papi_unwind_step step_by_frame(struct papi_unwind_state *state, const struct papi_unwind_stack *stack)
{
	const struct papi_unwind_machine *machine = state->machine;
	uint64_t frame, outer, pc;
	bool beyond = false;

	if (!papi_unwind_register(state, machine->frame, &frame) || frame % 8 != 0 ||
		frame < state->registers[machine->stack])
		return PAPI_UNWIND_LOST;
	if (!papi_unwind_read(stack, frame, &outer, &beyond) || !papi_unwind_read(stack, frame + 8, &pc, &beyond))
		return beyond ? PAPI_UNWIND_BEYOND : PAPI_UNWIND_LOST;
	state->known = 0;
	set(state, machine->frame, outer);
	set(state, machine->stack, frame + 16);
	set(state, machine->pc, pc & machine->code);
	return pc ? PAPI_UNWIND_CALLED : PAPI_UNWIND_OUTERMOST;
}

static enum papi_unwind_step step_by_row(
	const struct row *row, struct papi_unwind_state *state, const struct papi_unwind_stack *stack)
{
	const struct papi_unwind_machine *machine = state->machine;
	struct papi_unwind_state from = *state;
	struct step step = { .row = row, .from = &from, .stack = stack };
	uint64_t value;

	if (row->n_operations == 0 || row->rules[row->back].kind == NOWHERE)
		return PAPI_UNWIND_OUTERMOST;
	if (!find_cfa(&step) || !value_of(&step, row->back, &value))
		return step.beyond ? PAPI_UNWIND_BEYOND : PAPI_UNWIND_LOST;
	state->known = 0;
	set(state, machine->pc, value & machine->code);
	for (unsigned i = 0; i < machine->number; i++)
		if (i != machine->pc && value_of(&step, i, &value))
			set(state, i, value);
	if (row->rules[machine->stack].kind == NOWHERE || row->rules[machine->stack].kind == SAME)
		set(state, machine->stack, step.cfa);
	if (!state->registers[machine->pc])
		return PAPI_UNWIND_OUTERMOST;
	return row->signal ? PAPI_UNWIND_INTERRUPTED : PAPI_UNWIND_CALLED;
}

/* All registers are on the stack, in the order of their numbers. */
static enum papi_unwind_step step_by_frame_of_signal(
	struct papi_unwind_state *state, const struct papi_unwind_stack *stack)
{
	/* Behind siginfo_t, and in ucontext_t behind its flags, link, stack, room for signal masks, and the address of
	 * a fault. */
	uint64_t at = state->registers[state->machine->stack] + 128 + 176 + 8;

	state->known = 0;
	for (unsigned i = 0; i <= state->machine->pc; i++, at += 8) {
		uint64_t value;
		bool beyond = false;

		if (!papi_unwind_read(stack, at, &value, &beyond))
			return beyond ? PAPI_UNWIND_BEYOND : PAPI_UNWIND_LOST;
		set(state, i, value);
	}
	return PAPI_UNWIND_INTERRUPTED;
}

static enum papi_unwind_step step(
	const struct row *row, struct papi_unwind_state *state, const struct papi_unwind_stack *stack)
{
	if (row && row->restorer)
		return step_by_frame_of_signal(state, stack);
	return row && row->known ? step_by_row(row, state, stack) : step_by_frame(state, stack);
}

enum papi_unwind_step papi_unwind_step(struct papi_unwind_table *table, uint64_t address,
	struct papi_unwind_state *state, const struct papi_unwind_stack *stack)
{
	const struct row *row = table && table->machine == state->machine ? find_row(table, address) : NULL;
	uint64_t pc = state->registers[state->machine->pc], low = state->registers[state->machine->stack];
	enum papi_unwind_step to = step(row, state, stack);

	/* Callers lie above, but for what a signal interrupted on another stack. */
	if (to == PAPI_UNWIND_CALLED && state->registers[state->machine->stack] <= low &&
		(state->registers[state->machine->stack] < low || state->registers[state->machine->pc] == pc))
		return PAPI_UNWIND_LOST;
	return to;
}
