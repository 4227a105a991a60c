/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * export_pprof.c - the profile.proto of pprof, in a gzip file: a sample for each thread, path and address with a value
 * for each event; locations with their inlined lines; modules as mappings, each with the addresses of its own file.
 *
 * Numbers of fields are those of profile.proto; numbers of rows in the store, and 1, are the ids. What pprof shows goes
 * to terminals, so names are cleaned.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "export.h"
#include "papi_profile/gzip.h"
#include "profile/sums.h"
#include "symbols/memory.h"

/* A message that grows. */
struct message {
	unsigned char *bytes;
	size_t n, room;
};

struct writing {
	const struct view *view;
	const struct papi_profile *profile;
	struct message all;
	struct message one;    /* of a row of a table */
	struct message within; /* of a part of a row */
	char **texts;          /* those of the table, each once */
	size_t n_texts, texts_room;
	uint32_t *slots; /* of a hash table of texts */
	size_t n_slots;
};

/* ---- Messages ---- */

static void put_bytes(struct message *message, const void *bytes, size_t n)
{
	if (message->n + n > message->room) {
		message->room = 2 * (message->n + n);
		message->bytes = papi_memory_grow(message->bytes, message->room, 1);
	}
	memcpy(message->bytes + message->n, bytes, n);
	message->n += n;
}

/* Seven bits in each byte, the lowest first. */
static void put_varint(struct message *message, uint64_t value)
{
	unsigned char bytes[10];
	size_t n = 0;

	do {
		bytes[n] = (unsigned char)(value & 0x7f);
		value >>= 7;
		bytes[n] |= value ? 0x80 : 0;
		n++;
	} while (value);
	put_bytes(message, bytes, n);
}

enum { VARINT = 0, LENGTH = 2 };

static void put_number(struct message *message, unsigned field, uint64_t value)
{
	put_varint(message, field << 3 | VARINT);
	put_varint(message, value);
}

static void put_text(struct message *message, unsigned field, const void *text, size_t n)
{
	put_varint(message, field << 3 | LENGTH);
	put_varint(message, n);
	put_bytes(message, text, n);
}

/* The other message as a field, which is empty afterwards. */
static void put_message(struct message *message, unsigned field, struct message *other)
{
	put_text(message, field, other->bytes ? other->bytes : (const void *)"", other->n);
	other->n = 0;
}

/* ---- The table of texts ---- */

static uint32_t *find_slot(const struct writing *writing, const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (const char *at = text; *at; at++)
		hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
	hash &= writing->n_slots - 1;
	while (writing->slots[hash] && strcmp(writing->texts[writing->slots[hash] - 1], text) != 0)
		hash = (hash + 1) & (writing->n_slots - 1);
	return &writing->slots[hash];
}

/* The text's number in the table; NULL is the empty one. */
static uint64_t number_of(struct writing *writing, const char *text)
{
	char *clean = view_clean(text ? text : "");
	uint32_t *slot;

	if (2 * writing->n_texts >= writing->n_slots) {
		writing->n_slots = writing->n_slots ? 2 * writing->n_slots : 256;
		free(writing->slots);
		writing->slots = papi_memory_zero(writing->n_slots, sizeof(writing->slots[0]));
		for (size_t i = 0; i < writing->n_texts; i++)
			*find_slot(writing, writing->texts[i]) = (uint32_t)i + 1;
	}
	slot = find_slot(writing, clean);
	if (*slot) {
		free(clean);
		return *slot - 1;
	}
	writing->texts = papi_memory_extend(
		writing->texts, writing->n_texts, &writing->texts_room, sizeof(writing->texts[0]));
	writing->texts[writing->n_texts++] = clean;
	*slot = (uint32_t)writing->n_texts;
	return *slot - 1;
}

/* ---- The tables ---- */

static void put_types(struct writing *writing)
{
	for (size_t i = 0; i < writing->view->n_events; i++) {
		const struct papi_profile_event *event = &writing->profile->events.items[writing->view->events[i]];

		put_number(&writing->one, 1, number_of(writing, event->name));
		put_number(
			&writing->one, 2, number_of(writing, strcmp(event->unit, "ns") == 0 ? "nanoseconds" : "count"));
		put_message(&writing->all, 1, &writing->one);
	}
}

