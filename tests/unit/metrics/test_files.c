/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics/metrics.h: what a file of groups may say, and what is told of a wrong one: file, line and column. */
#include <unistd.h>

#include "groups.h"

/* Loading fails, and the detail has the place and the words. */
static void refused(const char *text, const char *place, const char *words)
{
	char expected[400];

	snprintf(expected, sizeof(expected), "%s:%s: ", groups_path, place);
	assert_refused(groups_load(text), PAPI_EINVAL, expected);
	assert_says(words);
}

static void mistakes_have_a_place(void **state)
{
	(void)state;
	refused("METRIC,a,1,N0,r01\n", "1:1", "before the first GROUP");
	refused("GROUP,g,x\nEVENT,a,NOT_DERIVED,r01\n", "2:1", "expected GROUP, METRIC or RULE, not \"EVENT\"");
	refused("GROUP\n", "1:1", "the name of a group");
	refused("GROUP,a b,x\n", "1:7", "letters, digits and underscores");
	refused("GROUP,1a,x\n", "1:7", "letters, digits and underscores");
	refused("GROUP,g\n", "1:7", "what the group g tells");
	refused("GROUP,g,x\nMETRIC,,1,N0,r01\n", "2:8", "name of a metric");
	refused("GROUP,g,x\nMETRIC,a,furlong,N0,r01\n", "2:10", "there is no unit \"furlong\"");
	refused("GROUP,g,x\nMETRIC,a,B/B/B,N0,r01\n", "2:10", "there is no unit");
	refused("GROUP,g,x\nMETRIC,a,/s,N0,r01\n", "2:10", "there is no unit");
	refused("GROUP,g,x\nMETRIC,a,%\n", "2:10", "expected a formula");
	refused("GROUP,g,x\nMETRIC,a,%,N0 +,r01\n", "2:12", "position 5: expected a term");
	refused("GROUP,g,x\nMETRIC,a,%,N1,r01\n", "2:12", "there are 1 terms");
	refused("GROUP,g,x\nMETRIC,a,%,N0 * #,r01\n", "2:12", "clock rate");
	refused("GROUP,g,x\nMETRIC,a,%,N0\n", "2:12", "at least one event");
	refused("GROUP,g,x\nMETRIC,a,%,N0,r01\nMETRIC,a,B,N0,r02\n", "3:10", "has the unit % in an earlier line");
	refused("GROUP,g,x\nRULE,a,above,1,x\n", "2:6", "the group g has no metric a");
	refused("GROUP,g,x\nMETRIC,a,%,N0,r01\nRULE,a,over,1,x\n", "3:8", "above or below, not \"over\"");
	refused("GROUP,g,x\nMETRIC,a,%,N0,r01\nRULE,a,above,1x,x\n", "3:14", "a threshold");
	refused("GROUP,g,x\nMETRIC,a,%,N0,r01\nRULE,a,above,inf,x\n", "3:14", "a threshold");
	refused("GROUP,g,x\nMETRIC,a,%,N0,r01\nRULE,a,above,1\n", "3:14", "the sentence");
	refused("GROUP,g,x\nMETRIC,a,%,N0,r01\nRULE,a,above,1,x,b,above,1\n", "3:18", "has no metric b");
	refused("GROUP,g,x\nMETRIC,a,%,N0,r01\nRULE,a,above,1,x,a\n", "3:18", "above or below");
	refused("GROUP,g,x\nMETRIC,a,%,N0,r01\nRULE,a,above,1,x,a,below,much\n", "3:26", "a threshold");
}

static void circles_are_found(void **state)
{
	(void)state;
	refused("GROUP,g,x\nMETRIC,a,1,N0 + 1,a\n", "2:19", "the metric a is made of itself");
	refused("GROUP,g,x\nMETRIC,a,1,N0,b\nMETRIC,b,1,N0 + N1,r01,c\nMETRIC,c,1,N0,a\n", "2:15", "made of itself");
	assert_true(strstr(metric_of("g", "c")->why, "made of itself"));
	/* Through another group, and by a way that is not the first. */
	refused("GROUP,g,x\nMETRIC,a,1,N0,r01\nMETRIC,a,1,N0,z\nGROUP,h,x\nMETRIC,z,1,N0,a\n", "3:15",
		"made of itself");
}

/* Each of two halves of the next: 2^40 paths. */
static void deep_ones_end(void **state)
{
	char text[4000], *end = text + sprintf(text, "GROUP,g,x\n");

	(void)state;
	for (int i = 0; i < 40; i++)
		end += sprintf(end, "METRIC,m%d,1,N0 + N1,m%d,m%d\n", i, i + 1, i + 1);
	sprintf(end, "METRIC,m40,1,N0,r01\n");
	assert_ok(groups_load(text));
	assert_true(*metric_of("g", "m0")->why);
	assert_int_equal(metric_of("g", "m38")->n_events, 1);
}

