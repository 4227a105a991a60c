/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In which region of the program a sample was: what its threads tell while it runs (regions/marks.h), beside the
 * kernel's records. Who has begun owns the directory with their files until the end. One thread.
 */
#ifndef PAPI_PROFILE_MARKS_H
#define PAPI_PROFILE_MARKS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "papi_profile/counts.h"

struct papi_profile_marks {
	char directory[4096];
	struct papi_profile_marked *threads;
	size_t n_threads;
	uint64_t looked; /* all marks before that time of CLOCK_MONOTONIC are known */
};

/* Programs that are started from now on tell, beside the store in that file; what fails is told, and then none does. */
void papi_profile_marks_begin(struct papi_profile_marks *marks, const char *file);
/* Takes what there is, which has to be done some times in a second. */
void papi_profile_marks_look(struct papi_profile_marks *marks);
/* The region in the store that a thread was in; 0: in none. Times of a thread do not decrease. */
int64_t papi_profile_marks_region(
	struct papi_profile_marks *marks, struct papi_profile_counts *counts, pid_t tid, uint64_t time);
/* The thread has executed another program, which knows of no region of the one before. */
void papi_profile_marks_executed(struct papi_profile_marks *marks, pid_t tid, uint64_t time);
void papi_profile_marks_end(struct papi_profile_marks *marks);

#endif
