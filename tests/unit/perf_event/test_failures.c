/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every call of the kernel fails in its turn, with each of several errors: functions may fail then, but with a code and
 * a reason; nothing is left open; and the EventSet counts right as soon as the kernel answers again.
 */
#include <errno.h>
#include <unistd.h>

#include "pmus.h"
#include "sets.h"

#define MOST_VALUES 8

static int begin(void **state)
{
	int status;

	make_machine();
	status = set_up(state);
	add_pmus();
	fake.mappable = true;
	return status;
}

static int end(void **state)
{
	int status = tear_down(state);

	fake_machine_end();
	return status;
}

/* What a call gave while one of the kernel's failed: success, or a code of the library and a sentence. */
static bool tolerate(int status)
{
	if (status == PAPI_OK)
		return true;
	if (!fake.fault_hit)
		fail_msg("%d without a failed call: %s", status, PAPI_error_detail());
	if (status > 0 || status <= -PAPI_NUM_ERRORS || status == PAPI_EBUG || strlen(PAPI_error_detail()) < 10)
		fail_msg("%d, \"%s\"", status, PAPI_error_detail());
	return false;
}

static int set_domain(int set, int domain)
{
	return PAPI_set_opt(PAPI_DOMAIN, &(PAPI_option_t){ .domain = { .eventset = set, .domain = domain } });
}

/* The life of a set. A call that fails is not repeated; what comes later has to get along with that. */
static void live(int set, const char *const names[], size_t n_names)
{
	long long values[MOST_VALUES] = { 0 };

	for (size_t i = 0; i < n_names; i++)
		tolerate(PAPI_add_named_event(set, names[i]));
	if (!PAPI_num_events(set))
		return;
	tolerate(set_domain(set, PAPI_DOM_ALL));
	if (tolerate(PAPI_start(set))) {
		fake_count(1000);
		fake_run(1000, 1000);
		tolerate(PAPI_read(set, values));
		tolerate(PAPI_accum(set, values));
		tolerate(PAPI_reset(set));
		tolerate(PAPI_stop(set, values));
		assert_int_equal(PAPI_stop(set, values), PAPI_ENOTRUN);
	}
	tolerate(PAPI_attach(set, (unsigned long)getpid()));
	PAPI_detach(set);
	if (tolerate(PAPI_start(set)))
		tolerate(PAPI_stop(set, values));
	/* The leader goes. */
	if (PAPI_num_events(set) > 1)
		tolerate(PAPI_remove_named_event(set, names[0]) == PAPI_OK ? PAPI_OK
									   : PAPI_remove_named_event(set, names[1]));
	if (tolerate(PAPI_start(set))) {
		fake_count(1000);
		tolerate(PAPI_stop(set, values));
	}
}

/* An event of two packages counts in both. */
static void check_value(long long value, uint64_t expected, unsigned nth, const char *function)
{
	if (value != (long long)expected && value != 2 * (long long)expected)
		fail_msg("after call %u had failed, %s gives %lld and not %llu", nth, function, value,
			(unsigned long long)expected);
}

/* With all calls in order again: each value is what was counted between start and stop, and nothing from before. */
static void assert_counts(int set, unsigned nth)
{
	long long values[MOST_VALUES];

	if (!PAPI_num_events(set))
		ADD(set, "r01");
	for (uint64_t round = 1; round < 3; round++) {
		assert_ok(PAPI_start(set));
		fake_count(round);
		fake_run(10, 10);
		assert_ok(PAPI_read(set, values));
		for (int i = 0; i < PAPI_num_events(set); i++)
			check_value(values[i], round, nth, "PAPI_read");
		fake_count(10 * round);
		assert_ok(PAPI_stop(set, values));
		for (int i = 0; i < PAPI_num_events(set); i++)
			check_value(values[i], 11 * round, nth, "PAPI_stop");
	}
}

static const int errors[] = { EINVAL, EMFILE, EACCES, EBUSY, EINTR };

