/* SPDX-License-Identifier: BSD-3-Clause */
/* What remote.c leaves for the library that it loads into a process (loaded.c). */
#ifndef PAPI_TEST_LOADED_H
#define PAPI_TEST_LOADED_H

#include <stdint.h>

#define LOADED_NAME "libloaded.so"

struct loaded {
	uint64_t memory, size; /* to be unmapped */
	uint64_t number;
	uint64_t result; /* where its square goes */
};

#endif
