/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of metrics out of a text, for the tests of this folder: the library on the model kernel, where events are raw
 * codes, and a file in a made-up machine.
 */
#ifndef PAPI_TESTS_UNIT_GROUPS_H
#define PAPI_TESTS_UNIT_GROUPS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine.h"
#include "sets.h"

static char groups_path[300];

static inline int groups_begin(void **state)
{
	const char *directory = fake_machine_begin();

	snprintf(groups_path, sizeof(groups_path), "%.200s/groups", directory);
	unsetenv("PAPI_METRICS_FILE");
	return set_up(state);
}

static inline int groups_end(void **state)
{
	int status = tear_down(state);

	unsetenv("PAPI_METRICS_FILE");
	fake_machine_end();
	return status;
}

#define test_of_groups(test) cmocka_unit_test_setup_teardown(test, groups_begin, groups_end)

/* What loading the text gives. */
static inline int groups_load(const char *text)
{
	fake_machine_write("/groups", text);
	return PAPI_metric_load(groups_path);
}

/* The number of a group that must be there. */
static inline int group_of(const char *name)
{
	int group = PAPI_metric_group(name);

	if (group < 0)
		fail_msg("%s", PAPI_error_detail());
	return group;
}

/* The description of a metric by its name; it must be there. */
static inline const PAPI_metric_info_t *metric_of(const char *group_name, const char *name)
{
	static PAPI_metric_info_t info;
	PAPI_metric_group_info_t group;

	assert_ok(PAPI_metric_group_info(group_of(group_name), &group));
	for (int i = 0; i < group.metrics; i++) {
		assert_ok(PAPI_metric_info(group_of(group_name), i, &info));
		if (strcmp(info.name, name) == 0)
			return &info;
	}
	fail_msg("%s has no metric %s", group_name, name);
	return NULL;
}

#endif
