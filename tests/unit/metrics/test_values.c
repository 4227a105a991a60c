/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics/metrics.h: from counts to values, to text and to findings; and event sets that count for a group. */
#include "groups.h"

static const char text[] = "GROUP,g,x\n"
			   "METRIC,ratio,%,100 * N0 / N1,r01,r02\n"
			   "METRIC,half,1,N0 / 2,ratio\n"
			   "METRIC,speed,B/s,64 * N0 / N1,r02,seconds\n"
			   "METRIC,gone,1,N0,no_such_event\n"
			   "METRIC,big,flop,N0 * N0 * 1e300,r02\n"
			   "METRIC,below_zero,1,N0 - N1,r01,r02\n"
			   "RULE,ratio,above,10,\"it is {}, too much\"\n"
			   "RULE,ratio,below,10,too little\n"
			   "RULE,gone,above,0,never\n"
			   "RULE,speed,above,0,{}\n"
			   "RULE,ratio,above,10,much,speed,above,0\n";

enum { RATIO, HALF, SPEED, GONE, BIG, BELOW_ZERO, METRICS };

static int load(void)
{
	assert_ok(groups_load(text));
	return group_of("g");
}

static void values_of(double first, double second, double seconds, double values[])
{
	char name[PAPI_MAX_STR_LEN];
	int group = load();

	assert_ok(PAPI_metric_event(group, 0, name, sizeof(name)));
	assert_string_equal(name, "r01");
	assert_ok(PAPI_metric_event(group, 1, name, sizeof(name)));
	assert_string_equal(name, "r02");
	assert_ok(PAPI_metric_evaluate(group, (double[]){ first, second }, seconds, values));
}

static void formulas(void **state)
{
	double values[METRICS];

	(void)state;
	values_of(1, 8, 0.5, values);
	assert_true(values[RATIO] == 12.5);
	assert_true(values[HALF] == 6.25);
	assert_true(values[SPEED] == 1024);
	assert_true(isnan(values[GONE]));
	assert_true(values[BIG] == 64e300);
	assert_true(values[BELOW_ZERO] == -7);
}

static void what_does_not_exist_is_no_number(void **state)
{
	double values[METRICS];

	(void)state;
	values_of(1, 0, 0, values);
	assert_true(isnan(values[RATIO]));
	assert_true(isnan(values[HALF]));
	assert_true(isnan(values[SPEED]));
	values_of(1, 1e10, -1, values);
	assert_true(isnan(values[BIG]));
	assert_true(isnan(values[SPEED]));
	values_of((double)NAN, 1, 1, values);
	assert_true(isnan(values[RATIO]));
	assert_true(values[SPEED] == 64);
}

static void expect_text(int metric, double value, const char *expected)
{
	char got[64];

	assert_ok(PAPI_metric_text(group_of("g"), metric, value, got, sizeof(got)));
	assert_string_equal(got, expected);
}

static void texts(void **state)
{
	char small[4];

	(void)state;
	load();
	expect_text(RATIO, 12.5, "12.5 %");
	expect_text(RATIO, 0, "0 %");
	expect_text(RATIO, 100, "100 %");
	expect_text(RATIO, 0.25, "0.250 %");
	expect_text(RATIO, 0.0123, "0.0123 %");
	expect_text(RATIO, 0.000123, "1.23e-04 %");
	expect_text(RATIO, -3, "-3.00 %");
	expect_text(HALF, 4321, "4321");
	expect_text(HALF, (double)NAN, "n/a");
	expect_text(HALF, (double)INFINITY, "n/a");
	expect_text(SPEED, 999, "999 B/s");
	expect_text(SPEED, 3210000000.0, "3.21 GB/s");
	expect_text(BIG, 12345, "12.3 kflop");
	assert_refused(PAPI_metric_text(group_of("g"), RATIO, 12.5, small, sizeof(small)), PAPI_EBUF, "does not fit");
	assert_string_equal(small, "12.");
}

static double finding(int rule, const double values[], const char *expected)
{
	char sentence[200];
	double beyond = -1;

	assert_ok(PAPI_metric_finding(group_of("g"), rule, values, &beyond, sentence, sizeof(sentence)));
	assert_string_equal(sentence, expected);
	return beyond;
}

static void findings(void **state)
{
	double values[METRICS];

	(void)state;
	values_of(2, 10, 0, values);
	assert_true(finding(0, values, "it is 20.0 %, too much") == 2);
	assert_true(finding(1, values, "") == 0);
	assert_true(finding(2, values, "") == 0);
	assert_true(finding(3, values, "") == 0);
	/* The second condition, of what has no value and then of what has. */
	assert_true(finding(4, values, "") == 0);
	values_of(2, 10, 1, values);
	assert_true(finding(4, values, "much") == 2);
	values_of(1, 10, 1, values);
	/* At the threshold it is not beyond it. */
	assert_true(finding(0, values, "") == 0);
	assert_true(finding(1, values, "") == 0);
	assert_true(finding(3, values, "640 B/s") >= 1e9);
	values_of(1, 20, 1, values);
	assert_true(finding(1, values, "too little") == 2);
	values_of(0, 20, 1, values);
	assert_true(finding(1, values, "too little") >= 1e9);
}

