/* SPDX-License-Identifier: BSD-3-Clause */
/* Strings in the JSON that the library writes. */
#ifndef PAPI_BASE_JSON_H
#define PAPI_BASE_JSON_H

#include <stdio.h>

/* In quotes; NULL is the empty one. Names may be anything: a byte that is no UTF-8 becomes the character of that
 * number. */
void papi_json_string(FILE *stream, const char *string);

#endif
