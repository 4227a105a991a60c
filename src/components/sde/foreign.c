/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A libsde of another making, that of PAPI 7.0: it numbers its events, and exports functions that take the number. See
 * sde.h.
 *
 * It keeps the start of each counter by itself, one for all that read it: PAPI_start and PAPI_reset move that, and a
 * value is what it says, whatever it is of. Recorders and lists it copies for the caller. A name that is not registered
 * it numbers, too, and reads as -1.
 */
#include "components/sde/sde.h"

static struct {
	int (*read_counter)(uint32_t number, long long *value);
	int (*reset_counter)(uint32_t number);
	int (*name_to_code)(const char *name, uint32_t *number);
	int (*get_num_reg_events)(void);
	char *(*get_event_name)(int number);
	char *(*get_event_description)(int number);
} foreign;

/* Entries are opaque outside of the libsde that they belong to: here they are a number, and one more, for 0 is one
 * too. */
static struct papi_sde_entry *entry_of(uint32_t number)
{
	return (struct papi_sde_entry *)((uintptr_t)number + 1); // NOLINT(performance-no-int-to-ptr)
}

static uint32_t number_of(const struct papi_sde_entry *entry)
{
	return (uint32_t)((uintptr_t)entry - 1);
}

/* It has no fork handlers, and none that could be called. */
static bool take_over_forks(void)
{
	return true;
}

static void do_nothing(void)
{
}

/* A number is good for ever, so that a plan is. */
static unsigned changes(void)
{
	return 0;
}

static bool name_at(unsigned position, char *name, size_t size)
{
	const char *found = (int)position < foreign.get_num_reg_events() ? foreign.get_event_name((int)position) : NULL;

	if (found)
		snprintf(name, size, "%s", found);
	return found != NULL;
}

static struct papi_sde_entry *find(const char *name)
{
	uint32_t number;

	return foreign.name_to_code(name, &number) == PAPI_OK ? entry_of(number) : NULL;
}

static bool facts(struct papi_sde_entry *entry, struct papi_sde_facts *result)
{
	const char *description = foreign.get_event_description((int)number_of(entry));

	*result = (struct papi_sde_facts){
		.kind = PAPI_SDE_COUNTER, .mode = PAPI_SDE_INSTANT, .type = PAPI_SDE_long_long
	};
	snprintf(result->description, sizeof(result->description), "%s", description ? description : "");
	return true;
}

static struct papi_sde_entry *member(struct papi_sde_entry *group, unsigned position)
{
	(void)group;
	(void)position;
	return NULL;
}

static bool read_value(struct papi_sde_entry *entry, uint32_t incarnation, union papi_sde_value *value)
{
	(void)incarnation;
	return foreign.read_counter(number_of(entry), &value->integer) == PAPI_OK;
}

/* Asked of recorders and counting sets only, which are counters like all others here. */
static int copy(
	struct papi_sde_entry *entry, uint32_t incarnation, bool sorted, void **result, size_t *count, size_t *size)
{
	(void)entry;
	(void)incarnation;
	(void)sorted;
	*result = NULL;
	*count = *size = 0;
	return PAPI_ENOEVNT;
}

static void rebase(struct papi_sde_entry *entry)
{
	foreign.reset_counter(number_of(entry));
}

const struct papi_sde_tools *papi_sde_foreign(void *library)
{
	static const struct papi_sde_tools tools = {
		.version = PAPI_SDE_TOOLS_VERSION,
		.take_over_forks = take_over_forks,
		.fork_prepare = do_nothing,
		.fork_parent = do_nothing,
		.fork_child = do_nothing,
		.changes = changes,
		.name = name_at,
		.find = find,
		.facts = facts,
		.member = member,
		.read = read_value,
		.copy = copy,
		.rebase = rebase,
	};
	const struct {
		const char *name;
		void *function;
	} symbols[] = { { "sde_ti_read_counter", &foreign.read_counter },
		{ "sde_ti_reset_counter", &foreign.reset_counter }, { "sde_ti_name_to_code", &foreign.name_to_code },
		{ "sde_ti_get_num_reg_events", &foreign.get_num_reg_events },
		{ "sde_ti_get_event_name", &foreign.get_event_name },
		{ "sde_ti_get_event_description", &foreign.get_event_description } };

	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		if (!papi_sde_look_up(library, symbols[i].name, symbols[i].function))
			return NULL;
	return &tools;
}
