/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_avail: lists the preset and user defined events and says which of them can be counted here. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "event_detail.h"
#include "event_table.h"
#include "events.h"
#include "options.h"
#include "papi.h"
#include "text.h"

/* Letters of the options that choose classes of events: the bit of PAPI_event_info_t.event_type added to a base. */
#define CLASS_LETTER(bit) (PAPI_TOOL_LONG_ONLY + (bit))

static const struct papi_tool_option options[] = {
	{ 'a', "avail", NULL, "only events that are available" },
	{ 'c', "check", NULL, "only events that are available and that an EventSet accepts when they are added" },
	{ 'd', "detail", NULL, "all that is known about each event" },
	{ 'e', "event", "NAME", "all that is known about one event, which may also be a native one" },
	{ 't', "table", NULL, "one line for each event (this is the default)" },
	PAPI_TOOL_VERBOSE,
	{ CLASS_LETTER(PAPI_PRESET_BIT_BR), "br", NULL, "events of branches" },
	{ CLASS_LETTER(PAPI_PRESET_BIT_CACH), "cache", NULL, "events of caches" },
	{ CLASS_LETTER(PAPI_PRESET_BIT_CND), "cnd", NULL, "events of conditionals" },
	{ CLASS_LETTER(PAPI_PRESET_BIT_FP), "fp", NULL, "events of floating point" },
	{ CLASS_LETTER(PAPI_PRESET_BIT_INS), "ins", NULL, "events of instructions" },
	{ CLASS_LETTER(PAPI_PRESET_BIT_IDL), "idl", NULL, "events of stalled or idle cycles" },
	{ CLASS_LETTER(PAPI_PRESET_BIT_L1), "l1", NULL, "events of level 1 caches" },
	{ CLASS_LETTER(PAPI_PRESET_BIT_L2), "l2", NULL, "events of level 2 caches" },
	{ CLASS_LETTER(PAPI_PRESET_BIT_L3), "l3", NULL, "events of level 3 caches" },
	{ CLASS_LETTER(PAPI_PRESET_BIT_MEM), "mem", NULL, "events of memory" },
	{ CLASS_LETTER(PAPI_PRESET_BIT_MSC), "msc", NULL, "events of no other class" },
	{ CLASS_LETTER(PAPI_PRESET_BIT_TLB), "tlb", NULL, "events of translation lookaside buffers" },
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_avail",
	.purpose = "Lists the preset and user defined events, and whether each can be counted on this machine. "
		   "Options that choose a class of presets can be combined.",
	.options = options,
};

struct request {
	bool available_only;
	bool check;
	bool detail;
	bool verbose;
	unsigned int classes; /* bits of the classes to show, 0 for all */
	const char *event;
};

struct totals {
	int possible;
	int available;
	int derived;
};

static struct request parse(int argc, char **argv)
{
	struct request request = { 0 };
	int letter;

	while ((letter = papi_tool_next_option(&tool, argc, argv)) != -1) {
		switch (letter) {
		case 'a':
			request.available_only = true;
			break;
		case 'c':
			request.available_only = true;
			request.check = true;
			break;
		case 'd':
			request.detail = true;
			break;
		case 'e':
			request.event = optarg;
			break;
		case 't':
			request.detail = false;
			break;
		case 'v':
			request.verbose = true;
			break;
		default:
			request.classes |= (unsigned int)(letter - PAPI_TOOL_LONG_ONLY);
		}
	}
	return request;
}

static void print_titles(const struct request *request, const struct papi_event_table *table, const char *section)
{
	printf("\n");
	papi_text_rule(stdout, '=');
	printf("  %s\n", section);
	papi_text_rule(stdout, '=');
	if (!request->detail) {
		papi_event_table_titles(table);
		return;
	}
	printf("Symbol\tEvent Code\tCount\t|Short Description|\n"
	       " |Long Description|\n"
	       " |Developer's Notes|\n"
	       " |Derived|\n"
	       " |PostFix|\n"
	       " Native Code[n]: <hex> |name|\n");
}

static void print_detail(const PAPI_event_info_t *event)
{
	printf("%s\t0x%08x\t%u\t|%s|\n |%s|\n |%s|\n |%s|\n |%s|\n", event->symbol, event->event_code, event->count,
		event->short_descr, event->long_descr, event->note, event->derived, event->postfix);
	for (unsigned int term = 0; term < event->count && term < PAPI_MAX_INFO_TERMS; term++)
		printf(" Native Code[%u]: 0x%08x |%s|\n", term, event->code[term], event->name[term]);
	printf("\n");
}

static void list_event(const struct request *request, int code, struct papi_event_table *table, struct totals *totals)
{
	char reason[PAPI_HUGE_STR_LEN];
	PAPI_event_info_t event;

	if (PAPI_get_event_info(code, &event) != PAPI_OK)
		return;
	if (request->classes != 0 && (event.event_type & request->classes) == 0)
		return;

	bool available = PAPI_query_event(code) == PAPI_OK;
	if (available && request->check)
		available = papi_event_try(code, reason, sizeof(reason)) == PAPI_OK;

	/* An event that nothing stands behind is derived from nothing. */
	bool derived = available && papi_event_is_derived(&event);
	totals->possible++;
	totals->available += available;
	totals->derived += derived;

	if (request->available_only && !available)
		return;
	if (request->detail)
		print_detail(&event);
	else
		papi_event_table_row(table, &event, available);
}

/* Lists the events from first on, under a title that is printed only when there is such an event. */
static void list_events(const struct request *request, int first, const char *section, struct totals *totals)
{
	struct papi_event_table table = { .with_availability = !request->available_only };
	int code = first;

	if (PAPI_enum_event(&code, PAPI_ENUM_FIRST) != PAPI_OK)
		return;
	print_titles(request, &table, section);
	do
		list_event(request, code, &table, totals);
	while (PAPI_enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK);
	papi_event_table_legend(&table);
}

static int list_all(const struct request *request)
{
	struct totals totals = { 0 };

	papi_event_explain_missing();
	list_events(request, PAPI_PRESET_MASK, "PAPI Preset Events", &totals);
	/* User defined events belong to no class. */
	if (request->classes == 0)
		list_events(request, PAPI_UE_MASK, "User Defined Events", &totals);

	papi_text_rule(stdout, '-');
	if (request->available_only)
		printf("Of %d available events, %d are derived.\n", totals.available, totals.derived);
	else
		printf("Of %d possible events, %d are available, of which %d are derived.\n", totals.possible,
			totals.available, totals.derived);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	papi_tool_begin();
	struct request request = parse(argc, argv);

	papi_tool_init();
	papi_tool_header("Available PAPI preset and user defined events plus hardware information.", request.verbose);
	return papi_tool_finish(request.event != NULL ? papi_event_show(request.event) : list_all(&request));
}
