/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_event_chooser: lists the events that can be counted together with those given. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "common.h"
#include "event_names.h"
#include "event_table.h"
#include "events.h"
#include "options.h"
#include "papi.h"
#include "text.h"

enum {
	NAME_COLUMN = 2,
	MASK_COLUMN = 6,
	DESCRIPTION_COLUMN = 13,
};

static const struct papi_tool_option options[] = {
	PAPI_TOOL_VERBOSE,
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_event_chooser",
	.operands = "NATIVE|PRESET EVENT...",
	.purpose =
		"Lists the native events, or the preset and user defined events, that can be counted in one EventSet "
		"together with the events given.",
	.options = options,
};

/* Whether natives are to be listed, and in *first where the names of the given events begin. */
static bool parse(int argc, char **argv, int *first, bool *verbose)
{
	while (papi_tool_next_option(&tool, argc, argv) != -1)
		*verbose = true; /* the table has one option */
	if (optind == argc)
		papi_tool_usage_error(&tool, "NATIVE or PRESET says which events to list");

	const char *kind = argv[optind];
	bool natives = strcasecmp(kind, "NATIVE") == 0;
	if (!natives && strcasecmp(kind, "PRESET") != 0)
		papi_tool_usage_error(&tool, "NATIVE or PRESET says which events to list, not '%s'", kind);
	*first = optind + 1;
	if (*first == argc)
		papi_tool_usage_error(&tool, "behind %s, name at least one event that the others are to go with", kind);
	return natives;
}

/* An EventSet of the given events, or PAPI_NULL after a message about the first that it refuses. */
static int choose(char *const names[])
{
	int set = PAPI_NULL;
	int result = PAPI_create_eventset(&set);

	if (result != PAPI_OK) {
		papi_tool_complain("no EventSet can be made", result);
		return PAPI_NULL;
	}
	for (; *names != NULL; names++) {
		result = PAPI_add_named_event(set, *names);
		if (result != PAPI_OK) {
			fprintf(stderr, "Event %s can't be counted with others %d\n", *names, result);
			papi_event_complain(*names, result);
			return PAPI_NULL;
		}
	}
	return set;
}

/* Lists presets or user defined events, from first on; returns how many. */
static int list_formulas(int set, int first, struct papi_event_table *table)
{
	PAPI_event_info_t event;
	int code = first;
	int count = 0;

	for (int found = PAPI_enum_event(&code, PAPI_ENUM_FIRST); found == PAPI_OK;
		found = PAPI_enum_event(&code, PAPI_ENUM_EVENTS)) {
		if (!papi_event_fits(set, code) || PAPI_get_event_info(code, &event) != PAPI_OK)
			continue;
		papi_event_table_row(table, &event, true);
		count++;
	}
	return count;
}

static int list_presets(int set)
{
	struct papi_event_table table = { 0 };

	papi_event_explain_missing();
	printf("\n");
	papi_event_table_titles(&table);
	int count = list_formulas(set, PAPI_PRESET_MASK, &table) + list_formulas(set, PAPI_UE_MASK, &table);
	papi_event_table_legend(&table);

	papi_text_rule(stdout, '-');
	return count;
}

/* The masks from the code mask on that fit. */
static void print_masks(int set, const PAPI_event_info_t *event, int mask, int component)
{
	PAPI_event_info_t masked;

	do {
		if (!papi_event_fits(set, mask) || PAPI_get_event_info(mask, &masked) != PAPI_OK)
			continue;
		papi_text_box(stdout, MASK_COLUMN, papi_event_mask(&masked, event));
		papi_text_box(stdout, DESCRIPTION_COLUMN, papi_event_mask_description(&masked));
	} while (PAPI_enum_cmp_event(&mask, PAPI_NTV_ENUM_UMASKS, component) == PAPI_OK);
}

/* The box of an event; fitting is its own code, or that of the first mask with which it fits. */
static void print_event(int set, const PAPI_event_info_t *event, int fitting, int component)
{
	papi_text_box(stdout, NAME_COLUMN, event->symbol);
	papi_text_box(stdout, DESCRIPTION_COLUMN, event->long_descr);
	if (event->units[0] != '\0') {
		char units[PAPI_MIN_STR_LEN + 16];

		snprintf(units, sizeof(units), "Units: %s", event->units);
		papi_text_box(stdout, MASK_COLUMN, units);
	}
	if (fitting != (int)event->event_code)
		print_masks(set, event, fitting, component);
	papi_text_rule(stdout, '-');
}

/* A component's part of the list, if it has any; returns how many events it holds. */
static int list_component(int set, int component)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(component);
	PAPI_event_info_t event;
	int code = PAPI_NATIVE_MASK;
	int count = 0;

	if (info == NULL || info->disabled)
		return 0;
	for (int found = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); found == PAPI_OK;
		found = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
		int fitting = papi_event_find_fitting(set, code, component);

		if (fitting == 0 || PAPI_get_event_info(code, &event) != PAPI_OK)
			continue;
		if (count++ == 0) {
			papi_text_rule(stdout, '=');
			printf(" Native Events in Component: %s\n", info->name);
			papi_text_rule(stdout, '=');
		}
		print_event(set, &event, fitting, component);
	}
	if (count > 0)
		printf("\n");
	return count;
}

static int list_natives(int set)
{
	int count = 0;

	for (int component = 0; component < PAPI_num_components(); component++)
		count += list_component(set, component);
	return count;
}

int main(int argc, char **argv)
{
	bool verbose = false;
	int first;

	papi_tool_begin();
	bool natives = parse(argc, argv, &first, &verbose);

	papi_tool_init();
	int set = choose(argv + first);
	if (set == PAPI_NULL)
		return papi_tool_finish(EXIT_FAILURE);

	papi_tool_header("Event Chooser: events that can be counted with those given.", verbose);
	int count = natives ? list_natives(set) : list_presets(set);
	printf("Total events reported: %d\n", count);
	return papi_tool_finish(EXIT_SUCCESS);
}
