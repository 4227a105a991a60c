/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that tests with random calls call. */
#include "random.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

#define ROOM        RANDOM_ROOM
#define MOST_EVENTS 12

static int create(struct dice *dice)
{
	atomic_int *place = random_place(dice);
	int set = PAPI_NULL, old, status;

	status = PAPI_create_eventset(&set);
	if (status != PAPI_OK)
		return status;
	old = atomic_exchange(place, set);
	/* What was there, if it still is, is nobody's any more. */
	PAPI_stop(old, NULL);
	PAPI_cleanup_eventset(old);
	PAPI_destroy_eventset(&old);
	return PAPI_OK;
}

static int destroy(struct dice *dice)
{
	int set = random_handle(dice);

	return PAPI_destroy_eventset(&set);
}

static bool has_room(int set)
{
	return PAPI_num_events(set) < MOST_EVENTS;
}

static int add(struct dice *dice)
{
	int set = random_handle(dice), code = random_code(dice);

	return has_room(set) ? PAPI_add_event(set, code) : PAPI_OK;
}

static int add_named(struct dice *dice)
{
	int set = random_handle(dice);
	const char *name = random_name(dice);

	return has_room(set) ? PAPI_add_named_event(set, name) : PAPI_OK;
}

static int add_several(struct dice *dice)
{
	int set = random_handle(dice), codes[3];

	for (size_t i = 0; i < COUNT_OF(codes); i++)
		codes[i] = random_code(dice);
	return has_room(set) ? PAPI_add_events(set, codes, (int)random_below(dice, 5) - 1) : PAPI_OK;
}

static int remove_one(struct dice *dice)
{
	int set = random_handle(dice), codes[ROOM], number = ROOM;

	if (random_chance(dice, 3))
		return PAPI_remove_event(set, random_code(dice));
	if (PAPI_list_events(set, codes, &number) != PAPI_OK || number == 0)
		return PAPI_OK;
	return PAPI_remove_event(set, codes[random_below(dice, (unsigned)number)]);
}

static int list(struct dice *dice)
{
	int codes[ROOM], number = (int)random_below(dice, ROOM + 1) - 1;

	return PAPI_list_events(random_handle(dice), random_chance(dice, 10) ? NULL : codes, &number);
}

static int state(struct dice *dice)
{
	int status;

	return PAPI_state(random_handle(dice), &status);
}

static int count(struct dice *dice)
{
	static const char zeros[ROOM * sizeof(long long)];
	long long values[ROOM], time;
	int set = random_handle(dice);

	memcpy(values, zeros, sizeof(values));
	switch (random_below(dice, 10)) {
	case 0:
		return PAPI_stop(set, random_chance(dice, 3) ? NULL : values);
	case 1:
		return PAPI_read(set, values);
	case 2:
		return PAPI_read_ts(set, values, &time);
	case 3:
		return PAPI_accum(set, values);
	case 4:
		return PAPI_reset(set);
	case 5:
		return PAPI_write(set, values);
	case 6:
		return PAPI_get_event_times(set, values, random_chance(dice, 2) ? NULL : values);
	default:
		return PAPI_start(set);
	}
}

static int cleanup(struct dice *dice)
{
	return PAPI_cleanup_eventset(random_handle(dice));
}

static int component(struct dice *dice)
{
	int set = random_handle(dice), cidx = random_chance(dice, 4) ? random_number(dice) : (int)random_below(dice, 3);

	switch (random_below(dice, 6)) {
	case 0:
		return PAPI_assign_eventset_component(set, cidx);
	case 1:
		return PAPI_get_eventset_component(set);
	case 2:
		return PAPI_num_cmp_hwctrs(cidx);
	case 3:
		return PAPI_get_component_index(random_name(dice));
	case 4:
		return PAPI_disable_component(cidx);
	default:
		return PAPI_get_component_info(cidx) ? PAPI_OK : PAPI_ENOCMP;
	}
}

static int name_and_code(struct dice *dice)
{
	char name[PAPI_MAX_STR_LEN];
	PAPI_event_info_t info;
	int code = random_code(dice);

	switch (random_below(dice, 6)) {
	case 0:
		return PAPI_event_code_to_name(code, name);
	case 1:
		return PAPI_query_event(code);
	case 2:
		return PAPI_query_named_event(random_name(dice));
	case 3:
		return PAPI_get_event_component(code);
	case 4:
		return PAPI_event_name_to_code(random_name(dice), &code);
	default:
		return PAPI_get_event_info(code, &info);
	}
}

