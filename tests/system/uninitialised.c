/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every function before PAPI_library_init() and after PAPI_shutdown(): it fails with PAPI_ENOINIT and says what to do,
 * or it is one of those that papi.h says need nothing. Then the library again, as new.
 */
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

static long long values[8], more_values[8];
static int number, code;
static char text[PAPI_MAX_STR_LEN];
static PAPI_event_info_t event_info;
static PAPI_dmem_info_t memory_info;
static PAPI_option_t option;
static void *pointer;

static unsigned long id_function(void)
{
	return 1;
}

#define NEEDS_INIT(call)         EXPECT_ERROR(PAPI_ENOINIT, "call PAPI_library_init first", call)
#define NEEDS_INIT_POINTER(call) EXPECT_NULL("call PAPI_library_init first", call)

/* Arguments are those that are good in an initialised library. */
static void sets_need_it(void)
{
	int set = PAPI_NULL, handle = 0;

	number = 1;
	NEEDS_INIT(PAPI_create_eventset(&set));
	EXPECT_EQUAL(PAPI_NULL, set);
	NEEDS_INIT(PAPI_cleanup_eventset(0));
	NEEDS_INIT(PAPI_destroy_eventset(&handle));
	NEEDS_INIT(PAPI_assign_eventset_component(0, 0));
	NEEDS_INIT(PAPI_get_eventset_component(0));
	NEEDS_INIT(PAPI_add_event(0, PAPI_TOT_CYC));
	NEEDS_INIT(PAPI_add_events(0, (int[]){ PAPI_TOT_CYC }, 1));
	NEEDS_INIT(PAPI_add_named_event(0, "perf::TASK-CLOCK"));
	NEEDS_INIT(PAPI_remove_event(0, PAPI_TOT_CYC));
	NEEDS_INIT(PAPI_remove_events(0, (int[]){ PAPI_TOT_CYC }, 1));
	NEEDS_INIT(PAPI_remove_named_event(0, "perf::TASK-CLOCK"));
	NEEDS_INIT(PAPI_list_events(0, &code, &number));
	NEEDS_INIT(PAPI_num_events(0));
	NEEDS_INIT(PAPI_state(0, &number));
	NEEDS_INIT(PAPI_start(0));
	NEEDS_INIT(PAPI_stop(0, values));
	NEEDS_INIT(PAPI_read(0, values));
	NEEDS_INIT(PAPI_read_ts(0, values, more_values));
	NEEDS_INIT(PAPI_accum(0, values));
	NEEDS_INIT(PAPI_reset(0));
	NEEDS_INIT(PAPI_write(0, values));
	NEEDS_INIT(PAPI_get_event_times(0, values, more_values));
}

static void events_need_it(void)
{
	NEEDS_INIT(PAPI_event_name_to_code("perf::TASK-CLOCK", &code));
	NEEDS_INIT(PAPI_event_code_to_name(PAPI_TOT_CYC, text));
	NEEDS_INIT(PAPI_query_event(PAPI_TOT_CYC));
	NEEDS_INIT(PAPI_query_named_event("perf::TASK-CLOCK"));
	NEEDS_INIT(PAPI_get_event_info(PAPI_TOT_CYC, &event_info));
	NEEDS_INIT(PAPI_get_event_component(PAPI_TOT_CYC));
	code = PAPI_NATIVE_MASK;
	NEEDS_INIT(PAPI_enum_event(&code, PAPI_ENUM_FIRST));
	NEEDS_INIT(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, 0));
	NEEDS_INIT(PAPI_encode_events(text, 0));
	NEEDS_INIT(PAPI_set_event_info(&event_info, &code, 0));
	NEEDS_INIT(PAPI_num_hwctrs());
	NEEDS_INIT(PAPI_num_cmp_hwctrs(0));
}

