/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * translated.c - from an exact profile with calls to the table of counts that papi_probe reports.
 *
 * How often a function was called is how often its first instruction ran, so that those who come by a jump or as the
 * handler of a signal count, too; but where a branch of its own leads back there. What happened in calls is known of
 * those that the profile has as calls.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "papi_probe.h"
#include "profile/profile.h"
#include "symbols/memory.h"

#define NESTING 16 /* of functions within each other, as assemblers make them */

struct reading {
	struct probe_session *session;
	const struct papi_profile *profile;
	uint32_t *functions; /* of each address; PAPI_PROFILE_NONE: it is of none that is counted */
	uint32_t *callers;   /* of each address: the one function that calls it, or SEVERAL */
	size_t n_events, instructions;
};

#define SEVERAL (PAPI_PROFILE_NONE - 1) /* or one that is not counted */

size_t probe_translated_instructions(const struct probe_options *options)
{
	size_t i = 0;

	while (i < options->n_events && strcmp(options->events[i].name, PROBE_INSTRUCTIONS) != 0 &&
		strcmp(options->events[i].name, "PAPI_TOT_INS") != 0)
		i++;
	return i;
}

/* ---- functions of addresses ---- */

static bool is_file(const struct papi_profile_module *module)
{
	return !strcmp(module->kind, "file");
}

/* What the agent consists of; of a program that has libpapi itself it is in the list already. */
static bool is_agents(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	return !strncmp(base, "libpapi_agent.so", 16) || !strncmp(base, "libpapi.so", 10);
}

/* Files that were loaded meanwhile have functions, too. */
static void add_modules(
	struct probe_session *session, struct probe_options *options, const struct papi_profile *profile)
{
	const size_t before = session->list.n_modules;

	for (size_t i = 0; i < profile->modules.n; i++)
		if (is_file(&profile->modules.items[i]) && !is_agents(profile->modules.items[i].path))
			probe_modules_load(&session->list, options->pid, profile->modules.items[i].path);
	probe_functions_find(&session->list, before, &options->patterns);
}

static const struct probe_module *module_of(const struct probe_list *list, const struct papi_profile_module *module)
{
	for (size_t i = 0; is_file(module) && i < list->n_modules; i++)
		if (probe_modules_is(&list->modules[i], module->path))
			return &list->modules[i];
	return NULL;
}

