/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page_code.c - the source lines and instructions of a page: those of functions in which something happened, up to a
 * bound for the size of the page, the hottest instructions first. The page tells what was left out.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "disassemble.h"
#include "page.h"
#include "profile/names.h"
#include "source.h"
#include "symbols/memory.h"
#include "symbols/symbols.h"

enum {
	AROUND = 4,            /* lines before and behind those with counts */
	LONGEST_HEAD = 500,    /* lines from where a function is declared to the first with counts */
	LONGEST_LINE = 400,    /* bytes of a line */
	MOST_SOURCE = 6000000, /* bytes of all lines */
	MOST_INSTRUCTIONS = 120000,
	LARGEST_PIECE = 400000, /* bytes of code */
	TEXT = 128,
};

/* ---- Source ---- */

/* Lines of one function in one file. */
struct span {
	long file;
	uint32_t function;
	int low, high;
};

struct spans {
	struct span *spans;
	size_t n, room;
};

static int compare_spans(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

static void collect_spans(const struct page_data *data, struct spans *spans)
{
	for (size_t i = 0; i < data->n_addresses; i++) {
		size_t n;
		const struct papi_profile_place *places = page_places(data, data->addresses[i], &n);

		for (size_t j = 0; j < n; j++) {
			long file = places[j].line > 0 ? page_file(data, places[j].file) : -1;

			if (file < 0)
				continue;
			spans->spans = papi_memory_extend(
				spans->spans, spans->n, &spans->room, sizeof(spans->spans[0]));
			spans->spans[spans->n++] = (struct span){ file, places[j].function, places[j].line,
				places[j].line };
		}
	}
}

/* One span for each function and file, from where the function begins. */
static void join_spans(const struct page_data *data, struct spans *spans)
{
	size_t n = 0;

	if (spans->n)
		qsort(spans->spans, spans->n, sizeof(spans->spans[0]), compare_spans);
	for (size_t i = 0; i < spans->n; i++) {
		struct span *next = &spans->spans[i], *last = n ? &spans->spans[n - 1] : NULL;

		if (!last || compare_spans(last, next) != 0) {
			spans->spans[n++] = *next;
			continue;
		}
		if (next->low < last->low)
			last->low = next->low;
		if (next->high > last->high)
			last->high = next->high;
	}
	spans->n = n;
	for (size_t i = 0; i < n; i++) {
		struct span *span = &spans->spans[i];
		const struct papi_profile_function *function = &data->view->profile->functions.items[span->function];

		if (function->line > 0 && function->line < span->low && span->low - function->line <= LONGEST_HEAD &&
			page_file(data, function->file) == span->file)
			span->low = function->line;
	}
}

/* Cuts a line that is too long, between two characters. */
static void cut(char *line)
{
	size_t end = LONGEST_LINE;

	if (strlen(line) <= LONGEST_LINE)
		return;
	while (end > 0 && ((unsigned char)line[end] & 0xc0) == 0x80)
		end--;
	line[end] = '\0';
}

static size_t print_lines(const struct source *source, const bool *wanted)
{
	size_t size = 0;
	const char *comma = "";

	printf(",\"numbers\":[");
	for (size_t i = 0; i < source->n; i++) {
		if (!wanted[i])
			continue;
		printf("%s%zu", comma, i + 1);
		comma = ",";
	}
	printf("],\"lines\":[");
	comma = "";
	for (size_t i = 0; i < source->n; i++) {
		if (!wanted[i])
			continue;
		cut(source->lines[i]);
		size += strlen(source->lines[i]) + 1;
		fputs(comma, stdout);
		page_text(source->lines[i]);
		comma = ",";
	}
	putchar(']');
	return size;
}

static size_t print_source(const struct page_data *data, const struct span *begin, const struct span *end, size_t room)
{
	const struct papi_profile *profile = data->view->profile;
	struct source source = { 0 };
	const char *trouble = room ? source_read(profile, profile->files[begin->file], &source)
				   : "the page has no room for more source";
	bool *wanted = papi_memory_zero(source.n + 1, sizeof(wanted[0]));
	size_t size;

	for (const struct span *span = begin; span < end; span++) {
		size_t low = span->low > AROUND ? (size_t)span->low - AROUND - 1 : 0;

		for (size_t i = low; i < source.n && i < (size_t)span->high + AROUND; i++)
			wanted[i] = true;
	}
	printf("{\"file\":%ld,", begin->file);
	page_member("trouble", trouble);
	size = print_lines(&source, wanted);
	printf("}");
	free(wanted);
	source_free(&source);
	return size;
}

void page_print_sources(const struct page_data *data)
{
	struct spans spans = { 0 };
	size_t room = MOST_SOURCE;

	collect_spans(data, &spans);
	join_spans(data, &spans);
	printf(",\n\"sources\":[");
	for (size_t i = 0, end; i < spans.n; i = end) {
		size_t size;

		for (end = i + 1; end < spans.n && spans.spans[end].file == spans.spans[i].file; end++)
			;
		fputs(i ? ",\n" : "", stdout);
		size = print_source(data, &spans.spans[i], &spans.spans[end], room);
		room -= size < room ? size : room;
	}
	putchar(']');
	free(spans.spans);
}

/* ---- Instructions ---- */

/* Code without a gap that belongs to one function. */
struct piece {
	uint32_t module;
	uint64_t low, high;
	int64_t value; /* of the first event */
};

struct pieces {
	struct piece *pieces;
	size_t n, room;
	struct papi_symbols **symbols; /* of each module; NULL: no code of it can be shown */
};

static struct papi_symbols *open_code(const struct page_data *data, uint32_t module)
{
	char reason[256];
	struct papi_symbols *symbols = papi_profile_symbols(
		data->view->profile, module, data->view->debug_path, reason, sizeof(reason));

	if (symbols && papi_symbols_is_for(symbols, EM_X86_64))
		return symbols;
	papi_symbols_close(symbols);
	return NULL;
}

static void collect_pieces(const struct page_data *data, struct pieces *pieces)
{
	const struct papi_profile *profile = data->view->profile;
	const int64_t *values = &data->values[view_event(data->view) * data->n_addresses];
	uint32_t last = PAPI_PROFILE_NONE;

	for (size_t i = 0; i < data->n_addresses; i++) {
		const struct papi_profile_address *address = &profile->addresses.items[data->addresses[i]];
		struct papi_symbols **symbols = &pieces->symbols[address->module];
		struct piece *piece = pieces->n ? &pieces->pieces[pieces->n - 1] : NULL;
		struct piece new = { .module = address->module };

		if (address->module != last)
			*symbols = open_code(data, address->module);
		last = address->module;
		if (piece && piece->module == address->module && address->offset >= piece->low &&
			address->offset < piece->high) {
			piece->value += values[i];
			continue;
		}
		if (!*symbols || !papi_symbols_range(*symbols, address->offset, &new.low, &new.high))
			continue;
		new.value = values[i];
		pieces->pieces = papi_memory_extend(
			pieces->pieces, pieces->n, &pieces->room, sizeof(pieces->pieces[0]));
		pieces->pieces[pieces->n++] = new;
	}
}

static int compare_pieces(const void *left, const void *right)
{
	const struct piece *a = left, *b = right;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return a->low < b->low ? -1 : a->low > b->low;
}

/* The number of instructions. */
static size_t print_piece(const struct page_data *data, const struct pieces *pieces, const struct piece *piece)
{
	size_t size = 0, length, n = 0;
	const unsigned char *code = papi_symbols_code(pieces->symbols[piece->module], piece->low, &size);
	char text[TEXT];

	if (!code)
		size = 0;
	if (size > piece->high - piece->low)
		size = (size_t)(piece->high - piece->low);
	if (size > LARGEST_PIECE)
		size = LARGEST_PIECE;
	printf("{\"module\":%" PRIu32 ",\"low\":%" PRIu64 ",\"lengths\":[", piece->module,
		piece->low - data->bases[piece->module]);
	for (size_t at = 0; at < size; at += length, n++) {
		length = disassemble(code + at, size - at, piece->low + at, text, sizeof(text));
		length = length ? length : 1;
		printf("%s%zu", at ? "," : "", length);
	}
	printf("],\"texts\":[");
	for (size_t at = 0; at < size; at += length) {
		length = disassemble(code + at, size - at, piece->low + at, text, sizeof(text));
		if (!length)
			snprintf(text, sizeof(text), "(bad) %02x", code[at]);
		length = length ? length : 1;
		fputs(at ? "," : "", stdout);
		page_text(text);
	}
	printf("]}");
	return n;
}

void page_print_instructions(const struct page_data *data)
{
	const struct papi_profile *profile = data->view->profile;
	const char *obstacle = disassemble_obstacle();
	struct pieces pieces = { 0 };
	size_t n = 0, i = 0;

	printf(",\n\"pieces\":[");
	pieces.symbols = papi_memory_zero(profile->modules.n, sizeof(pieces.symbols[0]));
	if (!obstacle)
		collect_pieces(data, &pieces);
	if (pieces.n)
		qsort(pieces.pieces, pieces.n, sizeof(pieces.pieces[0]), compare_pieces);
	for (; i < pieces.n && n < MOST_INSTRUCTIONS; i++) {
		fputs(i ? ",\n" : "", stdout);
		n += print_piece(data, &pieces, &pieces.pieces[i]);
	}
	printf("],\"piecesLeftOut\":%zu,", pieces.n - i);
	page_member("obstacle", obstacle);
	for (size_t j = 0; j < profile->modules.n; j++)
		papi_symbols_close(pieces.symbols[j]);
	free(pieces.symbols);
	free(pieces.pieces);
}
