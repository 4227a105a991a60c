/* SPDX-License-Identifier: BSD-3-Clause */
/* annotate_asm.c - the instructions of a function with what happened at each. */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "disassemble.h"
#include "profile/names.h"
#include "symbols/memory.h"
#include "symbols/symbols.h"
#include "terminal.h"
#include "text.h"

/* Instructions that are shown around one with counts. */
enum { AROUND = 8, TEXT = 128 };

/* What happened at one address. */
struct place {
	uint32_t module;
	uint64_t offset;
	int64_t *samples, *values; /* of each event */
};

struct places {
	struct place *places; /* sorted */
	size_t n;
};

/* One instruction of a listing. */
struct instruction {
	uint64_t offset;
	const struct place *counted; /* NULL: nothing happened */
	char text[TEXT];
};

static int compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* All places where something happened, each once. */
static void collect(const struct papi_profile *profile, struct places *places)
{
	size_t *of_address = papi_memory_zero(profile->addresses.n, sizeof(of_address[0]));

	places->places = papi_memory_grow(NULL, profile->addresses.n, sizeof(places->places[0]));
	for (size_t i = 0; i < profile->n_counts; i++) {
		const struct papi_profile_count *count = &profile->counts[i];
		size_t *index = &of_address[count->address];
		struct place *place;

		if (!*index) {
			*index = ++places->n;
			places->places[*index - 1] = (struct place){
				.module = profile->addresses.items[count->address].module,
				.offset = profile->addresses.items[count->address].offset,
				.samples = papi_memory_zero(profile->events.n, sizeof(int64_t)),
				.values = papi_memory_zero(profile->events.n, sizeof(int64_t)),
			};
		}
		place = &places->places[*index - 1];
		place->samples[count->event] += count->samples;
		place->values[count->event] += count->value;
	}
	qsort(places->places, places->n, sizeof(places->places[0]), compare);
	free(of_address);
}

static const struct place *find(const struct places *places, uint32_t module, uint64_t offset)
{
	struct place key = { .module = module, .offset = offset };

	return places->n ? bsearch(&key, places->places, places->n, sizeof(places->places[0]), compare) : NULL;
}

/* ---- One piece of code without a gap ---- */

static size_t decode(const unsigned char *code, size_t size, uint64_t offset, char text[TEXT])
{
	size_t length = disassemble(code, size, offset, text, TEXT);

	if (length)
		return length;
	snprintf(text, TEXT, "(bad) %02x", code[0]);
	return 1;
}

static struct instruction *list(struct papi_symbols *symbols, const struct places *places, uint32_t module,
	uint64_t low, uint64_t high, size_t *n)
{
	struct instruction *instructions = NULL;
	size_t size = 0, room = 0;
	const unsigned char *code = papi_symbols_code(symbols, low, &size);

	*n = 0;
	if (size > high - low)
		size = (size_t)(high - low);
	for (size_t at = 0; code && at < size;) {
		instructions = papi_memory_extend(instructions, *n, &room, sizeof(instructions[0]));
		struct instruction *instruction = &instructions[(*n)++];

		*instruction = (struct instruction){ .offset = low + at, .counted = find(places, module, low + at) };
		at += decode(code + at, size - at, low + at, instruction->text);
	}
	return instructions;
}

static bool is_near(const struct instruction *instructions, size_t n, size_t i)
{
	for (size_t j = i > AROUND ? i - AROUND : 0; j < n && j <= i + AROUND; j++)
		if (instructions[j].counted)
			return true;
	return false;
}

/* The line is told where it is another one than before. */
static char *line_of(struct papi_symbols *symbols, uint64_t offset, char **last)
{
	struct papi_symbols_place places[PAPI_SYMBOLS_DEPTH];
	size_t n = papi_symbols_find(symbols, offset, places);
	char *line = n && places[0].file ? papi_memory_print("%s:%d", view_base(places[0].file), places[0].line)
					 : papi_memory_copy("");

	if (*last && strcmp(*last, line) == 0) {
		free(line);
		return papi_memory_copy("");
	}
	free(*last);
	*last = line;
	return papi_memory_copy(line);
}

static void add_instruction(struct view_table *table, const struct annotation *annotation, struct papi_symbols *symbols,
	const struct instruction *instruction, char **last)
{
	const struct place *place = instruction->counted;
	char *line = line_of(symbols, instruction->offset, last);

	annotate_row(table, annotation, place ? place->samples : NULL, place ? place->values : NULL);
	annotate_text(table,
		papi_memory_print(
			"%8" PRIx64 "  %-28s%s%s", instruction->offset, instruction->text, *line ? "  ; " : "", line));
	free(line);
}

