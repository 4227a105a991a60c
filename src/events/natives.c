/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/natives.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/component.h"
#include "base/error.h"
#include "events/names.h"

#define CHUNK  64
#define CHUNKS 4096

static _Atomic(struct papi_native *) chunks[CHUNKS];
/* Index 0 is never used: to programs, the bare mask means the first event of the listing. */
static _Atomic unsigned n_natives = 1;

struct papi_native *papi_native_get(int code)
{
	unsigned index = (unsigned)code & ~(unsigned)PAPI_NATIVE_MASK;

	if ((code & PAPI_UE_MASK) == PAPI_NATIVE_MASK && index &&
		index < atomic_load_explicit(&n_natives, memory_order_acquire))
		return &chunks[index / CHUNK][index % CHUNK];
	papi_error(PAPI_ENOEVNT,
		"0x%08x is not the code of a native event seen so far; codes come from "
		"PAPI_event_name_to_code or a listing",
		(unsigned)code);
	return NULL;
}

/* "comp:::event" is event of component comp; a bare name is the CPU component's. */
static int split(const char *name, int *component, const char **component_name)
{
	const char *separator = strstr(name, ":::");

	*component = 0;
	*component_name = name;
	if (!separator)
		return PAPI_OK;
	for (int i = 0; i < papi_component_count; i++) {
		const char *prefix = papi_components[i]->info->name;

		if (strlen(prefix) == (size_t)(separator - name) &&
			!strncmp(prefix, name, (size_t)(separator - name))) {
			*component = i;
			*component_name = separator + 3;
			return PAPI_OK;
		}
	}
	return papi_error(PAPI_ENOEVNT, "\"%.128s\": no component is named \"%.*s\"", name,
		separator - name > 64 ? 64 : (int)(separator - name), name);
}

int papi_native_component(const char *name)
{
	const char *component_name;
	int component;

	papi_error_keep();
	if (split(name, &component, &component_name) != PAPI_OK)
		component = -1;
	papi_error_restore();
	return component;
}

static int append(int component, const char *component_name, struct papi_native **added)
{
	unsigned index = atomic_load_explicit(&n_natives, memory_order_relaxed);
	const char *prefix = component ? papi_components[component]->info->name : NULL;
	size_t prefix_length = prefix ? strlen(prefix) + 3 : 0;
	struct papi_native *native, *chunk;
	char name[PAPI_HUGE_STR_LEN + PAPI_MAX_STR_LEN];

	if (index == CHUNK * CHUNKS)
		return papi_error(PAPI_ECOUNT, "there are %u native events already", index);
	if (prefix_length + strlen(component_name) >= PAPI_HUGE_STR_LEN)
		return papi_error(PAPI_EINVAL, "an event name is longer than %d characters", PAPI_HUGE_STR_LEN - 1);
	snprintf(name, sizeof(name), "%s%s%s", prefix ? prefix : "", prefix ? ":::" : "", component_name);
	chunk = atomic_load_explicit(&chunks[index / CHUNK], memory_order_relaxed);
	if (!chunk) {
		chunk = calloc(CHUNK, sizeof(*chunk));
		if (!chunk)
			return papi_error(PAPI_ENOMEM, "no memory for native events");
		atomic_store_explicit(&chunks[index / CHUNK], chunk, memory_order_relaxed);
	}
	native = &chunk[index % CHUNK];
	*native = (struct papi_native){ .code = (int)(PAPI_NATIVE_MASK | index),
		.component = component,
		.self = native,
		.status = PAPI_NATIVE_UNRESOLVED,
		.listed = -1,
		.mask = -1 };
	/* The code is good before its name can be found; until then nobody knows it. */
	atomic_store_explicit(&n_natives, index + 1, memory_order_release);
	if (!papi_names_add(name, native->code, &native->name)) {
		atomic_store_explicit(&n_natives, index, memory_order_release);
		return papi_error(PAPI_ENOMEM, "no memory for the name of an event");
	}
	native->component_name = native->name + prefix_length;
	*added = native;
	return PAPI_OK;
}

static int check_name(const char *name)
{
	size_t length = strlen(name);

	if (!length)
		return papi_error(PAPI_ENOEVNT, "the event name is empty");
	if (length >= PAPI_HUGE_STR_LEN)
		return papi_error(PAPI_ENOEVNT, "an event name of %zu characters: names have at most %d", length,
			PAPI_HUGE_STR_LEN - 1);
	return PAPI_OK;
}

static void release(const struct papi_component *component, void *encoding)
{
	if (component->release)
		component->release(encoding);
}

int papi_native_find(const char *name, struct papi_native **native)
{
	const char *component_name;
	int component, code, status = check_name(name);
	void *encoding;

	if (status == PAPI_OK)
		status = split(name, &component, &component_name);
	if (status == PAPI_OK)
		status = papi_component_check(papi_components[component]);
	if (status != PAPI_OK)
		return status;
	/* The CPU's events are kept without its prefix, the others' with theirs. */
	if (papi_names_find(component ? name : component_name, &code)) {
		*native = papi_native_get(code);
		if (!*native)
			return papi_error(PAPI_ENOEVNT, "%.128s is a preset or user event, not a native one", name);
	} else {
		status = papi_components[component]->resolve(component_name, &encoding);
		if (status != PAPI_OK)
			return status;
		status = append(component, component_name, native);
		if (status != PAPI_OK) {
			release(papi_components[component], encoding);
			return status;
		}
		(*native)->encoding = encoding;
		(*native)->status = PAPI_OK;
	}
	if (!component && component_name != name && !papi_names_add(name, (*native)->code, NULL))
		return papi_error(PAPI_ENOMEM, "no memory for the name of an event");
	return PAPI_OK;
}

int papi_native_list(int component, const char *component_name, struct papi_native **native)
{
	char name[PAPI_HUGE_STR_LEN + PAPI_MAX_STR_LEN];
	int code;

	if (component)
		snprintf(name, sizeof(name), "%s:::%s", papi_components[component]->info->name, component_name);
	else
		snprintf(name, sizeof(name), "%s", component_name);
	if (papi_names_find(name, &code)) {
		*native = papi_native_get(code);
		return *native ? PAPI_OK : papi_error_code();
	}
	return append(component, component_name, native);
}

int papi_native_resolve(struct papi_native *native)
{
	const struct papi_component *component = papi_components[native->component];

	if (native->status == PAPI_OK)
		return PAPI_OK;
	if (papi_component_check(component) != PAPI_OK)
		return papi_error_code();
	native->status = component->resolve(native->component_name, &native->encoding);
	return native->status;
}

void papi_natives_clear(void)
{
	unsigned n = atomic_exchange(&n_natives, 1);

	for (unsigned i = 1; i < n; i++) {
		struct papi_native *native = &chunks[i / CHUNK][i % CHUNK];

		if (native->status == PAPI_OK)
			release(papi_components[native->component], native->encoding);
	}
	for (unsigned i = 0; i < CHUNKS; i++)
		free(atomic_exchange(&chunks[i], NULL));
}
