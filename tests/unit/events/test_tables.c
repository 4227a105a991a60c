/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * events/tables.h: which tables of events are for this machine, and what the files of a user add. On the model kernel;
 * the machine is told by its files: an Arm core of a design that no table of the library names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/component.h"
#include "components/vpmu/mode.h"
#include "machine.h"
#include "sets.h"

#define PRESET_FILE "/presets.csv"
#define USER_FILE   "/user.csv"

static char preset_file[300], user_file[300];

static int begin(void **state)
{
	const char *directory = fake_machine_begin();

	(void)state;
	snprintf(preset_file, sizeof(preset_file), "%.200s%s", directory, PRESET_FILE);
	snprintf(user_file, sizeof(user_file), "%.200s%s", directory, USER_FILE);
	fake_machine_write("/proc/cpuinfo",
		"processor\t: 0\nCPU implementer\t: 0x7e\nCPU part\t: 0xabc\n\n"
		"processor\t: 1\nCPU implementer\t: 0x7e\nCPU part\t: 0xdef\n\n");
	fake_machine_write("/sys/devices/system/cpu/online", "0-1\n");
	unsetenv("PAPI_CSV_EVENT_FILE");
	unsetenv("PAPI_PERFMON_EVENT_FILE");
	unsetenv("PAPI_USER_EVENTS_FILE");
	fake_reset();
	return 0;
}

static int end(void **state)
{
	int status = tear_down(state);

	unsetenv("PAPI_CSV_EVENT_FILE");
	unsetenv("PAPI_PERFMON_EVENT_FILE");
	unsetenv("PAPI_USER_EVENTS_FILE");
	fake_machine_end();
	return status;
}

/* With the table in place of the built-in ones, unless NULL, and with user events, unless NULL. */
static void start_library(const char *presets, const char *user_events)
{
	if (presets) {
		fake_machine_write(PRESET_FILE, presets);
		setenv("PAPI_CSV_EVENT_FILE", preset_file, 1);
	}
	if (user_events) {
		fake_machine_write(USER_FILE, user_events);
		setenv("PAPI_USER_EVENTS_FILE", user_file, 1);
	}
	assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
}

/* The natives of an event, by their names: "r1 r2". */
static void assert_made_of(const char *name, const char *expected)
{
	PAPI_event_info_t info;
	char names[1000] = "";
	int code;

	assert_ok(PAPI_event_name_to_code(name, &code));
	assert_ok(PAPI_query_event(code));
	assert_ok(PAPI_get_event_info(code, &info));
	for (unsigned i = 0; i < info.count; i++) {
		strcat(names, i ? " " : "");
		strcat(names, info.name[i]);
	}
	assert_string_equal(names, expected);
}

static void tables_are_chosen_by_the_cpu(void **state)
{
	(void)state;
	start_library("PRESET,PAPI_TOT_CYC,NOT_DERIVED,r1\n"
		      "CPU,arm-0x7e-0x123\n"
		      "PRESET,PAPI_TOT_CYC,NOT_DERIVED,r2\n"
		      "PRESET,PAPI_FP_OPS,NOT_DERIVED,r3\n"
		      "CPU,some-other\n"
		      "CPU,ARM-0x7E-0xDEF\n"
		      "PRESET,PAPI_L1_DCM,NOT_DERIVED,r4\n"
		      "PRESET,PAPI_TOT_INS,NOT_DERIVED,r5\n"
		      "CPU,arm-0x7e-0xabc\n"
		      "PRESET,PAPI_TOT_INS,DERIVED_ADD,r6,r7\n"
		      "CPU,any\n"
		      "PRESET,PAPI_L2_DCM,NOT_DERIVED,r8\n"
		      "CPU,generic\n"
		      "PRESET,PAPI_L3_DCM,NOT_DERIVED,r9\n",
		NULL);
	assert_made_of("PAPI_TOT_CYC", "r1");
	assert_made_of("PAPI_L1_DCM", "r4");
	assert_made_of("PAPI_TOT_INS", "r6 r7");
	assert_made_of("PAPI_L2_DCM", "r8");
	assert_refused(PAPI_query_event(PAPI_FP_OPS), PAPI_ENOEVNT, "PAPI_FP_OPS is not defined for this CPU");
	assert_refused(PAPI_query_event(PAPI_L3_DCM), PAPI_ENOEVNT, "PAPI_L3_DCM is not defined for this CPU");
}

static void an_unknown_cpu_gets_the_generic_table(void **state)
{
	(void)state;
	start_library("CPU,arm-0x7e-0x123\nPRESET,PAPI_TOT_CYC,NOT_DERIVED,r2\n"
		      "CPU,any\nPRESET,PAPI_L2_DCM,NOT_DERIVED,r8\n"
		      "CPU,generic\nPRESET,PAPI_TOT_INS,NOT_DERIVED,r9\n",
		NULL);
	assert_made_of("PAPI_TOT_INS", "r9");
	assert_made_of("PAPI_L2_DCM", "r8");
	assert_refused(PAPI_query_event(PAPI_TOT_CYC), PAPI_ENOEVNT, "not defined for this CPU");
}