static void print_code(const struct annotation *annotation, struct papi_symbols *symbols, const struct places *places,
	uint32_t module, uint64_t low, uint64_t high)
{
	struct view_table *table = annotate_table(annotation, " Address  Instruction");
	size_t n;
	struct instruction *instructions = list(symbols, places, module, low, high, &n);
	bool gap = false;
	char *last = NULL;

	for (size_t i = 0; i < n; i++) {
		if (is_near(instructions, n, i)) {
			add_instruction(table, annotation, symbols, &instructions[i], &last);
			gap = false;
			continue;
		}
		if (!gap) {
			annotate_row(table, annotation, NULL, NULL);
			annotate_text(table, papi_memory_copy("     ..."));
		}
		gap = true;
	}
	annotate_print(table);
	free(last);
	free(instructions);
}

/* Where nothing can be disassembled, the addresses themselves are told. */
static void print_addresses(
	const struct annotation *annotation, const struct places *places, uint32_t module, uint64_t low, uint64_t high)
{
	struct view_table *table = annotate_table(annotation, " Address");

	for (size_t i = 0; i < places->n; i++) {
		const struct place *place = &places->places[i];

		if (place->module != module || place->offset < low || place->offset >= high)
			continue;
		annotate_row(table, annotation, place->samples, place->values);
		annotate_text(table, papi_memory_print("%8" PRIx64, place->offset));
	}
	annotate_print(table);
}

static void print_piece(const struct annotation *annotation, struct papi_symbols *symbols, const struct places *places,
	uint32_t module, uint64_t low, uint64_t high, const char *obstacle)
{
	char *path = view_clean(annotation->view.profile->modules.items[module].path);

	printf("\n%s, from 0x%" PRIx64 " to 0x%" PRIx64 "\n", path, low, high);
	if (obstacle) {
		printf("without instructions: %s\n", obstacle);
		print_addresses(annotation, places, module, low, high);
	} else {
		print_code(annotation, symbols, places, module, low, high);
	}
	free(path);
}

/* ---- The function: all pieces with counts that are its own ---- */

static bool is_shown(const struct annotation *annotation, const struct papi_profile_address *address)
{
	for (uint32_t i = 0; i < address->n; i++)
		if (annotation->functions[annotation->view.profile->places[address->first + i].function])
			return true;
	return false;
}

/* Prints the pieces of a module in which the function is. */
static void print_module(
	const struct annotation *annotation, const struct places *places, uint32_t module, const bool *wanted)
{
	const struct papi_profile *profile = annotation->view.profile;
	uint64_t low = 0, high = 0;
	const char *obstacle;
	char reason[256];
	struct papi_symbols *symbols = papi_profile_symbols(
		profile, module, annotation->view.debug_path, reason, sizeof(reason));

	obstacle = !symbols                                ? (*reason ? reason : "its code was never in a file")
		: !papi_symbols_is_for(symbols, EM_X86_64) ? "it is no code for x86-64 in a file"
							   : disassemble_obstacle();
	for (size_t i = 0; i < places->n; i++) {
		const struct place *place = &places->places[i];

		if (!wanted[i] || place->module != module || (place->offset >= low && place->offset < high))
			continue;
		if (!symbols || !papi_symbols_range(symbols, place->offset, &low, &high)) {
			low = place->offset;
			high = low + 1;
		}
		print_piece(annotation, symbols, places, module, low, high, obstacle);
	}
	papi_symbols_close(symbols);
}

void annotate_instructions(const struct annotation *annotation)
{
	const struct papi_profile *profile = annotation->view.profile;
	struct places places = { 0 };
	bool *wanted, *modules = papi_memory_zero(profile->modules.n, sizeof(bool));

	collect(profile, &places);
	wanted = papi_memory_zero(places.n, sizeof(bool));
	for (size_t i = 0; i < profile->addresses.n; i++) {
		const struct papi_profile_address *address = &profile->addresses.items[i];
		const struct place *place = find(&places, address->module, address->offset);

		if (place && is_shown(annotation, address))
			wanted[place - places.places] = modules[address->module] = true;
	}
	for (uint32_t i = 0; i < profile->modules.n; i++)
		if (modules[i])
			print_module(annotation, &places, i, wanted);
	for (size_t i = 0; i < places.n; i++) {
		free(places.places[i].samples);
		free(places.places[i].values);
	}
	free(places.places);
	free(wanted);
	free(modules);
}
