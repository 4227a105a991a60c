/* SPDX-License-Identifier: BSD-3-Clause */
/* Fortran: counting with event sets. */
#include "fortran/papif.h"

void papif_start_(const int *EventSet, int *check)
{
	*check = PAPI_start(*EventSet);
}

void papif_stop_(const int *EventSet, long long *values, int *check)
{
	*check = PAPI_stop(*EventSet, values);
}

void papif_read_(const int *EventSet, long long *values, int *check)
{
	*check = PAPI_read(*EventSet, values);
}

void papif_read_ts_(const int *EventSet, long long *values, long long *cycles, int *check)
{
	*check = PAPI_read_ts(*EventSet, values, cycles);
}

void papif_accum_(const int *EventSet, long long *values, int *check)
{
	*check = PAPI_accum(*EventSet, values);
}

void papif_reset_(const int *EventSet, int *check)
{
	*check = PAPI_reset(*EventSet);
}

void papif_write_(const int *EventSet, long long *values, int *check)
{
	*check = PAPI_write(*EventSet, values);
}

#include "counting_spellings.h"
