/* SPDX-License-Identifier: BSD-3-Clause */
/* functions.c - the functions that are wanted, and whether each can be probed. */
#include <stdlib.h>
#include <string.h>

#include "papi_probe.h"
#include "process/registers.h"
#include "symbols/memory.h"

/*
 * These return twice, or to where somebody has noted before that they would; or they want to know who has called them,
 * which would be the runtime.
 */
static const char *const twice[] = { "setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp", "vfork", "__vfork",
	"__libc_vfork", "getcontext", "swapcontext", "makecontext", "setcontext", "__getcontext", "__swapcontext",
	"savectx", "__start_context" };
static const char *const curious[] = {
	"dlopen",
	"dlmopen",
	"dlsym",
	"dlvsym",
	"__libc_dlopen_mode",
	"__libc_dlsym",
	"mcount",
	"_mcount",
	"__fentry__",
	"_dl_mcount",
	"__cyg_profile_func_enter",
	"__cyg_profile_func_exit",
};

static const char part_of_another[] = "it is a part of another function", no_code[] = "its code is not in the file",
		  not_called[] = "unwind tables do not say that it is entered by a call";

static bool is_among(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static const char *look_at_name(const char *name)
{
	if (!strcmp(name, "_start"))
		return not_called;
	if (is_among(name, twice, sizeof(twice) / sizeof(twice[0])))
		return "it returns more than once";
	if (is_among(name, curious, sizeof(curious) / sizeof(curious[0])) || !strncmp(name, "_Unwind_", 8) ||
		!strncmp(name, "uw_", 3))
		return "it looks at who has called it";
	return strstr(name, PROBE_COLD) ? part_of_another : NULL;
}

/* A refusal that its names alone tell. */
static const char *look_at_names(const struct probe_module *module, const struct probe_function *function)
{
	const char *refusal = look_at_name(function->linkage), *name;
	char *names, *rest;

	/* Unwinders look at their own return addresses. */
	if (!strncmp(module->base, "libgcc_s", 8) || !strncmp(module->base, "libunwind", 9))
		return "it unwinds stacks";
	if (refusal || !function->others)
		return refusal;
	names = rest = papi_memory_copy(function->others);
	while (!refusal && (name = strsep(&rest, "\n")))
		refusal = look_at_name(name);
	free(names);
	return refusal;
}

static void open_symbols(struct probe_module *module)
{
	char reason[200] = "";

	if (module->symbols || *module->trouble)
		return;
	module->symbols = papi_symbols_open_file(module->file, NULL, NULL, reason, sizeof(reason));
	if (!module->symbols)
		snprintf(module->trouble, sizeof(module->trouble), "%s", reason);
	else if (!papi_symbols_is_for(module->symbols, papi_remote_machine))
		snprintf(module->trouble, sizeof(module->trouble), "it is no file for %s", papi_remote_machine_name);
}

static void add_place(struct papi_symbols *symbols, struct probe_function *function)
{
	struct papi_symbols_place places[PAPI_SYMBOLS_DEPTH];
	size_t n = papi_symbols_find(symbols, function->low, places);

	if (!n)
		return;
	function->file = places[n - 1].function.file;
	function->line = places[n - 1].function.line;
}

/* Branches of all of the module's code, whoever's it is. */
static bool find_targets(const struct probe_module *module, const struct papi_symbols_entry *entries, size_t n,
	struct papi_probe_targets *targets)
{
	uint64_t done = 0;

	if (module->high <= module->low || !papi_probe_targets_begin(targets, module->low, module->high))
		return false;
	for (size_t i = 0; i < n; i++) {
		uint64_t low = entries[i].low > done ? entries[i].low : done;
		const unsigned char *code;
		size_t size = 0;

		if (entries[i].high <= low || !(code = papi_symbols_code(module->symbols, entries[i].low, &size)))
			continue;
		/* Aliases and parts of what was looked at already are left out, but where they begin elsewhere. */
		papi_probe_targets_add(targets, code, entries[i].low,
			entries[i].low +
				(size < entries[i].high - entries[i].low ? size : entries[i].high - entries[i].low));
		done = entries[i].high;
	}
	return true;
}

/* Descriptors of thread-local variables are functions of the dynamic linker's that change one register only. */
static bool is_for_descriptors(const struct probe_module *module, const struct papi_symbols_entry *entry,
	const struct probe_function *function)
{
	return !strncmp(module->base, "ld-", 3) && (entry->unnamed || !strncmp(function->linkage, "_dl_tlsdesc_", 12));
}

static void judge(const struct probe_module *module, const struct papi_probe_targets *targets, uint64_t next,
	const struct papi_symbols_entry *entry, struct probe_function *function)
{
	const char *refusal = look_at_names(module, function);
	struct papi_probe_code code = { .low = function->low, .high = function->high };
	size_t size = 0;

	code.bytes = papi_symbols_code(module->symbols, function->low, &size);
	code.limit = next > code.low && next - code.low < size ? next : code.low + size;
	if (code.high > code.limit)
		code.high = code.limit;
	if (!code.bytes || code.high <= code.low)
		refusal = no_code;
	else if (PAPI_PROBE_CHANGES && is_for_descriptors(module, entry, function))
		refusal = "its callers may want all registers back";
	else if (entry->resolver)
		refusal = "it only chooses the function of that name";
	else if (!refusal && !papi_symbols_is_called(module->symbols, function->low))
		refusal = entry->unnamed ? part_of_another : not_called;
	function->is_part = refusal == part_of_another;
	function->untranslated = entry->resolver || function->is_part || refusal == no_code ? refusal
		: !strcmp(function->linkage, "_start") ? "it runs before anything can be counted"
						       : NULL;
	function->comes_back = refusal != no_code && papi_probe_window_comes_back(&code);
	if (!refusal) {
		papi_probe_window_find(&code, targets, &function->window);
		refusal = function->window.refusal;
		function->bytes = code.bytes + (function->window.low - code.low);
		if (!refusal && !papi_symbols_is_called(module->symbols, function->window.low))
			refusal = not_called;
	}
	if (refusal)
		snprintf(function->refusal, sizeof(function->refusal), "%s", refusal);
}

/* Parts of a function are wanted with it: by the name that they had without what says that they are. */
static bool is_wanted_part(
	struct probe_patterns *patterns, const struct probe_module *module, const struct probe_function *function)
{
	static const char clone[] = " [clone " PROBE_COLD;
	struct probe_function whole = *function;
	char *linkage, *name, *end;
	bool is;

	if (!strstr(function->linkage, PROBE_COLD))
		return false;
	linkage = papi_memory_copy(function->linkage);
	name = papi_memory_copy(function->name);
	*strstr(linkage, PROBE_COLD) = '\0';
	end = strstr(name, clone);
	if (end || (end = strstr(name, PROBE_COLD)))
		*end = '\0';
	whole.linkage = linkage;
	whole.name = name;
	is = probe_patterns_match(patterns, module, &whole);
	free(linkage);
	free(name);
	return is;
}

static void find_in(struct probe_list *list, size_t index, struct probe_patterns *patterns)
{
	struct probe_module *module = &list->modules[index];
	const bool lines = probe_patterns_need_lines(patterns);
	struct papi_symbols_entry *entries;
	size_t n = papi_symbols_entries(module->symbols, &entries);
	struct papi_probe_targets targets = { .bits = NULL };

	for (size_t i = 0; i < n; i++) {
		struct probe_function function = { .name = entries[i].name,
			.linkage = entries[i].linkage,
			.others = entries[i].others,
			.module = index,
			.low = entries[i].low,
			.high = entries[i].high };

		if (lines)
			add_place(module->symbols, &function);
		if (!probe_patterns_match(patterns, module, &function) && !is_wanted_part(patterns, module, &function))
			continue;
		if (!targets.bits && !find_targets(module, entries, n, &targets))
			break;
		judge(module, &targets, i + 1 < n ? entries[i + 1].low : UINT64_MAX, &entries[i], &function);
		list->functions = papi_memory_extend(
			list->functions, list->n_functions, &list->functions_room, sizeof(list->functions[0]));
		list->functions[list->n_functions++] = function;
	}
	papi_probe_targets_end(&targets);
	free(entries);
}

void probe_functions_find(struct probe_list *list, size_t first, struct probe_patterns *patterns)
{
	for (size_t i = first; i < list->n_modules; i++) {
		struct probe_module *module = &list->modules[i];

		if (!probe_patterns_module(patterns, module))
			continue;
		open_symbols(module);
		module->first = list->n_functions;
		if (!*module->trouble)
			find_in(list, i, patterns);
		module->n = list->n_functions - module->first;
	}
}

static void find_inlined_in(struct probe_list *list, size_t index, const struct probe_patterns *patterns)
{
	const struct probe_module *module = &list->modules[index];
	struct papi_symbols_inlined *found;
	size_t n = papi_symbols_inlined(module->symbols, &found);

	for (size_t i = 0; i < n; i++) {
		struct probe_function function = { .name = found[i].name, .linkage = found[i].linkage };

		if (!probe_patterns_match_inlined(patterns, module, &function, found[i].copies))
			continue;
		list->inlined = papi_memory_extend(
			list->inlined, list->n_inlined, &list->inlined_room, sizeof(list->inlined[0]));
		list->inlined[list->n_inlined++] = (struct probe_inlined){ found[i].name, found[i].linkage, index,
			found[i].copies };
	}
	free(found);
}

void probe_functions_find_inlined(struct probe_list *list, const struct probe_patterns *patterns)
{
	for (size_t i = 0; i < list->n_modules; i++)
		if (list->modules[i].symbols)
			find_inlined_in(list, i, patterns);
}

const char *probe_functions_refusal(const struct probe_function *function, enum probe_way way)
{
	if (way == PROBE_TRANSLATE)
		return function->untranslated;
	return *function->refusal ? function->refusal : NULL;
}

static const char *none_of(const struct probe_list *list, enum probe_way way)
{
	if (!list->n_functions)
		return "there is no function left to probe";
	for (size_t i = 0; i < list->n_functions && way != PROBE_TRANSLATE; i++)
		if (!list->functions[i].untranslated)
			return "none of the functions can be patched (--list says why); --way translate counts them, "
			       "and slows the program";
	return "none of the functions can be probed (--list says why)";
}

bool probe_functions_number(struct probe_list *list, enum probe_way way, const char **reason)
{
	static const char too_many[] = "there are too many functions";

	list->n_numbered = 0;
	for (size_t i = 0; i < list->n_functions; i++) {
		struct probe_function *function = &list->functions[i];

		if (probe_functions_refusal(function, way))
			continue;
		if (list->n_numbered < PAPI_PROBE_FUNCTIONS)
			function->number = list->n_numbered++;
		else if (way == PROBE_TRANSLATE)
			function->untranslated = too_many;
		else
			snprintf(function->refusal, sizeof(function->refusal), "%s", too_many);
	}
	*reason = none_of(list, way);
	return list->n_numbered > 0;
}

void probe_list_free(struct probe_list *list)
{
	for (size_t i = 0; i < list->n_modules; i++) {
		papi_symbols_close(list->modules[i].symbols);
		free(list->modules[i].path);
		free(list->modules[i].file);
	}
	free(list->modules);
	free(list->functions);
	free(list->inlined);
}
