/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dwarf.c - debug information: from addresses to functions, the functions that are inlined there, and lines.
 *
 * The units of a file are sorted by address once, from their first entries alone. What functions a unit has is found
 * out when an address of it first comes, so that of a large program little is read. Nothing depends on the indexes that
 * files may have (.debug_aranges, .debug_names): not all compilers write them.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/memory.h"
#include "symbols/module.h"

enum {
	NESTING = 32,       /* of scopes, in files that are not made to do harm */
	ENTRIES = 32 << 20, /* looked at in one unit, likewise */
};

struct code {
	uint64_t low, high;
	Dwarf_Die die; /* the subprogram */
};

struct unit {
	Dwarf_Die die;   /* with the functions */
	Dwarf_Die lines; /* with the lines: the same, but of split ones */
	bool read;
	size_t entries;
	struct code *codes;
	size_t n, room;
};

struct span {
	uint64_t low, high, reach;
	size_t unit;
};

struct papi_symbols_dwarf {
	uint64_t shift; /* the file's addresses are those of the debug information plus this */
	struct unit *units;
	size_t n, room;
	struct span *spans;
	size_t n_spans, spans_room;
};

/* ---- Where units and functions are ---- */

static void add_span(struct papi_symbols_dwarf *dwarf, uint64_t low, uint64_t high, size_t unit)
{
	dwarf->spans = papi_memory_extend(dwarf->spans, dwarf->n_spans, &dwarf->spans_room, sizeof(dwarf->spans[0]));
	dwarf->spans[dwarf->n_spans++] = (struct span){ .low = low, .high = high, .unit = unit };
}

static void add_code(struct papi_symbols_dwarf *dwarf, struct unit *unit, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
		/* Linkers leave 0 where they have thrown the function away. */
		if (high <= low || low == 0)
			continue;
		unit->codes = papi_memory_extend(unit->codes, unit->n, &unit->room, sizeof(unit->codes[0]));
		unit->codes[unit->n++] = (struct code){ low + dwarf->shift, high + dwarf->shift, *die };
	}
}

static bool holds_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
		tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static void read_scope(struct papi_symbols_dwarf *dwarf, struct unit *unit, Dwarf_Die *scope, int depth)
{
	bool in_function = dwarf_tag(scope) == DW_TAG_subprogram;
	Dwarf_Die child;

	if (depth > NESTING || dwarf_child(scope, &child) != 0)
		return;
	do {
		int tag = dwarf_tag(&child);

		if (++unit->entries > ENTRIES)
			return;
		if (tag == DW_TAG_subprogram) {
			size_t n = unit->n;

			add_code(dwarf, unit, &child);
			/* Functions inside of functions, where those have code. */
			if (unit->n > n)
				read_scope(dwarf, unit, &child, depth + 1);
		} else if (!in_function && holds_functions(tag)) {
			read_scope(dwarf, unit, &child, depth + 1);
		}
	} while (dwarf_siblingof(&child, &child) == 0);
}

static int compare_codes(const void *left, const void *right)
{
	const struct code *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->high > b->high ? -1 : a->high < b->high;
}

static void read_unit(struct papi_symbols_dwarf *dwarf, struct unit *unit)
{
	if (unit->read)
		return;
	unit->read = true;
	read_scope(dwarf, unit, &unit->die, 0);
	if (unit->n)
		qsort(unit->codes, unit->n, sizeof(unit->codes[0]), compare_codes);
}

static void add_unit(struct papi_symbols_dwarf *dwarf, Dwarf_Die *die, Dwarf_Die *split)
{
	size_t before = dwarf->n_spans;
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;
	struct unit *unit;

	dwarf->units = papi_memory_extend(dwarf->units, dwarf->n, &dwarf->room, sizeof(dwarf->units[0]));
	unit = &dwarf->units[dwarf->n++];
	*unit = (struct unit){ .die = dwarf_tag(split) == DW_TAG_compile_unit ? *split : *die, .lines = *die };
	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0)
		if (high > low && low != 0)
			add_span(dwarf, low + dwarf->shift, high + dwarf->shift, dwarf->n - 1);
	if (dwarf->n_spans > before)
		return;
	/* It does not say where it is: its functions do. */
	read_unit(dwarf, unit);
	for (size_t i = 0; i < unit->n; i++)
		add_span(dwarf, unit->codes[i].low, unit->codes[i].high, dwarf->n - 1);
}

static int compare_spans(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->unit < b->unit ? -1 : a->unit > b->unit;
}

struct papi_symbols_dwarf *papi_symbols_dwarf_open(struct papi_symbols *symbols)
{
	Dwarf_Addr bias;
	Dwarf *file = dwfl_module_getdwarf(symbols->module, &bias);
	struct papi_symbols_dwarf *dwarf;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;
	uint64_t reach = 0;