static void the_library_has_tables_of_its_own(void **state)
{
	(void)state;
	start_library(NULL, NULL);
	assert_ok(PAPI_query_named_event("PAPI_TOT_CYC"));
	assert_ok(PAPI_query_named_event("PAPI_TOT_INS"));
	/* Its formula needs a clock rate, which this machine does not tell. */
	assert_refused(PAPI_query_named_event("PAPI_IPS"), PAPI_ENOEVNT, "PAPI_IPS: a formula uses the clock rate");
}

/* The machine has counters, and the program does without them, for this once. */
static void a_disabled_cpu_leaves_presets_to_the_virtual_one(void **state)
{
	char name[PAPI_MAX_STR_LEN];

	(void)state;
	unsetenv("PAPI_VPMU");
	for (int round = 0; round < 2; round++) {
		start_library(NULL, NULL);
		assert_int_equal(papi_component_cpu_counters(), PAPI_CPU_COUNTERS_USABLE);
		assert_int_equal(papi_vpmu_pmu_name(0, name, sizeof(name)), PAPI_ENOEVNT);
		PAPI_shutdown();
		assert_ok(PAPI_disable_component_by_name("perf_event"));
		start_library(NULL, NULL);
		assert_int_equal(papi_component_cpu_counters(), PAPI_CPU_COUNTERS_NONE);
		assert_says("PAPI_disable_component");
		assert_ok(papi_vpmu_pmu_name(0, name, sizeof(name)));
		assert_string_equal(name, "vpmu");
		PAPI_shutdown();
	}
}

static void the_older_variable_is_heard_too(void **state)
{
	(void)state;
	fake_machine_write(PRESET_FILE, "PRESET,PAPI_FP_OPS,NOT_DERIVED,r3\n");
	setenv("PAPI_PERFMON_EVENT_FILE", preset_file, 1);
	start_library(NULL, NULL);
	assert_made_of("PAPI_FP_OPS", "r3");
	PAPI_shutdown();
	/* The newer one goes before it. */
	fake_machine_write("/newer.csv", "PRESET,PAPI_FP_OPS,NOT_DERIVED,r4\n");
	strcpy(strrchr(user_file, '/'), "/newer.csv");
	setenv("PAPI_CSV_EVENT_FILE", user_file, 1);
	assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
	assert_made_of("PAPI_FP_OPS", "r4");
}

static void a_file_that_is_not_there_is_told(void **state)
{
	(void)state;
	setenv("PAPI_CSV_EVENT_FILE", "/no/such/file", 1);
	setenv("PAPI_USER_EVENTS_FILE", "/no/such/user/file", 1);
	start_library(NULL, NULL);
	assert_refused(PAPI_query_event(PAPI_TOT_CYC), PAPI_ENOEVNT, "/no/such/file: No such file or directory");
	assert_ok(PAPI_query_named_event("r1"));
	assert_refused(PAPI_query_named_event("SOME_USER_EVENT"), PAPI_ENOEVNT, "/no/such/user/file");
}

static void user_events_are_added(void **state)
{
	long long values[2];
	int set;

	(void)state;
	start_library("PRESET,PAPI_TOT_CYC,NOT_DERIVED,r1\n",
		"EVENT,RATIO,DERIVED_INFIX,100*N0/N1,r2,PAPI_TOT_CYC,NOTE,\"percent\"\n"
		"EVENT,PAPI_TOT_CYC,NOT_DERIVED,r7\n"
		"CPU,elsewhere\n"
		"EVENT,NOT_HERE,NOT_DERIVED,r2\n");
	assert_made_of("RATIO", "r2 PAPI_TOT_CYC");
	/* What the user says of a preset is what it is. */
	assert_made_of("PAPI_TOT_CYC", "r7");
	assert_refused(
		PAPI_query_named_event("NOT_HERE"), PAPI_ENOEVNT, "NOT_HERE is defined for the CPU \"elsewhere\"");
	set = SET_OF("RATIO", "r2");
	assert_ok(PAPI_start(set));
	for (unsigned i = 0; i < 2; i++)
		fake_event(i)->count += fake_event(i)->attr.config == 7 ? 400 : 100;
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[0], 25);
	assert_int_equal(values[1], 100);
	destroy_set(set);
}

/* A name that means something to a component means what the user says. */
static void names_of_the_user_come_first(void **state)
{
	int code;

	(void)state;
	start_library("PRESET,PAPI_TOT_CYC,NOT_DERIVED,r1\n", "EVENT,rfee,DERIVED_ADD,r2,r3\n");
	assert_ok(PAPI_event_name_to_code("rfee", &code));
	assert_int_equal(code & PAPI_UE_MASK, PAPI_UE_MASK);
	assert_made_of("rfee", "r2 r3");
	assert_ok(PAPI_event_name_to_code("rfed", &code));
	assert_int_equal(code & PAPI_UE_MASK, PAPI_NATIVE_MASK);
}