static void fail_each_call(bool multiplex, const char *const names[], size_t n_names)
{
	for (size_t e = 0; e < LENGTH(errors); e++) {
		unsigned nth = 0;
		bool hit;

		do {
			int set = PAPI_NULL;

			assert_ok(PAPI_create_eventset(&set));
			if (multiplex)
				assert_ok(PAPI_set_multiplex(set));
			fake_fail(FAKE_ANY, ++nth, errors[e]);
			live(set, names, n_names);
			hit = fake.fault_hit;
			fake_faults_clear();
			assert_counts(set, nth);
			destroy_set(set);
			assert_int_equal(fake.n_open, 0);
			assert_int_equal(fake.n_mapped, 0);
			assert_int_equal(fake.misuses, 0);
		} while (hit);
		/* The life of a set takes more calls than that. */
		assert_in_range(nth, 20, 200);
	}
}

static void in_a_set_of_one_group(void **state)
{
	static const char *const names[] = { "r01", "r02", "r03" };

	(void)state;
	fail_each_call(false, names, LENGTH(names));
}

static void in_a_set_of_hardware_and_software(void **state)
{
	static const char *const names[] = { "mem:0x1000", "r01", "msr/tsc/" };

	(void)state;
	fail_each_call(false, names, LENGTH(names));
}

static void in_a_set_of_several_groups(void **state)
{
	static const char *const names[] = { "cpu_core/instructions/", "cpu_atom/instructions/",
		"uncore_imc_0/cas_reads/" };

	(void)state;
	fail_each_call(false, names, LENGTH(names));
}

static void in_a_multiplexed_set(void **state)
{
	static const char *const names[] = { "r01", "r02", "mem:0x1000" };

	(void)state;
	fail_each_call(true, names, LENGTH(names));
}

/* The library starts where perf events are refused altogether, and the component says why. */
static void the_component_tells_why_it_is_disabled(void **state)
{
	static const struct {
		int error, status;
		const char *words;
	} cases[] = {
		{ EACCES, PAPI_EPERM, "" },
		{ ENOSYS, PAPI_ECMP_DISABLED, "CONFIG_PERF_EVENTS" },
		{ EMFILE, PAPI_ECMP_DISABLED, "ulimit -n" },
	};
	int set, code;

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		const PAPI_component_info_t *info;

		PAPI_shutdown();
		fake_fail(FAKE_OPEN, 1, cases[i].error);
		assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
		fake_faults_clear();
		info = PAPI_get_component_info(0);
		assert_non_null(info);
		assert_int_equal(info->disabled, cases[i].status);
		assert_non_null(strstr(info->disabled_reason, cases[i].words));
		assert_true(strlen(info->disabled_reason) > 20);
		assert_refused(PAPI_event_name_to_code("mem:0x1000", &code), PAPI_ECMP_DISABLED, info->disabled_reason);
		code = PAPI_NATIVE_MASK;
		assert_refused(
			PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, 0), PAPI_ECMP_DISABLED, info->disabled_reason);
		/* What does not need it works. */
		set = SET_OF("rusage:::minflt");
		assert_ok(PAPI_start(set));
		assert_ok(PAPI_stop(set, &(long long){ 0 }));
		destroy_set(set);
	}
	PAPI_shutdown();
	assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
	assert_ok(PAPI_query_named_event("mem:0x1000"));
}

/* As many events as there are descriptors, and not one more. */
static void descriptors_may_run_out(void **state)
{
	int set = SET_OF("mem:0x1000", "mem:0x2000", "mem:0x3000"), other;
	long long values[3];

	(void)state;
	fake.most_open = 4;
	ADD(set, "r01");
	assert_refused(PAPI_add_named_event(set, "r02"), PAPI_ESYS, "every event needs one: ulimit -n");
	assert_int_equal(PAPI_num_events(set), 4);
	other = SET_OF("rusage:::minflt");
	assert_refused(PAPI_add_named_event(other, "r02"), PAPI_ESYS, "ulimit -n");
	assert_int_equal(PAPI_num_events(other), 1);
	/* Other options close before they open: there is room for that. */
	assert_ok(set_domain(set, PAPI_DOM_ALL));
	assert_ok(PAPI_remove_named_event(set, "mem:0x1000"));
	ADD(other, "r02");
	assert_ok(PAPI_start(set));
	fake_count(3);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[2], 3);
	destroy_set(set);
	destroy_set(other);
}

#define test_on_machine(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_machine(in_a_set_of_one_group),
		test_on_machine(in_a_set_of_hardware_and_software),
		test_on_machine(in_a_set_of_several_groups),
		test_on_machine(in_a_multiplexed_set),
		test_on_machine(the_component_tells_why_it_is_disabled),
		test_on_machine(descriptors_may_run_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