static void options_need_it(void)
{
	option.multiplex.ns = 10000000;
	NEEDS_INIT(PAPI_set_opt(PAPI_DEF_MPX_NS, &option));
	option.itimer.ns = 10000000;
	NEEDS_INIT(PAPI_set_opt(PAPI_DEF_ITIMER_NS, &option));
	option.domain = (PAPI_domain_option_t){ .domain = PAPI_DOM_USER };
	NEEDS_INIT(PAPI_set_opt(PAPI_DOMAIN, &option));
	NEEDS_INIT(PAPI_set_opt(PAPI_DEFDOM, &option));
	NEEDS_INIT(PAPI_get_opt(PAPI_DOMAIN, &option));
	NEEDS_INIT(PAPI_get_opt(PAPI_HWINFO, &option));
	NEEDS_INIT(PAPI_get_opt(PAPI_DEF_MPX_NS, &option));
	NEEDS_INIT(PAPI_get_opt(PAPI_CLOCKRATE, NULL));
	NEEDS_INIT(PAPI_get_opt(PAPI_LIB_VERSION, NULL));
	NEEDS_INIT(PAPI_get_cmp_opt(PAPI_DEFDOM, NULL, 0));
	NEEDS_INIT(PAPI_set_domain(PAPI_DOM_USER));
	NEEDS_INIT(PAPI_set_cmp_domain(PAPI_DOM_USER, 0));
	NEEDS_INIT(PAPI_set_granularity(PAPI_GRN_THR));
	NEEDS_INIT(PAPI_set_cmp_granularity(PAPI_GRN_THR, 0));
	NEEDS_INIT(PAPI_attach(0, (unsigned long)getpid()));
	NEEDS_INIT(PAPI_detach(0));
	NEEDS_INIT(PAPI_multiplex_init());
	NEEDS_INIT(PAPI_set_multiplex(0));
	NEEDS_INIT(PAPI_get_multiplex(0));
}

static void the_rest_needs_it(void)
{
	unsigned long id;

	number = 1;
	pointer = NULL;
	NEEDS_INIT(PAPI_thread_init(id_function));
	NEEDS_INIT(PAPI_register_thread());
	NEEDS_INIT(PAPI_unregister_thread());
	NEEDS_INIT(PAPI_list_threads(&id, &number));
	NEEDS_INIT(PAPI_set_thr_specific(PAPI_USR1_TLS, &number));
	NEEDS_INIT(PAPI_get_thr_specific(PAPI_USR1_TLS, &pointer));
	NEEDS_INIT(PAPI_lock(PAPI_USR1_LOCK));
	NEEDS_INIT(PAPI_unlock(PAPI_USR1_LOCK));
	NEEDS_INIT(PAPI_get_dmem_info(&memory_info));
	NEEDS_INIT(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, &pointer));
	NEEDS_INIT_POINTER(PAPI_get_hardware_info());
	NEEDS_INIT_POINTER(PAPI_get_executable_info());
	NEEDS_INIT_POINTER(PAPI_get_shared_lib_info());
}

static void expect_uninitialised(void)
{
	EXPECT_EQUAL(PAPI_NOT_INITED, PAPI_is_initialized());
	sets_need_it();
	events_need_it();
	options_need_it();
	the_rest_needs_it();
}

static void expect_components(void)
{
	for (int i = 0; i < PAPI_num_components(); i++) {
		const PAPI_component_info_t *info = PAPI_get_component_info(i);

		if (!EXPECT(info != NULL))
			continue;
		EXPECT_EQUAL(i, info->CmpIdx);
		EXPECT_EQUAL(i, PAPI_get_component_index(info->name));
		EXPECT_EQUAL(0, info->initialized);
		EXPECT_EQUAL(0, info->num_preset_events);
		EXPECT_EQUAL(PAPI_OK, info->disabled);
		EXPECT_TEXT("", info->disabled_reason);
	}
	EXPECT(PAPI_get_substrate_info() == PAPI_get_component_info(0));
	EXPECT_NULL("component index 99", PAPI_get_component_info(99));
}

