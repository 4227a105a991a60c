/* SPDX-License-Identifier: BSD-3-Clause */
/* All that is known about one event. See event_detail.h. */
#include "event_detail.h"

#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "events.h"
#include "papi.h"
#include "text.h"

static void show_masks(const PAPI_event_info_t *base, int code, int component)
{
	PAPI_event_info_t masked;
	int mask = code;
	int count = 0;

	while (PAPI_enum_cmp_event(&mask, PAPI_NTV_ENUM_UMASKS, component) == PAPI_OK) {
		if (PAPI_get_event_info(mask, &masked) != PAPI_OK)
			continue;
		if (count++ == 0)
			printf("\nUnit Masks:\n");
		printf(" Mask Info:                  |%s|%s|\n", papi_event_mask(&masked, base),
			papi_event_mask_description(&masked));
	}
}

static void show_native(const PAPI_event_info_t *event, int code)
{
	const PAPI_component_info_t *component = PAPI_get_component_info(event->component_index);

	printf("Number of Register Values:    %u\n", event->count);
	printf("Description:                 |%s|\n", event->long_descr);
	if (event->units[0] != '\0')
		printf("Units:                       |%s|\n", event->units);
	if (component != NULL)
		printf("Component:                   |%s|\n", component->name);
	if (event->note[0] != '\0')
		printf("Note:                        |%s|\n", event->note);
	show_masks(event, code, event->component_index);
}

/* Presets and user defined events: a formula over native events. */
static void show_formula(const PAPI_event_info_t *event)
{
	printf("Number of Native Events:      %u\n", event->count);
	printf("Short Description:           |%s|\n", event->short_descr);
	printf("Long Description:            |%s|\n", event->long_descr);
	printf("Developer's Notes:           |%s|\n", event->note);
	printf("Derived Type:                |%s|\n", event->derived);
	printf("Postfix Processing String:   |%s|\n", event->postfix);
	for (unsigned int term = 0; term < event->count && term < PAPI_MAX_INFO_TERMS; term++) {
		PAPI_event_info_t native;

		printf(" Native Code[%u]: 0x%08x |%s|\n", term, event->code[term], event->name[term]);
		if (PAPI_get_event_info((int)event->code[term], &native) == PAPI_OK)
			printf(" Native Event Description: |%s|\n", native.long_descr);
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
		papi_tool_complain(name, result);
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
