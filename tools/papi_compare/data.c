/* SPDX-License-Identifier: BSD-3-Clause */
/* data.c - the comparison as JSON; papi_compare(1) lists the keys. Counts are integers. */
#include <math.h>
#include <stdlib.h>

#include "papi_compare.h"

#define FORMAT 1

static json_t *text(const char *string)
{
	return string ? json_string(string) : json_null();
}

static json_t *integer(long long number, bool known)
{
	return known ? json_integer(number) : json_null();
}

static json_t *percent(const struct compare_pair *pair)
{
	double value = pair->counted ? papi_compare_percent(pair) : (double)NAN;

	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *texts(char *const *list, size_t number)
{
	json_t *array = json_array();

	for (size_t i = 0; i < number; i++)
		json_array_append_new(array, json_string(list[i]));
	return array;
}

static json_t *functions(const struct compare_pair *pair)
{
	json_t *array = json_array();

	for (size_t i = 0; i < pair->n_functions; i++) {
		const struct compare_function *function = &pair->functions[i];
		json_t *object = json_object();

		json_object_set_new(object, "name", text(function->name));
		json_object_set_new(object, "file", text(function->file));
		json_object_set_new(object, "line", integer(function->line, function->line > 0));
		json_object_set_new(object, "before", json_integer(function->before));
		json_object_set_new(object, "after", json_integer(function->after));
		json_object_set_new(object, "difference", json_integer(function->difference));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *event(const struct compare_pair *pair)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", text(pair->name));
	json_object_set_new(object, "unit", text(pair->unit));
	json_object_set_new(object, "kind", text(pair->after ? pair->after->kind : NULL));
	json_object_set_new(object, "before", integer(pair->count_before, pair->counted));
	json_object_set_new(object, "after", integer(pair->count_after, pair->counted));
	json_object_set_new(object, "difference", integer(pair->difference, pair->counted));
	json_object_set_new(object, "percent", percent(pair));
	json_object_set_new(object, "noise", integer(pair->noise, pair->counted && pair->noise_known));
	json_object_set_new(object, "limit", text(pair->limit ? pair->limit->text : NULL));
	json_object_set_new(object, "verdict", text(papi_compare_verdict(pair)));
	json_object_set_new(object, "reason", text(pair->reason));
	json_object_set_new(object, "functions", functions(pair));
	return object;
}

void papi_compare_data(const struct compare_result *result)
{
	json_t *root = json_object(), *events = json_array();

	for (size_t i = 0; i < result->number; i++)
		json_array_append_new(events, event(&result->pairs[i]));
	json_object_set_new(root, "papi_compare", json_integer(FORMAT));
	json_object_set_new(root, "before", text(result->before->path));
	json_object_set_new(root, "after", text(result->after->path));
	json_object_set_new(root, "status", json_integer(result->status));
	json_object_set_new(root, "over", json_integer((json_int_t)result->over));
	json_object_set_new(root, "troubles", texts(result->troubles, result->n_troubles));
	json_object_set_new(root, "differences", texts(result->notes, result->n_notes));
	json_object_set_new(root, "events", events);
	json_dumpf(root, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(root);
}
