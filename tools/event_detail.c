/* SPDX-License-Identifier: BSD-3-Clause */
/* All that is known about one event. See event_detail.h. */
#include "event_detail.h"

#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "event_names.h"
#include "events.h"
#include "papi.h"
#include "terminal.h"
#include "text.h"

enum { LABEL_COLUMN = 29, DESCRIPTION_COLUMN = 27 };

/* Bars around the text, for scripts, which also get it on one line. */
static void show_text(const char *label, int column, const char *text)
{
	char barred[2 * PAPI_HUGE_STR_LEN];

	snprintf(barred, sizeof(barred), "|%s|", text);
	papi_terminal_line(label, column, barred);
}

static void show_masks(const PAPI_event_info_t *base, int code, int component)
{
	char text[PAPI_HUGE_STR_LEN + PAPI_MAX_STR_LEN];
	PAPI_event_info_t masked;
	int mask = code;
	int count = 0;

	while (PAPI_enum_cmp_event(&mask, PAPI_NTV_ENUM_UMASKS, component) == PAPI_OK) {
		if (PAPI_get_event_info(mask, &masked) != PAPI_OK)
			continue;
		if (count++ == 0)
			printf("\nUnit Masks:\n");
		snprintf(text, sizeof(text), "%s|%s", papi_event_mask(&masked, base),
			papi_event_mask_description(&masked));
		show_text(" Mask Info:", LABEL_COLUMN, text);
	}
}

static void show_native(const PAPI_event_info_t *event, int code)
{
	const PAPI_component_info_t *component = PAPI_get_component_info(event->component_index);

	printf("Number of Register Values:    %u\n", event->count);
	show_text("Description:", LABEL_COLUMN, event->long_descr);
	if (event->units[0] != '\0')
		show_text("Units:", LABEL_COLUMN, event->units);
	if (component != NULL)
		show_text("Component:", LABEL_COLUMN, component->name);
	if (event->note[0] != '\0')
		show_text("Note:", LABEL_COLUMN, event->note);
	show_masks(event, code, event->component_index);
}

/* Presets and user defined events: a formula over native events. */
static void show_formula(const PAPI_event_info_t *event)
{
	printf("Number of Native Events:      %u\n", event->count);
	show_text("Short Description:", LABEL_COLUMN, event->short_descr);
	show_text("Long Description:", LABEL_COLUMN, event->long_descr);
	show_text("Developer's Notes:", LABEL_COLUMN, event->note);
	show_text("Derived Type:", LABEL_COLUMN, event->derived);
	show_text("Postfix Processing String:", LABEL_COLUMN, event->postfix);
	for (unsigned int term = 0; term < event->count && term < PAPI_MAX_INFO_TERMS; term++) {
		PAPI_event_info_t native;

		printf(" Native Code[%u]: 0x%08x |%s|\n", term, event->code[term], event->name[term]);
		if (PAPI_get_event_info((int)event->code[term], &native) == PAPI_OK)
			show_text(" Native Event Description:", DESCRIPTION_COLUMN, native.long_descr);
	}
}

static void show_verdict(const char *name, int code)
{
	char reason[2 * PAPI_HUGE_STR_LEN], verdict[sizeof(reason) + PAPI_HUGE_STR_LEN + 64];

	if (papi_event_try(code, reason, sizeof(reason)) == PAPI_OK)
		snprintf(verdict, sizeof(verdict), "%s can be counted here.", name);
	else
		snprintf(verdict, sizeof(verdict), "%s cannot be counted here: %s", name, reason);
	printf("\n");
	papi_text_wrap(stdout, "", 0, verdict);
}

int papi_event_show(const char *name)
{
	PAPI_event_info_t event;
	int code;

	int result = PAPI_event_name_to_code(name, &code);
	if (result == PAPI_OK)
		result = PAPI_get_event_info(code, &event);
	if (result != PAPI_OK) {
		papi_event_complain(name, result);
		return EXIT_FAILURE;
	}

	printf("\nEvent name:                   %s\n", event.symbol);
	printf("Event Code:                   0x%08x\n", (unsigned int)code);
	if (papi_event_is_native(code))
		show_native(&event, code);
	else
		show_formula(&event);

	show_verdict(event.symbol, code);
	printf("\n");
	papi_text_rule(stdout, '-');
	return EXIT_SUCCESS;
}
