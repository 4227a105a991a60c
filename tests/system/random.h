/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What tests with random calls are made of: random_dice.c throws dice, random_calls.c knows the functions, random.c and
 * stress.c are the tests.
 *
 * A dice belongs to one thread.
 */
#ifndef PAPI_TEST_RANDOM_H
#define PAPI_TEST_RANDOM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Arrays of counts have room for more events than random calls let a set have. */
#define RANDOM_ROOM 64

struct dice {
	uint64_t state;
	bool may_shut_down; /* the library, under everybody */
	unsigned thread;
	unsigned long call;
	const char *doing; /* the function */
	char name[2000];
};

/* Once for all: nobody has a set yet. */
void random_begin(void);
/* The same seed, in a thread of the same number, means the same throws. */
void random_dice(struct dice *dice, uint64_t seed, unsigned thread, bool may_shut_down);

unsigned random_below(struct dice *dice, unsigned n);
bool random_chance(struct dice *dice, unsigned one_in);
int random_number(struct dice *dice);
int random_handle(struct dice *dice);
int random_code(struct dice *dice);
const char *random_name(struct dice *dice);
/* Where a handle is kept that all threads use; any number will do. */
atomic_int *random_place(struct dice *dice);
atomic_int *random_place_number(unsigned n);

/* One call of a function of the library; its answer, or PAPI_OK for those that give none. */
int random_call(struct dice *dice);

#endif