	if (!file)
		return NULL;
	dwarf = papi_memory_zero(1, sizeof(*dwarf));
	dwarf->shift = bias - symbols->bias;
	memset(&split, 0, sizeof(split));
	while (dwarf_get_units(file, unit, &unit, NULL, NULL, &die, &split) == 0) {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit)
			add_unit(dwarf, &die, &split);
		memset(&split, 0, sizeof(split));
	}
	if (dwarf->n_spans)
		qsort(dwarf->spans, dwarf->n_spans, sizeof(dwarf->spans[0]), compare_spans);
	for (size_t i = 0; i < dwarf->n_spans; i++) {
		if (dwarf->spans[i].high > reach)
			reach = dwarf->spans[i].high;
		dwarf->spans[i].reach = reach;
	}
	return dwarf;
}

static struct unit *unit_of(struct papi_symbols_dwarf *dwarf, uint64_t address)
{
	size_t low = 0, high = dwarf->n_spans;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dwarf->spans[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low > 0 && dwarf->spans[low - 1].reach > address; low--)
		if (dwarf->spans[low - 1].high > address)
			return &dwarf->units[dwarf->spans[low - 1].unit];
	return NULL;
}

/* The innermost: of functions that contain others, the last that begins before the address. */
static struct code *code_of(struct papi_symbols_dwarf *dwarf, struct unit *unit, uint64_t address)
{
	size_t low = 0, high;

	read_unit(dwarf, unit);
	high = unit->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (unit->codes[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* Ranges overlap only where functions contain others. */
	for (int i = 0; i < NESTING && low > 0; i++, low--)
		if (unit->codes[low - 1].high > address)
			return &unit->codes[low - 1];
	return NULL;
}

/* ---- What they are called ---- */

static const char *text_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute found;

	return dwarf_formstring(dwarf_attr_integrate(die, attribute, &found));
}

/* Relative names are below the directory in which the compiler ran. Where that is none of this world, for its builder
 * has cut it off, names may have it in them already. */
static const char *full_name(struct papi_symbols *symbols, struct unit *unit, const char *file)
{
	const char *directory;
	size_t length;

	if (!file || *file == '/')
		return file;
	directory = text_of(&unit->lines, DW_AT_comp_dir);
	length = directory ? strlen(directory) : 0;
	if (length && *directory != '/' && strncmp(file, directory, length) == 0 && file[length] == '/')
		return file;
	return directory ? papi_symbols_keep(symbols, papi_memory_print("%s/%s", directory, file)) : file;
}

/* dwarf_decl_file() ends the program where a split unit has no names of files: so it is done by hand. */
static const char *declaring_file(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word file;
	Dwarf_Die unit;
	size_t n;

	if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), &file) != 0 ||
		dwarf_cu_info(attribute.cu, NULL, NULL, &unit, NULL, NULL, NULL, NULL) != 0 ||
		dwarf_getsrcfiles(&unit, &files, &n) != 0 || file >= n)
		return NULL;
	return dwarf_filesrc(files, (size_t)file, NULL, NULL);
}

static struct papi_symbols_function function_of(struct papi_symbols *symbols, struct unit *unit, Dwarf_Die *die)
{
	struct papi_symbols_function function = { .linkage = text_of(die, DW_AT_linkage_name) };
	const char *name = dwarf_diename(die);

	if (!function.linkage)
		function.linkage = text_of(die, DW_AT_MIPS_linkage_name);
	if (function.linkage)
		function.name = papi_symbols_readable(symbols, function.linkage);
	/* What cannot be made readable here was readable in the source. */
	if (name && (!function.name || (function.name == function.linkage && strncmp(function.name, "_R", 2) == 0)))
		function.name = name;
	if (!function.name)
		function.name = "[no name]";
	if (!function.linkage)
		function.linkage = function.name;
	function.file = full_name(symbols, unit, declaring_file(die));
	if (!function.file || dwarf_decl_line(die, &function.line) != 0)
		function.line = 0;
	return function;
}

/* The range that a function is entered in: others are parts that compilers have moved away. */
static void find_entry(const struct papi_symbols_dwarf *dwarf, struct papi_symbols_function *function, Dwarf_Die *die)
{
	Dwarf_Addr entry, base, low, high;
	ptrdiff_t offset = 0;

	if (dwarf_entrypc(die, &entry) != 0)
		return;
	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
		if (entry < low || entry >= high)
			continue;
		function->low = low + dwarf->shift;
		function->high = high + dwarf->shift;
	}
}

/*
 * The function with code of its own: where that is, and the name that its symbol has where that is a public one, so
 * that it is called the same whether there is debug information or not, or where that alone tells its namespace. Copies
 * by compilers, "name.part.0", keep the name of what they are copies of.
 */
static void place_function(
	struct papi_symbols *symbols, struct papi_symbols_function *function, const struct code *code, Dwarf_Die *die)
{
	const struct papi_symbols_range *symbol;