static int enumerate(struct dice *dice)
{
	int code = random_code(dice),
	    modifier = random_chance(dice, 5) ? random_number(dice) : (int)random_below(dice, 24);
	int cidx = (int)random_below(dice, 5) - 1, status = PAPI_OK;

	for (unsigned i = random_below(dice, 10); i && status == PAPI_OK; i--)
		status = random_chance(dice, 2) ? PAPI_enum_event(&code, modifier)
						: PAPI_enum_cmp_event(&code, modifier, cidx);
	return status;
}

static int defaults(struct dice *dice)
{
	int value = random_chance(dice, 3) ? random_number(dice) : (int)random_below(dice, 17);
	int cidx = (int)random_below(dice, 4) - 1, status;

	switch (random_below(dice, 4)) {
	case 0:
		status = PAPI_set_domain(value);
		break;
	case 1:
		status = PAPI_set_cmp_domain(value, cidx);
		break;
	case 2:
		status = PAPI_set_granularity(value);
		break;
	default:
		status = PAPI_set_cmp_granularity(value, cidx);
		break;
	}
	PAPI_set_domain(PAPI_DOM_USER);
	PAPI_set_granularity(PAPI_GRN_THR);
	return status;
}

/* Options with numbers in them. A handler, the levels that print or end the program, and paths stay out of it. */
static int option(struct dice *dice)
{
	PAPI_option_t value;
	int which = random_chance(dice, 8) ? random_number(dice) : (int)random_below(dice, 31);

	memset(&value, 0, sizeof(value));
	/* Handle and number come first in all options of sets, in this order. */
	value.domain.eventset = random_handle(dice);
	value.domain.domain = random_chance(dice, 4) ? random_number(dice) : (int)random_below(dice, 16);
	value.domain.def_cidx = (int)random_below(dice, 3);
	if (which == PAPI_ATTACH)
		value.attach = (PAPI_attach_option_t){ .eventset = random_handle(dice),
			.tid = random_chance(dice, 2) ? (unsigned long)syscall(SYS_gettid)
						      : random_below(dice, 100000) };
	if (which == PAPI_INHERIT || which == PAPI_CPU_ATTACH || which == PAPI_MULTIPLEX) {
		value.inherit.eventset = random_handle(dice);
		value.inherit.inherit = (int)random_below(dice, 3);
	}
	if (random_chance(dice, 2) || which == PAPI_DEBUG || which == PAPI_USER_EVENTS_FILE)
		return PAPI_get_opt(which, random_chance(dice, 10) ? NULL : &value);
	return PAPI_set_opt(which, random_chance(dice, 20) ? NULL : &value);
}

static int target(struct dice *dice)
{
	int set = random_handle(dice);

	switch (random_below(dice, 5)) {
	case 0:
		return PAPI_attach(set, (unsigned long)getpid());
	case 1:
		return PAPI_attach(set, (unsigned long)random_number(dice));
	case 2:
		return PAPI_set_multiplex(set);
	case 3:
		return PAPI_get_multiplex(set);
	default:
		return PAPI_detach(set);
	}
}

static unsigned long id_function(void)
{
	return (unsigned long)syscall(SYS_gettid);
}

static int thread(struct dice *dice)
{
	PAPI_all_thr_spec_t all = { .num = 4 };
	PAPI_thread_id_t ids[4];
	void *pointers[4];
	int number = (int)random_below(dice, 6) - 1, tag = (int)random_below(dice, 6) - 1;

	all.id = ids;
	all.data = pointers;
	switch (random_below(dice, 7)) {
	case 0:
		return PAPI_register_thread();
	case 1:
		return PAPI_unregister_thread();
	case 2:
		return PAPI_list_threads(random_chance(dice, 3) ? NULL : ids, &(int){ number > 4 ? 4 : number });
	case 3:
		return PAPI_set_thr_specific(tag, dice);
	case 4:
		return PAPI_get_thr_specific(tag, pointers);
	case 5:
		return PAPI_get_thr_specific(tag | PAPI_TLS_ALL_THREADS, (void **)(void *)&all);
	default:
		return PAPI_thread_init(id_function);
	}
}

