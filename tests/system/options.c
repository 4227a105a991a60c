/* SPDX-License-Identifier: BSD-3-Clause */
/* Options: what was set is what is asked for afterwards, what is refused changes nothing. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

static void numbers(void)
{
	const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
	PAPI_option_t option = { .defdomain = { .def_cidx = 0 } };

	REQUIRE(hardware != NULL);
	EXPECT(PAPI_get_opt(PAPI_CLOCKRATE, NULL) > 0);
	EXPECT_EQUAL(hardware->totalcpus, PAPI_get_opt(PAPI_MAX_CPUS, NULL));
	EXPECT_EQUAL(PAPI_num_hwctrs(), PAPI_get_opt(PAPI_MAX_HWCTRS, NULL));
	EXPECT_EQUAL(PAPI_get_component_info(0)->num_mpx_cntrs, PAPI_get_opt(PAPI_MAX_MPX_CTRS, NULL));
	EXPECT_EQUAL(PAPI_VERSION, PAPI_get_opt(PAPI_LIB_VERSION, NULL));
	EXPECT_EQUAL(PAPI_VER_CURRENT, PAPI_get_opt(PAPI_LIB_VERSION, NULL) & ~0xffff);
	EXPECT_EQUAL(PAPI_DOM_USER, PAPI_get_opt(PAPI_DEFDOM, NULL));
	EXPECT_EQUAL(PAPI_GRN_THR, PAPI_get_opt(PAPI_DEFGRN, NULL));
	EXPECT_EQUAL(PAPI_DOM_USER, PAPI_get_opt(PAPI_DEFDOM, &option));
	EXPECT_EQUAL(PAPI_DOM_USER, option.defdomain.domain);
	EXPECT_EQUAL(PAPI_GRN_THR, PAPI_get_opt(PAPI_DEFGRN, &option));
	EXPECT_EQUAL(PAPI_GRN_THR, option.defgranularity.granularity);
}

static void descriptions(void)
{
	PAPI_option_t option;

	EXPECT_OK(PAPI_get_opt(PAPI_EXEINFO, &option));
	EXPECT(option.exe_info == PAPI_get_executable_info());
	EXPECT_OK(PAPI_get_opt(PAPI_HWINFO, &option));
	EXPECT(option.hw_info == PAPI_get_hardware_info());
	EXPECT_OK(PAPI_get_opt(PAPI_SHLIBINFO, &option));
	EXPECT(option.shlib_info->count > 0);
	EXPECT_OK(PAPI_get_opt(PAPI_COMPONENTINFO, &option));
	EXPECT(option.cmp_info == PAPI_get_component_info(0));
	EXPECT_OK(PAPI_get_opt(PAPI_SUBSTRATEINFO, &option));
	EXPECT(option.sub_info == PAPI_get_substrate_info());
	EXPECT_OK(PAPI_get_opt(PAPI_PRELOAD, &option));
	EXPECT_TEXT("LD_PRELOAD", option.preload.lib_preload_env);
	EXPECT_TEXT("LD_LIBRARY_PATH", option.preload.lib_dir_env);
	EXPECT_EQUAL(':', option.preload.lib_dir_sep);
}

static void turns_of_multiplexing(void)
{
	PAPI_option_t option, before;

	EXPECT_OK(PAPI_get_opt(PAPI_DEF_MPX_NS, &before));
	EXPECT(before.multiplex.ns > 0);
	option.multiplex.ns = 7000000;
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_MPX_NS, &option));
	option.multiplex.ns = 0;
	EXPECT_OK(PAPI_get_opt(PAPI_DEF_MPX_NS, &option));
	EXPECT_EQUAL(7000000, option.multiplex.ns);
	EXPECT_OK(PAPI_get_opt(PAPI_DEF_MPX_USEC, &option));
	EXPECT_EQUAL(7000, option.multiplex.us);
	option.multiplex.us = 3000;
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_MPX_USEC, &option));
	EXPECT_OK(PAPI_get_opt(PAPI_DEF_MPX_NS, &option));
	EXPECT_EQUAL(3000000, option.multiplex.ns);
	option.multiplex.ns = 0;
	EXPECT_ERROR(PAPI_EINVAL, "positive", PAPI_set_opt(PAPI_DEF_MPX_NS, &option));
	option.multiplex.ns = -5;
	EXPECT_ERROR(PAPI_EINVAL, "positive", PAPI_set_opt(PAPI_DEF_MPX_NS, &option));
	/* More nanoseconds than an int has. */
	option.multiplex.us = 2147484;
	EXPECT_ERROR(PAPI_EINVAL, "at most", PAPI_set_opt(PAPI_DEF_MPX_USEC, &option));
	option.multiplex.us = -2147483647 - 1;
	EXPECT_ERROR(PAPI_EINVAL, "positive", PAPI_set_opt(PAPI_DEF_MPX_USEC, &option));
	EXPECT_OK(PAPI_get_opt(PAPI_DEF_MPX_NS, &option));
	EXPECT_EQUAL(3000000, option.multiplex.ns);
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_MPX_NS, &before));
}