static void put_label(struct writing *writing, const char *key, const char *text, int64_t number)
{
	put_number(&writing->within, 1, number_of(writing, key));
	if (text)
		put_number(&writing->within, 2, number_of(writing, text));
	else
		put_number(&writing->within, 3, (uint64_t)number);
	put_message(&writing->one, 3, &writing->within);
}

static void put_sample(struct writing *writing, const struct papi_profile_count *count, const int64_t *values)
{
	const struct papi_profile *profile = writing->profile;
	const struct papi_profile_thread *thread = &profile->threads.items[count->thread];

	put_varint(&writing->within, count->address + UINT64_C(1));
	for (uint32_t at = count->context; at != PAPI_PROFILE_NONE; at = profile->contexts.items[at].parent)
		put_varint(&writing->within, profile->contexts.items[at].address + UINT64_C(1));
	put_message(&writing->one, 1, &writing->within);
	for (size_t i = 0; i < writing->view->n_events; i++)
		put_varint(&writing->within, (uint64_t)values[i]);
	put_message(&writing->one, 2, &writing->within);
	put_label(writing, "process", profile->processes.items[thread->process].name, 0);
	put_label(writing, "pid", NULL, profile->processes.items[thread->process].pid);
	put_label(writing, "thread", thread->name, 0);
	put_label(writing, "tid", NULL, thread->tid);
	put_message(&writing->all, 2, &writing->one);
}

/* By all but the event. */
static int compare(const void *left, const void *right)
{
	const struct papi_profile_count *a = *(const struct papi_profile_count *const *)left;
	const struct papi_profile_count *b = *(const struct papi_profile_count *const *)right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	return a->address == b->address ? 0 : a->address < b->address ? -1 : 1;
}

static void put_samples(struct writing *writing)
{
	size_t n_stacks, n = 0;
	const struct papi_profile_count *stacks = papi_profile_stacks(writing->profile, &n_stacks);
	const struct papi_profile_count **counts = papi_memory_grow(NULL, n_stacks, sizeof(counts[0]));
	int64_t *values = papi_memory_zero(writing->view->n_events, sizeof(values[0]));
	uint32_t *columns = export_columns(writing->view);

	for (size_t i = 0; i < n_stacks; i++)
		if (columns[stacks[i].event] != PAPI_PROFILE_NONE && stacks[i].value)
			counts[n++] = &stacks[i];
	qsort(counts, n, sizeof(counts[0]), compare);
	for (size_t i = 0; i < n; i++) {
		values[columns[counts[i]->event]] += counts[i]->value;
		if (i + 1 < n && compare(&counts[i], &counts[i + 1]) == 0)
			continue;
		put_sample(writing, counts[i], values);
		memset(values, 0, writing->view->n_events * sizeof(values[0]));
	}
	free(columns);
	free(values);
	free(counts);
}

/* The program's own file, as far as that can be told: pprof takes the first for it. */
static size_t find_program(const struct papi_profile *profile)
{
	const char *name = profile->processes.n ? profile->processes.items[0].name : "";
	size_t length = strlen(name);

	/* The kernel cuts names of processes. */
	for (size_t i = 0; length && i < profile->modules.n; i++)
		if (strcmp(profile->modules.items[i].kind, "file") == 0 &&
			strncmp(view_base(profile->modules.items[i].path), name, length) == 0)
			return i;
	return 0;
}

/* It begins at 0 and ends behind its last address: neighbours that seem to follow each other would be merged. */
static void put_module(struct writing *writing, size_t number, uint64_t end)
{
	const struct papi_profile_module *module = &writing->profile->modules.items[number];

	put_number(&writing->one, 1, number + 1);
	put_number(&writing->one, 3, end ? end : 1);
	put_number(&writing->one, 5, number_of(writing, module->path));
	put_number(&writing->one, 6, number_of(writing, module->build_id));
	/* Functions, files, lines and inlined code are known as far as they ever will be. */
	for (unsigned field = 7; field <= 10; field++)
		put_number(&writing->one, field, 1);
	put_message(&writing->all, 3, &writing->one);
}

