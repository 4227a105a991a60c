/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Multiplexing by the library on the model kernel: who is on the counters in which turn, and what the counts become.
 *
 * Turns are taken by calling what the timer's signal calls; the timer itself is far from going off.
 */
#include <errno.h>

#include "core/handles.h"
#include "core/multiplex.h"
#include "sets.h"

#define FAR 2000000000 /* ns */

static int turns_set(int flags)
{
	PAPI_option_t option = { .multiplex = { .ns = FAR } };
	int set = PAPI_NULL;

	assert_ok(PAPI_create_eventset(&set));
	assert_ok(PAPI_set_opt(PAPI_DEF_MPX_NS, &option));
	/* Programs leave anything in ns. */
	option.multiplex = (PAPI_multiplex_option_t){ .eventset = set, .ns = -77, .flags = flags };
	assert_ok(PAPI_set_opt(PAPI_MULTIPLEX, &option));
	return set;
}

static void next_turn(int set)
{
	papi_multiplex_expired(papi_handle_slot(set));
}

/* Time passes, in which each counting event counts amount. */
static void pass(uint64_t time, uint64_t amount)
{
	fake_run(time, time);
	fake_count(amount);
}

/* One bit for each open event that counts, in the order of opening. */
static unsigned counting(void)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < fake.n_open; i++)
		bits |= (unsigned)fake_is_counting(fake_event(i)) << i;
	return bits;
}

static void the_option_is_told_again(void **state)
{
	int set = turns_set(PAPI_MULTIPLEX_FORCE_SW), other;
	PAPI_option_t option = { .multiplex = { .eventset = set } };

	(void)state;
	assert_int_equal(PAPI_get_opt(PAPI_MULTIPLEX, &option), 1);
	assert_int_equal(option.multiplex.flags, PAPI_MULTIPLEX_FORCE_SW);
	assert_int_equal(option.multiplex.ns, FAR);
	assert_refused(PAPI_set_opt(PAPI_MULTIPLEX, &option), PAPI_EINVAL, "multiplexed already");
	destroy_set(set);
	other = SET_OF("r01");
	option.multiplex = (PAPI_multiplex_option_t){ .eventset = other, .flags = 2 };
	assert_refused(PAPI_set_opt(PAPI_MULTIPLEX, &option), PAPI_EINVAL, "PAPI_MULTIPLEX_FORCE_SW");
	assert_int_equal(PAPI_get_multiplex(other), 0);
	/* Turns that would be spent on taking turns are longer than asked for, and the option tells. */
	option.multiplex.ns = 1;
	assert_ok(PAPI_set_opt(PAPI_DEF_MPX_NS, &option));
	option.multiplex = (PAPI_multiplex_option_t){ .eventset = other, .flags = PAPI_MULTIPLEX_FORCE_SW };
	assert_ok(PAPI_set_opt(PAPI_MULTIPLEX, &option));
	assert_int_equal(PAPI_get_opt(PAPI_MULTIPLEX, &option), 1);
	assert_int_equal(option.multiplex.ns, PAPI_MULTIPLEX_SHORTEST_NS);
	destroy_set(other);
}

/* Four counters, ten events: turns of four, four and two. */
static void a_turn_is_a_group(void **state)
{
	int set = turns_set(PAPI_MULTIPLEX_FORCE_SW);
	long long values[10], enabled[10], running[10];

	(void)state;
	ADD(set, "r01", "r02", "r03", "r04", "r05", "r06", "r07", "r08", "r09", "r0a");
	for (unsigned i = 0; i < 10; i++)
		assert_ptr_equal(fake_event(i)->leader, fake_event(i / 4 * 4));
	assert_ok(PAPI_start(set));
	assert_int_equal(counting(), 0x00f);
	pass(100, 5);
	next_turn(set);
	assert_int_equal(counting(), 0x0f0);
	pass(100, 6);
	fake_calls_clear();
	next_turn(set);
	/* A turn opens nothing: one call takes the group off, one puts the next on. */
	assert_int_equal(fake.calls[FAKE_IOCTL], 2);
	assert_int_equal(fake_calls_all(), 2);
	assert_int_equal(counting(), 0x300);
	pass(200, 7);
	assert_ok(PAPI_read(set, values));
	for (int i = 0; i < 10; i++)
		assert_int_equal(values[i], i < 4 ? 20 : i < 8 ? 24 : 14);
	next_turn(set);
	assert_int_equal(counting(), 0x00f);
	pass(100, 5);
	assert_ok(PAPI_get_event_times(set, enabled, running));
	for (int i = 0; i < 10; i++) {
		assert_int_equal(enabled[i], 500);
		assert_int_equal(running[i], i < 4 ? 200 : i < 8 ? 100 : 200);
	}
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(counting(), 0);
	assert_int_equal(values[0], 25);
	assert_int_equal(values[4], 30);
	assert_int_equal(values[9], 17);
	destroy_set(set);
}

