/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Source files as the views show them, a line at a time. Names of files come from stores, which anybody may have
 * written: what is no plain file is refused. The lines are the caller's, who gives them back. One thread at a time.
 */
#ifndef PAPI_PROFILE_SOURCE_H
#define PAPI_PROFILE_SOURCE_H

#include <stddef.h>

#include "profile/profile.h"

struct source {
	char **lines; /* without their ends, tabs expanded */
	size_t n, room;
};

/*
 * The lines of a file; its trouble, or NULL. With lines and a trouble, these may be others than those of the run.
 */
const char *source_read(const struct papi_profile *profile, const char *path, struct source *source);

void source_free(struct source *source);

#endif