/* What a bad line was to define is asked for later, by its name: then the reason is told, with the place. */
static void lost_events_have_their_reason(void **state)
{
	(void)state;
	start_library("PRESET,PAPI_TOT_CYC,NOT_DERIVED,r1\n"
		      "PRESET,PAPI_TOT_INS,DERIVED_POSTFIX,N0|N1|,r1,r2\n"
		      "PRESET,PAPI_FP_OPS,DERIVED_WRONG,r1\n",
		"EVENT,BROKEN,DERIVED_ADD,r1\n");
	assert_made_of("PAPI_TOT_CYC", "r1");
	assert_refused(PAPI_query_named_event("PAPI_TOT_INS"), PAPI_ENOEVNT, "presets.csv:2");
	assert_says("leaves 2 values, not one");
	assert_refused(PAPI_query_event(PAPI_FP_OPS), PAPI_ENOEVNT, "presets.csv:3");
	assert_says("DERIVED_WRONG");
	assert_refused(PAPI_query_named_event("BROKEN"), PAPI_ENOEVNT, "user.csv:1");
	assert_says("DERIVED_ADD takes at least 2");
}

static int read_user_events(const char *path)
{
	PAPI_option_t option = { .events_file = (char *)(uintptr_t)path };

	return PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option);
}

static void user_events_can_be_read_later(void **state)
{
	int code;

	(void)state;
	start_library("PRESET,PAPI_TOT_CYC,NOT_DERIVED,r1\n", NULL);
	assert_refused(PAPI_event_name_to_code("LATER", &code), PAPI_ENOEVNT, "LATER");
	fake_machine_write(USER_FILE, "EVENT,LATER,NOT_DERIVED,r2\n");
	assert_ok(read_user_events(user_file));
	assert_made_of("LATER", "r2");
	assert_ok(PAPI_event_name_to_code("LATER", &code));
	assert_int_equal(code, PAPI_UE_MASK);
	/* Good lines count whatever others are like, and the first bad one is told. */
	fake_machine_write(USER_FILE, "EVENT,GOOD,NOT_DERIVED,r3\nEVENT,BAD\nEVENT,FINE,NOT_DERIVED,r4\n");
	assert_refused(read_user_events(user_file), PAPI_EINVAL, "user.csv:2");
	assert_made_of("GOOD", "r3");
	assert_made_of("FINE", "r4");
	fake_machine_write(USER_FILE, "EVENT,MORE,NOT_DERIVED,r5\nEVENT,BAD,DERIVED_ADD,r5\nEVENT\nEVENT,WORSE\n");
	assert_refused(read_user_events(user_file), PAPI_EINVAL, "user.csv:2");
	assert_says("DERIVED_ADD takes at least 2");
	assert_refused(read_user_events("/no/such/file"), PAPI_ESYS, "No such file or directory");
	assert_refused(read_user_events(NULL), PAPI_EINVAL, "");
}

static void presets_can_be_read_as_they_are_printed(void **state)
{
	static const char table[] = "name,derived,postfix,short_descr,long_descr,note,[native,...]\n\n"
				    "PAPI_TOT_CYC,NOT_DERIVED,,\"cycles\",\"all of them\",,r5\n"
				    "PAPI_OWN,DERIVED_ADD,,,,,r5,r6\n";
	PAPI_event_info_t info;

	(void)state;
	start_library("PRESET,PAPI_TOT_CYC,NOT_DERIVED,r1\n", NULL);
	fake_machine_write(USER_FILE, table);
	assert_int_not_equal(PAPI_encode_events(user_file, 0), PAPI_OK);
	assert_says("PAPI_TOT_CYC is defined already");
	assert_made_of("PAPI_TOT_CYC", "r1");
	assert_made_of("PAPI_OWN", "r5 r6");
	assert_ok(PAPI_encode_events(user_file, 1));
	assert_made_of("PAPI_TOT_CYC", "r5");
	assert_ok(PAPI_get_event_info(PAPI_TOT_CYC, &info));
	assert_string_equal(info.long_descr, "all of them");
	assert_refused(PAPI_encode_events(NULL, 1), PAPI_EINVAL, "null pointer");
	assert_refused(PAPI_encode_events((char[]){ "/no/such/file" }, 1), PAPI_ESYS, "No such file or directory");
}

#define test_on_machine(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_machine(tables_are_chosen_by_the_cpu),
		test_on_machine(an_unknown_cpu_gets_the_generic_table),
		test_on_machine(the_library_has_tables_of_its_own),
		test_on_machine(a_disabled_cpu_leaves_presets_to_the_virtual_one),
		test_on_machine(the_older_variable_is_heard_too),
		test_on_machine(a_file_that_is_not_there_is_told),
		test_on_machine(user_events_are_added),
		test_on_machine(names_of_the_user_come_first),
		test_on_machine(lost_events_have_their_reason),
		test_on_machine(user_events_can_be_read_later),
		test_on_machine(presets_can_be_read_as_they_are_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
