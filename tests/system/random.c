/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random calls with random handles, codes, names and options, from several threads at once. Nothing may crash, every
 * answer is a code that has a meaning to the caller, every failure leaves a sentence, and after PAPI_shutdown() no
 * descriptor is open that was not open before.
 *
 *	random [SEED [CALLS]]      or PAPI_TEST_SEED, PAPI_TEST_CALLS in the environment
 *
 * The same seed makes each thread do the same calls; in which order those of several threads meet is the scheduler's.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "random.h"
#include "work.h"

#define THREADS 4

/* What a thread throws, and with what: xorshift, so that a seed means the same everywhere. */
unsigned random_below(struct dice *dice, unsigned n)
{
	dice->state ^= dice->state << 13;
	dice->state ^= dice->state >> 7;
	dice->state ^= dice->state << 17;
	return (unsigned)(dice->state >> 33) % n;
}

bool random_chance(struct dice *dice, unsigned one_in)
{
	return random_below(dice, one_in) == 0;
}

int random_number(struct dice *dice)
{
	static const int interesting[] = { 0, 1, -1, 2, 15, 16, 64, 127, 128, 0x7fffffff, (int)0x80000000, 0x40000000 };

	if (random_chance(dice, 2))
		return interesting[random_below(dice, COUNT_OF(interesting))];
	return (int)(random_below(dice, 1u << 31) * 2 + random_below(dice, 2));
}

/* Handles that somebody has, or had. */
#define PLACES 24

static atomic_int places[PLACES];

atomic_int *random_place(struct dice *dice)
{
	return &places[random_below(dice, PLACES)];
}

int random_handle(struct dice *dice)
{
	if (random_chance(dice, 20))
		return random_number(dice);
	return atomic_load(random_place(dice));
}

static const char *const good_names[] = { "perf::PAGE-FAULTS", "perf::TASK-CLOCK", "perf::CONTEXT-SWITCHES",
	"perf::CPU-CLOCK:u", "perf::minor-faults", "rusage:::minflt", "rusage:::realtime", "rusage:::utime",
	"perf_event:::perf::MAJOR-FAULTS", "PAPI_TOT_CYC", "PAPI_L1_DCM", "msr/tsc/", "software/config=2/",
	"sched:sched_switch", "r01c0", "cpu/instructions/" };

static void break_name(struct dice *dice, char *name)
{
	size_t length = strlen(name);

	for (unsigned i = random_below(dice, 3) + 1; i && length; i--)
		name[random_below(dice, (unsigned)length)] = (char)(random_below(dice, 255) + 1);
}

const char *random_name(struct dice *dice)
{
	static const char letters[] = ":::///=,.-_ \t\n%sxrwu0189abcPAPImemperf\x7f\xff";
	static struct work_cell cell;
	unsigned length;

	switch (random_below(dice, 8)) {
	case 0: /* noise */
		length = random_below(dice, random_chance(dice, 10) ? sizeof(dice->name) - 1 : 20);
		for (unsigned i = 0; i < length; i++)
			dice->name[i] = letters[random_below(dice, sizeof(letters) - 1)];
		dice->name[length] = '\0';
		break;
	case 1:
		work_name(dice->name, &cell, random_chance(dice, 2) ? "/8:w" : "/4:rw");
		break;
	default:
		snprintf(dice->name, sizeof(dice->name), "%s", good_names[random_below(dice, COUNT_OF(good_names))]);
		break;
	}
	if (random_chance(dice, 8))
		break_name(dice, dice->name);
	return dice->name;
}

int random_code(struct dice *dice)
{
	int code;

	switch (random_below(dice, 6)) {
	case 0:
		return random_number(dice);
	case 1:
		return (int)PAPI_PRESET_MASK | (int)random_below(dice, 140);
	case 2:
		return PAPI_NATIVE_MASK | (int)random_below(dice, 200);
	case 3:
		return (int)((unsigned)PAPI_UE_MASK | random_below(dice, 10));
	default:
		return PAPI_event_name_to_code(random_name(dice), &code) == PAPI_OK ? code : PAPI_NATIVE_MASK;
	}
}

/* What a function that returns a code may return. PAPI_EBUG would be the library's own admission of a mistake. */
static void expect_meaning(struct dice *dice, int status)
{
	bool known = status > -PAPI_NUM_ERRORS && status != PAPI_EBUG && status != PAPI_ENOIMPL;
	bool told = status >= 0 || (*PAPI_error_detail() && !check_planted());

	if (EXPECT(known) && EXPECT(told))
		return;
	fprintf(stderr, "\tthat was %s in thread %u, call %lu, with %d (%s)\n", dice->doing, dice->thread, dice->call,
		status, check_symbol(status));
}

static unsigned long calls = 4000;
static uint64_t seed = 20260101;

static atomic_ulong succeeded;

static void *throw_calls(void *argument)
{
	struct dice *dice = argument;

	for (dice->call = 0; dice->call < calls && check_failures() < 20; dice->call++) {
		int status;

		check_plant();
		status = random_call(dice);
		expect_meaning(dice, status);
		if (status >= 0)
			atomic_fetch_add(&succeeded, 1);
	}
	return NULL;
}

static void random_calls(void)
{
	static struct dice dice[THREADS];
	pthread_t threads[THREADS];

	for (size_t i = 0; i < PLACES; i++)
		atomic_store(&places[i], PAPI_NULL);
	for (unsigned i = 0; i < THREADS; i++) {
		dice[i].state = (seed + 1) * 0x9e3779b97f4a7c15u + i;
		dice[i].thread = i;
		for (int warm = 0; warm < 8; warm++)
			random_below(&dice[i], 2);
		REQUIRE(pthread_create(&threads[i], NULL, throw_calls, &dice[i]) == 0);
	}
	for (size_t i = 0; i < THREADS; i++)
		REQUIRE(pthread_join(threads[i], NULL) == 0);
	printf("%lu of the calls succeeded\n", atomic_load(&succeeded));
	/* Dice that only make nonsense, or none, test nothing. */
	EXPECT_BETWEEN((long long)(THREADS * calls / 4), (long long)atomic_load(&succeeded),
		(long long)(THREADS * calls * 9 / 10));
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{ "random calls", random_calls },
	};
	const char *from_environment = getenv("PAPI_TEST_SEED"), *more = getenv("PAPI_TEST_CALLS");

	if (from_environment)
		seed = strtoull(from_environment, NULL, 0);
	if (more)
		calls = strtoul(more, NULL, 0);
	if (argc > 1)
		seed = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		calls = strtoul(argv[2], NULL, 0);
	printf("seed %llu, %lu calls in each of %d threads\n", (unsigned long long)seed, calls, THREADS);
	fflush(stdout);
	work_begin();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
