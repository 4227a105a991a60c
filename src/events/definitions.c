/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/definitions.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/component.h"
#include "base/error.h"
#include "events/names.h"
#include "events/natives.h"
#include "events/presets.h"
#include "events/tables.h"
#include "linux/machine/hardware.h"

static struct papi_definition *presets[PAPI_MAX_PRESET_EVENTS];
static unsigned n_presets = PAPI_PRESETS;
static struct papi_definition **user_events;
static unsigned n_user_events;

/* Counts replacements: what was resolved before the last one may be made of what is no more. */
static unsigned generation = 1;

static void unresolve(struct papi_definition *definition)
{
	free((void *)(uintptr_t)definition->event.natives);
	free((void *)(uintptr_t)definition->event.formula);
	definition->event = (struct papi_event){ 0 };
	definition->resolved = 0;
}

static void discard(struct papi_definition *definition)
{
	unresolve(definition);
	free(definition);
}

static size_t room_for(const char *string)
{
	return string ? strlen(string) + 1 : 0;
}

static const char *copy_string(char **to, const char *string)
{
	size_t length = room_for(string);
	char *copy = *to;

	if (!string)
		return NULL;
	memcpy(copy, string, length);
	*to += length;
	return copy;
}

/* Everything a definition owns is in one block: itself, the array of its terms, then all strings. */
static struct papi_definition *copy_source(const struct papi_definition_source *source)
{
	size_t size = sizeof(struct papi_definition) + source->n_terms * sizeof(char *) + room_for(source->symbol) +
		room_for(source->formula) + room_for(source->short_description) + room_for(source->description) +
		room_for(source->note);
	struct papi_definition *definition;
	const char **terms;
	char *to;

	for (unsigned i = 0; i < source->n_terms; i++)
		size += room_for(source->terms[i]);
	definition = malloc(size);
	if (!definition)
		return NULL;
	*definition = (struct papi_definition){ .source = *source };
	terms = (const char **)(definition + 1);
	to = (char *)(terms + source->n_terms);
	for (unsigned i = 0; i < source->n_terms; i++)
		terms[i] = copy_string(&to, source->terms[i]);
	definition->source.terms = terms;
	definition->source.symbol = copy_string(&to, source->symbol);
	definition->source.formula = copy_string(&to, source->formula);
	definition->source.short_description = copy_string(&to, source->short_description);
	definition->source.description = copy_string(&to, source->description);
	definition->source.note = copy_string(&to, source->note);
	return definition;
}

/* What `#` and the PS types mean; asked for only where they occur, since describing the hardware takes time. */
static double clock_hz(const struct papi_definition_source *source)
{
	bool used = source->derived == PAPI_DERIVED_PS || source->derived == PAPI_DERIVED_ADD_PS ||
		(source->formula && strchr(source->formula, '#'));
	const PAPI_hw_info_t *hardware = used ? papi_hardware_get() : NULL;

	return hardware ? hardware->cpu_max_mhz * 1e6 : 0;
}

/* Where the definition of a symbol is kept; NULL when the symbol is new (*code is 0) or that of a native. */
static struct papi_definition **place_of(const char *symbol, int *code)
{
	*code = 0;
	for (int i = 0; !strncmp(symbol, "PAPI_", 5) && i < PAPI_PRESETS; i++) {
		if (!strcmp(papi_presets[i].symbol, symbol)) {
			*code = (int)PAPI_PRESET_MASK | i;
			return &presets[i];
		}
	}
	if (!papi_names_find(symbol, code))
		return NULL;
	if ((*code & PAPI_UE_MASK) == PAPI_UE_MASK)
		return &user_events[*code & PAPI_UE_AND_MASK];
	return (*code & PAPI_UE_MASK) == (int)PAPI_PRESET_MASK ? &presets[*code & PAPI_PRESET_AND_MASK] : NULL;
}

