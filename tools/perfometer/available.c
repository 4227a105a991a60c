/* SPDX-License-Identifier: BSD-3-Clause */
#include "available.h"

#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "events.h"
#include "papi.h"
#include "perfometer.h"

struct entry {
	const char *name, *description, *kind, *unit, *group, *why; /* why NULL: it can be counted */
};

static void write_entry(FILE *out, const struct entry *entry, bool *first)
{
	const struct {
		const char *key, *text;
	} parts[] = { { "{\"name\":", entry->name }, { ",\"description\":", entry->description },
		{ ",\"kind\":", entry->kind }, { ",\"unit\":", entry->unit }, { ",\"group\":", entry->group } };

	fputs(*first ? "\n" : ",\n", out);
	*first = false;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		fputs(parts[i].key, out);
		papi_escape_json(out, parts[i].text);
	}
	fprintf(out, ",\"available\":%s,\"why\":", entry->why ? "false" : "true");
	if (entry->why)
		papi_escape_json(out, entry->why);
	else
		fputs("null", out);
	fputc('}', out);
}

static void write_event(FILE *out, const struct papi_session *session, int code, bool *first)
{
	char why[2 * PAPI_HUGE_STR_LEN];
	PAPI_event_info_t info;
	struct entry entry;
	bool native = papi_event_is_native(code);

	if (PAPI_get_event_info(code, &info) != PAPI_OK)
		return;
	entry = (struct entry){ .name = info.symbol,
		.description = info.long_descr,
		.kind = "exact",
		.unit = info.units,
		.group = native ? "native" : "preset" };
	if (PAPI_query_event(code) != PAPI_OK) {
		snprintf(why, sizeof(why), "%s", PAPI_error_detail());
		entry.why = why;
	} else {
		entry.kind = papi_event_kind(code);
		if (papi_event_is_virtual(code) &&
			!papi_virtual_can(&session->virtually, info.symbol, why, sizeof(why)))
			entry.why = why;
	}
	write_entry(out, &entry, first);
}

static void write_presets(FILE *out, const struct papi_session *session, bool *first)
{
	int code = (int)PAPI_PRESET_MASK;

	if (PAPI_enum_event(&code, PAPI_ENUM_FIRST) != PAPI_OK)
		return;
	do
		write_event(out, session, code, first);
	while (PAPI_enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK);
}

/* One of a component, or a mask of it for each that it has. */
static void write_native(FILE *out, const struct papi_session *session, int code, int component, bool *first)
{
	int mask = code;

	write_event(out, session, code, first);
	while (PAPI_enum_cmp_event(&mask, PAPI_NTV_ENUM_UMASKS, component) == PAPI_OK)
		write_event(out, session, mask, first);
}

static void write_natives(FILE *out, const struct papi_session *session, int component, bool *first)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(component);
	int code = PAPI_NATIVE_MASK;

	/* Of the calling thread alone there is nothing to tell about a program. */
	if (!info || info->disabled || (!info->attach && strcmp(info->name, "vpmu") != 0) ||
		PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component) != PAPI_OK)
		return;
	do
		write_native(out, session, code, component, first);
	while (PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component) == PAPI_OK);
}

static void write_metrics(FILE *out, bool *first)
{
	PAPI_metric_group_info_t group;
	PAPI_metric_info_t info;

	for (int i = 0; i < PAPI_metric_groups(); i++) {
		if (PAPI_metric_group_info(i, &group) != PAPI_OK || PAPI_metric_group(group.name) != i)
			continue;
		for (int k = 0; k < group.metrics; k++) {
			struct entry entry;

			if (PAPI_metric_info(i, k, &info) != PAPI_OK)
				continue;
			entry = (struct entry){ info.name, info.long_descr, *info.why ? "exact" : info.worth,
				strcmp(info.unit, "1") ? info.unit : "", "metric", *info.why ? info.why : NULL };
			write_entry(out, &entry, first);
		}
	}
}

char *papi_available_json(const struct papi_session *session)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	bool first = true;

	if (!out)
		papi_perfometer_no_memory();
	fputc('[', out);
	write_presets(out, session, &first);
	for (int i = 0; i < PAPI_num_components(); i++)
		write_natives(out, session, i, &first);
	write_metrics(out, &first);
	fputs("\n]\n", out);
	if (fclose(out) != 0)
		papi_perfometer_no_memory();
	return text;
}
