/* SPDX-License-Identifier: BSD-3-Clause */
/* A directory for what programs write while they are profiled. One thread. */
#ifndef PAPI_PROFILE_RAW_H
#define PAPI_PROFILE_RAW_H

#include <stdbool.h>
#include <stddef.h>

/* Beside the store in that file, where there is to be room anyway: its name. False, told. */
bool papi_profile_raw_make(const char *file, char *directory, size_t size);
/* With all that is in it. */
void papi_profile_raw_drop(const char *directory);

#endif
