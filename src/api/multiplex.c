/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference: PAPI_multiplex_init, PAPI_set_multiplex, PAPI_get_multiplex; PAPI_set_opt and PAPI_get_opt for these. */
#include "api/api.h"
#include "api/options.h"
#include "core/multiplex.h"

int PAPI_multiplex_init(void)
{
	int status = papi_library_enter();

	/* What multiplexing needs is made for the EventSets that ask for it: there is nothing to prepare. */
	if (status == PAPI_OK)
		papi_library_leave();
	return papi_result(status);
}

static int check(const struct papi_options *options, const PAPI_multiplex_option_t *wanted)
{
	if (options->multiplex)
		return papi_error(PAPI_EINVAL, "the EventSet is multiplexed already");
	if (wanted->flags & ~PAPI_MULTIPLEX_FORCE_SW)
		return papi_error(PAPI_EINVAL,
			"flags 0x%x of multiplexing: there are PAPI_MULTIPLEX_DEFAULT and "
			"PAPI_MULTIPLEX_FORCE_SW",
			(unsigned)wanted->flags);
	return PAPI_OK;
}

static int make_multiplexed(struct papi_eventset *set, const PAPI_multiplex_option_t *wanted)
{
	struct papi_options options = set->options;
	int status = check(&options, wanted);

	if (status != PAPI_OK)
		return status;
	options.multiplex = true;
	options.take_turns = wanted->flags & PAPI_MULTIPLEX_FORCE_SW;
	/* Not wanted->ns: programs of the 7.0 interface, papi_multiplex_cost among them, leave there what was. */
	options.turn_ns = atomic_load(&papi_option_mpx_ns);
	if (options.turn_ns < PAPI_MULTIPLEX_SHORTEST_NS)
		options.turn_ns = PAPI_MULTIPLEX_SHORTEST_NS;
	return papi_option_apply(set, &options);
}

int papi_option_set_multiplex(const PAPI_multiplex_option_t *wanted)
{
	struct papi_slot *slot;
	int status = papi_enter(wanted->eventset, &slot);

	if (status == PAPI_OK) {
		status = make_multiplexed(slot->set, wanted);
		papi_leave(slot);
	}
	return status;
}

int papi_option_get_multiplex(PAPI_multiplex_option_t *found)
{
	struct papi_slot *slot;
	int status = papi_handle_enter(found->eventset, &slot);

	if (status == PAPI_OK) {
		const struct papi_options *options = &slot->set->options;

		found->ns = options->multiplex ? options->turn_ns : atomic_load(&papi_option_mpx_ns);
		found->flags = options->take_turns ? PAPI_MULTIPLEX_FORCE_SW : PAPI_MULTIPLEX_DEFAULT;
		status = options->multiplex;
		papi_handle_leave(slot);
	}
	return status;
}

int PAPI_set_multiplex(int EventSet)
{
	const PAPI_multiplex_option_t by_default = { .eventset = EventSet, .flags = PAPI_MULTIPLEX_DEFAULT };

	return papi_result(papi_option_set_multiplex(&by_default));
}

int PAPI_get_multiplex(int EventSet)
{
	PAPI_multiplex_option_t found = { .eventset = EventSet };

	return papi_result(papi_option_get_multiplex(&found));
}
