/* SPDX-License-Identifier: BSD-3-Clause */
/* elf.c - an ELF file: is it the one that ran, its symbols, its code. */
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/memory.h"
#include "symbols/module.h"

static bool is_build_id(Dwfl_Module *module, const char *wanted)
{
	const unsigned char *bytes;
	GElf_Addr address;
	int n = dwfl_module_build_id(module, &bytes, &address);

	if (n <= 0 || strlen(wanted) != 2 * (size_t)n)
		return false;
	for (int i = 0; i < n; i++) {
		char digits[3];

		snprintf(digits, sizeof(digits), "%02x", bytes[i]);
		if (strncasecmp(wanted + 2 * i, digits, 2) != 0)
			return false;
	}
	return true;
}

/* What an address that is the end of nothing else may reach to: the end of its section; 0 if it is no code. */
static uint64_t end_of_code(Elf *elf, GElf_Word section, uint64_t address)
{
	Elf_Scn *found = section < SHN_LORESERVE ? elf_getscn(elf, section) : NULL;
	GElf_Shdr header;

	if (!found || !gelf_getshdr(found, &header) || !(header.sh_flags & SHF_EXECINSTR))
		return 0;
	return address >= header.sh_addr && address - header.sh_addr < header.sh_size ? header.sh_addr + header.sh_size
										      : 0;
}

static void add_symbol(
	struct papi_symbols *symbols, const GElf_Sym *symbol, const char *name, uint64_t address, uint64_t limit)
{
	int type = GELF_ST_TYPE(symbol->st_info), binding = GELF_ST_BIND(symbol->st_info);
	unsigned char rank = type == STT_NOTYPE ? PAPI_SYMBOLS_UNTYPED
		: binding == STB_LOCAL          ? PAPI_SYMBOLS_LOCAL
		: binding == STB_WEAK           ? PAPI_SYMBOLS_WEAK
						: PAPI_SYMBOLS_GLOBAL;
	char *plain;

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return;
	/* Marks of assemblers for the kind of what follows, and labels of compilers. */
	if (!*name || *name == '$' || (type == STT_NOTYPE && strncmp(name, ".L", 2) == 0))
		return;
	plain = papi_memory_copy(name);
	plain[strcspn(plain, "@")] = '\0';
	papi_symbols_table_add(&symbols->names, address, symbol->st_size, limit, *plain ? plain : name, rank);
	if (type == STT_GNU_IFUNC)
		papi_symbols_table_resolves(&symbols->names);
	free(plain);
}

static void read_symbols(struct papi_symbols *symbols)
{
	int n = dwfl_module_getsymtab(symbols->module);

	for (int i = 1; i < n; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		GElf_Word section;
		Elf *elf;
		Dwarf_Addr bias;
		const char *name = dwfl_module_getsym_info(
			symbols->module, i, &symbol, &address, &section, &elf, &bias);
		uint64_t limit;

		if (!name || symbol.st_shndx == SHN_UNDEF || !elf)
			continue;
		/* Sections of a file with debug information have no content, but the same addresses and flags. */
		limit = end_of_code(elf, section, symbol.st_value);
		if (limit)
			add_symbol(symbols, &symbol, name, symbol.st_value + bias - symbols->bias,
				limit + bias - symbols->bias);
	}
	papi_symbols_table_sort(&symbols->names);
}

static bool report(struct papi_symbols *symbols, int descriptor)
{
	symbols->callbacks = (Dwfl_Callbacks){
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &symbols->debug_path,
	};
	symbols->dwfl = dwfl_begin(&symbols->callbacks);
	if (!symbols->dwfl)
		return false;
	dwfl_report_begin(symbols->dwfl);
	symbols->module = dwfl_report_offline(symbols->dwfl, symbols->path, symbols->path, descriptor);
	if (dwfl_report_end(symbols->dwfl, NULL, NULL) != 0 || !symbols->module)
		return false;
	symbols->elf = dwfl_module_getelf(symbols->module, &symbols->bias);
	return symbols->elf != NULL;
}

bool papi_symbols_elf_open(
	struct papi_symbols *symbols, int descriptor, const char *build_id, char *reason, size_t size)
{
	if (!report(symbols, descriptor)) {
		/* libdwfl has taken the descriptor over if there is a module. */
		if (!symbols->module)
			close(descriptor);
		snprintf(reason, size, "it is no ELF file that can be read: %s", dwfl_errmsg(-1));
		return false;
	}
	if (build_id && !is_build_id(symbols->module, build_id)) {
		snprintf(reason, size, "it is not the file that ran: its build-id is another one");
		return false;
	}
	read_symbols(symbols);
	papi_symbols_plt_read(symbols);
	papi_symbols_frames_read(symbols);
	symbols->dwarf = papi_symbols_dwarf_open(symbols);
	return true;
}

void papi_symbols_elf_close(struct papi_symbols *symbols)
{
	papi_symbols_dwarf_close(symbols->dwarf);
	if (symbols->cfi)
		dwarf_cfi_end(symbols->cfi);
	if (symbols->dwfl)
		dwfl_end(symbols->dwfl);
}

const unsigned char *papi_symbols_code(struct papi_symbols *symbols, uint64_t address, size_t *size)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (symbols->elf && (section = elf_nextscn(symbols->elf, section)) != NULL) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
			header.sh_type == SHT_NOBITS || address < header.sh_addr ||
			address - header.sh_addr >= header.sh_size)
			continue;
		data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf || address - header.sh_addr >= data->d_size)
			return NULL;
		*size = data->d_size - (address - header.sh_addr);
		return (const unsigned char *)data->d_buf + (address - header.sh_addr);
	}
	return NULL;
}

bool papi_symbols_is_for(const struct papi_symbols *symbols, int machine)
{
	GElf_Ehdr header;

	return symbols->elf && gelf_getehdr(symbols->elf, &header) && header.e_machine == machine;
}
