/* SPDX-License-Identifier: BSD-3-Clause */
/* list.c - --list: each function that is wanted, with the way it can be probed, or why it cannot. */
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "papi_probe.h"
#include "symbols/memory.h"

void probe_print_safe(FILE *file, const char *text)
{
	char *copy = papi_memory_copy(text);

	papi_escape_terminal(copy);
	fputs(copy, file);
	free(copy);
}

const char *probe_way_name(enum probe_way way)
{
	return way == PROBE_TRANSLATE ? "translate" : "patch";
}

/* The best way that is permitted; NULL: there is none. */
static const char *way_of(const struct probe_function *function, enum probe_way way)
{
	if (way != PROBE_TRANSLATE && !*function->refusal)
		return probe_way_name(PROBE_PATCH);
	return way != PROBE_PATCH && !function->untranslated ? probe_way_name(PROBE_TRANSLATE) : NULL;
}

/* Why it is not done by the first of the ways that are permitted; NULL: it is. */
static const char *reason_of(const struct probe_function *function, enum probe_way way)
{
	return probe_functions_refusal(function, way == PROBE_TRANSLATE ? way : PROBE_PATCH);
}

static void print_inlined(FILE *file, const struct probe_list *list)
{
	for (size_t i = 0; i < list->n_inlined; i++) {
		const struct probe_inlined *inlined = &list->inlined[i];

		fputs("inlined    ", file);
		probe_print_safe(file, inlined->name);
		fputs("  (", file);
		probe_print_safe(file, list->modules[inlined->module].base);
		fprintf(file, "): %zu cop%s in its callers\n", inlined->copies, inlined->copies == 1 ? "y" : "ies");
	}
}

void probe_list_print_inlined_json(FILE *file, const struct probe_list *list)
{
	fputs("\"inlined\": [", file);
	for (size_t i = 0; i < list->n_inlined; i++) {
		const struct probe_inlined *inlined = &list->inlined[i];

		fputs(i ? ", {\"name\": " : "{\"name\": ", file);
		papi_escape_json(file, inlined->name);
		fputs(", \"linkage\": ", file);
		papi_escape_json(file, inlined->linkage);
		fputs(", \"module\": ", file);
		papi_escape_json(file, list->modules[inlined->module].path);
		fprintf(file, ", \"copies\": %zu}", inlined->copies);
	}
	fputc(']', file);
}

static void print_text(FILE *file, const struct probe_list *list, enum probe_way way)
{
	size_t good = 0, slow = 0, parts = 0, whole;

	for (size_t i = 0; i < list->n_functions; i++) {
		const struct probe_function *function = &list->functions[i];

		const char *chosen = way_of(function, way), *reason = reason_of(function, way);

		fprintf(file, "%-9s  ", chosen ? chosen : "-");
		probe_print_safe(file, function->name);
		fputs("  (", file);
		probe_print_safe(file, list->modules[function->module].base);
		fprintf(file, ")%s%s\n", reason ? ": " : "", reason ? reason : "");
		good += chosen != NULL;
		slow += chosen && reason;
		parts += function->is_part;
	}
	print_inlined(file, list);
	whole = list->n_functions - parts;
	fprintf(file, "\n%zu function%s, %zu of which can be probed\n", whole, whole == 1 ? "" : "s", good);
	if (slow)
		fprintf(file, "%zu of these by translation alone: --way translate\n", slow);
	if (list->n_inlined)
		fprintf(file, "%zu that compilers have put into their callers, whose counts they are in\n",
			list->n_inlined);
	if (parts)
		fprintf(file, "%zu part%s of functions, which compilers have moved away\n", parts,
			parts == 1 ? "" : "s");
}

static void print_ways(FILE *file, const struct probe_function *function)
{
	const bool patch = !*function->refusal, translate = !function->untranslated;

	fprintf(file, ", \"ways\": [%s%s%s]", patch ? "\"patch\"" : "", patch && translate ? ", " : "",
		translate ? "\"translate\"" : "");
}

static void print_json(FILE *file, const struct probe_list *list, enum probe_way way)
{
	fputs("{\n  \"version\": 1,\n  \"functions\": [", file);
	for (size_t i = 0; i < list->n_functions; i++) {
		const struct probe_function *function = &list->functions[i];
		const char *chosen = way_of(function, way), *reason = reason_of(function, way);

		fprintf(file, "%s\n    {\"name\": ", i ? "," : "");
		papi_escape_json(file, function->name);
		fputs(", \"linkage\": ", file);
		papi_escape_json(file, function->linkage);
		fputs(", \"module\": ", file);
		papi_escape_json(file, list->modules[function->module].path);
		fprintf(file, ", \"way\": %s%s%s", chosen ? "\"" : "", chosen ? chosen : "null", chosen ? "\"" : "");
		fputs(", \"reason\": ", file);
		if (reason)
			papi_escape_json(file, reason);
		else
			fputs("null", file);
		print_ways(file, function);
		fputs("}", file);
	}
	fputs("\n  ],\n  ", file);
	probe_list_print_inlined_json(file, list);
	fputs("\n}\n", file);
}

void probe_list_print(FILE *file, const struct probe_list *list, const struct probe_options *options)
{
	if (options->json)
		print_json(file, list, options->way);
	else
		print_text(file, list, options->way);
}

bool probe_list_complain(const struct probe_patterns *patterns, const struct probe_list *list)
{
	bool all = true;

	for (size_t i = 0; i < list->n_modules; i++)
		if (*list->modules[i].trouble && list->modules[i].is_program)
			probe_message("%s: %s", list->modules[i].path, list->modules[i].trouble);
	for (size_t i = 0; i < patterns->n_wanted; i++) {
		const struct probe_pattern *pattern = &patterns->wanted[i];

		if (pattern->matched)
			continue;
		all = false;
		if (pattern->inlined)
			probe_message("'%s' has no code of its own: compilers have put it into its callers, %zu time%s",
				pattern->name, pattern->inlined, pattern->inlined == 1 ? "" : "s");
		else if (pattern->name)
			probe_message("no function is called '%s'%s%s%s", pattern->name, pattern->module ? " in " : "",
				pattern->module ? pattern->module : "",
				pattern->has_wildcard && !pattern->module
					? ": with wildcards names are looked for in the program alone; "
					  "'LIBRARY!NAME' looks in a library"
					: "");
		else
			probe_message("no function begins in lines %ld to %ld of %s, or nothing has line numbers of "
				      "that file",
				pattern->first, pattern->last, pattern->file);
	}
	return all;
}
