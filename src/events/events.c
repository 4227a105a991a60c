/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/events.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/component.h"
#include "base/error.h"
#include "base/lock.h"
#include "events/definitions.h"
#include "events/names.h"
#include "events/natives.h"
#include "events/presets.h"
#include "events/tables.h"

/* The events mutex: whatever adds names, natives or definitions, or resolves them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned surveyed; /* bit per component whose description is complete */

/* For whatever may ask components about names. */
static void lock_and_prepare(void)
{
	for (int i = 0; i < papi_component_count; i++)
		if (papi_components[i]->prepare)
			papi_components[i]->prepare();
	papi_lock(&lock);
}

static bool is_native(int code)
{
	return (code & PAPI_UE_MASK) == PAPI_NATIVE_MASK;
}

static bool is_user_event(int code)
{
	return (code & PAPI_UE_MASK) == PAPI_UE_MASK;
}

static bool is_preset(int code)
{
	return (code & PAPI_UE_MASK) == (int)PAPI_PRESET_MASK;
}

/* For questions about one event, which mostly need no names. */
static void lock_for(int code)
{
	papi_lock(&lock);
	if (is_native(code) || papi_definition_at_hand(code))
		return;
	papi_unlock(&lock);
	lock_and_prepare();
}

static int check_kind(int code)
{
	if (code & PAPI_UE_MASK)
		return PAPI_OK;
	return papi_error(
		PAPI_EINVAL, "0x%08x is no event code: it has neither the preset nor the native bit", (unsigned)code);
}

static bool preset_code(const char *name, int *code)
{
	for (int i = 0; i < PAPI_PRESETS; i++) {
		if (!strcasecmp(papi_presets[i].symbol, name)) {
			*code = (int)PAPI_PRESET_MASK | i;
			return true;
		}
	}
	return false;
}

/* A name that no component can count: the tables may define it, or have lost it, which is then the reason to tell. */
static bool defined_code(const char *name, int *code)
{
	papi_tables_load();
	if (papi_names_find(name, code))
		return true;
	papi_tables_lost(name);
	return false;
}

int papi_event_code(const char *name, int *code)
{
	struct papi_native *native;
	int status = PAPI_OK;

	if (papi_names_find(name, code))
		return PAPI_OK;
	if (preset_code(name, code) || papi_native_component(name) > 0)
		papi_lock(&lock);
	else
		lock_and_prepare();
	/* NOLINTNEXTLINE(bugprone-branch-clone): the order matters */
	if (papi_names_find(name, code)) {
		/* Another thread was first. */
	} else if (preset_code(name, code)) {
		papi_names_add(name, *code, NULL);
	} else if (papi_tables_have_user_events() && papi_names_find(name, code)) {
		/* The user's names come before those that components would make something of. */
	} else {
		status = papi_native_find(name, &native);
		if (status == PAPI_OK)
			*code = native->code;
		else if (defined_code(name, code))
			status = PAPI_OK;
		else
			status = papi_error_code();
	}
	papi_unlock(&lock);
	return status;
}

int papi_event_get(int code, struct papi_event *event)
{
	int status = check_kind(code);

	if (status != PAPI_OK)
		return status;
	lock_for(code);
	if (is_native(code)) {
		struct papi_native *native = papi_native_get(code);

		status = native ? papi_native_resolve(native) : PAPI_ENOEVNT;
		if (status == PAPI_OK)
			*event = (struct papi_event){ .code = code, .n_natives = 1, .natives = &native->self };
	} else {
		struct papi_definition *definition = papi_definition_get(code);

		status = definition ? papi_definition_resolve(definition) : papi_error_code();
		if (status == PAPI_OK)
			*event = definition->event;
	}
	papi_unlock(&lock);
	return status;
}

void papi_event_hold(const struct papi_event *event, int change)
{
	if (!event->definition)
		return;
	papi_lock(&lock);
	event->definition->holders += change;
	papi_unlock(&lock);
}

const char *papi_event_name(int code)
{
	const char *name = NULL;

	if (check_kind(code) != PAPI_OK)
		return NULL;
	if (is_native(code)) {
		struct papi_native *native = papi_native_get(code);

		return native ? native->name : NULL;
	}
	if (is_preset(code) && (code & PAPI_PRESET_AND_MASK) < PAPI_PRESETS)
		return papi_presets[code & PAPI_PRESET_AND_MASK].symbol;
	lock_for(code);
	if (papi_definition_get(code))
		name = papi_definition_get(code)->source.symbol;
	papi_unlock(&lock);
	return name;
}

/* After papi_error_keep(): a success leaves no trace of what was tried on the way. */
static int settle(int status)
{
	if (status >= 0)
		papi_error_restore();
	else
		papi_error_drop();
	return status;
}

