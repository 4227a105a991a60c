/* SPDX-License-Identifier: BSD-3-Clause */
/* differences.c - what else differs between the two sides, and may explain that counts do. */
#include <stdlib.h>
#include <string.h>

#include "papi_compare.h"

#define MOST_NAMED 5 /* in one sentence */

void papi_compare_note(struct compare_result *result, char *note)
{
	result->notes = papi_compare_grow(result->notes, result->n_notes + 1, sizeof(*result->notes));
	result->notes[result->n_notes++] = note;
}

static json_t *get(const struct compare_side *side, const char *object, const char *key)
{
	json_t *value = json_object_get(side->root, object);

	return key ? json_object_get(value, key) : value;
}

/* A value as people read it. */
static char *text_of(const json_t *value)
{
	char *text, *all = NULL;
	size_t i;
	json_t *item;

	if (json_is_string(value))
		return papi_compare_format("%s", json_string_value(value));
	if (!json_is_array(value)) {
		text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
		return text ? text : papi_compare_format("nothing");
	}
	json_array_foreach(value, i, item)
	{
		char *before = all, *one = text_of(item);

		all = papi_compare_format("%s%s%s", before ? before : "", before ? " " : "", one);
		free(before);
		free(one);
	}
	return all ? all : papi_compare_format("nothing");
}

static void compare_values(struct compare_result *result, const char *object, const char *key, const char *what)
{
	json_t *before = get(result->before, object, key), *after = get(result->after, object, key);
	char *old, *new;

	if (before == after || (before && after && json_equal(before, after)))
		return;
	old = text_of(before);
	new = text_of(after);
	papi_compare_note(result, papi_compare_format("%s: %s, then %s", what, old, new));
	free(old);
	free(new);
}

/* Names in a sentence: "a, b and 3 others". */
struct names {
	char *text;
	size_t number;
};

static void add_name(struct names *names, const char *name)
{
	char *before = names->text;

	if (names->number++ >= MOST_NAMED)
		return;
	names->text = papi_compare_format("%s%s%s", before ? before : "", before ? ", " : "", name);
	free(before);
}

static void note_names(struct compare_result *result, const char *what, struct names *names)
{
	if (names->number > MOST_NAMED)
		papi_compare_note(result,
			papi_compare_format("%s: %s and %zu others", what, names->text, names->number - MOST_NAMED));
	else if (names->number)
		papi_compare_note(result, papi_compare_format("%s: %s", what, names->text));
	free(names->text);
}

static void compare_environments(struct compare_result *result)
{
	json_t *before = get(result->before, "environment", NULL), *after = get(result->after, "environment", NULL);
	struct names names = { 0 };
	const char *name;
	json_t *value;

	json_object_foreach(before, name, value) if (!json_equal(value, json_object_get(after, name)))
		add_name(&names, name);
	json_object_foreach(after, name, value) if (!json_object_get(before, name)) add_name(&names, name);
	note_names(result, "other values in the environment", &names);
}

static const char *base_of(const json_t *module)
{
	const char *path = json_string_value(json_object_get(module, "path")), *slash;

	slash = path ? strrchr(path, '/') : NULL;
	return slash ? slash + 1 : path ? path : "";
}

/* The one of that name in the list; NULL. */
static const json_t *find(const json_t *list, const char *name, size_t from)
{
	for (size_t i = from; i < json_array_size(list); i++)
		if (strcmp(base_of(json_array_get(list, i)), name) == 0)
			return json_array_get(list, i);
	return NULL;
}

static bool is_other(const json_t *before, const json_t *after, const char *key)
{
	json_t *one = json_object_get(before, key), *other = json_object_get(after, key);

	return !one || !other || !json_equal(one, other);
}

/* Libraries by their names, for they may lie elsewhere: the first module is the program. */
static void compare_modules(struct compare_result *result)
{
	const json_t *before = get(result->before, "modules", NULL), *after = get(result->after, "modules", NULL);
	const json_t *program = json_array_get(before, 0), *now = json_array_get(after, 0);
	struct names names = { 0 };

	if (program && now && strcmp(base_of(program), base_of(now)) != 0)
		papi_compare_note(
			result, papi_compare_format("another program: %s, then %s", base_of(program), base_of(now)));
	else if (program && now && is_other(program, now, "build_id"))
		papi_compare_note(result, papi_compare_format("the program is another build"));
	for (size_t i = 1; i < json_array_size(before); i++) {
		const json_t *module = json_array_get(before, i), *other = find(after, base_of(module), 1);

		if (!other || is_other(module, other, "build_id"))
			add_name(&names, base_of(module));
	}
	for (size_t i = 1; i < json_array_size(after); i++)
		if (!find(before, base_of(json_array_get(after, i)), 1))
			add_name(&names, base_of(json_array_get(after, i)));
	note_names(result, "other libraries", &names);
}

/* Inputs in their order, which is that of the command. */
static void compare_inputs(struct compare_result *result)
{
	const json_t *before = get(result->before, "inputs", NULL), *after = get(result->after, "inputs", NULL);
	size_t old = json_array_size(before), new = json_array_size(after);
	struct names names = { 0 };

	for (size_t i = 0; i < old || i < new; i++) {
		const json_t *one = json_array_get(before, i), *other = json_array_get(after, i);
		const char *path = json_string_value(json_object_get(other ? other : one, "path"));

		if (!one || !other || is_other(one, other, "bytes") || is_other(one, other, "hash"))
			add_name(&names, path ? path : "standard input");
	}
	note_names(result, "other content of input files", &names);
}

void papi_compare_differences(struct compare_result *result)
{
	compare_values(result, "papi_version", NULL, "counted by another version of PAPI");
	compare_values(result, "machine", "cpu", "another processor, for which libraries may choose other code");
	compare_values(result, "machine", "architecture", "another architecture");
	compare_values(result, "machine", "kernel", "another kernel");
	compare_values(result, "models", "caches", "other caches are modelled");
	compare_values(result, "command", NULL, "another command");
	compare_values(result, "reproducible", NULL, "only one was counted with --reproducible");
	compare_environments(result);
	compare_modules(result);
	compare_inputs(result);
}
