/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plt.c - the stubs by which a module calls others, named after what they call: each jumps through a word of memory,
 * and a relocation of that word has the name.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/memory.h"
#include "symbols/module.h"

enum {
	STUB = 16, /* bytes of a stub, where the section does not say */
	X86_ENDBR64 = 4,
};

struct slot {
	uint64_t address; /* of the word */
	char *name;
};

struct slots {
	struct slot *slots;
	size_t n, room;
	/* Those of the PLT's own section of relocations, by their order: what a stub pushes for the dynamic linker. */
	char **pushed;
	size_t n_pushed, pushed_room;
};

/* The name of what a relocation puts into its word; a choice at run time is named after the function that chooses. */
static char *name_of(struct papi_symbols *symbols, Elf_Data *table, size_t strings, const GElf_Rela *relocation)
{
	const struct papi_symbols_range *chooser;
	const char *name = NULL;
	GElf_Sym symbol;
	char *plain;

	if (GELF_R_SYM(relocation->r_info) && gelf_getsym(table, (int)GELF_R_SYM(relocation->r_info), &symbol))
		name = elf_strptr(symbols->elf, strings, symbol.st_name);
	if (!name || !*name) {
		chooser = relocation->r_addend
			? papi_symbols_table_find(&symbols->names, (uint64_t)relocation->r_addend)
			: NULL;
		if (!chooser || chooser->low != (uint64_t)relocation->r_addend)
			return NULL;
		name = chooser->name;
	}
	plain = papi_memory_print("%s@plt", name);
	return plain;
}

static void add_slot(struct slots *slots, uint64_t address, char *name, bool pushed)
{
	if (pushed) {
		slots->pushed = papi_memory_extend(
			slots->pushed, slots->n_pushed, &slots->pushed_room, sizeof(slots->pushed[0]));
		slots->pushed[slots->n_pushed++] = name;
	}
	slots->slots = papi_memory_extend(slots->slots, slots->n, &slots->room, sizeof(slots->slots[0]));
	slots->slots[slots->n++] = (struct slot){ address, name };
}

static void read_relocations(struct papi_symbols *symbols, Elf_Scn *section, const GElf_Shdr *header,
	struct slots *slots, size_t section_names)
{
	Elf_Scn *table = elf_getscn(symbols->elf, header->sh_link);
	Elf_Data *data = elf_getdata(section, NULL), *names = table ? elf_getdata(table, NULL) : NULL;
	const char *name = elf_strptr(symbols->elf, section_names, header->sh_name);
	bool pushed = name && strcmp(name, ".rela.plt") == 0;
	GElf_Shdr table_header;
	GElf_Rela relocation;

	if (!data || !names || !header->sh_entsize || !gelf_getshdr(table, &table_header))
		return;
	for (size_t i = 0; i < data->d_size / header->sh_entsize; i++)
		if (gelf_getrela(data, (int)i, &relocation))
			add_slot(slots, relocation.r_offset, name_of(symbols, names, table_header.sh_link, &relocation),
				pushed);
}

