/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work whose counts follow from what it is told to do: tests/metrics/known_counts.py has them. Each is written in
 * instructions of x86-64, so that no compiler has a part in it, and is called with one argument, struct known_work.
 * They change registers that functions may change, and the memory that they are given.
 */
#ifndef PAPI_TEST_KNOWN_SUBJECTS_H
#define PAPI_TEST_KNOWN_SUBJECTS_H

#include <stddef.h>

struct known_work {
	_Alignas(64) char *area; /* these fields have their places in the instructions of the subjects */
	long stride, times, passes, distance;
};

struct known_subject {
	const char *name;
	void (*run)(void *);
	/* Whether its area holds code, which has to be written there: a jump in each of the places, and a return. */
	int of_code;
	const char *needs; /* an instruction set, as GCC names it; NULL: every processor will do */
};

extern const struct known_subject known_subjects[];
extern const size_t n_known_subjects;

#endif
