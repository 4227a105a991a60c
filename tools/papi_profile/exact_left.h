/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Raw data of an exact profile that has been left: papi_profile was killed, or found no room for the store. Beside it,
 * in a file of the same directory, stands what it is of, so that it can be made a profile later. One thread.
 */
#ifndef PAPI_PROFILE_EXACT_LEFT_H
#define PAPI_PROFILE_EXACT_LEFT_H

#include <stdbool.h>

#include "papi_profile/session.h"

/* Writes what is asked for into the directory. Where it cannot, raw data is for this run alone. */
void papi_profile_exact_label(const struct papi_profile_session *session, const char *directory);

/* Makes the profile in that file of a directory that was left, and says so; the exit status, failures told. The
 * directory stays. */
int papi_profile_exact_import(const char *directory, const char *file);

#endif
