/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/sde/sde.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* EventSets grow as they need; this is what a tool may expect to fit. */
#define COUNTERS 1024

static PAPI_component_info_t info = {
	.name = "sde",
	.short_name = "sde",
	.description = "Software-defined events, which libraries and programs register with libsde",
	.version = "7.0",
	.num_cntrs = COUNTERS,
	.num_mpx_cntrs = COUNTERS,
	.default_domain = PAPI_DOM_USER,
	.available_domains = PAPI_DOM_ALL,
	.default_granularity = PAPI_GRN_THR,
	.available_granularities = PAPI_GRN_THR,
};

static const struct {
	const char *suffix, *description;
} parts[PAPI_SDE_PARTS] = {
	[PAPI_SDE_WHOLE] = { "", "" },
	[PAPI_SDE_NUMBER] = { ":CNT", "how many values were recorded" },
	[PAPI_SDE_LEAST] = { ":MIN", "address of the smallest value" },
	[PAPI_SDE_QUARTER] = { ":Q1", "address of the value above a quarter of all" },
	[PAPI_SDE_MEDIAN] = { ":MED", "address of the value in the middle" },
	[PAPI_SDE_THREE_QUARTERS] = { ":Q3", "address of the value above three quarters of all" },
	[PAPI_SDE_LARGEST] = { ":MAX", "address of the largest value" },
};

static int probe(PAPI_component_info_t *facts)
{
	(void)facts;
	return PAPI_OK;
}

/* Events come and go while the library runs, so that this number is kept by the listing. */
static int event_name(unsigned position, char *name, size_t size)
{
	const struct papi_sde_tools *tools = papi_sde_find();

	if (tools && tools->name(position, name, size))
		return PAPI_OK;
	info.num_native_events = (int)position;
	return PAPI_ENOEVNT;
}

static void survey(PAPI_component_info_t *facts)
{
	char name[PAPI_SDE_NAME_MAX];
	unsigned n = 0;

	(void)facts;
	while (event_name(n, name, sizeof(name)) == PAPI_OK)
		n++;
}

static void forget(void)
{
	info.num_native_events = 0;
}

/* What of an event there is. */
static bool has_part(const struct papi_sde_facts *facts, enum papi_sde_part part)
{
	return part == PAPI_SDE_WHOLE ||
		(facts->kind == PAPI_SDE_RECORDER && (part == PAPI_SDE_NUMBER || facts->quantiles));
}

static int mask_name(const char *event, unsigned position, char *name, size_t size)
{
	const struct papi_sde_tools *tools = papi_sde_find();
	struct papi_sde_entry *entry = tools ? tools->find(event) : NULL;
	unsigned part = position + PAPI_SDE_NUMBER;
	struct papi_sde_facts facts;

	if (!entry || !tools->facts(entry, &facts) || part >= PAPI_SDE_PARTS || !has_part(&facts, part))
		return PAPI_ENOEVNT;
	snprintf(name, size, "%s%s", event, parts[part].suffix);
	return PAPI_OK;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length > tail && !strcmp(text + length - tail, end);
}

/* An event whose name ends like that of a recorder's value is itself. */
struct papi_sde_entry *papi_sde_find_event(const char *name, enum papi_sde_part *part)
{
	const struct papi_sde_tools *tools = papi_sde_find();
	struct papi_sde_entry *entry = tools->find(name);
	char event[PAPI_SDE_NAME_MAX];
	struct papi_sde_facts facts;

	*part = PAPI_SDE_WHOLE;
	for (unsigned i = PAPI_SDE_NUMBER; i < PAPI_SDE_PARTS && !entry; i++) {
		if (!ends_with(name, parts[i].suffix) || strlen(name) >= sizeof(event))
			continue;
		snprintf(event, sizeof(event), "%.*s", (int)(strlen(name) - strlen(parts[i].suffix)), name);
		entry = tools->find(event);
		*part = i;
		if (entry && !(tools->facts(entry, &facts) && has_part(&facts, i)))
			entry = NULL;
	}
	return entry;
}

/* Whether somebody can register such an event: "library::event". */
static bool is_possible(const char *name)
{
	const char *separator = strstr(name, "::"), *event = separator ? separator + 2 : "";

	return separator && separator != name && name[0] != ':' && event[0] && event[0] != ':' &&
		!strstr(event, "::") && event[strlen(event) - 1] != ':' && strlen(name) < PAPI_SDE_NAME_MAX;
}

/* A name is enough: its library may register it later. */
static int resolve(const char *name, void **result)
{
	char *copy;

	if (!papi_sde_find())
		return papi_error(PAPI_ENOEVNT,
			"sde:::%.128s: no software-defined events are here, for libsde.so.1 is not "
			"loaded: run this in the program that registers them",
			name);
	if (!is_possible(name))
		return papi_error(PAPI_ENOEVNT,
			"sde:::%.128s: no such event can be registered: a software-defined event is "
			"sde:::LIBRARY::EVENT",
			name);
	copy = strdup(name);
	if (!copy)
		return papi_error(PAPI_ENOMEM, "no memory for an event");
	*result = copy;
	return PAPI_OK;
}