int papi_event_component(int code)
{
	struct papi_event event;
	struct papi_native *native;
	int status = check_kind(code);

	if (status != PAPI_OK)
		return status;
	if (is_native(code)) {
		native = papi_native_get(code);
		return native ? native->component : PAPI_ENOEVNT;
	}
	papi_error_keep();
	status = papi_event_get(code, &event);
	/* A preset that cannot be counted here would be the CPU's. */
	if (status == PAPI_ENOEVNT && is_preset(code) && papi_event_name(code))
		status = PAPI_OK;
	else if (status == PAPI_OK)
		status = event.natives[0]->component;
	return settle(status);
}

static int end_of_list(void)
{
	return papi_error(PAPI_ENOEVNT, "there are no more events");
}

/* The native listed at a position of a component, or of a later one when all are wanted. */
static int list_native(int component, unsigned position, bool all, int *code)
{
	char name[PAPI_HUGE_STR_LEN];
	struct papi_native *native;
	int status = PAPI_ENOEVNT;

	for (; component < papi_component_count; component++, position = 0) {
		status = papi_component_check(papi_components[component]) == PAPI_OK
			? papi_components[component]->event_name(position, name, sizeof(name))
			: PAPI_ENOEVNT;
		if (status == PAPI_OK || !all)
			break;
	}
	if (status != PAPI_OK)
		return !all && papi_component_check(papi_components[component]) != PAPI_OK ? papi_error_code()
											   : end_of_list();
	status = papi_native_list(component, name, &native);
	if (status == PAPI_OK) {
		native->listed = (int)position;
		*code = native->code;
	}
	return status;
}

/*
 * Programs of old begin at the bare mask and ask for its name before they enumerate (the example of PAPI_enum_event):
 * it stands for the first of the listing.
 */
static struct papi_native *native_or_first(int code)
{
	if (code == PAPI_NATIVE_MASK)
		list_native(0, 0, true, &code);
	return papi_native_get(code);
}

static void set_text(char *field, size_t size, const char *text)
{
	snprintf(field, size, "%s", text ? text : "");
}

static int describe_native(int code, PAPI_event_info_t *info)
{
	struct papi_native *native = native_or_first(code);

	if (!native)
		return PAPI_ENOEVNT;
	set_text(info->symbol, sizeof(info->symbol), native->name);
	info->component_index = native->component;
	info->count = 1;
	set_text(info->name[0], sizeof(info->name[0]), native->name);
	papi_native_resolve(native);
	return papi_components[native->component]->describe(
		native->component_name, native->status == PAPI_OK ? native->encoding : NULL, info);
}

static void describe_definition(const struct papi_definition *definition, PAPI_event_info_t *info)
{
	const struct papi_definition_source *source = &definition->source;

	set_text(info->symbol, sizeof(info->symbol), source->symbol);
	if (source->short_description)
		set_text(info->short_descr, sizeof(info->short_descr), source->short_description);
	if (source->description)
		set_text(info->long_descr, sizeof(info->long_descr), source->description);
	set_text(info->note, sizeof(info->note), source->note);
	for (unsigned i = 0; i < source->n_terms && i < PAPI_MAX_INFO_TERMS; i++) {
		struct papi_native *native;

		set_text(info->name[i], sizeof(info->name[i]), source->terms[i]);
		if (papi_native_find(source->terms[i], &native) == PAPI_OK)
			info->code[i] = (unsigned)native->code;
	}
}

/* Presets that tables have added belong to no other class. */
static unsigned type_of(int index)
{
	return index < PAPI_PRESETS ? papi_presets[index].type : PAPI_PRESET_BIT_MSC;
}

/* A count of 0 natives says that the event is not available here, and then the note says why. */
static int describe_derived(int code, PAPI_event_info_t *info)
{
	struct papi_definition *definition;
	int status;

	if (is_preset(code))
		info->event_type = type_of(code & PAPI_PRESET_AND_MASK);
	if (is_preset(code) && (code & PAPI_PRESET_AND_MASK) < PAPI_PRESETS) {
		const struct papi_preset *preset = &papi_presets[code & PAPI_PRESET_AND_MASK];

		set_text(info->symbol, sizeof(info->symbol), preset->symbol);
		set_text(info->short_descr, sizeof(info->short_descr), preset->short_description);
		set_text(info->long_descr, sizeof(info->long_descr), preset->description);
	}
	definition = papi_definition_get(code);
	if (!definition) {
		/* A preset without definition still has a meaning to tell. */
		if (!is_preset(code) || papi_error_code() != PAPI_ENOEVNT)
			return papi_error_code();
		set_text(info->note, sizeof(info->note), papi_error_sentence());
		return PAPI_OK;
	}
	describe_definition(definition, info);
	set_text(info->derived, sizeof(info->derived), papi_derived_name(definition->source.derived));
	set_text(info->postfix, sizeof(info->postfix), definition->source.formula);
	status = papi_definition_resolve(definition);
	if (status != PAPI_OK) {
		set_text(info->note, sizeof(info->note), papi_error_sentence());
		return PAPI_OK;
	}
	/* Programs loop to count over arrays that have no more than these. */
	info->count = definition->source.n_terms < PAPI_MAX_INFO_TERMS ? definition->source.n_terms
								       : PAPI_MAX_INFO_TERMS;
	info->component_index = definition->event.natives[0]->component;
	return PAPI_OK;
}

