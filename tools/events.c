/* SPDX-License-Identifier: BSD-3-Clause */
/* What the utilities ask about events. See events.h. */
#include "events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common.h"
#include "text.h"

#define NUMBER_OF(array) (sizeof(array) / sizeof((array)[0]))

/* From the best to the worst. */
static const char *const kinds[] = { "exact", "sampled", "modelled", "estimated" };

bool papi_event_is_native(int code)
{
	return ((unsigned int)code & (unsigned int)PAPI_UE_MASK) == PAPI_NATIVE_MASK;
}

int papi_event_try(int code, char *reason, size_t size)
{
	int set = PAPI_NULL;
	int result = PAPI_create_eventset(&set);

	if (result == PAPI_OK)
		result = PAPI_add_event(set, code);
	/* Cleaning up is a call of the library too: take the reason first. */
	if (result != PAPI_OK)
		papi_tool_reason(result, reason, size);
	if (set != PAPI_NULL) {
		PAPI_cleanup_eventset(set);
		PAPI_destroy_eventset(&set);
	}
	return result;
}

bool papi_event_fits(int set, int code)
{
	if (PAPI_add_event(set, code) != PAPI_OK)
		return false;

	int result = PAPI_remove_event(set, code);
	if (result != PAPI_OK) {
		/* Whatever were tried next would be tried against another set. */
		papi_tool_complain("an event that was tried cannot be taken out again", result);
		exit(EXIT_FAILURE);
	}
	return true;
}

int papi_event_find_fitting(int set, int code, int component)
{
	if (PAPI_query_event(code) == PAPI_OK)
		return papi_event_fits(set, code) ? code : 0;
	while (PAPI_enum_cmp_event(&code, PAPI_NTV_ENUM_UMASKS, component) == PAPI_OK)
		if (papi_event_fits(set, code))
			return code;
	return 0;
}

bool papi_event_is_derived(const PAPI_event_info_t *event)
{
	/* DERIVED_CMPD is the value of a single native event, taken as it is. */
	return event->derived[0] != '\0' && strcmp(event->derived, "NOT_DERIVED") != 0 &&
		strcmp(event->derived, "DERIVED_CMPD") != 0;
}

/* The position in the list of kinds of a note's first word; a note that says nothing of it is of an exact count. */
static size_t kind_of_note(const char *note)
{
	size_t length = strcspn(note, " ,;:");
	size_t kind = NUMBER_OF(kinds) - 1;

	while (kind > 0 && (strlen(kinds[kind]) != length || strncmp(note, kinds[kind], length) != 0))
		kind--;
	return kind;
}

/* The worst of the event and of all that it is made of. */
static size_t find_kind(int code)
{
	PAPI_event_info_t event;
	size_t kind;
	int term;

	if (PAPI_get_event_info(code, &event) != PAPI_OK)
		return 0;
	kind = kind_of_note(event.note);
	for (unsigned i = 0; !papi_event_is_native(code) && i < event.count; i++) {
		size_t other = PAPI_event_name_to_code(event.name[i], &term) == PAPI_OK ? find_kind(term) : 0;

		kind = other > kind ? other : kind;
	}
	return kind;
}

const char *papi_event_kind(int code)
{
	return kinds[find_kind(code)];
}

bool papi_event_is_virtual(int code)
{
	int component = PAPI_get_event_component(code);

	return component >= 0 && component == PAPI_get_component_index("vpmu");
}

bool papi_event_takes_counter(const char *name)
{
	static const char *const software[] = { "CLOCK", "FAULTS", "SWITCHES", "MIGRATIONS", "::CS" };

	/* Time stamps and breakpoints: no counter that several events could want. */
	if (strncasecmp(name, "msr/", 4) == 0 || strncasecmp(name, "mem:", 4) == 0)
		return false;
	name = strcasestr(name, "perf::");
	for (size_t i = 0; name && i < sizeof(software) / sizeof(software[0]); i++)
		if (strcasestr(name, software[i]))
			return false;
	return true;
}

bool papi_event_is_rate(const PAPI_event_info_t *event)
{
	return strcmp(event->derived, "DERIVED_PS") == 0;
}

bool papi_event_has_type(const PAPI_event_info_t *event, const char *const *types)
{
	for (; *types != NULL; types++)
		if (strcmp(event->derived, *types) == 0)
			return true;
	return false;
}

const char *papi_event_mask(const PAPI_event_info_t *masked, const PAPI_event_info_t *base)
{
	size_t length = strlen(base->symbol);

	if (strncmp(masked->symbol, base->symbol, length) == 0 && masked->symbol[length] == ':')
		return masked->symbol + length;

	const char *colon = strrchr(masked->symbol, ':');
	return colon != NULL ? colon : masked->symbol;
}

const char *papi_event_mask_description(const PAPI_event_info_t *masked)
{
	static const char separator[] = ", masks:";
	const char *found = strstr(masked->long_descr, separator);

	return found != NULL ? found + sizeof(separator) - 1 : masked->long_descr;
}

/*
 * The part of an error detail that is about the machine, behind the names of the events that led there:
 * "PAPI_TOT_CYC needs perf::CYCLES: this machine ..."
 */
static const char *without_events(const char *detail)
{
	const char *sentence = detail;

	for (const char *colon = strstr(detail, ": "); colon != NULL; colon = strstr(colon + 1, ": ")) {
		const char *word = colon;

		while (word > detail && word[-1] != ' ')
			word--;
		size_t length = (size_t)(colon - word);
		if (memmem(word, length, "::", 2) != NULL || strncmp(word, "PAPI_", 5) == 0)
			sentence = colon + 2;
	}
	return sentence;
}

void papi_event_explain_missing(void)
{
	char text[2 * PAPI_HUGE_STR_LEN];
	int page_faults;

	if (PAPI_get_opt(PAPI_MAX_HWCTRS, NULL) > 0)
		return;
	int result = PAPI_query_event(PAPI_TOT_CYC);
	if (result == PAPI_OK)
		return;

	/* Copied before the next call of the library: the detail is that of the last one. */
	const char *sentence = without_events(PAPI_error_detail());
	snprintf(text, sizeof(text), "Hardware events cannot be counted: %s",
		*sentence != '\0' ? sentence : PAPI_strerror(result));
	papi_text_wrap(stdout, "", 0, text);

	if (PAPI_event_name_to_code("perf::PAGE-FAULTS", &page_faults) == PAPI_OK)
		printf("Software events such as perf::PAGE-FAULTS work: papi_native_avail lists them.\n");
	else
		printf("papi_component_avail shows what can be counted.\n");
}
