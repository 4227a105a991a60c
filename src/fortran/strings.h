/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strings of Fortran: an address and a length, no zero byte at the end, filled up with blanks on the right.
 *
 * These two functions are the only places where the library touches the characters of a Fortran program. For any
 * address, length and content:
 *   - papi_fortran_get reads at most length bytes from Fortran and writes at most size bytes, the last a zero;
 *   - papi_fortran_put writes exactly length bytes to Fortran, and none when length is 0.
 * Neither keeps the address. Both are safe in any thread.
 */
#ifndef PAPI_FORTRAN_STRINGS_H
#define PAPI_FORTRAN_STRINGS_H

#include <stddef.h>

#include "papi_constants.h"

/* The type that gfortran, flang and the compilers of Intel pass the length of a CHARACTER argument in. */
typedef size_t papif_length;

/* Room for any name that the library takes, its zero byte included. */
#define PAPIF_NAME_SIZE PAPI_HUGE_STR_LEN

/*
 * Makes a C string of a Fortran one. Blanks on the right are not part of it; a zero byte, which programs that know C
 * append, ends it. size must not be 0.
 *
 * Returns PAPI_OK, or PAPI_EINVAL with a sentence when the string does not fit: then the beginning of it is there, but
 * a name that was cut would be another name.
 */
int papi_fortran_get(char *to, size_t size, const char *from, papif_length length);

/* Makes a Fortran string of a C one: cut on the right when it is too long, filled up with blanks when it is shorter. */
void papi_fortran_put(char *to, papif_length length, const char *from);

#endif