/* Stopped in a turn, a set goes on with the same; nothing of the run before is in the next. */
static void runs_are_apart(void **state)
{
	int set = turns_set(PAPI_MULTIPLEX_FORCE_SW);
	long long values[8];

	(void)state;
	ADD(set, "r01", "r02", "r03", "r04", "r05", "r06", "r07", "r08");
	for (int run = 1; run < 5; run++) {
		assert_ok(PAPI_start(set));
		pass(10, 1000);
		next_turn(set);
		pass(30, (uint64_t)run);
		assert_ok(PAPI_stop(set, values));
		for (int i = 0; i < 8; i++)
			assert_int_equal(values[i], (i < 4) == (run % 2 == 1) ? 4000 : run * 4 / 3);
	}
	destroy_set(set);
}

static void what_had_no_turn_is_an_error(void **state)
{
	int set = turns_set(PAPI_MULTIPLEX_FORCE_SW);
	long long values[5] = { 0 }, running[5];

	(void)state;
	ADD(set, "r01", "r02", "r03", "r04", "r05");
	assert_ok(PAPI_start(set));
	assert_ok(PAPI_read(set, values));
	pass(100, 5);
	assert_refused(PAPI_read(set, values), PAPI_ECNFLCT, "never got its turn");
	assert_refused(PAPI_accum(set, values), PAPI_ECNFLCT, "never got its turn");
	assert_ok(PAPI_get_event_times(set, NULL, running));
	assert_int_equal(running[0], 100);
	assert_int_equal(running[4], 0);
	next_turn(set);
	pass(50, 2);
	assert_ok(PAPI_accum(set, values));
	assert_int_equal(values[0], 7);
	assert_int_equal(values[4], 6);
	/* From the accum on, the others have had none. */
	pass(50, 2);
	assert_refused(PAPI_read(set, values), PAPI_ECNFLCT, "never got its turn");
	assert_ok(PAPI_reset(set));
	assert_refused(PAPI_stop(set, values), PAPI_OK, "");
	destroy_set(set);
}

/* Between the call that is inside the set and the timer nobody waits: the turn is taken when the call is done. */
static void a_turn_that_comes_due_inside_a_call(void **state)
{
	int set = turns_set(PAPI_MULTIPLEX_FORCE_SW);
	struct papi_slot *slot = papi_handle_slot(set);
	long long values[5];

	(void)state;
	ADD(set, "r01", "r02", "r03", "r04", "r05");
	assert_ok(PAPI_start(set));
	pass(100, 1);
	assert_true(papi_handle_try(slot));
	next_turn(set);
	assert_int_equal(counting(), 0x0f);
	papi_handle_leave(slot);
	assert_refused(PAPI_read(set, values), PAPI_ECNFLCT, "never got its turn");
	assert_int_equal(counting(), 0x10);
	pass(100, 1);
	assert_ok(PAPI_read(set, values));
	assert_int_equal(counting(), 0x10);
	/* Late signals: of a stopped set, and of one that is not there any more. */
	assert_ok(PAPI_stop(set, values));
	next_turn(set);
	assert_int_equal(counting(), 0);
	destroy_set(set);
	papi_multiplex_expired(slot);
	assert_null(slot->set);
}

/* Software counts all the time; each PMU has turns of its own. */
static void turns_are_for_what_is_short(void **state)
{
	int set = turns_set(PAPI_MULTIPLEX_FORCE_SW);
	long long values[7], enabled[7], running[7];

	(void)state;
	ADD(set, "r01", "r02", "mem:0x1000", "r03", "r04", "mem:0x2000", "r05");
	assert_ok(PAPI_start(set));
	assert_int_equal(counting(), 0x3f);
	pass(100, 10);
	next_turn(set);
	assert_int_equal(counting(), 0x64);
	pass(100, 10);
	assert_ok(PAPI_stop(set, values));
	for (int i = 0; i < 7; i++)
		assert_int_equal(values[i], 20);
	assert_ok(PAPI_get_event_times(set, enabled, running));
	assert_int_equal(running[2], enabled[2]);
	assert_int_equal(running[5], 200);
	assert_int_equal(running[0], 100);
	destroy_set(set);
}