static int new_preset(const char *symbol, struct papi_definition ***place, int *code)
{
	if (n_presets == PAPI_MAX_PRESET_EVENTS)
		return papi_error(
			PAPI_ENOTPRESET, "%s: the table of presets is full with %u events", symbol, n_presets);
	*code = (int)((unsigned)PAPI_PRESET_MASK | n_presets);
	*place = &presets[n_presets];
	if (!papi_names_add(symbol, *code, NULL))
		return papi_error(PAPI_ENOMEM, "no memory for the name %s", symbol);
	n_presets++;
	return PAPI_OK;
}

static int new_user_event(const char *symbol, struct papi_definition ***place, int *code)
{
	/* Room doubles whenever the number is a power of two. */
	if (!(n_user_events & (n_user_events - 1))) {
		unsigned room = n_user_events ? n_user_events * 2 : 1;
		struct papi_definition **larger = realloc(user_events, room * sizeof(*user_events));

		if (!larger)
			return papi_error(PAPI_ENOMEM, "no memory for the definition of %s", symbol);
		user_events = larger;
	}
	*code = (int)((unsigned)PAPI_UE_MASK | n_user_events);
	*place = &user_events[n_user_events];
	**place = NULL;
	if (!papi_names_add(symbol, *code, NULL))
		return papi_error(PAPI_ENOMEM, "no memory for the name %s", symbol);
	n_user_events++;
	return PAPI_OK;
}

/* "CPU_CLK_UNHALTED", "vpmu:::CYCLES", "PAPI_TOT_CYC". */
static bool names_cycles(const char *term)
{
	return strcasestr(term, "cyc") || strcasestr(term, "clk");
}

/* With the terms in another order the value is a rate of nothing, which nobody would notice. */
static int check_cycles(const struct papi_definition_source *source)
{
	bool rate = source->derived == PAPI_DERIVED_PS || source->derived == PAPI_DERIVED_ADD_PS;

	if (!rate || names_cycles(source->terms[0]))
		return PAPI_OK;
	return papi_error(PAPI_EINVAL,
		"%s: %s takes cycles first, PAPI_TOT_CYC or an event with CYC or CLK in its name, not %.128s",
		source->symbol, papi_derived_name(source->derived), source->terms[0]);
}

static int check_source(const struct papi_definition_source *source)
{
	struct papi_formula *formula;
	int status;

	if (!source->symbol || !*source->symbol || strlen(source->symbol) >= PAPI_HUGE_STR_LEN)
		return papi_error(PAPI_EINVAL, "an event needs a name of at most %d characters", PAPI_HUGE_STR_LEN - 1);
	/* Only to refuse a bad formula now; the one that counts is compiled with the real clock rate. */
	status = papi_formula_compile(source->derived, source->formula, source->n_terms, 1e9, &formula);
	if (status != PAPI_OK)
		return papi_error_prefix(status, "%s", source->symbol);
	free(formula);
	return check_cycles(source);
}

int papi_definition_make(
	const struct papi_definition_source *source, enum papi_definition_kind kind, bool replace, int *code)
{
	struct papi_definition *definition, **place;
	int status = check_source(source);

	if (status != PAPI_OK)
		return status;
	place = place_of(source->symbol, code);
	if (!place && *code & PAPI_NATIVE_MASK)
		return papi_error(PAPI_EINVAL, "%s is the name of a native event", source->symbol);
	if (place && *place && (*place)->holders)
		return papi_error(PAPI_EISRUN, "%s is in an EventSet and cannot be redefined now", source->symbol);
	if (place && *place && !replace)
		return papi_error(
			PAPI_EPERM, "%s is defined already; it is replaced only if that is asked for", source->symbol);
	definition = copy_source(source);
	if (!definition)
		return papi_error(PAPI_ENOMEM, "no memory for the definition of %s", source->symbol);
	if (!place)
		status = kind == PAPI_DEFINE_PRESET ? new_preset(source->symbol, &place, code)
						    : new_user_event(source->symbol, &place, code);
	if (status != PAPI_OK) {
		discard(definition);
		return status;
	}
	if (*place) {
		discard(*place);
		generation++;
	}
	definition->code = *code;
	*place = definition;
	return PAPI_OK;
}

