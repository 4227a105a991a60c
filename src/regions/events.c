/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What regions count: the names in PAPI_EVENTS and what the metrics of PAPI_METRICS need, or else what this machine can
 * count of a short list.
 *
 * The events are chosen once, by trying: they are added to an EventSet, which is started and read, since a counter that
 * somebody else holds shows only then. What the user has asked for by name and cannot have is told on standard error
 * and in the results, and the rest is counted. Of the default list only what works is taken, without a word.
 */
#include "regions/regions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/api.h"
#include "events/events.h"

struct papi_region_events papi_region_events;

/* Time of the thread first, since it is there everywhere; then what derived rates are made of. */
static const char *const preferred[] = { "perf::TASK-CLOCK", "PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_FP_OPS" };
/* Without hardware counters: what the kernel counts. */
static const char *const software[] = { "perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS" };
/* Without perf events. */
static const char *const accounted[] = { "rusage:::utime", "rusage:::stime", "rusage:::minflt", "rusage:::nvcsw",
	"rusage:::nivcsw" };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- The list ---- */

static int no_memory(void)
{
	return papi_error(PAPI_ENOMEM, "no memory for the events of regions");
}

/* By its name only; "=instant" and "=delta" behind it say which value counts. */
static int append(const char *text, size_t length)
{
	static const char instant[] = "=instant", delta[] = "=delta";
	struct papi_region_event *events = realloc(
		papi_region_events.events, (papi_region_events.n + 1) * sizeof(*events));
	struct papi_region_event event = { 0 };
	char *name = strndup(text, length);

	if (events)
		papi_region_events.events = events;
	if (!events || !name) {
		free(name);
		return no_memory();
	}
	if (length > strlen(instant) && strcasecmp(name + length - strlen(instant), instant) == 0) {
		event.instant = true;
		name[length - strlen(instant)] = '\0';
	} else if (length > strlen(delta) && strcasecmp(name + length - strlen(delta), delta) == 0) {
		name[length - strlen(delta)] = '\0';
	}
	event.name = name;
	events[papi_region_events.n++] = event;
	return PAPI_OK;
}

/*
 * A comma ends a name, but between the slashes of cpu/event=0x3c,umask=0/. The slash of mem:0x601040/8 opens nothing.
 */
static size_t name_length(const char *text)
{
	bool pairs = strncasecmp(text, "mem:", 4) != 0, open = false;
	size_t i;

	for (i = 0; text[i] && (open || text[i] != ','); i++)
		if (text[i] == '/' && pairs)
			open = !open;
	return i;
}

/* An event that metrics need, unless it is there already. */
static int append_for_metric(const char *name)
{
	int status;

	for (unsigned i = 0; i < papi_region_events.n; i++)
		if (strcmp(papi_region_events.events[i].name, name) == 0)
			return PAPI_OK;
	status = append(name, strlen(name));
	if (status == PAPI_OK)
		papi_region_events.events[papi_region_events.n - 1].of_metric = true;
	return status;
}

static int parse(const char *text)
{
	int status = PAPI_OK;

	while (status == PAPI_OK && *text) {
		size_t length = name_length(text), blanks = 0;

		while (blanks < length && isspace((unsigned char)text[blanks]))
			blanks++;
		while (length > blanks && isspace((unsigned char)text[length - 1]))
			length--;
		if (length > blanks)
			status = append(text + blanks, length - blanks);
		text += name_length(text);
		text += *text == ',';
	}
	return status;
}

static int append_all(const char *const names[], size_t n)
{
	int status = PAPI_OK;

	for (size_t i = 0; i < n && status == PAPI_OK; i++)
		status = append(names[i], strlen(names[i]));
	return status;
}

/* Takes an event out. reason: why, to be told; NULL: not to be mentioned. */
static void refuse(unsigned position, const char *reason)
{
	struct papi_region_events *all = &papi_region_events;
	const char *source = all->events[position].of_metric ? "PAPI_METRICS" : "PAPI_EVENTS";
	char *name = all->events[position].name;
	struct papi_region_refusal *refused;

	memmove(&all->events[position], &all->events[position + 1], (--all->n - position) * sizeof(all->events[0]));
	refused = reason ? realloc(all->refused, (all->n_refused + 1) * sizeof(*refused)) : NULL;
	if (reason)
		papi_region_warn("%s of %s is not counted in regions: %s", name, source, reason);
	if (!refused) {
		free(name);
		return;
	}
	all->refused = refused;
	refused[all->n_refused++] = (struct papi_region_refusal){ .name = name, .reason = strdup(reason) };
}

