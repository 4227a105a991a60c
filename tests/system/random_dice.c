/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "random.h"
#include "work.h"

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

void random_begin(void)
{
	for (size_t i = 0; i < PLACES; i++)
		atomic_store(&places[i], PAPI_NULL);
}

void random_dice(struct dice *dice, uint64_t seed, unsigned thread, bool may_shut_down)
{
	dice->state = (seed + 1) * 0x9e3779b97f4a7c15u + thread;
	dice->thread = thread;
	dice->may_shut_down = may_shut_down;
	for (int warm = 0; warm < 8; warm++)
		random_below(dice, 2);
}

atomic_int *random_place_number(unsigned n)
{
	return &places[n % PLACES];
}

atomic_int *random_place(struct dice *dice)
{
	return random_place_number(random_below(dice, PLACES));
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
	"sched:sched_switch", "r01c0", "cpu/instructions/", "vpmu:::INSTRUCTIONS", "vpmu:::STORES", "vpmu:::CYCLES",
	"vpmu:::L1D_MISSES", "PAPI_TOT_INS", "PAPI_BR_MSP" };

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
