/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of metrics, through the library on the model kernel: any text is groups and problems with a place; whatever it
 * defines is resolved, computed with awkward counts and printed, and comes out as a number or as none.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "kernel.h"
#include "metrics/metrics.h"
#include "papi.h"

static unsigned problems;
static size_t text_length;

/* "file:LINE:COLUMN: " and something to read. */
static void problem(void *data)
{
	const char *sentence = papi_error_sentence();
	unsigned line, column;
	int end = 0;

	(void)data;
	problems++;
	CHECK(papi_error_code() < 0);
	CHECK(sscanf(sentence, "file:%u:%u: %n", &line, &column, &end) == 2 && end && sentence[end]);
	CHECK(line && column && column <= text_length + 1);
}

static void check_text(const char *text, size_t size)
{
	CHECK(memchr(text, '\0', size));
}

static void use_metric(int group, int metric, double value)
{
	PAPI_metric_info_t info;
	char text[64];

	CHECK(PAPI_metric_info(group, metric, &info) == PAPI_OK);
	check_text(info.formula, sizeof(info.formula));
	check_text(info.why, sizeof(info.why));
	CHECK(!*info.why || !info.n_events);
	CHECK(info.n_events >= 0 && info.n_events <= PAPI_METRIC_EVENTS);
	CHECK(!isinf(value));
	CHECK(PAPI_metric_text(group, metric, value, text, sizeof(text)) == PAPI_OK);
	CHECK(*text && (!isnan(value) || strcmp(text, "n/a") == 0));
}

static void use_group(int group, double seed)
{
	static double counts[PAPI_METRIC_MOST * PAPI_METRIC_EVENTS];
	double values[PAPI_METRIC_MOST], beyond;
	PAPI_metric_group_info_t info;
	char name[PAPI_MAX_STR_LEN], sentence[200];

	CHECK(PAPI_metric_group_info(group, &info) == PAPI_OK);
	CHECK(info.metrics >= 0 && info.metrics <= PAPI_METRIC_MOST && info.events >= 0);
	CHECK(info.events <= PAPI_METRIC_MOST * PAPI_METRIC_EVENTS);
	for (int i = 0; i < info.events; i++) {
		int status = PAPI_metric_event(group, i, name, sizeof(name));

		CHECK(status == PAPI_OK || status == PAPI_EBUF);
		counts[i] = i % 3 == 0 ? seed : i % 3 == 1 ? 0 : 1e18;
	}
	CHECK(PAPI_metric_evaluate(group, counts, seed, values) == PAPI_OK);
	for (int i = 0; i < info.metrics; i++)
		use_metric(group, i, values[i]);
	for (int i = 0; i < info.rules; i++) {
		int status = PAPI_metric_finding(group, i, values, &beyond, sentence, sizeof(sentence));

		CHECK(status == PAPI_OK || status == PAPI_EBUF);
		CHECK(beyond >= 0 && isfinite(beyond));
	}
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fake_reset();
	CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned first;
	char *copy = malloc(size + 1);

	CHECK(copy);
	memcpy(copy, data, size);
	text_length = size;
	papi_metrics_clear();
	papi_metrics_load();
	first = papi_metrics_number();
	CHECK(first && !problems);
	papi_metric_file_parse("file", copy, size, problem, NULL);
	free(copy);
	for (unsigned i = first; i < papi_metrics_number(); i++)
		use_group((int)i, (double)(size % 7));
	problems = 0;
	return 0;
}
