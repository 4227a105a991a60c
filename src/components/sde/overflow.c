/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/sde/sde.h"
#include "core/error.h"

static int not_ours(const char *function)
{
	return papi_result(papi_error(PAPI_ECMP,
		"%s: overflows of software-defined events are found by the timer of "
		"PAPI_overflow; only a libsde of another making calls this, and its counters "
		"are not known here",
		function));
}

int papi_sde_check_overflow_status(unsigned int cntr_id, long long latest)
{
	(void)cntr_id;
	(void)latest;
	return not_ours("papi_sde_check_overflow_status");
}

int papi_sde_set_timer_for_overflow(void)
{
	return not_ours("papi_sde_set_timer_for_overflow");
}
