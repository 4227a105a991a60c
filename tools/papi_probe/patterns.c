/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * patterns.c - which functions are meant: [MODULE!]NAME, with wildcards, or [MODULE!]FILE:LINE[-LINE].
 *
 * A name with wildcards is looked for in the program alone unless it says where: nobody means all of libc.
 */
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "papi_probe.h"
#include "symbols/memory.h"

/* FILE:LINE or FILE:FIRST-LAST; the file has no colons in a row, which names of C++ and Rust have. */
static bool read_lines(struct probe_pattern *pattern, const char *text)
{
	const char *colon = strrchr(text, ':');
	char *end;

	if (!colon || colon == text || colon[-1] == ':' || colon[1] < '0' || colon[1] > '9')
		return false;
	pattern->first = pattern->last = strtol(colon + 1, &end, 10);
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		pattern->last = strtol(end + 1, &end, 10);
	if (*end || pattern->first < 1 || pattern->last < pattern->first || pattern->last > INT_MAX)
		return false;
	pattern->file = papi_memory_copy(text);
	pattern->file[colon - text] = '\0';
	return true;
}

static const char *read_pattern(struct probe_pattern *pattern, const char *text)
{
	const char *mark = strchr(text, '!');

	*pattern = (struct probe_pattern){ .module = NULL };
	if (mark == text || (mark && !mark[1]) || !*text)
		return "it wants a name, MODULE!NAME, or FILE:LINE";
	if (mark) {
		pattern->module = papi_memory_copy(text);
		pattern->module[mark - text] = '\0';
		text = mark + 1;
	}
	if (!read_lines(pattern, text))
		pattern->name = papi_memory_copy(text);
	pattern->has_wildcard = strpbrk(text, "*?[") != NULL;
	return NULL;
}

const char *probe_pattern_add(struct probe_patterns *patterns, const char *text, bool wanted)
{
	struct probe_pattern **list = wanted ? &patterns->wanted : &patterns->unwanted;
	size_t *n = wanted ? &patterns->n_wanted : &patterns->n_unwanted;

	*list = papi_memory_grow(*list, *n + 1, sizeof(**list));
	return read_pattern(&(*list)[(*n)++], text);
}

/* As in the file system; or without what follows a dot or dash: libc, libstdc++.so.6. */
static bool is_module_name(const char *pattern, const char *base)
{
	const size_t length = strlen(pattern);

	return fnmatch(pattern, base, 0) == 0 ||
		(!strncmp(pattern, base, length) && (base[length] == '.' || base[length] == '-'));
}

static bool is_module(const struct probe_pattern *pattern, const struct probe_module *module)
{
	if (pattern->module)
		return is_module_name(pattern->module, module->base) || fnmatch(pattern->module, module->path, 0) == 0;
	return module->is_program || !pattern->name || !pattern->has_wildcard;
}

bool probe_patterns_module(const struct probe_patterns *patterns, const struct probe_module *module)
{
	for (size_t i = 0; i < patterns->n_wanted; i++)
		if (is_module(&patterns->wanted[i], module))
			return true;
	return false;
}

bool probe_patterns_need_lines(const struct probe_patterns *patterns)
{
	for (size_t i = 0; i < patterns->n_wanted + patterns->n_unwanted; i++)
		if (!(i < patterns->n_wanted ? &patterns->wanted[i] : &patterns->unwanted[i - patterns->n_wanted])
				->name)
			return true;
	return false;
}

/* The name without parameters, and without what is returned: "ns::f<int>" of "int ns::f<int>(char const*) const". */
static char *stem_of(const char *name)
{
	char *stem = papi_memory_copy(name), *end = strrchr(stem, ')'), *start = stem;
	int depth = 0;

	while (end && end > stem) {
		depth += *end == ')';
		depth -= *end == '(';
		if (!depth)
			break;
		end--;
	}
	if (end && end > stem)
		*end = '\0';
	depth = 0;
	for (char *at = stem; *at; at++) {
		depth += *at == '<' || *at == '(';
		depth -= *at == '>' || *at == ')';
		if (*at == ' ' && !depth)
			start = at + 1;
	}
	memmove(stem, start, strlen(start) + 1);
	return stem;
}

static bool is_other_name(const char *glob, const char *others)
{
	char *names = papi_memory_copy(others), *rest = names;
	const char *name;
	bool is = false;

	while (!is && (name = strsep(&rest, "\n")))
		is = *name && fnmatch(glob, name, 0) == 0;
	free(names);
	return is;
}

static bool is_name(const char *glob, const struct probe_function *function)
{
	/* As it stands, too: "<[u8] as Walk>::walk" has brackets. */
	bool is = strcmp(glob, function->name) == 0 || fnmatch(glob, function->linkage, 0) == 0 ||
		fnmatch(glob, function->name, 0) == 0;
	char *stem;

	if (!is && function->others)
		is = is_other_name(glob, function->others);
	/* Names of Rust have no parameters. */
	if (is || function->name == function->linkage || strncmp(function->linkage, "_R", 2) == 0)
		return is;
	stem = stem_of(function->name);
	is = fnmatch(glob, stem, 0) == 0;
	free(stem);
	return is;
}

/* The whole path, or its last parts. */
static bool is_file(const char *wanted, const char *file)
{
	size_t length = strlen(wanted), all = strlen(file);

	return length <= all && !strcmp(file + all - length, wanted) &&
		(length == all || *wanted == '/' || file[all - length - 1] == '/');
}

static bool matches(const struct probe_pattern *pattern, const struct probe_function *function)
{
	if (pattern->name)
		return is_name(pattern->name, function);
	return function->file && function->line >= pattern->first && function->line <= pattern->last &&
		is_file(pattern->file, function->file);
}

/* copies: 0 of a function that has code of its own. */
static bool is_wanted(const struct probe_patterns *patterns, const struct probe_module *module,
	const struct probe_function *function, size_t copies)
{
	bool wanted = false;

	for (size_t i = 0; i < patterns->n_wanted; i++)
		if (is_module(&patterns->wanted[i], module) && matches(&patterns->wanted[i], function)) {
			patterns->wanted[i].matched += !copies;
			patterns->wanted[i].inlined += copies;
			wanted = true;
		}
	for (size_t i = 0; wanted && i < patterns->n_unwanted; i++)
		if ((!patterns->unwanted[i].module || is_module(&patterns->unwanted[i], module)) &&
			matches(&patterns->unwanted[i], function))
			wanted = false;
	return wanted;
}

bool probe_patterns_match(
	const struct probe_patterns *patterns, const struct probe_module *module, const struct probe_function *function)
{
	return is_wanted(patterns, module, function, 0);
}

bool probe_patterns_match_inlined(const struct probe_patterns *patterns, const struct probe_module *module,
	const struct probe_function *function, size_t copies)
{
	return is_wanted(patterns, module, function, copies);
}

bool probe_patterns_have_name(const struct probe_patterns *patterns)
{
	for (size_t i = 0; i < patterns->n_wanted; i++)
		if (patterns->wanted[i].name && !patterns->wanted[i].has_wildcard)
			return true;
	return false;
}

static void free_list(struct probe_pattern *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(list[i].module);
		free(list[i].name);
		free(list[i].file);
	}
	free(list);
}

void probe_patterns_free(struct probe_patterns *patterns)
{
	free_list(patterns->wanted, patterns->n_wanted);
	free_list(patterns->unwanted, patterns->n_unwanted);
}