/* ---- Trying ---- */

/*
 * Not the functions of the API: those would report a refusal that is only a question, or end the program with it, where
 * the program has called PAPI_set_debug().
 */
static int make_set(int *EventSet)
{
	struct papi_eventset *set;
	int status = papi_library_enter();

	*EventSet = PAPI_NULL;
	if (status != PAPI_OK)
		return status;
	set = papi_eventset_create();
	status = set ? papi_handle_create(set, EventSet) : PAPI_ENOMEM;
	if (set && status != PAPI_OK)
		papi_eventset_free(set);
	papi_library_leave();
	if (status == PAPI_OK && papi_region_events.multiplex)
		status = PAPI_multiplex_init();
	if (status == PAPI_OK && papi_region_events.multiplex)
		status = PAPI_set_multiplex(*EventSet);
	return status;
}

static int change(int EventSet, const char *name, int (*operation)(struct papi_eventset *set, int code))
{
	struct papi_slot *slot;
	int code, status = papi_enter(EventSet, &slot);

	if (status != PAPI_OK)
		return status;
	status = papi_event_code(name, &code);
	if (status == PAPI_OK)
		status = operation(slot->set, code);
	papi_leave(slot);
	return status;
}

static int start(int EventSet)
{
	struct papi_slot *slot;
	int status = papi_handle_enter(EventSet, &slot);

	if (status != PAPI_OK)
		return status;
	status = papi_count_start(slot->set, NULL);
	papi_handle_leave(slot);
	return status;
}

/* Whether the counters count; if not, the set is stopped. */
static int try_to_read(int EventSet, long long values[])
{
	struct papi_slot *slot;
	int status = papi_handle_enter(EventSet, &slot);

	if (status != PAPI_OK)
		return status;
	status = papi_count_read(slot->set, values);
	if (status == PAPI_OK) {
		papi_handle_leave(slot);
		return PAPI_OK;
	}
	papi_error_keep();
	papi_count_stop_and_leave(slot, NULL);
	papi_error_restore();
	return status;
}

/* What happens in a second is no count: it grows by nothing that belongs to the region. */
static int add_count(struct papi_eventset *set, int code)
{
	PAPI_event_info_t info = { 0 };

	if (papi_event_describe(code, &info) == PAPI_OK && strstr(info.derived, "_PS"))
		return papi_error(PAPI_EINVAL, "it is a rate, and regions add up counts: count what it is made of");
	return papi_eventset_add(set, code);
}

/* Adds what can be added, and refuses the rest. */
static void try_to_add(int EventSet, bool asked_for)
{
	unsigned i = 0;

	while (i < papi_region_events.n) {
		int status = change(EventSet, papi_region_events.events[i].name, add_count);

		if (status == PAPI_OK)
			i++;
		else
			refuse(i, asked_for ? papi_error_sentence() : NULL);
	}
}

/* From the end of the list, until those that are left can be counted together. Multiplexed ones begin at their time. */
static void try_to_count(int EventSet, bool asked_for)
{
	while (papi_region_events.n) {
		long long values[papi_region_events.n];
		int status = start(EventSet);

		if (status == PAPI_OK && !papi_region_events.multiplex)
			status = try_to_read(EventSet, values);
		if (status == PAPI_OK)
			return;
		papi_error_keep();
		change(EventSet, papi_region_events.events[papi_region_events.n - 1].name, papi_eventset_remove);
		papi_error_restore();
		refuse(papi_region_events.n - 1, asked_for ? papi_error_sentence() : NULL);
	}
}

static int try_all(bool asked_for)
{
	int EventSet, status = papi_region_events.n ? make_set(&EventSet) : PAPI_OK;

	if (!papi_region_events.n)
		return PAPI_OK;
	if (status != PAPI_OK && papi_region_events.multiplex) {
		papi_region_warn("PAPI_MULTIPLEX has no effect on regions: %s", papi_error_sentence());
		papi_region_events_discard(&EventSet);
		papi_region_events.multiplex = false;
		status = make_set(&EventSet);
	}
	if (status != PAPI_OK)
		return status;
	try_to_add(EventSet, asked_for);
	try_to_count(EventSet, asked_for);
	papi_region_events_discard(&EventSet);
	return PAPI_OK;
}

/* ---- Choosing ---- */