static struct papi_definition *get_user_event(unsigned index, int code)
{
	if (index < n_user_events)
		return user_events[index];
	papi_error(PAPI_ENOEVNT, "0x%08x is not the code of a user event; there are %u", (unsigned)code, n_user_events);
	return NULL;
}

bool papi_definition_at_hand(int code)
{
	unsigned index = (unsigned)code & PAPI_PRESET_AND_MASK;

	if ((code & PAPI_UE_MASK) != (int)PAPI_PRESET_MASK || index >= PAPI_PRESETS)
		return false;
	if (!presets[index])
		papi_tables_load_one(papi_presets[index].symbol);
	return presets[index] != NULL;
}

struct papi_definition *papi_definition_get(int code)
{
	unsigned index = (unsigned)code & PAPI_PRESET_AND_MASK;

	if (papi_definition_at_hand(code))
		return presets[index];
	papi_tables_load();
	if ((code & PAPI_UE_MASK) == PAPI_UE_MASK)
		return get_user_event((unsigned)code & PAPI_UE_AND_MASK, code);
	if (index >= n_presets) {
		papi_error(PAPI_ENOTPRESET, "0x%08x is not the code of a preset; the last is 0x%08x", (unsigned)code,
			(unsigned)PAPI_PRESET_MASK | (n_presets - 1));
		return NULL;
	}
	if (!presets[index] && papi_tables_lost(papi_presets[index].symbol) == PAPI_OK)
		papi_error(PAPI_ENOEVNT, "%s is not defined for this CPU", papi_presets[index].symbol);
	return presets[index];
}

unsigned papi_definition_user_events(void)
{
	papi_tables_load();
	return n_user_events;
}

unsigned papi_definition_presets(void)
{
	papi_tables_load();
	return n_presets;
}

/* A term is a preset or user event, or else a native. */
static int resolve_term(const char *name, struct papi_event *event)
{
	struct papi_native *native;
	int code, status;

	if (place_of(name, &code)) {
		struct papi_definition *definition = papi_definition_get(code);

		if (!definition)
			return papi_error_code();
		status = papi_definition_resolve(definition);
		if (status == PAPI_OK)
			*event = definition->event;
		return status;
	}
	status = papi_native_find(name, &native);
	if (status == PAPI_OK)
		status = papi_native_resolve(native);
	if (status == PAPI_OK)
		*event = (struct papi_event){ .code = native->code, .n_natives = 1, .natives = &native->self };
	return status;
}

/* The union of all terms' natives into event, and for each term where its natives are in it. */
static int collect_natives(unsigned n_terms, const struct papi_event terms[], struct papi_event *event, unsigned **maps)
{
	const struct papi_native **natives;
	unsigned most = 0, n = 0;

	for (unsigned i = 0; i < n_terms; i++)
		most += terms[i].n_natives;
	/* NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI): every term has natives */
	natives = calloc(most, sizeof(*natives));
	if (!natives)
		return papi_error(PAPI_ENOMEM, "no memory for the terms of a derived event");
	event->natives = natives;
	for (unsigned i = 0; i < n_terms; i++) {
		maps[i] = calloc(terms[i].n_natives, sizeof(*maps[i]));
		if (!maps[i])
			return papi_error(PAPI_ENOMEM, "no memory for the terms of a derived event");
		for (unsigned j = 0; j < terms[i].n_natives; j++) {
			unsigned k = 0;

			while (k < n && natives[k] != terms[i].natives[j])
				k++;
			if (k == n)
				natives[n++] = terms[i].natives[j];
			maps[i][j] = k;
		}
	}
	event->n_natives = n;
	return PAPI_OK;
}

/* With what the machine tells. The formula is good: what is missing is missing here. */
static int compile(const struct papi_definition_source *source, struct papi_formula **formula)
{
	int status = papi_formula_compile(source->derived, source->formula, source->n_terms, clock_hz(source), formula);

	return status == PAPI_OK
		? PAPI_OK
		: papi_error_prefix(status == PAPI_EINVAL ? PAPI_ENOEVNT : status, "%.128s", source->symbol);
}

