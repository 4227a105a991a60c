/* SPDX-License-Identifier: BSD-3-Clause */
/* Fortran: options, a routine for each. */
#include "api/options.h"
#include "base/error.h"
#include "fortran/papif.h"

void papif_set_domain_(const int *domain, int *check)
{
	*check = PAPI_set_domain(*domain);
}

void papif_set_cmp_domain_(const int *domain, const int *cidx, int *check)
{
	*check = PAPI_set_cmp_domain(*domain, *cidx);
}

void papif_set_event_domain_(const int *EventSet, const int *domain, int *check)
{
	PAPI_option_t option = { .domain = { .eventset = *EventSet, .domain = *domain } };

	*check = PAPI_set_opt(PAPI_DOMAIN, &option);
}

/*
 * Asks for an option of a set or for the default, of which PAPI_get_opt returns the value; check is PAPI_OK for both. A
 * mode that is neither is refused here: ptr of the other options has other members.
 */
static int get_option(int mode, int of_set, int of_default, PAPI_option_t *option)
{
	if (mode != of_set && mode != of_default)
		return papi_result(
			papi_error(PAPI_EINVAL, "mode must be %d, for an event set, or %d, for the default; it is %d",
				of_set, of_default, mode));
	int status = PAPI_get_opt(mode, option);
	return status < 0 ? status : PAPI_OK;
}

void papif_get_domain_(const int *EventSet, int *domain, const int *mode, int *check)
{
	PAPI_option_t option = { .domain = { .eventset = *EventSet } };

	*check = get_option(*mode, PAPI_DOMAIN, PAPI_DEFDOM, &option);
	if (*check == PAPI_OK)
		*domain = option.domain.domain;
}

void papif_set_granularity_(const int *granularity, int *check)
{
	*check = PAPI_set_granularity(*granularity);
}

void papif_set_cmp_granularity_(const int *granularity, const int *cidx, int *check)
{
	*check = PAPI_set_cmp_granularity(*granularity, *cidx);
}

void papif_get_granularity_(const int *EventSet, int *granularity, const int *mode, int *check)
{
	PAPI_option_t option = { .granularity = { .eventset = *EventSet } };

	*check = get_option(*mode, PAPI_GRANUL, PAPI_DEFGRN, &option);
	if (*check == PAPI_OK)
		*granularity = option.granularity.granularity;
}

/* The routine has no argument for an event set: it speaks of those that are made from now on. */
void papif_set_inherit_(const int *inherit, int *check)
{
	*check = papi_result(papi_option_set_default_inherit(*inherit));
}

void papif_multiplex_init_(int *check)
{
	*check = PAPI_multiplex_init();
}

void papif_set_multiplex_(const int *EventSet, int *check)
{
	*check = PAPI_set_multiplex(*EventSet);
}

void papif_get_multiplex_(const int *EventSet, int *check)
{
	*check = PAPI_get_multiplex(*EventSet);
}

void papif_get_clockrate_(int *clockrate)
{
	*clockrate = PAPI_get_opt(PAPI_CLOCKRATE, NULL);
}

void papif_get_preload_(char *preload, int *check, papif_length length)
{
	PAPI_option_t option = { .preload = { .lib_preload_env = "" } };

	*check = PAPI_get_opt(PAPI_PRELOAD, &option);
	papi_fortran_put(preload, length, option.preload.lib_preload_env);
}

#include "options_spellings.h"
