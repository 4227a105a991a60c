/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the random test is made of: random.c throws dice and checks answers, random_calls.c knows the functions.
 *
 * A dice belongs to one thread.
 */
#ifndef PAPI_TEST_RANDOM_H
#define PAPI_TEST_RANDOM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct dice {
	uint64_t state;
	unsigned thread;
	unsigned long call;
	const char *doing; /* the function */
	char name[2000];
};

unsigned random_below(struct dice *dice, unsigned n);
bool random_chance(struct dice *dice, unsigned one_in);
int random_number(struct dice *dice);
int random_handle(struct dice *dice);
int random_code(struct dice *dice);
const char *random_name(struct dice *dice);
/* Where a handle is kept that all threads use. */
atomic_int *random_place(struct dice *dice);

/* One call of a function of the library; its answer, or PAPI_OK for those that give none. */
int random_call(struct dice *dice);

#endif
