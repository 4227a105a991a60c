/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * functions.c - which functions have changed, where profiles of both sides are there: papi_profile diff knows, and is
 * asked, for it alone reads profiles.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "papi_compare.h"

#define MOST_NAMED 5 /* of each event */

/* papi_profile beside this program, or one of PATH; for the caller to free. */
static char *find_tool(void)
{
	char self[PATH_MAX], *path;
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self));

	while (length > 0 && self[length - 1] != '/')
		length--;
	if (length > 0) {
		path = papi_compare_format("%.*spapi_profile", (int)length, self);
		if (access(path, X_OK) == 0)
			return path;
		free(path);
	}
	return papi_compare_format("papi_profile");
}

/* The output of papi_profile diff --json; NULL with the reason, or after what that has said itself. */
static json_t *ask(const char *before, const char *after, char **reason)
{
	char *tool = find_tool(), *old = papi_compare_format("%s", before), *new = papi_compare_format("%s", after);
	char name[] = "papi_profile", command[] = "diff", option[] = "--json", end[] = "--";
	char *const words[] = { name, command, option, end, old, new, NULL };
	posix_spawn_file_actions_t actions;
	int ends[2], status = -1, error;
	json_t *root = NULL;
	FILE *in = NULL;
	pid_t pid;

	error = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
	if (!error) {
		posix_spawn_file_actions_init(&actions);
		posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
		error = posix_spawnp(&pid, tool, &actions, NULL, words, environ);
		posix_spawn_file_actions_destroy(&actions);
		close(ends[1]);
		in = fdopen(ends[0], "r");
		if (!in)
			close(ends[0]);
	}
	if (!error && in)
		root = json_loadf(in, 0, NULL);
	if (in)
		fclose(in);
	while (!error && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (error)
		*reason = papi_compare_format("papi_profile cannot be run: %s", strerror(error));
	else if (!root || status != 0)
		*reason = papi_compare_format("of the profiles, papi_profile diff has said why not");
	if (status != 0)
		json_decref(root);
	free(tool);
	free(old);
	free(new);
	return status == 0 ? root : NULL;
}

/* The place of the event among the values of each row; -1: the profiles have not got it. */
static long position_of(const json_t *root, const char *event)
{
	const json_t *events = json_object_get(root, "events");

	for (size_t i = 0; i < json_array_size(events); i++) {
		const char *name = json_string_value(json_object_get(json_array_get(events, i), "name"));

		if (name && strcmp(name, event) == 0)
			return (long)i;
	}
	return -1;
}

static int by_change(const void *left, const void *right)
{
	const struct compare_function *one = left, *other = right;
	unsigned long long a = one->difference < 0 ? -(unsigned long long)one->difference
						   : (unsigned long long)one->difference,
			   b = other->difference < 0 ? -(unsigned long long)other->difference
						     : (unsigned long long)other->difference;

	return a > b ? -1 : a < b;
}

static bool is_changed(const struct compare_pair *pair)
{
	return pair->verdict == COMPARE_PAIR_OVER || pair->verdict == COMPARE_PAIR_MORE ||
		pair->verdict == COMPARE_PAIR_LESS;
}

/* The functions of one event, those first that have changed most. */
static void take(struct compare_pair *pair, const json_t *root)
{
	const json_t *rows = json_object_get(root, "rows");
	long position = position_of(root, pair->name);

	if (position < 0)
		return;
	pair->functions = papi_compare_grow(NULL, json_array_size(rows), sizeof(*pair->functions));
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i),
			     *value = json_array_get(json_object_get(row, "values"), (size_t)position);
		struct compare_function function = {
			.name = json_string_value(json_object_get(row, "name")),
			.file = json_string_value(json_object_get(row, "file")),
			.line = json_integer_value(json_object_get(row, "line")),
			.before = json_integer_value(json_object_get(value, "old")),
			.after = json_integer_value(json_object_get(value, "new")),
			.difference = json_integer_value(json_object_get(value, "difference")),
		};

		if (function.name && json_is_true(json_object_get(value, "significant")))
			pair->functions[pair->n_functions++] = function;
	}
	qsort(pair->functions, pair->n_functions, sizeof(*pair->functions), by_change);
	if (pair->n_functions > MOST_NAMED)
		pair->n_functions = MOST_NAMED;
}

void papi_compare_functions(struct compare_result *result, const char *before, const char *after)
{
	char *reason = NULL;
	json_t *root = ask(before, after, &reason);

	for (size_t i = 0; root && i < result->number; i++)
		if (is_changed(&result->pairs[i]))
			take(&result->pairs[i], root);
	if (!root)
		papi_compare_trouble(result, reason);
}

char *papi_compare_function_text(const struct compare_pair *pair, const struct compare_function *function)
{
	char difference[64];

	papi_compare_count_text(difference, sizeof(difference), function->difference, pair->unit, true);
	if (function->file && function->line > 0)
		return papi_compare_format(
			"%s in %s (%s:%lld)", difference, function->name, function->file, function->line);
	return papi_compare_format("%s in %s", difference, function->name);
}
