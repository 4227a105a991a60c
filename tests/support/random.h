/* SPDX-License-Identifier: BSD-3-Clause */
/* Pseudo-random numbers, the same in every run. */
#ifndef TESTS_SUPPORT_RANDOM_H
#define TESTS_SUPPORT_RANDOM_H

#include <stdint.h>

/* The next one, of 31 bits. Anything may be the first state. */
static inline uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

#endif