static void put_modules(struct writing *writing)
{
	const struct papi_profile *profile = writing->profile;
	uint64_t *ends = papi_memory_zero(profile->modules.n, sizeof(ends[0]));
	size_t program = find_program(profile);

	for (size_t i = 0; i < profile->addresses.n; i++) {
		const struct papi_profile_address *address = &profile->addresses.items[i];
		uint64_t end = address->offset + (address->offset != UINT64_MAX);

		if (ends[address->module] < end)
			ends[address->module] = end;
	}
	if (profile->modules.n)
		put_module(writing, program, ends[program]);
	for (size_t i = 0; i < profile->modules.n; i++)
		if (i != program)
			put_module(writing, i, ends[i]);
	free(ends);
}

static void put_locations(struct writing *writing)
{
	const struct papi_profile *profile = writing->profile;

	for (size_t i = 0; i < profile->addresses.n; i++) {
		const struct papi_profile_address *address = &profile->addresses.items[i];
		uint32_t first = writing->view->outermost && address->n ? address->n - 1 : 0;

		put_number(&writing->one, 1, i + 1);
		put_number(&writing->one, 2, address->module + UINT64_C(1));
		put_number(&writing->one, 3, address->offset);
		for (uint32_t j = first; j < address->n; j++) {
			const struct papi_profile_place *place = &profile->places[address->first + j];

			put_number(&writing->within, 1, place->function + UINT64_C(1));
			put_number(&writing->within, 2, (uint64_t)place->line);
			put_message(&writing->one, 4, &writing->within);
		}
		put_message(&writing->all, 4, &writing->one);
	}
}

static void put_functions(struct writing *writing)
{
	const struct papi_profile *profile = writing->profile;

	for (size_t i = 0; i < profile->functions.n; i++) {
		const struct papi_profile_function *function = &profile->functions.items[i];

		put_number(&writing->one, 1, i + 1);
		put_number(&writing->one, 2, number_of(writing, function->name));
		put_number(&writing->one, 3, number_of(writing, function->linkage));
		put_number(&writing->one, 4, number_of(writing, function->file));
		put_number(&writing->one, 5, (uint64_t)function->line);
		put_message(&writing->all, 5, &writing->one);
	}
}

static void put_run(struct writing *writing)
{
	const struct papi_profile_run *run = &writing->profile->run;
	struct tm started = { 0 };
	char *comment = view_command(writing->view);

	if (strptime(run->started, "%Y-%m-%dT%H:%M:%S", &started))
		put_number(&writing->all, 9, (uint64_t)timegm(&started) * 1000000000);
	if (run->seconds > 0 && run->seconds < 1e9)
		put_number(&writing->all, 10, (uint64_t)(run->seconds * 1e9));
	put_number(&writing->all, 13, number_of(writing, comment));
	free(comment);
	if (run->lost > 0) {
		comment = papi_memory_print("%" PRId64 " samples were lost", run->lost);
		put_number(&writing->all, 13, number_of(writing, comment));
		free(comment);
	}
	put_number(
		&writing->all, 14, number_of(writing, writing->profile->events.items[view_event(writing->view)].name));
}

void export_pprof(const struct view *view, FILE *out)
{
	struct writing writing = { .view = view, .profile = view->profile };

	number_of(&writing, "");
	put_types(&writing);
	put_samples(&writing);
	put_modules(&writing);
	put_locations(&writing);
	put_functions(&writing);
	put_run(&writing);
	for (size_t i = 0; i < writing.n_texts; i++) {
		put_text(&writing.all, 6, writing.texts[i], strlen(writing.texts[i]));
		free(writing.texts[i]);
	}
	papi_gzip_write(out, writing.all.bytes, writing.all.n);
	free(writing.texts);
	free(writing.slots);
	free(writing.all.bytes);
	free(writing.one.bytes);
	free(writing.within.bytes);
}
