/* SPDX-License-Identifier: BSD-3-Clause */
/* Fortran: regions of the high level. */
#include "base/error.h"
#include "fortran/papif.h"

/* Names of regions are the program's own, so the library's limit on names of events is a generous one. */
static int with_region(int (*function)(const char *region), const char *region, papif_length length)
{
	char name[PAPIF_NAME_SIZE];
	int status = papi_fortran_get(name, sizeof(name), region, length);

	return status == PAPI_OK ? function(name) : papi_result(status);
}

void papif_hl_region_begin_(const char *region, int *check, papif_length length)
{
	*check = with_region(PAPI_hl_region_begin, region, length);
}

void papif_hl_read_(const char *region, int *check, papif_length length)
{
	*check = with_region(PAPI_hl_read, region, length);
}

void papif_hl_region_end_(const char *region, int *check, papif_length length)
{
	*check = with_region(PAPI_hl_region_end, region, length);
}

void papif_hl_stop_(int *check)
{
	*check = PAPI_hl_stop();
}

#include "regions_spellings.h"