static void interval_timer(void)
{
	PAPI_option_t option, before;

	/* Members that the option does not have mean nothing to it. */
	before.itimer = (PAPI_itimer_option_t){ .ns = -1, .flags = -1 };
	EXPECT_OK(PAPI_get_opt(PAPI_DEF_ITIMER, &before));
	option.itimer = (PAPI_itimer_option_t){ .itimer_num = 1, .itimer_sig = SIGVTALRM };
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_ITIMER, &option));
	option.itimer = (PAPI_itimer_option_t){ .itimer_num = -1 };
	EXPECT_OK(PAPI_get_opt(PAPI_DEF_ITIMER, &option));
	EXPECT_EQUAL(1, option.itimer.itimer_num);
	EXPECT_EQUAL(SIGVTALRM, option.itimer.itimer_sig);
	option.itimer.ns = 4000000;
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_ITIMER_NS, &option));
	option.itimer.ns = 0;
	EXPECT_OK(PAPI_get_opt(PAPI_DEF_ITIMER_NS, &option));
	EXPECT_EQUAL(4000000, option.itimer.ns);
	EXPECT_ERROR(
		PAPI_EINVAL, "positive", PAPI_set_opt(PAPI_DEF_ITIMER_NS, &(PAPI_option_t){ .itimer = { .ns = 0 } }));
	option.itimer = (PAPI_itimer_option_t){ .itimer_num = 3, .itimer_sig = SIGALRM };
	EXPECT_ERROR(PAPI_EINVAL, "timer 3", PAPI_set_opt(PAPI_DEF_ITIMER, &option));
	option.itimer = (PAPI_itimer_option_t){ .itimer_num = 0, .itimer_sig = SIGKILL };
	EXPECT_ERROR(PAPI_EINVAL, "signal 9", PAPI_set_opt(PAPI_DEF_ITIMER, &option));
	EXPECT_OK(PAPI_get_opt(PAPI_DEF_ITIMER, &option));
	EXPECT_EQUAL(1, option.itimer.itimer_num);
	EXPECT_EQUAL(SIGVTALRM, option.itimer.itimer_sig);
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_ITIMER, &before));
}

static int reported;

static int report(int code)
{
	reported = code;
	return 0;
}

static void debug_handler(void)
{
	PAPI_option_t option = { .debug = { .level = PAPI_VERB_ECONT, .handler = report } };
	int state;

	EXPECT_OK(PAPI_set_opt(PAPI_DEBUG, &option));
	option.debug = (PAPI_debug_option_t){ 0 };
	EXPECT_OK(PAPI_get_opt(PAPI_DEBUG, &option));
	EXPECT_EQUAL(PAPI_VERB_ECONT, option.debug.level);
	EXPECT(option.debug.handler == report);
	/* It is told of every error, and of nothing else. */
	EXPECT_STATUS(PAPI_ENOEVST, PAPI_state(12345, &state));
	EXPECT_EQUAL(PAPI_ENOEVST, reported);
	reported = 0;
	EXPECT_EQUAL(PAPI_VERSION, PAPI_get_opt(PAPI_LIB_VERSION, NULL));
	EXPECT_EQUAL(0, reported);
	/* The level alone leaves the handler. */
	EXPECT_OK(PAPI_set_debug(PAPI_QUIET));
	EXPECT_STATUS(PAPI_ENOEVST, PAPI_state(12345, &state));
	EXPECT_EQUAL(0, reported);
	EXPECT_OK(PAPI_set_debug(PAPI_VERB_ECONT));
	EXPECT_STATUS(PAPI_EINVAL, PAPI_state(12345, NULL));
	EXPECT_EQUAL(PAPI_EINVAL, reported);
	EXPECT_OK(PAPI_set_opt(PAPI_DEBUG, &(PAPI_option_t){ .debug = { .level = PAPI_QUIET } }));
	EXPECT_ERROR(PAPI_EINVAL, "debug level 3", PAPI_set_debug(3));
	EXPECT_ERROR(PAPI_EINVAL, "debug level -1", PAPI_set_debug(-1));
}

