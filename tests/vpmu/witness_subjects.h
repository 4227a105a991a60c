/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions for others to count as well. They call nothing outside, and take the same steps wherever things lie. */
#ifndef PAPI_TEST_WITNESS_SUBJECTS_H
#define PAPI_TEST_WITNESS_SUBJECTS_H

#include <stddef.h>

struct subject {
	const char *name; /* that of the function, for the witness to find it */
	void (*prepare)(void);
	void (*run)(void *);
};

extern const struct subject subjects[];
extern const size_t n_subjects;

#endif