static int compare(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

static const char *find(const struct slots *slots, uint64_t address)
{
	struct slot key = { .address = address };
	const struct slot *found = slots->n ? bsearch(&key, slots->slots, slots->n, sizeof(slots->slots[0]), compare)
					    : NULL;

	return found ? found->name : NULL;
}

static int32_t read_32(const unsigned char *bytes)
{
	int32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

/* "jmp [rip + N]", or the push of a number where it still asks the dynamic linker. */
static const char *name_of_x86(const struct slots *slots, const unsigned char *bytes, size_t size, uint64_t address)
{
	static const unsigned char endbr64[X86_ENDBR64] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t start = size > X86_ENDBR64 && memcmp(bytes, endbr64, X86_ENDBR64) == 0 ? X86_ENDBR64 : 0;
	size_t i;

	if (start + 5 <= size && bytes[start] == 0x68) {
		uint32_t number = (uint32_t)read_32(bytes + start + 1);

		return number < slots->n_pushed ? slots->pushed[number] : NULL;
	}
	for (i = start; i + 6 <= size; i++)
		if (bytes[i] == 0xff && bytes[i + 1] == 0x25)
			return find(slots, address + i + 6 + (uint64_t)(int64_t)read_32(bytes + i + 2));
	return NULL;
}

static void read_x86(struct papi_symbols *symbols, const struct slots *slots, const GElf_Shdr *header,
	const unsigned char *bytes, size_t size)
{
	size_t stub = header->sh_entsize == STUB / 2 ? STUB / 2 : STUB;

	for (size_t i = 0; i + stub <= size; i += stub) {
		const char *name = name_of_x86(slots, bytes + i, stub, header->sh_addr + i);

		papi_symbols_table_add(&symbols->stubs, header->sh_addr + i, stub, 0, name ? name : "[plt]", 0);
	}
}

/* "adrp x16, PAGE; ldr x17, [x16, N]", perhaps behind a landing pad. */
static void read_arm64(struct papi_symbols *symbols, const struct slots *slots, const GElf_Shdr *header,
	const unsigned char *bytes, size_t size)
{
	uint64_t end = header->sh_addr + size;

	papi_symbols_table_add(&symbols->stubs, header->sh_addr, 0, end, "[plt]", 1);
	for (size_t i = 0; i + 8 <= size; i += 4) {
		uint32_t page = (uint32_t)read_32(bytes + i), load = (uint32_t)read_32(bytes + i + 4);
		uint64_t address = header->sh_addr + i;
		bool padded = i >= 4 && (uint32_t)read_32(bytes + i - 4) == 0xd503245f;
		int64_t pages = (int32_t)(((page >> 5 & 0x7ffff) << 2 | (page >> 29 & 3)) << 11) >> 11;
		const char *name;

		if ((page & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211)
			continue;
		name = find(slots,
			(address & ~UINT64_C(0xfff)) + (uint64_t)(pages * 4096) + (uint64_t)(load >> 10 & 0xfff) * 8);
		if (name)
			papi_symbols_table_add(&symbols->stubs, address - (padded ? 4 : 0), 0, end, name, 0);
	}
}

static void read_section(
	struct papi_symbols *symbols, const struct slots *slots, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_rawdata(section, NULL);
	GElf_Ehdr file;

	if (!data || !data->d_buf || !gelf_getehdr(symbols->elf, &file))
		return;
	if (file.e_machine == EM_X86_64)
		read_x86(symbols, slots, header, data->d_buf, data->d_size);
	else if (file.e_machine == EM_AARCH64)
		read_arm64(symbols, slots, header, data->d_buf, data->d_size);
}

static bool is_plt(const char *name)
{
	return name &&
		(strcmp(name, ".plt") == 0 || strcmp(name, ".plt.sec") == 0 || strcmp(name, ".plt.got") == 0 ||
			strcmp(name, ".iplt") == 0);
}

/* The relocations first: stubs need them. */
void papi_symbols_plt_read(struct papi_symbols *symbols)
{
	struct slots slots = { 0 };
	Elf_Scn *section = NULL;
	size_t names;
	GElf_Shdr header;

	if (elf_getshdrstrndx(symbols->elf, &names) != 0)
		return;
	while ((section = elf_nextscn(symbols->elf, section)) != NULL)
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA && (header.sh_flags & SHF_ALLOC))
			read_relocations(symbols, section, &header, &slots, names);
	if (slots.n)
		qsort(slots.slots, slots.n, sizeof(slots.slots[0]), compare);
	while ((section = elf_nextscn(symbols->elf, section)) != NULL)
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_PROGBITS &&
			(header.sh_flags & SHF_EXECINSTR) && is_plt(elf_strptr(symbols->elf, names, header.sh_name)))
			read_section(symbols, &slots, section, &header);
	papi_symbols_table_sort(&symbols->stubs);
	for (size_t i = 0; i < slots.n; i++)
		free(slots.slots[i].name);
	free(slots.slots);
	free(slots.pushed);
}