static int domain_of(int set)
{
	PAPI_option_t option = { .domain = { .eventset = set } };

	EXPECT_OK(PAPI_get_opt(PAPI_DOMAIN, &option));
	return option.domain.domain;
}

static int granularity_of(int set)
{
	PAPI_option_t option = { .granularity = { .eventset = set } };

	EXPECT_OK(PAPI_get_opt(PAPI_GRANUL, &option));
	return option.granularity.granularity;
}

/* Defaults are what new sets begin with; sets there are stay as they are. */
static void defaults(void)
{
	int old = work_set(NULL, NULL, NULL), set;
	PAPI_option_t option = { .defdomain = { .def_cidx = 0, .domain = PAPI_DOM_USER | PAPI_DOM_KERNEL } };

	EXPECT_OK(PAPI_set_opt(PAPI_DEFDOM, &option));
	EXPECT_EQUAL(PAPI_DOM_USER | PAPI_DOM_KERNEL, PAPI_get_opt(PAPI_DEFDOM, NULL));
	EXPECT_EQUAL(PAPI_DOM_USER | PAPI_DOM_KERNEL, PAPI_get_component_info(0)->default_domain);
	set = work_set(NULL, NULL, NULL);
	EXPECT_EQUAL(PAPI_DOM_USER | PAPI_DOM_KERNEL, domain_of(set));
	EXPECT_EQUAL(PAPI_DOM_USER, domain_of(old));
	work_discard(set);
	EXPECT_OK(PAPI_set_domain(PAPI_DOM_ALL));
	EXPECT_EQUAL(PAPI_DOM_ALL, PAPI_get_opt(PAPI_DEFDOM, NULL));
	EXPECT_OK(PAPI_set_cmp_domain(PAPI_DOM_USER, 0));
	EXPECT_EQUAL(PAPI_DOM_USER, PAPI_get_opt(PAPI_DEFDOM, NULL));

	EXPECT_OK(PAPI_set_granularity(PAPI_GRN_SYS));
	EXPECT_EQUAL(PAPI_GRN_SYS, PAPI_get_opt(PAPI_DEFGRN, NULL));
	set = work_set(NULL, NULL, NULL);
	EXPECT_EQUAL(PAPI_GRN_SYS, granularity_of(set));
	EXPECT_EQUAL(PAPI_GRN_THR, granularity_of(old));
	work_discard(set);
	option.defgranularity = (PAPI_granularity_option_t){ .def_cidx = 0, .granularity = PAPI_GRN_THR };
	EXPECT_OK(PAPI_set_opt(PAPI_DEFGRN, &option));
	EXPECT_OK(PAPI_set_cmp_granularity(PAPI_GRN_THR, 0));
	EXPECT_EQUAL(PAPI_GRN_THR, PAPI_get_opt(PAPI_DEFGRN, NULL));
	work_discard(old);
}

static void defaults_that_make_no_sense(void)
{
	int n = PAPI_num_components();

	EXPECT_ERROR(PAPI_EINVAL, "domain 0x0", PAPI_set_domain(0));
	EXPECT_ERROR(PAPI_EINVAL, "domain 0x10", PAPI_set_domain(0x10));
	EXPECT_ERROR(PAPI_EINVAL, "domain 0xffffffff", PAPI_set_domain(-1));
	EXPECT_ERROR(PAPI_EINVAL_DOM, "domains", PAPI_set_domain(PAPI_DOM_OTHER));
	EXPECT_ERROR(PAPI_ENOCMP, "component index", PAPI_set_cmp_domain(PAPI_DOM_USER, n));
	EXPECT_ERROR(PAPI_ENOCMP, "component index", PAPI_set_cmp_domain(PAPI_DOM_USER, -1));
	EXPECT_EQUAL(PAPI_DOM_USER, PAPI_get_opt(PAPI_DEFDOM, NULL));
	EXPECT_ERROR(PAPI_EINVAL, "granularities", PAPI_set_granularity(0));
	EXPECT_ERROR(PAPI_EINVAL, "granularities", PAPI_set_granularity(PAPI_GRN_THR | PAPI_GRN_SYS));
	EXPECT_ERROR(PAPI_EINVAL, "granularities", PAPI_set_granularity(0x20));
	EXPECT_ERROR(PAPI_ECMP, "granularity", PAPI_set_granularity(PAPI_GRN_PROC));
	EXPECT_ERROR(PAPI_ECMP, "granularity", PAPI_set_granularity(PAPI_GRN_PROCG));
	EXPECT_ERROR(PAPI_ENOCMP, "component index", PAPI_set_cmp_granularity(PAPI_GRN_THR, n));
	EXPECT_EQUAL(PAPI_GRN_THR, PAPI_get_opt(PAPI_DEFGRN, NULL));
}