static int choose_defaults(void)
{
	int status = append_all(preferred, COUNT_OF(preferred));

	if (status == PAPI_OK)
		status = try_all(false);
	if (status == PAPI_OK && papi_region_events.n <= 1) {
		status = append_all(software, COUNT_OF(software));
		if (status == PAPI_OK)
			status = try_all(false);
	}
	if (status == PAPI_OK && papi_region_events.n == 0) {
		status = append_all(accounted, COUNT_OF(accounted));
		if (status == PAPI_OK)
			status = try_all(false);
	}
	return status;
}

/* What the results say about an event, but for what depends on the others. */
static bool describe_event(struct papi_region_event *event)
{
	PAPI_event_info_t info = { 0 };
	bool is_virtual = false;
	int code;

	event->kind = "exact";
	if (papi_library_enter() != PAPI_OK)
		return false;
	if (papi_event_code(event->name, &code) == PAPI_OK && papi_event_describe(code, &info) == PAPI_OK) {
		event->component = papi_event_component(code);
		event->instant |= info.timescope == PAPI_TIMESCOPE_POINT;
		snprintf(event->units, sizeof(event->units), "%.31s", info.units);
		event->kind = papi_event_kind(code);
		is_virtual = papi_event_is_virtual(code);
	}
	papi_library_leave();
	return is_virtual;
}

/* Virtual counters never take turns, and the kernel counts what they cost. */
static int describe(void)
{
	struct papi_region_events *all = &papi_region_events;
	bool *is_virtual = calloc(all->n + 1, sizeof(is_virtual[0]));

	all->instant = calloc(all->n + 1, sizeof(all->instant[0]));
	if (!all->instant || !is_virtual) {
		free(is_virtual);
		return no_memory();
	}
	for (unsigned i = 0; i < all->n; i++) {
		is_virtual[i] = describe_event(&all->events[i]);
		all->slowed |= is_virtual[i];
		all->instant[i] = all->events[i].instant;
	}
	for (unsigned i = 0; i < all->n; i++)
		if (!is_virtual[i] && (all->multiplex || all->slowed))
			all->events[i].kind = all->multiplex ? "estimated" : "affected";
	free(is_virtual);
	return PAPI_OK;
}

int papi_region_events_choose(void)
{
	const char *names = secure_getenv("PAPI_EVENTS"), *shared = secure_getenv("PAPI_MULTIPLEX");
	int status = PAPI_OK;

	if (papi_region_events.chosen)
		return PAPI_OK;
	papi_region_events.multiplex = shared && *shared && strcmp(shared, "0") != 0;
	if (names)
		status = parse(names);
	if (status == PAPI_OK)
		status = papi_region_metrics_choose(append_for_metric);
	if (status == PAPI_OK)
		status = papi_region_events.n ? try_all(true) : choose_defaults();
	if (status == PAPI_OK)
		status = describe();
	if (status != PAPI_OK) {
		papi_region_events_free();
		return status;
	}
	if (names && papi_region_events.n == 0)
		papi_region_warn("no event of PAPI_EVENTS can be counted: regions have times only");
	papi_region_events.chosen = true;
	return PAPI_OK;
}

void papi_region_events_free(void)
{
	struct papi_region_events *all = &papi_region_events;

	for (unsigned i = 0; i < all->n; i++)
		free(all->events[i].name);
	for (unsigned i = 0; i < all->n_refused; i++) {
		free(all->refused[i].name);
		free(all->refused[i].reason);
	}
	free(all->events);
	free(all->refused);
	free(all->instant);
	*all = (struct papi_region_events){ 0 };
	papi_region_metrics_free();
}

/* ---- The EventSet of a thread ---- */

int papi_region_events_start(int *EventSet)
{
	int status;

	*EventSet = PAPI_NULL;
	if (!papi_region_events.n)
		return PAPI_OK;
	status = make_set(EventSet);
	for (unsigned i = 0; i < papi_region_events.n && status == PAPI_OK; i++)
		status = change(*EventSet, papi_region_events.events[i].name, papi_eventset_add);
	if (status == PAPI_OK)
		status = start(*EventSet);
	if (status != PAPI_OK) {
		papi_error_keep();
		papi_region_events_discard(EventSet);
		papi_error_restore();
	}
	return status;
}

/* It may be gone: with PAPI_shutdown(). */
void papi_region_events_discard(int *EventSet)
{
	struct papi_slot *slot;

	if (*EventSet == PAPI_NULL)
		return;
	papi_error_keep();
	if (papi_enter(*EventSet, &slot) == PAPI_OK) {
		struct papi_eventset *set = slot->set;

		papi_handle_destroy(slot);
		papi_eventset_free(set);
		papi_library_leave();
	}
	papi_error_restore();
	*EventSet = PAPI_NULL;
}