static int machine(struct dice *dice)
{
	PAPI_dmem_info_t memory;
	void *handle = NULL;
	int value = random_number(dice);
	char text[8];

	switch (random_below(dice, 6)) {
	case 0:
		return PAPI_get_dmem_info(&memory);
	case 1:
		return PAPI_get_hardware_info() ? PAPI_OK : PAPI_ENOINIT;
	case 2:
		return PAPI_get_executable_info() ? PAPI_OK : PAPI_ENOINIT;
	case 3:
		return PAPI_perror_code(value, text, (int)random_below(dice, sizeof(text)) + 1);
	case 4:
		return PAPI_get_real_cyc() && PAPI_get_virt_nsec() >= 0 ? PAPI_OK : PAPI_EMISC;
	default:
		return PAPI_enum_dev_type(value, &handle);
	}
}

/* Uses the set, whatever has become of it. */
static void overflow_handler(int set, void *address, long long vector, void *context)
{
	long long values[ROOM];
	int positions[4], number = 4;

	(void)address;
	(void)context;
	PAPI_get_overflow_event_index(set, vector, positions, &number);
	if (has_room(set))
		PAPI_read(set, values);
	if (vector & 2)
		PAPI_stop(set, NULL);
}

static int random_threshold(struct dice *dice)
{
	static const int thresholds[] = { 0, -1, 2, 10, 1000, 20000, 1000000, 0x7fffffff };

	return thresholds[random_below(dice, COUNT_OF(thresholds))];
}

/* Events of the set for the most part: others are refused. */
static int random_member(struct dice *dice, int set)
{
	int codes[ROOM], number = ROOM;

	if (random_chance(dice, 8) || PAPI_list_events(set, codes, &number) != PAPI_OK || number == 0)
		return random_code(dice);
	return codes[random_below(dice, (unsigned)(number < ROOM ? number : ROOM))];
}

static int overflow(struct dice *dice)
{
	static const int flags[] = { 0, 0, PAPI_OVERFLOW_FORCE_SW, PAPI_OVERFLOW_HARDWARE, 1 };
	static _Alignas(8) unsigned char buckets[4096];
	static const unsigned scales[] = { 0, 1, 2, 4, 65535, 65536, 131072, 131073 };
	int set = random_handle(dice), code = random_member(dice, set), positions[4],
	    number = (int)random_below(dice, 5);
	long long delivered, lost;

	switch (random_below(dice, 6)) {
	case 0:
		return PAPI_get_overflow_event_index(set, random_number(dice), positions, &number);
	case 1:
		return PAPI_get_overflow_counts(set, code, &delivered, &lost);
	case 2:
		return PAPI_profil(buckets, random_below(dice, sizeof(buckets)), (void *)(uintptr_t)random_number(dice),
			scales[random_below(dice, COUNT_OF(scales))], set, code, random_threshold(dice),
			(int)random_below(dice, 512));
	default:
		return PAPI_overflow(set, code, random_threshold(dice), flags[random_below(dice, COUNT_OF(flags))],
			random_chance(dice, 20) ? NULL : overflow_handler);
	}
}

/* Sometimes the library goes away under everybody, and comes back. */
static int begin_again(struct dice *dice)
{
	int status;

	if (dice->may_shut_down && random_chance(dice, 20))
		PAPI_shutdown();
	status = PAPI_library_init(random_chance(dice, 5) ? random_number(dice) : (int)PAPI_VER_CURRENT);
	PAPI_library_init(PAPI_VER_CURRENT);
	return status;
}

int random_call(struct dice *dice)
{
	static const struct {
		unsigned weight;
		const char *name;
		int (*call)(struct dice *dice);
	} calls[] = { { 6, "create", create }, { 2, "destroy", destroy }, { 10, "add", add },
		{ 16, "add_named", add_named }, { 4, "add_several", add_several }, { 6, "remove", remove_one },
		{ 4, "list", list }, { 4, "state", state }, { 50, "count", count }, { 2, "cleanup", cleanup },
		{ 4, "component", component }, { 10, "name_and_code", name_and_code }, { 6, "enumerate", enumerate },
		{ 2, "defaults", defaults }, { 10, "option", option }, { 6, "target", target }, { 6, "thread", thread },
		{ 3, "machine", machine }, { 8, "overflow", overflow }, { 1, "begin_again", begin_again } };
	unsigned total = 0, chosen;

	for (size_t i = 0; i < COUNT_OF(calls); i++)
		total += calls[i].weight;
	chosen = random_below(dice, total);
	for (size_t i = 0; i < COUNT_OF(calls); i++) {
		if (chosen < calls[i].weight) {
			dice->doing = calls[i].name;
			return calls[i].call(dice);
		}
		chosen -= calls[i].weight;
	}
	return PAPI_OK;
}