	function->low = code->low;
	function->high = code->high;
	find_entry(symbols->dwarf, function, die);
	symbol = papi_symbols_table_find(&symbols->names, function->low);
	if (!symbol || symbol->low != function->low || !symbol->name || strchr(symbol->name, '.'))
		return;
	if (symbol->rank <= PAPI_SYMBOLS_PUBLIC ||
		(function->linkage == function->name && strncmp(symbol->name, "_Z", 2) == 0)) {
		function->linkage = symbol->name;
		function->name = papi_symbols_readable(symbols, symbol->name);
	}
}

/* ---- What is inlined where ---- */

static bool is_scope(Dwarf_Die *die, Dwarf_Addr pc)
{
	Dwarf_Addr base, low, high;

	if (dwarf_tag(die) == DW_TAG_inlined_subroutine)
		return dwarf_haspc(die, pc) > 0;
	/* A block that does not say where it is may hold something that does. */
	return dwarf_tag(die) == DW_TAG_lexical_block &&
		(dwarf_haspc(die, pc) > 0 || dwarf_ranges(die, 0, &base, &low, &high) <= 0);
}

/* Adds the inlined functions below an entry that have the address, the outermost first; returns how many there are. */
static size_t descend(Dwarf_Die *die, Dwarf_Addr pc, Dwarf_Die chain[PAPI_SYMBOLS_DEPTH], size_t n, int depth)
{
	Dwarf_Die child;

	if (depth > 2 * PAPI_SYMBOLS_DEPTH || n == PAPI_SYMBOLS_DEPTH || dwarf_child(die, &child) != 0)
		return n;
	for (size_t entries = 0; entries < ENTRIES; entries++) {
		if (is_scope(&child, pc)) {
			bool inlined = dwarf_tag(&child) == DW_TAG_inlined_subroutine;
			size_t found;

			if (inlined)
				chain[n] = child;
			found = descend(&child, pc, chain, n + inlined, depth + 1);
			if (found > n)
				return found;
		}
		if (dwarf_siblingof(&child, &child) != 0)
			break;
	}
	return n;
}

/* Where the function of an entry was called: in the one that it is inlined into. */
static void place_call(
	struct papi_symbols *symbols, struct unit *unit, Dwarf_Die *inlined, struct papi_symbols_place *place)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file, line;
	Dwarf_Files *files;
	size_t n;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0 ||
		dwarf_getsrcfiles(&unit->die, &files, &n) != 0 || file >= n)
		return;
	place->file = full_name(symbols, unit, dwarf_filesrc(files, (size_t)file, NULL, NULL));
	if (place->file && dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) == 0 &&
		line <= INT32_MAX)
		place->line = (int)line;
}

bool papi_symbols_dwarf_line(struct papi_symbols *symbols, uint64_t address, const char **file, int *line)
{
	struct unit *unit = unit_of(symbols->dwarf, address);
	Dwarf_Line *found = unit ? dwarf_getsrc_die(&unit->lines, address - symbols->dwarf->shift) : NULL;

	if (!found || dwarf_lineno(found, line) != 0 || *line <= 0)
		return false;
	*file = full_name(symbols, unit, dwarf_linesrc(found, NULL, NULL));
	return *file != NULL;
}

size_t papi_symbols_dwarf_find(
	struct papi_symbols *symbols, uint64_t address, struct papi_symbols_place places[PAPI_SYMBOLS_DEPTH])
{
	struct unit *unit = unit_of(symbols->dwarf, address);
	struct code *code = unit ? code_of(symbols->dwarf, unit, address) : NULL;
	Dwarf_Die chain[PAPI_SYMBOLS_DEPTH];
	size_t n;

	if (!code)
		return 0;
	chain[0] = code->die;
	n = descend(&code->die, address - symbols->dwarf->shift, chain, 1, 0);
	for (size_t i = 0; i < n; i++) {
		places[i] = (struct papi_symbols_place){ .function = function_of(symbols, unit, &chain[n - 1 - i]) };
		if (i > 0)
			place_call(symbols, unit, &chain[n - i], &places[i]);
	}
	if (!papi_symbols_dwarf_line(symbols, address, &places[0].file, &places[0].line)) {
		places[0].file = NULL;
		places[0].line = 0;
	}
	place_function(symbols, &places[n - 1].function, code, &code->die);
	return n;
}

bool papi_symbols_dwarf_range(struct papi_symbols *symbols, uint64_t address, uint64_t *low, uint64_t *high)
{
	struct unit *unit = unit_of(symbols->dwarf, address);
	const struct code *code = unit ? code_of(symbols->dwarf, unit, address) : NULL;

	if (!code)
		return false;
	*low = code->low;
	*high = code->high;
	return true;
}

void papi_symbols_dwarf_close(struct papi_symbols_dwarf *dwarf)
{
	if (!dwarf)
		return;
	for (size_t i = 0; i < dwarf->n; i++)
		free(dwarf->units[i].codes);
	free(dwarf->units);
	free(dwarf->spans);
	free(dwarf);
}