static int flatten(struct papi_definition *definition, const struct papi_event terms[])
{
	const struct papi_definition_source *source = &definition->source;
	const struct papi_formula **inner = calloc(source->n_terms, sizeof(*inner));
	unsigned **maps = calloc(source->n_terms, sizeof(*maps));
	struct papi_formula *outer = NULL, *flat = NULL;
	int status = inner && maps ? PAPI_OK : papi_error(PAPI_ENOMEM, "no memory for the terms of %s", source->symbol);

	if (status == PAPI_OK)
		status = collect_natives(source->n_terms, terms, &definition->event, maps);
	if (status == PAPI_OK)
		status = compile(source, &outer);
	if (status == PAPI_OK) {
		for (unsigned i = 0; i < source->n_terms; i++)
			inner[i] = terms[i].formula;
		status = papi_formula_inline(outer, inner, (const unsigned *const *)maps, &flat);
	}
	if (status == PAPI_OK) {
		definition->event.code = definition->code;
		definition->event.definition = definition;
		if (flat->n_steps == 1 && flat->steps[0].operation == PAPI_TERM && definition->event.n_natives == 1) {
			free(flat);
			flat = NULL;
		}
		definition->event.formula = flat;
		definition->resolved = generation;
	} else {
		unresolve(definition);
	}
	for (unsigned i = 0; maps && i < source->n_terms; i++)
		free(maps[i]);
	free(maps);
	free(inner);
	free(outer);
	return status;
}

/* Resolving goes as deep into the stack as definitions use each other. */
#define MOST_NESTED 64
static int depth;

/* Nobody asked for a term of the library's own: what is in the way of all presets is said of the preset. */
static void refuse(const struct papi_definition_source *source, const char *term, int status)
{
	const char *reason;

	papi_error_prefix(status, "%.128s needs %.128s", source->symbol, term);
	if (status != PAPI_ENOEVNT || depth > 1 || !source->built_in)
		return;
	reason = papi_component_no_stand_in();
	if (reason)
		papi_error(status,
			"%.128s cannot be counted: the CPU has no counters here, and the virtual PMU, which needs "
			"none, does not count: %s",
			source->symbol, reason);
}

int papi_definition_resolve(struct papi_definition *definition)
{
	const struct papi_definition_source *source = &definition->source;
	struct papi_event *terms;
	int status = PAPI_OK;

	if (definition->resolved == generation || (definition->resolved && definition->holders))
		return PAPI_OK;
	if (definition->resolved)
		unresolve(definition);
	if (definition->resolving)
		return papi_error(PAPI_EINVAL, "%s again: the definition goes round in a circle", source->symbol);
	if (depth == MOST_NESTED)
		return papi_error(
			PAPI_EINVAL, "%s: definitions are nested more than %d deep", source->symbol, MOST_NESTED);
	terms = calloc(source->n_terms, sizeof(*terms));
	if (!terms)
		return papi_error(PAPI_ENOMEM, "no memory for the terms of %s", source->symbol);
	definition->resolving = true;
	depth++;
	for (unsigned i = 0; status == PAPI_OK && i < source->n_terms; i++) {
		status = resolve_term(source->terms[i], &terms[i]);
		if (status != PAPI_OK)
			refuse(source, source->terms[i], status);
	}
	if (status == PAPI_OK)
		status = flatten(definition, terms);
	definition->resolving = false;
	depth--;
	free(terms);
	return status;
}

void papi_definitions_clear(void)
{
	for (unsigned i = 0; i < n_presets; i++) {
		if (presets[i])
			discard(presets[i]);
		presets[i] = NULL;
	}
	for (unsigned i = 0; i < n_user_events; i++)
		discard(user_events[i]);
	free(user_events);
	user_events = NULL;
	n_user_events = 0;
	n_presets = PAPI_PRESETS;
	papi_tables_clear();
}
