/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing to files. No state: any thread. */
#ifndef PAPI_BASE_OUTPUT_H
#define PAPI_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* All of the text, in as many pieces and interruptions as it takes. False, with errno, when it could not be written. */
bool papi_write_all(int file, const char *text, size_t size);

#endif