static void options_of_components(void)
{
	int rusage = PAPI_get_component_index("rusage"), n = PAPI_num_components();
	PAPI_option_t option;

	for (int cidx = 0; cidx < n; cidx++) {
		const PAPI_component_info_t *info = PAPI_get_component_info(cidx);

		EXPECT_EQUAL(info->num_cntrs, PAPI_get_cmp_opt(PAPI_MAX_HWCTRS, NULL, cidx));
		EXPECT_EQUAL(info->num_cntrs, PAPI_num_cmp_hwctrs(cidx));
		EXPECT_EQUAL(info->num_mpx_cntrs, PAPI_get_cmp_opt(PAPI_MAX_MPX_CTRS, NULL, cidx));
		EXPECT_EQUAL(info->default_domain, PAPI_get_cmp_opt(PAPI_DEFDOM, NULL, cidx));
		EXPECT_EQUAL(info->default_granularity, PAPI_get_cmp_opt(PAPI_DEFGRN, &option, cidx));
		EXPECT_EQUAL(info->default_granularity, option.defgranularity.granularity);
		EXPECT_OK(PAPI_get_cmp_opt(PAPI_COMPONENTINFO, &option, cidx));
		EXPECT(option.cmp_info == info);
	}
	EXPECT_OK(PAPI_set_cmp_domain(PAPI_DOM_ALL, rusage));
	EXPECT_EQUAL(PAPI_DOM_ALL, PAPI_get_cmp_opt(PAPI_DEFDOM, NULL, rusage));
	EXPECT_EQUAL(PAPI_DOM_USER, PAPI_get_opt(PAPI_DEFDOM, NULL));
	EXPECT_OK(PAPI_set_cmp_domain(PAPI_DOM_USER, rusage));
	EXPECT_ERROR(PAPI_ENOCMP, "component index", PAPI_get_cmp_opt(PAPI_MAX_HWCTRS, NULL, n));
	EXPECT_ERROR(PAPI_ENOCMP, "component index", PAPI_get_cmp_opt(PAPI_COMPONENTINFO, &option, -1));
	EXPECT_ERROR(PAPI_EINVAL, "option", PAPI_get_cmp_opt(PAPI_CLOCKRATE, NULL, 0));
	EXPECT_ERROR(PAPI_EINVAL, "null pointer", PAPI_get_cmp_opt(PAPI_COMPONENTINFO, NULL, 0));
}

static void options_that_do_not_exist(void)
{
	static const int unknown[] = { 0, -1, 9, 10, 30, 99, 101, 1000, 0x7fffffff };
	PAPI_option_t option;

	memset(&option, 0, sizeof(option));
	for (size_t i = 0; i < COUNT_OF(unknown); i++) {
		EXPECT_ERROR(PAPI_EINVAL, "option", PAPI_get_opt(unknown[i], &option));
		EXPECT_ERROR(PAPI_EINVAL, "option", PAPI_set_opt(unknown[i], &option));
	}
	/* Facts are not for setting. */
	EXPECT_ERROR(PAPI_EINVAL, "option", PAPI_set_opt(PAPI_CLOCKRATE, &option));
	EXPECT_ERROR(PAPI_EINVAL, "option", PAPI_set_opt(PAPI_HWINFO, &option));
	EXPECT_ERROR(PAPI_EINVAL, "option", PAPI_set_opt(PAPI_LIB_VERSION, &option));
	EXPECT_ERROR(PAPI_ENOEVST, "handle", PAPI_set_opt(PAPI_DATA_ADDRESS, &option));
	EXPECT_ERROR(PAPI_ENOEVST, "handle", PAPI_set_opt(PAPI_INSTR_ADDRESS, &option));
	EXPECT_ERROR(PAPI_EINVAL, "null pointer", PAPI_set_opt(PAPI_DOMAIN, NULL));
	EXPECT_ERROR(PAPI_EINVAL, "null pointer", PAPI_get_opt(PAPI_DOMAIN, NULL));
	EXPECT_ERROR(PAPI_EINVAL, "null pointer", PAPI_get_opt(PAPI_HWINFO, NULL));
}

int main(void)
{
	static const struct test tests[] = {
		{ "numbers", numbers },
		{ "descriptions", descriptions },
		{ "turns of multiplexing", turns_of_multiplexing },
		{ "interval timer", interval_timer },
		{ "debug handler", debug_handler },
		{ "defaults", defaults },
		{ "defaults that make no sense", defaults_that_make_no_sense },
		{ "options of components", options_of_components },
		{ "options that do not exist", options_that_do_not_exist },
	};

	work_begin();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