/* What has nothing to do with the state of the library. */
static void expect_always_there(void)
{
	EXPECT_TEXT("No error", PAPI_strerror(PAPI_OK));
	EXPECT_OK(PAPI_perror_code(PAPI_EINVAL, text, sizeof(text)));
	EXPECT_TEXT(PAPI_strerror(PAPI_EINVAL), text);
	EXPECT_OK(PAPI_set_debug(PAPI_VERB_ECONT));
	EXPECT_OK(PAPI_get_opt(PAPI_DEBUG, &option));
	EXPECT_EQUAL(PAPI_VERB_ECONT, option.debug.level);
	option.debug = (PAPI_debug_option_t){ .level = PAPI_QUIET };
	EXPECT_OK(PAPI_set_opt(PAPI_DEBUG, &option));
	/* Whoever wants to keep a component out has to find it before. */
	EXPECT(PAPI_num_components() >= 2);
	EXPECT(PAPI_get_component_index("rusage") > 0);
	expect_components();
	/* Timers are clocks; what they begin at means nothing. */
	EXPECT(PAPI_get_real_nsec() <= PAPI_get_real_nsec());
	EXPECT(PAPI_get_virt_nsec() <= PAPI_get_virt_nsec());
	EXPECT(PAPI_get_real_usec() <= PAPI_get_real_usec());
	EXPECT(PAPI_get_virt_usec() <= PAPI_get_virt_usec());
	EXPECT(PAPI_get_real_cyc() <= PAPI_get_real_cyc());
	EXPECT(PAPI_get_virt_cyc() <= PAPI_get_virt_cyc());
}

/* Chosen by its description, disabled, and so it is when the library is there. */
static void a_component_is_disabled(void)
{
	int cidx = -1;

	for (int i = 0; i < PAPI_num_components(); i++)
		if (!strcmp(PAPI_get_component_info(i)->name, "rusage"))
			cidx = i;
	EXPECT_OK(PAPI_disable_component(cidx));
	EXPECT_EQUAL(PAPI_ECMP_DISABLED, PAPI_get_component_info(cidx)->disabled);
	EXPECT(strstr(PAPI_get_component_info(cidx)->disabled_reason, "PAPI_disable_component") != NULL);
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	EXPECT_EQUAL(PAPI_ECMP_DISABLED, PAPI_get_component_info(cidx)->disabled);
	EXPECT_EQUAL(PAPI_OK, PAPI_get_component_info(PAPI_get_component_index("sysdetect"))->disabled);
	EXPECT_ERROR(PAPI_ECMP_DISABLED, "PAPI_disable_component", PAPI_event_name_to_code("rusage:::minflt", &code));
	PAPI_shutdown();
	expect_components();
}

static void before_init(void)
{
	EXPECT_TEXT("", PAPI_error_detail());
	EXPECT_EQUAL(PAPI_EMISC, (long long)PAPI_thread_id());
	expect_uninitialised();
	expect_always_there();
	/* Nothing to shut down. */
	PAPI_shutdown();
	PAPI_shutdown();
	expect_uninitialised();
}

static void a_version_that_does_not_fit(void)
{
	EXPECT_ERROR(PAPI_EINVAL, "this library is PAPI 7.0", PAPI_library_init(PAPI_VERSION_NUMBER(5, 7, 0, 0)));
	expect_uninitialised();
}

static void initialise(void)
{
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	/* Again is as good as once. */
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	EXPECT_EQUAL(PAPI_LOW_LEVEL_INITED, PAPI_is_initialized() & PAPI_LOW_LEVEL_INITED);
}

static void count_something(void)
{
	int set = work_set("rusage:::realtime", NULL, NULL);

	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_stop(set, values));
	EXPECT(values[0] > 0);
	work_discard(set);
}

static void after_shutdown(void)
{
	initialise();
	count_something();
	PAPI_shutdown();
	expect_uninitialised();
	expect_always_there();
	PAPI_shutdown();
	expect_uninitialised();
}