/* The kernel accepts a group of four though the watchdog has one of the counters; it would never run. */
static void groups_that_would_never_run_are_not_made(void **state)
{
	int set = turns_set(PAPI_MULTIPLEX_FORCE_SW);
	long long values[4];

	(void)state;
	fake_pmu_set((struct fake_pmu){ .type = PERF_TYPE_RAW, .counters = 4, .held = 1 });
	fake.trial = true;
	ADD(set, "r01", "r02", "r03", "r04");
	fake.trial = false;
	assert_int_equal(fake.n_open, 4);
	assert_ptr_equal(fake_event(2)->leader, fake_event(0));
	assert_ptr_equal(fake_event(3)->leader, fake_event(3));
	assert_ok(PAPI_start(set));
	assert_int_equal(counting(), 0x7);
	pass(10, 10);
	next_turn(set);
	pass(10, 10);
	assert_ok(PAPI_stop(set, values));
	for (int i = 0; i < 4; i++)
		assert_int_equal(values[i], 20);
	destroy_set(set);
}

static void removed_events_leave_their_place(void **state)
{
	int set = turns_set(PAPI_MULTIPLEX_FORCE_SW);
	long long values[4];

	(void)state;
	ADD(set, "r01", "r02", "r03", "r04", "r05");
	assert_ok(PAPI_remove_named_event(set, "r02"));
	assert_int_equal(fake.n_open, 4);
	assert_ok(PAPI_start(set));
	assert_int_equal(counting(), 0xf);
	/* Nothing takes turns now, and there is no timer to say so. */
	pass(10, 3);
	next_turn(set);
	assert_int_equal(counting(), 0xf);
	assert_ok(PAPI_stop(set, values));
	for (int i = 0; i < 4; i++)
		assert_int_equal(values[i], 3);
	destroy_set(set);
}

static const char *const watches[] = { "mem:0x1000", "mem:0x2000", "mem:0x3000", "mem:0x4000", "mem:0x5000",
	"mem:0x6000" };

/* Six breakpoints over four registers: the descriptors stay, their addresses change. In both kinds of multiplexing. */
static void breakpoints_share_registers(void **state)
{
	(void)state;
	fake.watches = 4;
	for (int flags = PAPI_MULTIPLEX_DEFAULT; flags <= PAPI_MULTIPLEX_FORCE_SW; flags++) {
		int set = turns_set(flags);
		long long values[6], enabled[6], running[6];

		add_all(set, watches, LENGTH(watches));
		assert_int_equal(fake.n_open, 4);
		assert_ok(PAPI_start(set));
		fake_calls_clear();
		/* Windows: 0123, 4501, 2345, and so on; the fourth is the first again. */
		for (int turn = 0; turn < 5; turn++) {
			static const int window[5][4] = { { 1, 2, 3, 4 }, { 5, 6, 1, 2 }, { 3, 4, 5, 6 },
				{ 1, 2, 3, 4 }, { 5, 6, 1, 2 } };
			unsigned seen = 0, expected = 0;

			for (unsigned i = 0; i < 4; i++) {
				seen |= 1u << (fake_event(i)->attr.bp_addr >> 12);
				expected |= 1u << window[turn][i];
			}
			assert_int_equal(seen, expected);
			assert_int_equal(counting(), 0xf);
			/* Each address is accessed as often as its number tells. */
			for (unsigned i = 0; i < 4; i++)
				fake_event(i)->count += 100 * (fake_event(i)->attr.bp_addr >> 12);
			fake_run(60, 60);
			if (turn < 4)
				next_turn(set);
		}
		assert_int_equal(fake.calls[FAKE_OPEN] + fake.calls[FAKE_CLOSE], 0);
		assert_ok(PAPI_get_event_times(set, enabled, running));
		assert_ok(PAPI_stop(set, values));
		for (int i = 0; i < 6; i++) {
			assert_int_equal(enabled[i], 300);
			assert_int_equal(running[i], i < 2 ? 240 : 180);
			assert_int_equal(values[i], 500 * (i + 1));
		}
		destroy_set(set);
	}
}

/* A descriptor that is moved counts nothing for a moment; one that stays has run for longer than the average. */
static void nothing_runs_for_longer_than_it_should(void **state)
{
	int set = turns_set(PAPI_MULTIPLEX_DEFAULT);
	long long values[3], enabled[3], running[3];

	(void)state;
	fake.watches = 2;
	add_all(set, watches, 3);
	assert_ok(PAPI_start(set));
	pass(100, 7);
	next_turn(set);
	fake_run(90, 90);
	fake_event(0)->enabled_time += 10;
	fake_event(0)->running_time += 10;
	assert_ok(PAPI_read(set, values));
	assert_ok(PAPI_get_event_times(set, enabled, running));
	assert_int_equal(running[0], 200);
	assert_int_equal(enabled[0], 200);
	assert_int_equal(values[0], 7);
	assert_int_equal(enabled[1], 195);
	assert_int_equal(values[1], 7 * 195 / 100);
	assert_ok(PAPI_stop(set, values));
	destroy_set(set);
}

