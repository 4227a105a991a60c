/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the library makes of counts that are given to it, for test_values.py, which reckons the same by itself.
 *
 *	evaluate FILE
 *
 * loads the groups of FILE, and does what the lines of standard input say:
 *
 *	count EVENT VALUE                    from now on
 *	seconds VALUE
 *	values GROUP                         prints METRIC VALUE for each metric, or METRIC impossible
 *	finding GROUP RULE METRIC VALUE [METRIC VALUE]
 *	                                     prints how far that is beyond the threshold of the rule, and the sentence
 */
#include <math.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COUNTS 1000

static struct {
	char event[PAPI_MAX_STR_LEN];
	double value;
} counts[MOST_COUNTS];
static int n_counts;
static double seconds;

static void __attribute__((noreturn)) give_up(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, PAPI_error_detail());
	exit(EXIT_FAILURE);
}

/* Where the count of an event is, or is to be. */
static int place_of(const char *event)
{
	int i = 0;

	while (i < n_counts && strcmp(counts[i].event, event) != 0)
		i++;
	if (i < MOST_COUNTS)
		return i;
	fprintf(stderr, "too many events\n");
	exit(EXIT_FAILURE);
}

static void set_count(const char *event, double value)
{
	int i = place_of(event);

	snprintf(counts[i].event, sizeof(counts[i].event), "%.*s", PAPI_MAX_STR_LEN - 1, event);
	counts[i].value = value;
	n_counts += i == n_counts;
}

static double count_of(const char *event)
{
	int i = place_of(event);

	if (i < n_counts)
		return counts[i].value;
	fprintf(stderr, "no count of %s is given\n", event);
	exit(EXIT_FAILURE);
}

static void print_values(const char *name)
{
	int group = PAPI_metric_group(name);
	PAPI_metric_group_info_t info;
	double *given, values[PAPI_METRIC_MOST];

	if (group < 0 || PAPI_metric_group_info(group, &info) != PAPI_OK)
		give_up(name);
	given = calloc((size_t)info.events + 1, sizeof(*given));
	for (int i = 0; given && i < info.events; i++) {
		char event[PAPI_MAX_STR_LEN];

		if (PAPI_metric_event(group, i, event, sizeof(event)) != PAPI_OK)
			give_up(name);
		given[i] = count_of(event);
	}
	if (!given || PAPI_metric_evaluate(group, given, seconds, values) != PAPI_OK)
		give_up(name);
	for (int i = 0; i < info.metrics; i++) {
		static PAPI_metric_info_t metric;

		if (PAPI_metric_info(group, i, &metric) != PAPI_OK)
			give_up(name);
		if (*metric.why)
			printf("%s impossible\n", metric.name);
		else
			printf("%s %.17g\n", metric.name, values[i]);
	}
	printf("end\n");
	free(given);
}

static void print_finding(const char *name, int rule, const int metric[], const double value[], int n)
{
	double values[PAPI_METRIC_MOST], beyond = 0;
	char sentence[PAPI_HUGE_STR_LEN];
	int group = PAPI_metric_group(name);

	for (int i = 0; i < PAPI_METRIC_MOST; i++)
		values[i] = (double)NAN;
	for (int i = 0; i < n; i++)
		values[metric[i]] = value[i];
	if (group < 0 || PAPI_metric_finding(group, rule, values, &beyond, sentence, sizeof(sentence)) != PAPI_OK)
		give_up(name);
	printf("%.17g %s\n", beyond, sentence);
}

int main(int argc, char **argv)
{
	char line[400], name[200];
	double value, some[2];
	int rule, metric[2] = { 0 }, n;

	if (argc != 2 || PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		give_up("PAPI_library_init");
	if (PAPI_metric_load(argv[1]) != PAPI_OK)
		give_up(argv[1]);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "count %127s %lf", name, &value) == 2) {
			set_count(name, value);
		} else if (sscanf(line, "seconds %lf", &value) == 1) {
			seconds = value;
		} else if (sscanf(line, "values %127s", name) == 1) {
			print_values(name);
		} else if ((n = sscanf(line, "finding %127s %d %d %lf %d %lf", name, &rule, &metric[0], &some[0],
				    &metric[1], &some[1])) >= 4) {
			print_finding(name, rule, metric, some, n / 2 - 1);
		} else {
			fprintf(stderr, "not understood: %s", line);
			return EXIT_FAILURE;
		}
		fflush(stdout);
	}
	return 0;
}
