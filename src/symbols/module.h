/* SPDX-License-Identifier: BSD-3-Clause */
/* src/symbols/ inside: what its files share of a module. The rules of symbols.h hold here, too. */
#ifndef PAPI_SYMBOLS_MODULE_H
#define PAPI_SYMBOLS_MODULE_H

#include <elfutils/libdwfl.h>

#include "symbols/symbols.h"
#include "symbols/table.h"

struct papi_symbols_dwarf;

struct papi_symbols {
	struct papi_symbols_table names;  /* of symbols or of a list */
	struct papi_symbols_table stubs;  /* of the PLT */
	struct papi_symbols_table frames; /* of unwind tables, without names */

	/* Of ELF files alone. */
	Dwfl_Callbacks callbacks;
	Dwfl *dwfl;
	Dwfl_Module *module;
	char *debug_path;
	Elf *elf;
	uint64_t bias;  /* libdwfl's addresses are those of the file plus this */
	Dwarf_CFI *cfi; /* NULL until it is asked */
	struct papi_symbols_dwarf *dwarf;
	const char *base; /* the file's name without directories */
	char *path;

	char **texts; /* names that were made up, and all that places point to */
	size_t n_texts, texts_room;
};

/* A text that lives as long as the module; takes what was allocated over. */
const char *papi_symbols_keep(struct papi_symbols *symbols, char *text);

/* The name for people of one for the linker, as long as the module lives. */
const char *papi_symbols_readable(struct papi_symbols *symbols, const char *linkage);

/* The range of the symbol that is preferred at an address; NULL if no symbol has it. */
const struct papi_symbols_range *papi_symbols_named(const struct papi_symbols *symbols, uint64_t address);

/* elf.c: takes the descriptor over. False with a sentence if it is no ELF file, or another one. */
bool papi_symbols_elf_open(
	struct papi_symbols *symbols, int descriptor, const char *build_id, char *reason, size_t size);
void papi_symbols_elf_close(struct papi_symbols *symbols);

/* plt.c and frames.c: each fills its table. */
void papi_symbols_plt_read(struct papi_symbols *symbols);
void papi_symbols_frames_read(struct papi_symbols *symbols);

/* dwarf.c: NULL if there is no debug information. */
struct papi_symbols_dwarf *papi_symbols_dwarf_open(struct papi_symbols *symbols);
size_t papi_symbols_dwarf_find(
	struct papi_symbols *symbols, uint64_t address, struct papi_symbols_place places[PAPI_SYMBOLS_DEPTH]);
bool papi_symbols_dwarf_line(struct papi_symbols *symbols, uint64_t address, const char **file, int *line);
bool papi_symbols_dwarf_range(struct papi_symbols *symbols, uint64_t address, uint64_t *low, uint64_t *high);
void papi_symbols_dwarf_close(struct papi_symbols_dwarf *dwarf);

/* lists.c: false with a sentence if there is no list. */
bool papi_symbols_list_kernel(struct papi_symbols_table *table, char *reason, size_t size);
bool papi_symbols_list_jit(struct papi_symbols_table *table, long pid, char *reason, size_t size);

#endif