static void sets_count_for_groups(void **state)
{
	int group = load(), set = SET_OF("r09", "r02");
	long long counts[4];
	double values[METRICS];

	(void)state;
	assert_ok(PAPI_metric_add(group, set));
	assert_int_equal(PAPI_num_events(set), 3);
	assert_ok(PAPI_metric_add(group, set));
	assert_int_equal(PAPI_num_events(set), 3);
	assert_ok(PAPI_start(set));
	fake_count(10);
	fake_event(1)->count += 70; /* r02 */
	assert_ok(PAPI_stop(set, counts));
	assert_int_equal(counts[1], 80);
	assert_ok(PAPI_metric_values(group, set, counts, 2, values));
	assert_true(values[RATIO] == 12.5);
	assert_true(values[SPEED] == 64 * 80 / 2);
	destroy_set(set);
	/* Without one of the events. */
	set = SET_OF("r02");
	assert_ok(PAPI_metric_values(group, set, counts, 2, values));
	assert_true(isnan(values[RATIO]));
	assert_true(values[SPEED] == 64 * 10 / 2);
	destroy_set(set);
}

static void a_set_that_is_full_stays_as_it_is(void **state)
{
	int group = load(), set;

	(void)state;
	set = SET_OF("r11", "r12", "r13");
	assert_int_not_equal(PAPI_metric_add(group, set), PAPI_OK);
	assert_says("r02");
	assert_int_equal(PAPI_num_events(set), 3);
	destroy_set(set);
	assert_ok(groups_load("GROUP,nothing,x\nMETRIC,a,1,N0,no_such_event\n"));
	set = SET_OF("r11");
	assert_refused(PAPI_metric_add(group_of("nothing"), set), PAPI_ENOEVNT, "nothing of the group nothing");
	destroy_set(set);
}

static void bad_arguments(void **state)
{
	PAPI_metric_group_info_t group_info;
	PAPI_metric_info_t info;
	double values[METRICS] = { 0 }, beyond;
	long long counts[2] = { 0 };
	char name[8];
	int group = load(), n = PAPI_metric_groups();

	(void)state;
	assert_refused(PAPI_metric_group(NULL), PAPI_EINVAL, "name is a null pointer");
	assert_refused(PAPI_metric_group_info(-1, &group_info), PAPI_EINVAL, "no group of metrics with the number -1");
	assert_refused(PAPI_metric_group_info(n, &group_info), PAPI_EINVAL, "no group of metrics");
	assert_refused(PAPI_metric_group_info(group, NULL), PAPI_EINVAL, "info is a null pointer");
	assert_refused(PAPI_metric_info(group, METRICS, &info), PAPI_EINVAL, "no metric with the number 6: it has 6");
	assert_refused(PAPI_metric_info(group, -1, &info), PAPI_EINVAL, "no metric with the number -1");
	assert_refused(PAPI_metric_info(group, 0, NULL), PAPI_EINVAL, "null pointer");
	assert_refused(PAPI_metric_event(group, 2, name, 8), PAPI_EINVAL, "no event with the number 2");
	assert_refused(PAPI_metric_event(group, 0, name, 0), PAPI_EINVAL, "no room");
	assert_refused(PAPI_metric_event(group, 0, NULL, 8), PAPI_EINVAL, "null pointer");
	assert_refused(PAPI_metric_event(group, 0, name, 3), PAPI_EBUF, "does not fit");
	assert_string_equal(name, "r0");
	assert_refused(PAPI_metric_add(group, 12345), PAPI_ENOEVST, "");
	assert_refused(PAPI_metric_add(n, 12345), PAPI_EINVAL, "no group");
	assert_refused(PAPI_metric_values(group, 12345, counts, 1, values), PAPI_ENOEVST, "");
	assert_refused(PAPI_metric_values(group, 12345, NULL, 1, values), PAPI_EINVAL, "values is a null pointer");
	assert_refused(PAPI_metric_evaluate(group, values, 1, NULL), PAPI_EINVAL, "metrics is a null pointer");
	assert_refused(PAPI_metric_evaluate(n, values, 1, values), PAPI_EINVAL, "no group");
	assert_refused(PAPI_metric_text(group, METRICS, 1, name, 8), PAPI_EINVAL, "no metric");
	assert_refused(
		PAPI_metric_finding(group, 5, values, &beyond, name, 8), PAPI_EINVAL, "no rule with the number 5");
	assert_refused(PAPI_metric_finding(group, 0, values, NULL, name, 8), PAPI_EINVAL, "beyond is a null pointer");
	PAPI_shutdown();
	assert_refused(PAPI_metric_groups(), PAPI_ENOINIT, "PAPI_library_init");
	assert_refused(PAPI_metric_load(groups_path), PAPI_ENOINIT, "PAPI_library_init");
	assert_refused(PAPI_metric_group_info(0, &group_info), PAPI_ENOINIT, "PAPI_library_init");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_of_groups(formulas),
		test_of_groups(what_does_not_exist_is_no_number),
		test_of_groups(texts),
		test_of_groups(findings),
		test_of_groups(sets_count_for_groups),
		test_of_groups(a_set_that_is_full_stays_as_it_is),
		test_of_groups(bad_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