static void release(void *encoding)
{
	free(encoding);
}

static const char *note_of(const struct papi_sde_facts *facts, enum papi_sde_part part)
{
	static const char *const operations[] = { "the sum of the group's members",
		"the largest of the group's members", "the smallest of the group's members" };

	switch (facts->kind) {
	case PAPI_SDE_GROUP:
		return operations[facts->operation];
	case PAPI_SDE_RECORDER:
		return part == PAPI_SDE_NUMBER ? "exact" : "the value is an address: see sde_lib.h";
	case PAPI_SDE_COUNTING_SET:
		return "the value is the address of a list: see sde_lib.h";
	case PAPI_SDE_COUNTER:
		break;
	}
	return facts->mode & PAPI_SDE_INSTANT ? "what the program has in its counter when it is read"
					      : "what the program has added to its counter since the start";
}

static int data_type_of(const struct papi_sde_facts *facts, enum papi_sde_part part)
{
	if (facts->kind == PAPI_SDE_RECORDER || facts->kind == PAPI_SDE_COUNTING_SET)
		return part == PAPI_SDE_NUMBER ? PAPI_DATATYPE_INT64 : PAPI_DATATYPE_BIT64;
	if (facts->type == PAPI_SDE_double)
		return PAPI_DATATYPE_FP64;
	/* A float is in the first four bytes. */
	return facts->type == PAPI_SDE_float ? PAPI_DATATYPE_BIT64 : PAPI_DATATYPE_INT64;
}

static int describe_awaited(const char *name, PAPI_event_info_t *event)
{
	snprintf(event->long_descr, sizeof(event->long_descr), "%.900s", name);
	snprintf(event->short_descr, sizeof(event->short_descr), "%.63s", name);
	snprintf(event->note, sizeof(event->note), "not registered: its value is -1 until it is");
	event->location = PAPI_LOCATION_CPU;
	return PAPI_OK;
}

static int describe(const char *name, const void *encoding, PAPI_event_info_t *event)
{
	struct papi_sde_facts facts;
	struct papi_sde_entry *entry;
	enum papi_sde_part part;
	const char *text;
	bool instant;

	if (!encoding || !papi_sde_find())
		return papi_error(PAPI_ENOEVNT, "sde:::%.128s: no software-defined events are here", name);
	entry = papi_sde_find_event(name, &part);
	if (!entry || !papi_sde_find()->facts(entry, &facts))
		return describe_awaited(name, event);
	text = facts.description[0] ? facts.description : name;
	instant = facts.kind == PAPI_SDE_RECORDER || facts.kind == PAPI_SDE_COUNTING_SET ||
		facts.mode & PAPI_SDE_INSTANT;
	snprintf(event->long_descr, sizeof(event->long_descr), "%.900s%s%s", text,
		part == PAPI_SDE_WHOLE ? "" : ", masks:", parts[part].description);
	snprintf(event->short_descr, sizeof(event->short_descr), "%.63s", text);
	snprintf(event->note, sizeof(event->note), "%s", note_of(&facts, part));
	event->data_type = data_type_of(&facts, part);
	event->value_type = instant ? PAPI_VALUETYPE_ABSOLUTE : PAPI_VALUETYPE_RUNNING_SUM;
	event->timescope = instant ? PAPI_TIMESCOPE_POINT : PAPI_TIMESCOPE_SINCE_START;
	event->location = PAPI_LOCATION_CPU;
	return PAPI_OK;
}

static void fork_prepare(void)
{
	if (papi_sde_found())
		papi_sde_found()->fork_prepare();
}

static void fork_parent(void)
{
	if (papi_sde_found())
		papi_sde_found()->fork_parent();
}

static void fork_child(void)
{
	if (papi_sde_found())
		papi_sde_found()->fork_child();
}

static const struct papi_component_unseen unseen = {
	.read = papi_sde_refresh,
	.rebase = papi_sde_rebase,
};

static const struct papi_component_overflow overflow = {
	.arm = papi_sde_arm,
	.fetch = papi_sde_overflows,
};

static const struct papi_component_fork around_fork = {
	.prepare = fork_prepare,
	.parent = fork_parent,
	.child = fork_child,
};

const struct papi_component papi_sde_component = {
	.info = &info,
	.control_size = sizeof(struct papi_sde_control),
	.probe = probe,
	.survey = survey,
	.shutdown = forget,
	.event_name = event_name,
	.mask_name = mask_name,
	.resolve = resolve,
	.release = release,
	.describe = describe,
	.add = papi_sde_add,
	.remove = papi_sde_remove,
	.configure = papi_sde_configure,
	.start = papi_sde_start,
	.stop = papi_sde_stop,
	.read = papi_sde_read,
	.times = papi_sde_times,
	.close = papi_sde_close,
	.forked = papi_sde_forked,
	.unseen = &unseen,
	.overflow = &overflow,
	.fork = &around_fork,
};