static void a_bad_line_loses_itself_only(void **state)
{
	(void)state;
	refused("GROUP,g,x\nMETRIC,a,furlong,N0,r01\nMETRIC,b,%,N0,r01\nGROUP,b b,x\nMETRIC,lost,1,N0,r01\nGROUP,h,y\n"
		"METRIC,c,%,N0,r02\n",
		"2:10", "furlong");
	assert_string_equal(metric_of("g", "b")->name, "b");
	assert_string_equal(metric_of("h", "c")->name, "c");
	assert_refused(PAPI_metric_group("b b"), PAPI_ENOEVNT, "no group of metrics is named \"b b\"; there are flops");
}

static void the_first_way_that_can_be_counted_is_taken(void **state)
{
	const PAPI_metric_info_t *info;

	(void)state;
	assert_ok(groups_load("GROUP,g,what it is\n"
			      "METRIC,a,%,N0 / N1,no_such_event,r01,SDESC,few,LDESC,\"many, many\"\n"
			      "METRIC,a,%,2 * N0 / N1,r02,r01\n"
			      "METRIC,a,%,3 * N0,r03\n"
			      "METRIC,none,1,N0,r01\n"
			      "METRIC,none,1,N0,r01\n"));
	info = metric_of("g", "a");
	assert_string_equal(info->formula, "2 * N0 / N1");
	assert_string_equal(info->terms, "r02, r01");
	assert_string_equal(info->short_descr, "few");
	assert_string_equal(info->long_descr, "many, many");
	assert_string_equal(info->unit, "%");
	assert_string_equal(info->worth, "exact");
	assert_string_equal(info->why, "");
	assert_int_equal(info->n_events, 2);
	assert_int_equal(info->needs_seconds, 0);
}

static void what_cannot_be_counted_says_where(void **state)
{
	char expected[400];

	(void)state;
	assert_ok(groups_load("GROUP,g,x\nMETRIC,a,%,N0 + N1,r01,no_such_event\nMETRIC,a,%,N0,no_other_event\n"));
	snprintf(expected, sizeof(expected), "%s:2:24: no event is named \"no_such_event\"", groups_path);
	if (!strstr(metric_of("g", "a")->why, expected))
		fail_msg("%s", metric_of("g", "a")->why);
	assert_int_equal(metric_of("g", "a")->n_events, 0);
}

static void a_later_group_hides_an_earlier_one(void **state)
{
	int groups = PAPI_metric_groups(), built_in = group_of("flops");

	(void)state;
	assert_true(groups > 0);
	assert_ok(groups_load("GROUP,flops,mine\nMETRIC,mine,1,N0,r01\n"));
	assert_int_equal(PAPI_metric_groups(), groups + 1);
	assert_int_equal(group_of("flops"), groups);
	assert_true(built_in < groups);
	assert_string_equal(metric_of("flops", "mine")->name, "mine");
}

static void the_environment_names_a_file(void **state)
{
	(void)state;
	fake_machine_write("/groups", "GROUP,ours,x\nMETRIC,a,1,N0,r01\n");
	setenv("PAPI_METRICS_FILE", groups_path, 1);
	assert_string_equal(metric_of("ours", "a")->name, "a");
	PAPI_shutdown();
	setenv("PAPI_METRICS_FILE", "/nowhere/at/all", 1);
	assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
	assert_refused(PAPI_metric_group("ours"), PAPI_ENOEVNT, "PAPI_METRICS_FILE: /nowhere/at/all: ");
	assert_true(group_of("flops") >= 0);
}

static void files_that_are_none(void **state)
{
	(void)state;
	assert_refused(PAPI_metric_load("/nowhere/at/all"), PAPI_ESYS, "/nowhere/at/all");
	assert_refused(PAPI_metric_load("/dev/null"), PAPI_ESYS, "a regular file is needed");
	assert_refused(PAPI_metric_load("/"), PAPI_ESYS, "/");
	assert_refused(PAPI_metric_load(NULL), PAPI_EINVAL, "null pointer");
	assert_ok(groups_load(""));
	assert_ok(groups_load("# nothing but a comment\n"));
}

static void too_many(void **state)
{
	char *text = malloc(1 << 16), *end = text;

	(void)state;
	for (int i = 0; i < 300; i++)
		end += sprintf(end, "GROUP,g%d,x\n", i);
	assert_refused(groups_load(text), PAPI_EINVAL, "the most there can be");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_of_groups(mistakes_have_a_place),
		test_of_groups(circles_are_found),
		test_of_groups(deep_ones_end),
		test_of_groups(a_bad_line_loses_itself_only),
		test_of_groups(the_first_way_that_can_be_counted_is_taken),
		test_of_groups(what_cannot_be_counted_says_where),
		test_of_groups(a_later_group_hides_an_earlier_one),
		test_of_groups(the_environment_names_a_file),
		test_of_groups(files_that_are_none),
		test_of_groups(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
