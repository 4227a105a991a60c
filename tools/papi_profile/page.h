/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_profile page inside: one HTML file with a profile in it. page.c has the command, page_data.c the profile as
 * JSON, page_calls.c who calls whom, page_code.c source lines and instructions; the page itself is in the folder page/,
 * of which the build makes the texts below (tools/page/embed.py).
 *
 * The JSON goes between the tags of a script element, where "</script>" would end it wherever it stands: every text is
 * written by page_text(), which lets no "<" through. page/data.js is the reader. One thread.
 */
#ifndef PAPI_PROFILE_PAGE_H
#define PAPI_PROFILE_PAGE_H

#include "views.h"

/* What comes before and behind the data. */
extern const char papi_page_begin[], papi_page_end[];

/* The places where something happened, each once and by module and offset. */
struct page_data {
	const struct view *view;
	uint32_t *addresses; /* of the profile */
	size_t n_addresses;
	int64_t *samples, *values; /* of all of them for one event, then for the next */
	uint64_t *bases;           /* of each module: offsets in the page begin there */
};

void page_data_make(struct page_data *data, const struct view *view);
void page_data_free(struct page_data *data);

/* All of a profile as a JSON object; with_code: source lines and instructions, too. */
void page_print(const struct page_data *data, bool with_code);

/*
 * Members of that object, with a comma behind: the functions have numbers of their own in the page, NONE those in which
 * nothing happened.
 */
void page_print_calls(const struct view *view, const uint32_t *numbers);

/* Members of that object, each with a comma before. */
void page_print_sources(const struct page_data *data);
void page_print_instructions(const struct page_data *data);

/* The places of an address that count, the innermost first. */
const struct papi_profile_place *page_places(const struct page_data *data, uint32_t address, size_t *n);

/* The number of a source file, -1 for NULL. */
long page_file(const struct page_data *data, const char *file);

/* A JSON string, or null. */
void page_text(const char *text);

/* "name":text */
void page_member(const char *name, const char *text);

/* "name":[...], with an expression of i for each number. */
#define PAGE_NUMBERS(name, n, format, expression)                       \
	do {                                                            \
		printf("\"%s\":[", name);                               \
		for (size_t i = 0; i < (n); i++)                        \
			printf("%s%" format, i ? "," : "", expression); \
		putchar(']');                                           \
	} while (0)

/* The same with texts. */
#define PAGE_TEXTS(name, n, expression)              \
	do {                                         \
		printf("\"%s\":[", name);            \
		for (size_t i = 0; i < (n); i++) {   \
			fputs(i ? "," : "", stdout); \
			page_text(expression);       \
		}                                    \
		putchar(']');                        \
	} while (0)

#endif
