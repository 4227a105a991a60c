/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * github.c - for GitHub Actions: a line "::error title=...::..." for each limit that is exceeded or cannot be applied,
 * which it shows beside the change, and a summary in Markdown at the end of the file that GITHUB_STEP_SUMMARY names.
 *
 * What the runner reads line by line may hold text from files. In annotations this is encoded, and the table stands
 * between two lines that switch commands off and on again, with a word that nobody else knows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "escape.h"
#include "papi_compare.h"

static char mute[33];

void papi_compare_github_mute(void)
{
	unsigned char bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		memset(bytes, 0, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(mute + 2 * i, 3, "%02x", bytes[i]);
	printf("::stop-commands::%s\n", mute);
}

void papi_compare_github_unmute(void)
{
	printf("::%s::\n", mute);
}

/* In a command a percent sign begins a byte in two digits; in its parameters a colon and a comma end something. */
static void print_encoded(const char *text, bool parameter)
{
	char *copy = papi_compare_format("%s", text);

	papi_escape_terminal(copy);
	for (const char *byte = copy; *byte; byte++) {
		if (*byte == '%' || (parameter && (*byte == ':' || *byte == ',')))
			printf("%%%02X", (unsigned char)*byte);
		else
			putchar(*byte);
	}
	free(copy);
}

static void annotate(const char *level, const char *title, const char *text)
{
	printf("::%s title=", level);
	print_encoded(title, true);
	fputs("::", stdout);
	print_encoded(text, false);
	putchar('\n');
}

static void annotate_pair(const struct compare_pair *pair)
{
	char before[64], after[64], change[32], *most = NULL, *text;

	if (pair->verdict == COMPARE_PAIR_REFUSED) {
		annotate("error", pair->name, pair->reason);
		return;
	}
	if (pair->verdict != COMPARE_PAIR_OVER)
		return;
	papi_compare_count_text(before, sizeof(before), pair->count_before, pair->unit, false);
	papi_compare_count_text(after, sizeof(after), pair->count_after, pair->unit, false);
	papi_compare_change_text(change, sizeof(change), pair);
	if (pair->n_functions)
		most = papi_compare_function_text(pair, &pair->functions[0]);
	text = papi_compare_format("%s instead of %s%s%s%s, and the limit is %s%s%s", after, before,
		*change ? " (" : "", change, *change ? ")" : "", pair->limit->text, most ? "; most of all " : "",
		most ? most : "");
	annotate("error", pair->name, text);
	free(text);
	free(most);
}

/* ---- the summary ---- */

/* Nothing in it means anything in Markdown, in a table either. */
static void print_plain(FILE *out, const char *text)
{
	char *copy = papi_compare_format("%s", text);

	papi_escape_terminal(copy);
	for (const char *byte = copy; *byte; byte++) {
		if (*byte == '<' || *byte == '>' || *byte == '&' || *byte == '@')
			fprintf(out, "&#%d;", *byte);
		else if (strchr("\\`*_{}[]()#+-.!|~", *byte))
			fprintf(out, "\\%c", *byte);
		else
			fputc(*byte, out);
	}
	free(copy);
}

static void print_item(FILE *out, const char *name, const char *text)
{
	fputs("- ", out);
	if (name) {
		print_plain(out, name);
		fputs(": ", out);
	}
	print_plain(out, text);
	fputc('\n', out);
}

static void print_cell(FILE *out, const char *text)
{
	fputs(" ", out);
	print_plain(out, text);
	fputs(" |", out);
}

static void print_row(FILE *out, const struct compare_pair *pair)
{
	char before[64] = "", after[64] = "", change[32] = "", *verdict = papi_compare_verdict_text(pair), *name;

	if (pair->counted) {
		papi_compare_count_text(before, sizeof(before), pair->count_before, pair->unit, false);
		papi_compare_count_text(after, sizeof(after), pair->count_after, pair->unit, false);
		papi_compare_change_text(change, sizeof(change), pair);
	}
	name = papi_compare_format("%s%s", pair->name, strcmp(pair->unit, "ns") == 0 ? ", ms" : "");
	fputs("|", out);
	print_cell(out, name);
	print_cell(out, before);
	print_cell(out, after);
	print_cell(out, change);
	print_cell(out, verdict);
	fputc('\n', out);
	free(name);
	free(verdict);
}

static void print_functions(FILE *out, const struct compare_pair *pair)
{
	for (size_t i = 0; i < pair->n_functions; i++) {
		char *text = papi_compare_function_text(pair, &pair->functions[i]);

		print_item(out, pair->name, text);
		free(text);
	}
}

static void print_summary(FILE *out, const struct compare_result *result)
{
	char *conclusion = papi_compare_conclusion(result);

	fputs("### Counts: ", out);
	print_plain(out, conclusion);
	fputs("\n\n| Event | Before | After | Change | Verdict |\n| :-- | --: | --: | --: | :-- |\n", out);
	for (size_t i = 0; i < result->number; i++)
		print_row(out, &result->pairs[i]);
	fputc('\n', out);
	for (size_t i = 0; i < result->n_troubles; i++)
		print_item(out, NULL, result->troubles[i]);
	for (size_t i = 0; i < result->number; i++)
		if (result->pairs[i].reason)
			print_item(out, result->pairs[i].name, result->pairs[i].reason);
	for (size_t i = 0; i < result->number; i++)
		print_functions(out, &result->pairs[i]);
	for (size_t i = 0; i < result->n_notes; i++)
		print_item(out, NULL, result->notes[i]);
	fputc('\n', out);
	free(conclusion);
}

bool papi_compare_github(const struct compare_result *result)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	FILE *out;
	int error;

	for (size_t i = 0; i < result->n_troubles; i++)
		annotate("error", "papi_compare", result->troubles[i]);
	for (size_t i = 0; i < result->number; i++)
		annotate_pair(&result->pairs[i]);
	if (!path || !*path)
		return true;
	out = fopen(path, "ae");
	error = out ? 0 : errno;
	if (out) {
		print_summary(out, result);
		error = ferror(out) ? EIO : 0;
		if (fclose(out) != 0)
			error = errno;
	}
	if (error)
		papi_compare_complain(
			"cannot write the summary to %s (GITHUB_STEP_SUMMARY): %s", path, strerror(error));
	return !error;
}
