/* SPDX-License-Identifier: BSD-3-Clause */
/* What the fuzz targets share: a check that ends the run and leaves the input behind. */
#ifndef PAPI_TESTS_FUZZ_H
#define PAPI_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

/* libFuzzer calls these. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Not assert(): the message has what the library said last. */
#define CHECK(condition)                                                                                              \
	do {                                                                                                          \
		if (!(condition)) {                                                                                   \
			fprintf(stderr, "%s:%d: %s does not hold (detail: \"%s\")\n", __FILE__, __LINE__, #condition, \
				papi_error_sentence());                                                               \
			abort();                                                                                      \
		}                                                                                                     \
	} while (0)

#endif
