/* SPDX-License-Identifier: BSD-3-Clause */
/* Native events in boxes. See native_list.h. */
#include "native_list.h"

#include <stdio.h>
#include <string.h>

#include "events.h"
#include "text.h"

enum { NAME_COLUMN = 2, MASK_COLUMN = 6, DESCRIPTION_COLUMN = 13 };

bool papi_native_wanted(const struct papi_native_filter *filter, const PAPI_event_info_t *event)
{
	char reason[PAPI_HUGE_STR_LEN];

	if (filter->include != NULL && strstr(event->symbol, filter->include) == NULL)
		return false;
	if (filter->exclude != NULL && strstr(event->symbol, filter->exclude) != NULL)
		return false;
	return !filter->check || papi_event_try((int)event->event_code, reason, sizeof(reason)) == PAPI_OK;
}

static void print_masks(const PAPI_event_info_t *base, int component)
{
	PAPI_event_info_t masked;
	int code = (int)base->event_code;

	while (PAPI_enum_cmp_event(&code, PAPI_NTV_ENUM_UMASKS, component) == PAPI_OK) {
		if (PAPI_get_event_info(code, &masked) != PAPI_OK)
			continue;
		papi_text_box(stdout, MASK_COLUMN, papi_event_mask(&masked, base));
		papi_text_box(stdout, DESCRIPTION_COLUMN, papi_event_mask_description(&masked));
	}
}

void papi_native_print(const struct papi_native_filter *filter, const PAPI_event_info_t *event, int component)
{
	papi_text_box(stdout, NAME_COLUMN, event->symbol);
	papi_text_box(stdout, DESCRIPTION_COLUMN, event->long_descr);
	if (event->units[0] != '\0') {
		char units[PAPI_MIN_STR_LEN + 16];

		snprintf(units, sizeof(units), "Units: %s", event->units);
		papi_text_box(stdout, MASK_COLUMN, units);
	}
	if (!filter->no_qualifiers)
		print_masks(event, component);
	papi_text_rule(stdout, '-');
}