/* The innermost that has the address. */
static uint32_t function_at(const struct probe_list *list, const struct probe_module *module, uint64_t address)
{
	size_t low = module->first, high = module->first + module->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->functions[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (unsigned i = 0; i < NESTING && low > module->first; i++, low--)
		if (list->functions[low - 1].high > address)
			return (uint32_t)(low - 1);
	return PAPI_PROFILE_NONE;
}

/* The function that compilers have taken a part from, by its name; NONE: it is not counted. */
static uint32_t whole_of(const struct probe_list *list, const struct probe_module *module, uint32_t part)
{
	const char *name = list->functions[part].linkage, *end = strstr(name, PROBE_COLD);

	for (size_t i = module->first; end && i < module->first + module->n; i++)
		if (!strncmp(list->functions[i].linkage, name, (size_t)(end - name)) &&
			!list->functions[i].linkage[end - name])
			return (uint32_t)i;
	return PAPI_PROFILE_NONE;
}

static uint32_t *find_functions(const struct probe_list *list, const struct papi_profile *profile)
{
	const struct probe_module **modules = papi_memory_zero(profile->modules.n + 1, sizeof(*modules));
	uint32_t *functions = papi_memory_zero(profile->addresses.n + 1, sizeof(*functions));
	uint32_t part = PAPI_PROFILE_NONE, whole = PAPI_PROFILE_NONE;

	for (size_t i = 0; i < profile->modules.n; i++)
		modules[i] = module_of(list, &profile->modules.items[i]);
	for (size_t i = 0; i < profile->addresses.n; i++) {
		const struct papi_profile_address *address = &profile->addresses.items[i];
		const struct probe_module *module = modules[address->module];
		uint32_t found = module ? function_at(list, module, address->offset) : PAPI_PROFILE_NONE;

		/* What follows is of the same part, mostly. */
		if (found != PAPI_PROFILE_NONE && list->functions[found].is_part) {
			if (found != part)
				whole = whole_of(list, module, found);
			part = found;
			found = whole;
		}
		functions[i] = found != PAPI_PROFILE_NONE && !list->functions[found].untranslated ? found
												  : PAPI_PROFILE_NONE;
	}
	free(modules);
	return functions;
}

/* ---- sums: as long as they are made, of a value, sum is what was done in calls of the function, and least what was
 * done in calls from there ---- */

static struct papi_probe_counts *counts_of(const struct reading *reading, uint32_t thread, uint32_t function)
{
	const uint32_t row = thread < PAPI_PROBE_ROWS ? thread : PAPI_PROBE_ROWS - 1;

	return papi_probe_counts_at(reading->session->table, row, reading->session->list.functions[function].number);
}

static struct papi_probe_value *value_of(
	const struct reading *reading, struct papi_probe_counts *counts, uint32_t event)
{
	return event < reading->n_events ? &counts->values[1 + event] : NULL;
}

static void add_count(const struct reading *reading, const struct papi_profile_count *count)
{
	const uint32_t number = reading->functions[count->address];
	const struct probe_function *function;
	struct papi_probe_counts *counts;
	struct papi_probe_value *value;

	if (number == PAPI_PROFILE_NONE)
		return;
	function = &reading->session->list.functions[number];
	counts = counts_of(reading, count->thread, number);
	value = value_of(reading, counts, count->event);
	if (value)
		value->exclusive += (uint64_t)count->value;
	if (count->event == reading->instructions && !function->comes_back &&
		reading->profile->addresses.items[count->address].offset == function->low)
		counts->calls += (uint64_t)count->value;
}

/* From a function to a part of it, to which it jumps, or to another place in it. */
static bool stays_inside(const struct reading *reading, const struct papi_profile_call *call)
{
	const uint32_t callee = reading->functions[call->callee];

	return callee == reading->functions[call->site] &&
		reading->profile->addresses.items[call->callee].offset != reading->session->list.functions[callee].low;
}

static void add_call(const struct reading *reading, const struct papi_profile_call *call)
{
	const uint32_t callee = reading->functions[call->callee], site = reading->functions[call->site];
	struct papi_probe_value *value;

	if (callee != PAPI_PROFILE_NONE && !stays_inside(reading, call)) {
		struct papi_probe_counts *counts = counts_of(reading, call->thread, callee);

		value = value_of(reading, counts, call->event);
		if (value)
			value->sum += (uint64_t)call->value;
		if (call->event == reading->instructions)
			counts->returns += (uint64_t)call->calls;
	}
	if (site == PAPI_PROFILE_NONE || site == callee)
		return;
	value = value_of(reading, counts_of(reading, call->thread, site), call->event);
	counts_of(reading, call->thread, site)->left += reading->callers[call->callee] == SEVERAL;
	if (value)
		value->least += (uint64_t)call->value;
}

/* Who calls what. */
static uint32_t *find_callers(const struct reading *reading)
{
	const struct papi_profile *profile = reading->profile;
	uint32_t *callers = papi_memory_grow(NULL, profile->addresses.n + 1, sizeof(*callers));

	for (size_t i = 0; i < profile->addresses.n; i++)
		callers[i] = PAPI_PROFILE_NONE;
	for (size_t i = 0; i < profile->n_calls; i++) {
		const uint32_t site = reading->functions[profile->calls[i].site];
		uint32_t *caller = &callers[profile->calls[i].callee];

		*caller = site != PAPI_PROFILE_NONE && (*caller == PAPI_PROFILE_NONE || *caller == site) ? site
													 : SEVERAL;
	}
	return callers;
}

/*
 * Where no call of a function is known, as of a signal's handler, all that it did and called is its own. But what it
 * called may have been active already, for another: then the profile has nothing of that, and nobody knows. Nor where
 * it did more itself than its calls have, as those that were under way when the agent came.
 */
static void settle(
	const struct reading *reading, const struct probe_function *function, struct papi_probe_counts *counts)
{
	const uint64_t known = counts->returns;

	if (function->comes_back)
		counts->calls = known;
	counts->returns = counts->calls;
	counts->unread = (known || counts->left) && counts->calls > known ? counts->calls - known : 0;
	counts->left = 0;
	for (size_t i = 0; i < reading->n_events; i++) {
		struct papi_probe_value *value = &counts->values[1 + i];

		value->inclusive = known ? value->sum : value->exclusive + value->least;
		if (value->inclusive < value->exclusive) {
			value->inclusive = value->exclusive;
			/* Of cycles, which are fractions, that may be by rounding; instructions tell. */
			if (strcmp(reading->profile->events.items[i].kind, "modelled") != 0)
				counts->unread = counts->calls;
		}
		value->sum = value->least = 0;
	}
}

/* ---- the table ---- */

static void begin_rows(struct papi_probe_table *table, const struct papi_profile *profile)
{
	for (size_t i = 0; i < profile->threads.n; i++) {
		const struct papi_profile_thread *thread = &profile->threads.items[i];
		struct papi_probe_row *row = &table->rows[i < PAPI_PROBE_ROWS ? i : PAPI_PROBE_ROWS - 1];

		row->pid = (int32_t)profile->processes.items[thread->process].pid;
		row->tid = (int32_t)thread->tid;
		row->shared = i < PAPI_PROBE_ROWS ? 0 : row->shared + 1;
	}
	table->next_row = profile->threads.n < PAPI_PROBE_ROWS ? (uint32_t)profile->threads.n : PAPI_PROBE_ROWS;
}

static bool make_table(struct probe_session *session, const struct probe_options *options)
{
	session->table_size = papi_probe_table_size(session->list.n_numbered);
	session->table = mmap(
		NULL, session->table_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (session->table == MAP_FAILED) {
		session->table = NULL;
		return probe_fail(session, "there is no memory for the table of counts: %s", strerror(errno));
	}
	session->translated = true;
	session->table->n_functions = session->list.n_numbered;
	session->table->calls_only = options->calls;
	return true;
}

static void add_all(const struct reading *reading)
{
	const struct papi_profile *profile = reading->profile;
	const struct probe_list *list = &reading->session->list;

	for (size_t i = 0; i < profile->n_counts; i++)
		add_count(reading, &profile->counts[i]);
	for (size_t i = 0; i < profile->n_calls; i++)
		add_call(reading, &profile->calls[i]);
	for (size_t i = 0; i < list->n_functions; i++)
		for (uint32_t row = 0; !list->functions[i].untranslated && row < reading->session->table->next_row;
			row++)
			settle(reading, &list->functions[i],
				papi_probe_counts_at(reading->session->table, row, list->functions[i].number));
}

static bool read_profile(
	struct probe_session *session, struct probe_options *options, const struct papi_profile *profile)
{
	struct reading reading = { .session = session,
		.profile = profile,
		.n_events = options->n_events,
		.instructions = probe_translated_instructions(options) };
	const char *reason;

	add_modules(session, options, profile);
	if (!probe_functions_number(&session->list, PROBE_TRANSLATE, &reason))
		return probe_fail(session, "nothing is counted: %s", reason);
	if (!make_table(session, options))
		return false;
	reading.functions = find_functions(&session->list, profile);
	reading.callers = find_callers(&reading);
	begin_rows(session->table, profile);
	add_all(&reading);
	free(reading.functions);
	free(reading.callers);
	for (size_t i = 0; i < session->list.n_functions; i++)
		session->list.functions[i].probed = !session->list.functions[i].untranslated;
	if (!session->pid && profile->processes.n)
		session->pid = (pid_t)profile->processes.items[0].pid;
	session->seconds = profile->run.seconds;
	return true;
}

bool probe_translated_read(struct probe_session *session, struct probe_options *options, const char *store)
{
	char reason[256];
	struct papi_profile *profile = papi_profile_load(store, reason, sizeof(reason));
	bool good;

	if (!profile)
		return probe_fail(session, "what was counted cannot be read: %s", reason);
	good = read_profile(session, options, profile);
	papi_profile_free(profile);
	return good;
}
