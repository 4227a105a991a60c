/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_decode: writes the definitions of the presets as comma separated values, which PAPI_encode_events reads. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "options.h"
#include "papi.h"

static const struct papi_tool_option options[] = {
	{ 'a', "avail", NULL, "only presets that are available" },
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_decode",
	.purpose = "Writes the definitions of the preset events as comma separated values, for a spreadsheet or an "
		   "editor. PAPI_encode_events reads them back.",
	.options = options,
};

/* What the fields of PAPI_event_info_t hold at most. Of a longer definition they tell the beginning. */
enum {
	FORMULA_MAX = PAPI_2MAX_STR_LEN - 1,
	TERM_MAX = PAPI_2MAX_STR_LEN - 1,
};

static bool parse(int argc, char **argv)
{
	bool available_only = false;
	int letter;

	while ((letter = papi_tool_next_option(&tool, argc, argv)) != -1)
		available_only = letter == 'a';
	return available_only;
}

static unsigned int count_terms(const PAPI_event_info_t *event)
{
	unsigned int count = 0;

	while (count < PAPI_MAX_INFO_TERMS && event->name[count][0] != '\0')
		count++;
	return count;
}

static bool leave_out(const PAPI_event_info_t *event, int most, const char *what)
{
	fprintf(stderr, "%s: %s is left out, because only the first %d %s can be told\n", tool.name, event->symbol,
		most, what);
	return false;
}

/*
 * Whether the description has the whole definition. What it cut short would read back as another event, which counts
 * something else under the same name.
 */
static bool is_whole(const PAPI_event_info_t *event, unsigned int terms)
{
	/* The number of terms is told for available presets only; with the list full, there may be more of them. */
	if (terms == PAPI_MAX_INFO_TERMS)
		return leave_out(event, PAPI_MAX_INFO_TERMS, "of its terms");
	if (strlen(event->postfix) == FORMULA_MAX)
		return leave_out(event, FORMULA_MAX, "characters of its formula");
	for (unsigned int term = 0; term < terms; term++)
		if (strlen(event->name[term]) == TERM_MAX)
			return leave_out(event, TERM_MAX, "characters of one of its terms");
	return true;
}

/* Whether the text would lose something, or be taken for several fields or a comment, without quotes. */
static bool needs_quotes(const char *text)
{
	size_t length = strlen(text);

	return length > 0 &&
		(strpbrk(text, ",\"") != NULL || strchr("#' \t", text[0]) != NULL ||
			strchr(" \t", text[length - 1]) != NULL);
}

/* Whether a term would be taken for something else, though a field of another kind would not. */
static bool is_ambiguous(const char *term)
{
	const char *slash = strchr(term, '/');

	if (strcmp(term, "NOTE") == 0 || strcmp(term, "SDESC") == 0 || strcmp(term, "LDESC") == 0)
		return true;
	/* A slash opens an event in the kernel's form, which ends at the next slash, be that in another field. */
	return slash != NULL && strchr(slash + 1, '/') == NULL;
}

static void print_quoted(const char *text)
{
	putchar('"');
	for (; *text != '\0'; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	putchar('"');
}

/* A name or a formula. */
static void print_plain(const char *text, bool quoted)
{
	if (quoted)
		print_quoted(text);
	else
		fputs(text, stdout);
}

/* A text, behind a comma; one that is not there is an empty field. */
static void print_text(const char *text)
{
	putchar(',');
	if (*text != '\0')
		print_quoted(text);
}

static void print_definition(const PAPI_event_info_t *event, unsigned int terms)
{
	print_plain(event->symbol, needs_quotes(event->symbol));
	printf(",%s,", event->derived);
	print_plain(event->postfix, needs_quotes(event->postfix));
	print_text(event->short_descr);
	print_text(event->long_descr);
	/* Of a preset that is not available the note is no part of the definition: it tells why. */
	print_text(event->count > 0 ? event->note : "");
	for (unsigned int term = 0; term < terms; term++) {
		putchar(',');
		print_plain(event->name[term], needs_quotes(event->name[term]) || is_ambiguous(event->name[term]));
	}
	putchar('\n');
}

static void decode(int code, bool available_only)
{
	PAPI_event_info_t event;

	if (PAPI_get_event_info(code, &event) != PAPI_OK)
		return;
	/* Nothing is counted by a preset that is not available, and a preset without definition has no type. */
	if (event.derived[0] == '\0' || (available_only && event.count == 0))
		return;

	unsigned int terms = count_terms(&event);
	if (is_whole(&event, terms))
		print_definition(&event, terms);
}

int main(int argc, char **argv)
{
	int code = PAPI_PRESET_MASK;

	papi_tool_begin();
	bool available_only = parse(argc, argv);

	papi_tool_init();
	printf("name,derived,postfix,short_descr,long_descr,note,[native,...]\n\n");
	for (int found = PAPI_enum_event(&code, PAPI_ENUM_FIRST); found == PAPI_OK;
		found = PAPI_enum_event(&code, PAPI_ENUM_EVENTS))
		decode(code, available_only);
	return papi_tool_finish(EXIT_SUCCESS);
}