/* Shutdown with everything in use: sets with events, sets that count, listings, descriptions. */
static void shutdown_in_the_middle(void)
{
	int descriptors = work_descriptors();

	for (int round = 0; round < 3; round++) {
		initialise();
		for (int i = 0; i < 10; i++) {
			int set = work_set("rusage:::utime", "rusage:::stime", NULL);

			/* Refused where perf events are. */
			if (PAPI_add_named_event(set, "perf::TASK-CLOCK") == PAPI_OK)
				EXPECT(work_descriptors() > descriptors);
			if (i % 2)
				EXPECT_OK(PAPI_start(set));
		}
		EXPECT(PAPI_get_component_info(0) != NULL && PAPI_get_hardware_info() != NULL);
		EXPECT(PAPI_get_executable_info() != NULL && PAPI_get_shared_lib_info() != NULL);
		PAPI_shutdown();
		EXPECT_EQUAL(descriptors, work_descriptors());
		expect_uninitialised();
	}
}

/* Nothing of the life before is left: defaults, threads, pointers, codes. */
static void as_new(void)
{
	PAPI_all_thr_spec_t all = { .num = 0 };

	initialise();
	EXPECT_OK(PAPI_set_domain(PAPI_DOM_ALL));
	EXPECT_OK(PAPI_set_granularity(PAPI_GRN_SYS));
	EXPECT_OK(PAPI_set_cmp_domain(PAPI_DOM_KERNEL, 1));
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_MPX_NS, (option.multiplex.ns = 1234567, &option)));
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_ITIMER_NS, (option.itimer.ns = 1234567, &option)));
	EXPECT_OK(PAPI_thread_init(id_function));
	EXPECT_EQUAL(1, (long long)PAPI_thread_id());
	EXPECT_EQUAL(PAPI_LOW_LEVEL_INITED | PAPI_THREAD_LEVEL_INITED, PAPI_is_initialized());
	EXPECT_OK(PAPI_set_thr_specific(PAPI_USR1_TLS, &option));
	PAPI_shutdown();
	initialise();
	EXPECT_EQUAL(PAPI_LOW_LEVEL_INITED, PAPI_is_initialized());
	EXPECT_EQUAL(PAPI_DOM_USER, PAPI_get_opt(PAPI_DEFDOM, NULL));
	EXPECT_EQUAL(PAPI_GRN_THR, PAPI_get_opt(PAPI_DEFGRN, NULL));
	EXPECT_EQUAL(PAPI_DOM_USER, PAPI_get_cmp_opt(PAPI_DEFDOM, NULL, 1));
	EXPECT_OK(PAPI_get_opt(PAPI_DEF_MPX_NS, &option));
	EXPECT(option.multiplex.ns != 1234567);
	EXPECT_OK(PAPI_get_opt(PAPI_DEF_ITIMER_NS, &option));
	EXPECT(option.itimer.ns != 1234567);
	EXPECT_EQUAL(PAPI_EMISC, (long long)PAPI_thread_id());
	number = 0;
	EXPECT_OK(PAPI_list_threads(NULL, &number));
	EXPECT_EQUAL(0, number);
	EXPECT_OK(PAPI_get_thr_specific(PAPI_USR1_TLS, &pointer));
	EXPECT(pointer == NULL);
	EXPECT_OK(PAPI_get_thr_specific(PAPI_USR1_TLS | PAPI_TLS_ALL_THREADS, (void **)(void *)&all));
	EXPECT_EQUAL(0, all.num);
	PAPI_shutdown();
}

int main(void)
{
	static const struct test tests[] = {
		{ "before PAPI_library_init", before_init },
		{ "a component is disabled", a_component_is_disabled },
		{ "a version that does not fit", a_version_that_does_not_fit },
		{ "after PAPI_shutdown", after_shutdown },
		{ "shutdown in the middle", shutdown_in_the_middle },
		{ "as new", as_new },
	};

	return check_run(tests, COUNT_OF(tests));
}