int papi_event_describe(int code, PAPI_event_info_t *info)
{
	int status = check_kind(code);

	if (status != PAPI_OK)
		return status;
	memset(info, 0, sizeof(*info));
	info->event_code = (unsigned)code;
	papi_error_keep();
	lock_for(code);
	status = is_native(code) ? describe_native(code, info) : describe_derived(code, info);
	papi_unlock(&lock);
	return settle(status);
}

static unsigned preset_type_of_modifier(int modifier)
{
	return modifier >= PAPI_PRESET_ENUM_MSC && modifier <= PAPI_PRESET_ENUM_FP ? 1u << modifier : 0;
}

static int count_presets(void)
{
	unsigned n;

	lock_and_prepare();
	n = papi_definition_presets();
	papi_unlock(&lock);
	return (int)n;
}

/* Presets: all, those available, or those of a category. */
static int enumerate_presets(int *code, int modifier)
{
	int index = modifier == PAPI_ENUM_FIRST ? 0 : (*code & PAPI_PRESET_AND_MASK) + 1;
	unsigned type = preset_type_of_modifier(modifier);
	struct papi_event event;

	if (modifier != PAPI_ENUM_FIRST && modifier != PAPI_ENUM_EVENTS && modifier != PAPI_PRESET_ENUM_AVAIL && !type)
		return papi_error(PAPI_EINVAL, "modifier %d does not enumerate presets", modifier);
	for (; index < count_presets(); index++) {
		int candidate = (int)PAPI_PRESET_MASK | index;

		if ((type && !(type_of(index) & type)) ||
			(modifier == PAPI_PRESET_ENUM_AVAIL && papi_event_get(candidate, &event) != PAPI_OK))
			continue;
		*code = candidate;
		return PAPI_OK;
	}
	return end_of_list();
}

static int enumerate_user_events(int *code, int modifier)
{
	unsigned index = modifier == PAPI_ENUM_FIRST ? 0 : (unsigned)(*code & PAPI_UE_AND_MASK) + 1, n;
	struct papi_event event;

	if (modifier != PAPI_ENUM_FIRST && modifier != PAPI_ENUM_EVENTS && modifier != PAPI_PRESET_ENUM_AVAIL)
		return papi_error(PAPI_EINVAL, "modifier %d does not enumerate user events", modifier);
	lock_and_prepare();
	n = papi_definition_user_events();
	papi_unlock(&lock);
	for (; index < n; index++) {
		int candidate = (int)((unsigned)PAPI_UE_MASK | index);

		if (modifier == PAPI_PRESET_ENUM_AVAIL && papi_event_get(candidate, &event) != PAPI_OK)
			continue;
		*code = candidate;
		return PAPI_OK;
	}
	return end_of_list();
}

static int list_mask(struct papi_native *event, unsigned position, int *code)
{
	char name[PAPI_HUGE_STR_LEN];
	struct papi_native *native;
	const struct papi_component *component = papi_components[event->component];
	int status = component->mask_name ? component->mask_name(event->component_name, position, name, sizeof(name))
					  : PAPI_ENOEVNT;

	if (status == PAPI_OK)
		status = papi_native_list(event->component, name, &native);
	if (status != PAPI_OK)
		return end_of_list();
	native->mask = (int)position;
	native->mask_of = event->code;
	*code = native->code;
	return PAPI_OK;
}

static int enumerate_natives(int *code, int modifier, int component)
{
	int first = component >= 0 ? component : 0;
	struct papi_native *native;

	if (modifier == PAPI_ENUM_FIRST)
		return list_native(first, 0, component < 0, code);
	native = native_or_first(*code);
	if (!native)
		return PAPI_ENOEVNT;
	if (component >= 0 && native->component != component)
		return papi_error(PAPI_EINVAL, "%s is not an event of component %d", native->name, component);
	if (modifier == PAPI_ENUM_EVENTS) {
		/* A native used by name before it was listed has no place in the listing yet: begin there. */
		return list_native(native->listed < 0 ? first : native->component, (unsigned)(native->listed + 1),
			component < 0, code);
	}
	if (modifier == PAPI_NTV_ENUM_UMASKS) {
		if (native->mask < 0)
			return list_mask(native, 0, code);
		return list_mask(papi_native_get(native->mask_of), (unsigned)native->mask + 1, code);
	}
	return papi_error(PAPI_EINVAL, "modifier %d does not enumerate native events of this CPU", modifier);
}

