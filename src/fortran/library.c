/* SPDX-License-Identifier: BSD-3-Clause */
/* Fortran: initialization and errors. */
#include <stdint.h>

#include "fortran/papif.h"

void papif_library_init_(int *check)
{
	*check = PAPI_library_init(*check);
}

void papif_is_initialized_(int *level)
{
	*level = PAPI_is_initialized();
}

void papif_shutdown_(void)
{
	PAPI_shutdown();
}

void papif_set_debug_(const int *debug, int *check)
{
	*check = PAPI_set_debug(*debug);
}

/* Linux gives a program no memory below this address (vm.mmap_min_addr), and no message is as long. */
#define LOWEST_ADDRESS 65536

/*
 * 3.5 has PAPIF_perror(code, destination, check) and 7.0 has PAPIF_perror(message), both under one name. What arrives
 * second tells them apart: the address of the destination, or the length of the message. The later arguments exist only
 * in the first case.
 */
void papif_perror_(const void *first, void *second, int *check, papif_length length)
{
	char text[PAPI_HUGE_STR_LEN] = "";

	if ((uintptr_t)second < LOWEST_ADDRESS) {
		/* A message that is cut still says what it is about. */
		papi_fortran_get(text, sizeof(text), first, (papif_length)(uintptr_t)second);
		(PAPI_perror)(text);
		return;
	}
	*check = PAPI_perror_code(*(const int *)first, text, length ? (int)sizeof(text) : 0);
	papi_fortran_put(second, length, text);
}

void papif_error_detail_(char *detail, papif_length length)
{
	papi_fortran_put(detail, length, PAPI_error_detail());
}

#include "library_spellings.h"