/* On some processors a register for data is of no use for instructions. */
static void registers_of_two_kinds(void **state)
{
	int set;
	long long values[6];

	(void)state;
	fake.watches = 2;
	fake.stops = 1;
	set = turns_set(PAPI_MULTIPLEX_DEFAULT);
	ADD(set, "mem:0x1000", "mem:0x2000", "mem:0x3000", "mem:0x4000:x", "mem:0x5000:x", "mem:0x6000");
	assert_int_equal(fake.n_open, 3);
	assert_ok(PAPI_start(set));
	for (int turn = 0; turn < 4; turn++) {
		pass(10, 10);
		next_turn(set);
	}
	assert_ok(PAPI_stop(set, values));
	for (int i = 0; i < 6; i++)
		assert_int_equal(values[i], 40);
	destroy_set(set);
	/* Without one register of its own to begin with, there is nothing to share. */
	fake.watches = 0;
	set = SET_OF("mem:0x1000", "mem:0x2000");
	fake.watches = 2;
	assert_refused(PAPI_add_named_event(set, "mem:0x3000"), PAPI_ECNFLCT, "all hardware breakpoints are in use");
	destroy_set(set);
}

/* Those of an event that goes are for the others. */
static void registers_are_handed_on(void **state)
{
	int set = turns_set(PAPI_MULTIPLEX_DEFAULT);
	long long values[4];

	(void)state;
	fake.watches = 2;
	add_all(set, watches, 5);
	assert_ok(PAPI_start(set));
	next_turn(set);
	assert_ok(PAPI_reset(set));
	assert_ok(PAPI_stop(set, NULL));
	assert_ok(PAPI_remove_named_event(set, "mem:0x1000"));
	assert_ok(PAPI_start(set));
	for (int turn = 0; turn < 2; turn++) {
		pass(10, 10);
		next_turn(set);
	}
	assert_ok(PAPI_stop(set, values));
	for (int i = 0; i < 4; i++)
		assert_int_equal(values[i], 20);
	destroy_set(set);
}

/* What goes wrong in a turn, the next read tells. */
static void a_turn_that_fails(void **state)
{
	int set = turns_set(PAPI_MULTIPLEX_FORCE_SW);
	long long values[5];

	(void)state;
	ADD(set, "r01", "r02", "r03", "r04", "r05");
	assert_ok(PAPI_start(set));
	pass(10, 10);
	fake_fail(FAKE_IOCTL, 2, EIO);
	next_turn(set);
	fake_faults_clear();
	assert_refused(PAPI_read(set, values), PAPI_ESYS, "PERF_EVENT_IOC_ENABLE");
	next_turn(set);
	assert_refused(PAPI_reset(set), PAPI_ESYS, "PERF_EVENT_IOC_ENABLE");
	assert_refused(PAPI_stop(set, values), PAPI_ESYS, "PERF_EVENT_IOC_ENABLE");
	/* A new start begins anew. */
	assert_ok(PAPI_start(set));
	pass(10, 10);
	next_turn(set);
	pass(10, 10);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[4], 20);
	destroy_set(set);
	/* The same with each call that moves a breakpoint. */
	fake.watches = 2;
	for (unsigned nth = 1; nth <= 3; nth++) {
		set = turns_set(PAPI_MULTIPLEX_DEFAULT);
		add_all(set, watches, 3);
		assert_ok(PAPI_start(set));
		pass(10, 10);
		fake_fail(FAKE_ANY, nth, EIO);
		next_turn(set);
		assert_true(fake.fault_hit);
		fake_faults_clear();
		assert_refused(PAPI_stop(set, values), PAPI_ESYS, nth == 1 ? "DISABLE" : nth == 2 ? "read" : "MODIFY");
		assert_ok(PAPI_start(set));
		assert_ok(PAPI_stop(set, values));
		destroy_set(set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_model(the_option_is_told_again),
		test_on_model(a_turn_is_a_group),
		test_on_model(runs_are_apart),
		test_on_model(what_had_no_turn_is_an_error),
		test_on_model(a_turn_that_comes_due_inside_a_call),
		test_on_model(turns_are_for_what_is_short),
		test_on_model(groups_that_would_never_run_are_not_made),
		test_on_model(removed_events_leave_their_place),
		test_on_model(breakpoints_share_registers),
		test_on_model(nothing_runs_for_longer_than_it_should),
		test_on_model(registers_of_two_kinds),
		test_on_model(registers_are_handed_on),
		test_on_model(a_turn_that_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