int papi_event_enumerate(int *code, int modifier, int component)
{
	int status = check_kind(*code);

	if (status != PAPI_OK)
		return status;
	papi_error_keep();
	if (is_user_event(*code)) {
		status = enumerate_user_events(code, modifier);
	} else if (is_preset(*code)) {
		status = enumerate_presets(code, modifier);
	} else {
		lock_and_prepare();
		status = enumerate_natives(code, modifier, component);
		papi_unlock(&lock);
	}
	return settle(status);
}

int papi_event_define(const struct papi_definition_source *source, bool replace, int *code)
{
	int status;

	lock_and_prepare();
	papi_tables_load();
	status = papi_definition_make(source, PAPI_DEFINE_PRESET, replace, code);
	surveyed = 0;
	papi_unlock(&lock);
	return status;
}

int papi_event_read_presets(const char *path, bool replace)
{
	int status;

	lock_and_prepare();
	status = papi_tables_read_presets(path, replace);
	surveyed = 0;
	papi_unlock(&lock);
	return status;
}

int papi_event_read_user_events(const char *path)
{
	int status;

	lock_and_prepare();
	status = papi_tables_read_user_events(path);
	papi_unlock(&lock);
	return status;
}

/* Presets that one of two components counts. */
static int count_available(int component, int other)
{
	int n = 0;

	for (unsigned i = 0; i < papi_definition_presets(); i++) {
		struct papi_definition *definition = papi_definition_get((int)((unsigned)PAPI_PRESET_MASK | i));

		if (definition && papi_definition_resolve(definition) == PAPI_OK) {
			int counted_by = definition->event.natives[0]->component;

			n += counted_by == component || counted_by == other;
		}
	}
	return n;
}

static int larger(int one, int other)
{
	return one > other ? one : other;
}

/* Programs ask component 0 how many presets there are and how many of them count at once, whichever component counts
 * them. */
static void survey_presets(int component)
{
	PAPI_component_info_t *info = papi_components[component]->info;
	int other = component ? -1 : papi_component_stand_in();

	info->num_preset_events = count_available(component, other);
	if (other >= 0) {
		info->num_cntrs = larger(info->num_cntrs, papi_components[other]->info->num_cntrs);
		info->num_mpx_cntrs = larger(info->num_mpx_cntrs, papi_components[other]->info->num_mpx_cntrs);
	}
}

void papi_events_survey(int component)
{
	const struct papi_component *surveyed_one = papi_components[component];

	papi_error_keep();
	lock_and_prepare();
	if (!(surveyed & 1u << component)) {
		if (surveyed_one->survey && !surveyed_one->info->disabled)
			surveyed_one->survey(surveyed_one->info);
		survey_presets(component);
		surveyed |= 1u << component;
	}
	papi_unlock(&lock);
	papi_error_restore();
}

void papi_events_shutdown(void)
{
	papi_lock(&lock);
	surveyed = 0;
	papi_definitions_clear();
	papi_natives_clear();
	papi_names_clear();
	papi_unlock(&lock);
}

/* The position in the list of kinds of a note's first word; a note without one is of an exact count. */
static size_t kind_of_native(const struct papi_native *native, const char *const kinds[], size_t n)
{
	PAPI_event_info_t info = { 0 };
	size_t length;

	if (papi_event_describe(native->code, &info) != PAPI_OK)
		return 0;
	length = strcspn(info.note, " ,;:");
	while (--n > 0)
		if (strlen(kinds[n]) == length && strncmp(info.note, kinds[n], length) == 0)
			break;
	return n;
}

const char *papi_event_kind(int code)
{
	static const char *const kinds[] = { "exact", "sampled", "modelled", "estimated" };
	struct papi_event event = { 0 };
	size_t worst = 0;

	if (papi_event_get(code, &event) != PAPI_OK)
		return kinds[0];
	for (unsigned i = 0; i < event.n_natives; i++) {
		size_t kind = kind_of_native(event.natives[i], kinds, sizeof(kinds) / sizeof(kinds[0]));

		worst = kind > worst ? kind : worst;
	}
	return kinds[worst];
}

bool papi_event_is_virtual(int code)
{
	struct papi_event event = { 0 };

	if (papi_event_get(code, &event) != PAPI_OK)
		return false;
	for (unsigned i = 0; i < event.n_natives; i++)
		if (strcmp(papi_components[event.natives[i]->component]->info->name, "vpmu") == 0)
			return true;
	return false;
}
