/* SPDX-License-Identifier: BSD-3-Clause */
/* What the view in a terminal knows of messages, and the dots that it makes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfometer/perfometer.h"
#include "perfometer/text_data.h"
#include "perfometer/text_plot.h"

/* ---- what perfometer.c has ---- */

void *papi_perfometer_allocate(void *old, size_t number, size_t size)
{
	void *memory = reallocarray(old, number, size);

	assert_non_null(memory);
	return memory;
}

char *papi_perfometer_format(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	assert_true(vasprintf(&text, format, arguments) >= 0);
	va_end(arguments);
	return text;
}

/* ---- helpers ---- */

#define INS "{\"name\":\"INS\",\"kind\":\"exact\",\"unit\":\"\",\"metric\":false}"
#define DCM "{\"name\":\"DCM\",\"kind\":\"modelled\",\"unit\":\"\",\"metric\":false}"
#define IPC "{\"name\":\"IPC\",\"kind\":\"estimated\",\"unit\":\"\",\"metric\":true}"

static void take(struct papi_text_data *data, const char *line)
{
	papi_text_data_take(data, line, strlen(line));
}

static void take_schema(struct papi_text_data *data, int serial, const char *events)
{
	char line[512];

	snprintf(line, sizeof(line), "{\"type\":\"schema\",\"t\":0,\"serial\":%d,\"events\":[%s]}", serial, events);
	take(data, line);
}

static void take_thread(struct papi_text_data *data, int id, double time)
{
	char line[256];

	snprintf(line, sizeof(line), "{\"type\":\"thread\",\"t\":%g,\"id\":%d,\"name\":\"thread %d\"}", time, id, id);
	take(data, line);
}

static void take_sample(struct papi_text_data *data, double time, int serial, const char *rows)
{
	char line[512];

	snprintf(line, sizeof(line), "{\"type\":\"sample\",\"t\":%g,\"serial\":%d,\"threads\":[%s]}", time, serial,
		rows);
	take(data, line);
}

static void begin(struct papi_text_data *data, const char *events)
{
	papi_text_data_begin(data);
	take(data, "{\"type\":\"hello\",\"version\":1,\"program\":\"mm 500\"}");
	take_schema(data, 1, events);
	take_thread(data, 0, 0);
}

/* ---- counts ---- */

static void counts_are_those_of_intervals(void **state)
{
	struct papi_text_data data;
	long long total;

	(void)state;
	begin(&data, INS "," DCM);
	take_sample(&data, 0.1, 1, "[0,[5,1]]");
	take_sample(&data, 0.2, 1, "[0,[105,1]]");
	take_thread(&data, 7, 0.25);
	take_sample(&data, 0.3, 1, "[0,[305,4]],[7,[40,2]]");
	assert_int_equal(data.n_samples, 3);
	assert_int_equal(data.n_lanes, 2);
	assert_true(isnan(papi_text_data_count(&data, 0, 0, 0)));
	assert_true(papi_text_data_count(&data, 0, 0, 1) == 100);
	assert_true(papi_text_data_count(&data, 0, 0, 2) == 200);
	assert_true(papi_text_data_count(&data, 0, 1, 2) == 3);
	/* It began after the sample before, with 0. */
	assert_true(isnan(papi_text_data_count(&data, 1, 0, 1)));
	assert_true(papi_text_data_count(&data, 1, 0, 2) == 40);
	assert_true(papi_text_data_total(&data, 0, 0, &total));
	assert_int_equal(total, 305);
	assert_false(papi_text_data_total(&data, 2, 0, &total));
	assert_string_equal(data.program, "mm 500");
	assert_int_equal(data.odd, 0);
	papi_text_data_end(&data);
}

static void large_totals_are_exact(void **state)
{
	struct papi_text_data data;
	long long total;

	(void)state;
	begin(&data, INS);
	take_sample(&data, 0.1, 1, "[0,[\"9223372036854775806\"]]");
	take_sample(&data, 0.2, 1, "[0,[\"9223372036854775807\"]]");
	assert_true(papi_text_data_count(&data, 0, 0, 1) == 1);
	assert_true(papi_text_data_total(&data, 0, 0, &total));
	assert_true(total == INT64_MAX);
	take_sample(&data, 0.3, 1, "[0,[\"9223372036854775808\"]]");
	assert_true(isnan(papi_text_data_count(&data, 0, 0, 2)));
	papi_text_data_end(&data);
}

static void what_is_not_known_stays_so(void **state)
{
	struct papi_text_data data;

	(void)state;
	begin(&data, INS);
	take_sample(&data, 1, 1, "[0,[10]]");
	take_sample(&data, 2, 1, "[0,[null]]");
	take_sample(&data, 3, 1, "[0,[30]]");
	take_sample(&data, 4, 1, "[0,[40]]");
	take(&data, "{\"type\":\"gap\",\"t\":4,\"until\":4.5,\"ids\":[0],\"reason\":\"stopped\"}");
	take_sample(&data, 5, 1, "[0,[50]]");
	take_sample(&data, 6, 1, "[0,[60]]");
	take_sample(&data, 7, 1, "[0,[55]]"); /* less than there was */
	for (size_t i = 0; i < data.n_samples; i++) {
		bool known = i == 3 || i == 5;

		assert_int_equal(!isnan(papi_text_data_count(&data, 0, 0, i)), known);
	}
	papi_text_data_end(&data);
}

static void a_switch_leaves_a_gap(void **state)
{
	struct papi_text_data data;
	long long total;

	(void)state;
	begin(&data, INS);
	take_sample(&data, 1, 1, "[0,[10]]");
	take_sample(&data, 2, 1, "[0,[20]]");
	take_schema(&data, 2, DCM "," IPC);
	take_sample(&data, 3, 1, "[0,[30]]"); /* of the schema before: it means nothing now */
	take_sample(&data, 4, 2, "[0,[7,1.5]]");
	take_sample(&data, 5, 2, "[0,[9,null]]");
	take_schema(&data, 3, DCM "," INS);
	take_sample(&data, 6, 3, "[0,[10,60]]");
	take_sample(&data, 7, 3, "[0,[11,70]]");
	assert_int_equal(data.n_events, 3);
	assert_true(papi_text_data_count(&data, 0, 0, 1) == 10);
	assert_true(isnan(papi_text_data_count(&data, 0, 0, 2)));
	assert_true(isnan(papi_text_data_count(&data, 0, 0, 5)));
	assert_true(papi_text_data_count(&data, 0, 0, 6) == 10);
	assert_true(papi_text_data_count(&data, 0, 1, 4) == 2);
	assert_true(papi_text_data_count(&data, 0, 1, 5) == 1);
	assert_true(papi_text_data_count(&data, 0, 2, 3) == 1.5);
	assert_true(isnan(papi_text_data_count(&data, 0, 2, 4)));
	assert_false(papi_text_data_total(&data, 0, 2, &total));
	papi_text_data_end(&data);
}

static void the_whole_program_comes_first(void **state)
{
	struct papi_text_data data;

	(void)state;
	begin(&data, INS);
	take(&data, "{\"type\":\"thread\",\"t\":0,\"id\":9,\"name\":\"all\\u001b[31m\",\"tid\":0}");
	take_sample(&data, 1, 1, "[9,[10]],[0,[4]]");
	take_sample(&data, 2, 1, "[9,[30]],[0,[5]]");
	assert_int_equal(data.lanes[0].id, 9);
	assert_string_equal(data.lanes[0].name, "all?[31m");
	assert_true(papi_text_data_count(&data, 0, 0, 1) == 20);
	assert_true(papi_text_data_count(&data, 1, 0, 1) == 1);
	take(&data, "{\"type\":\"end\",\"t\":2,\"id\":0,\"reason\":\"exited 0\"}");
	assert_true(data.lanes[1].ended);
	take(&data, "{\"type\":\"bye\",\"t\":2,\"reason\":\"over\\n\"}");
	assert_string_equal(data.state, "over?");
	papi_text_data_end(&data);
}

static void nonsense_is_counted_and_skipped(void **state)
{
	static const char *const lines[] = { "", "{", "[]", "5", "{\"type\":5}", "{\"type\":\"sample\"}",
		"{\"type\":\"sample\",\"t\":\"1\",\"serial\":1,\"threads\":[]}",
		"{\"type\":\"sample\",\"t\":1,\"serial\":1,\"threads\":{}}", "{\"type\":\"schema\",\"events\":[]}",
		"{\"type\":\"thread\",\"t\":1,\"id\":\"x\"}", "{\"type\":\"end\",\"t\":1,\"id\":77}",
		"{\"type\":\"gap\",\"t\":1}", "{\"type\":\"bye\",\"reason\":[]}", "{\"type\":\"hello\"}" };
	static const char *const harmless[] = { "{\"type\":\"unheard\"}", "{\"type\":\"mark\",\"t\":1}",
		"{\"type\":\"sample\",\"t\":3,\"serial\":1,\"threads\":[5,[],[0],[0,{}],[99,[1]],[0,[{},[],true]]]}",
		"{\"type\":\"notice\",\"t\":1,\"level\":\"info\",\"text\":5}",
		"{\"type\":\"gap\",\"t\":1e300,\"until\":-1e300,\"ids\":[{}]}" };
	struct papi_text_data data;

	(void)state;
	begin(&data, INS);
	take_sample(&data, 2, 1, "[0,[10]]");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		take(&data, lines[i]);
		assert_int_equal(data.odd, i + 1);
	}
	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		take(&data, harmless[i]);
	assert_int_equal(data.odd, sizeof(lines) / sizeof(lines[0]));
	assert_int_equal(data.n_samples, 2);
	papi_text_data_end(&data);
}

static void the_oldest_go(void **state)
{
	struct papi_text_data data;
	char rows[64];
	const int samples = 9000, lanes = 500;
	long long total;

	(void)state;
	begin(&data, INS);
	for (int id = 1; id < lanes; id++)
		take_thread(&data, id, 0);
	/* Few lines: the lanes of a sample are said a lane at a time, in samples of their own. */
	for (int i = 0; i < samples; i++) {
		snprintf(rows, sizeof(rows), "[%d,[%d]],[0,[%d]]", 1 + i % (lanes - 1), i, 2 * i);
		take_sample(&data, 1 + i, 1, rows);
	}
	assert_true(data.n_samples < (size_t)samples);
	assert_true(papi_text_data_count(&data, 0, 0, data.n_samples - 1) == 2);
	assert_true(papi_text_data_total(&data, 0, 0, &total));
	assert_int_equal(total, 2 * (samples - 1));
	assert_true(data.times[data.n_samples - 1] == samples);
	papi_text_data_end(&data);
}

/* ---- dots ---- */

static void values_are_per_second_or_a_ratio(void **state)
{
	struct papi_text_shown shown = { .event = 0, .second = 1 };
	struct papi_text_data data;

	(void)state;
	begin(&data, INS "," DCM "," IPC);
	take_sample(&data, 1, 1, "[0,[0,0,0.5]]");
	take_sample(&data, 3, 1, "[0,[100,8,0.5]]");
	take_sample(&data, 4, 1, "[0,[200,8,0.75]]");
	assert_true(papi_text_value(&data, &shown, 0, 1) == 50);
	assert_true(papi_text_value(&data, &shown, 0, 2) == 100);
	shown.ratio = true;
	assert_true(papi_text_value(&data, &shown, 0, 1) == 12.5);
	assert_true(isnan(papi_text_value(&data, &shown, 0, 2)));
	shown = (struct papi_text_shown){ .event = 2 };
	assert_true(papi_text_value(&data, &shown, 0, 2) == 0.75);
	shown.event = 3;
	assert_true(isnan(papi_text_value(&data, &shown, 0, 2)));
	papi_text_data_end(&data);
}

static void spans_have_the_least_and_the_most(void **state)
{
	struct papi_text_shown shown = { .event = 0 };
	struct papi_text_span spans[4];
	struct papi_text_data data;

	(void)state;
	begin(&data, INS);
	take_sample(&data, 0, 1, "[0,[0]]");
	take_sample(&data, 1, 1, "[0,[10]]");
	take_sample(&data, 2, 1, "[0,[40]]");
	take_sample(&data, 3, 1, "[0,[null]]");
	take_sample(&data, 4, 1, "[0,[50]]");
	papi_text_spans(&data, &shown, 0, -2, 6, spans, 4);
	assert_true(isnan(spans[0].low) && isnan(spans[0].high));
	assert_true(spans[1].low == 10 && spans[1].high == 30);
	assert_true(isnan(spans[2].high));
	assert_true(isnan(spans[3].high));
	papi_text_spans(&data, &shown, 0, 0, 2, spans, 4);
	assert_true(spans[0].high == 10 && spans[1].high == 10 && spans[2].low == 30 && spans[3].low == 30);
	papi_text_data_end(&data);
}

static void a_line_has_no_holes_but_for_gaps(void **state)
{
	/* From below to the top at once; nothing; the middle. */
	const struct papi_text_span spans[6] = { { 0, 0 }, { 7, 7 }, { NAN, NAN }, { NAN, NAN }, { 3, 3 }, { 3, 4 } };
	unsigned char cells[6];

	(void)state;
	papi_text_plot(spans, 3, 2, 7, cells);
	/* Left the lowest dot, right all seven above it. */
	assert_int_equal(cells[0], 0xb8);
	assert_int_equal(cells[3], 0x40 | 0x38);
	assert_int_equal(cells[1], 0);
	assert_int_equal(cells[4], 0);
	assert_int_equal(cells[2], 0x80);
	assert_int_equal(cells[5], 0x01 | 0x08);
	/* What is more than the most stays inside, and of nothing all is 0. */
	papi_text_plot((const struct papi_text_span[]){ { 9, 1e300 }, { -5, -1 } }, 1, 1, 7, cells);
	assert_int_equal(cells[0] & 0x01, 0x01);
	assert_int_equal(cells[0] & 0x80, 0x80);
	papi_text_plot((const struct papi_text_span[]){ { 0, 0 }, { 0, 0 } }, 1, 1, 0, cells);
	assert_int_equal(cells[0], 0xc0);
}

/* ---- marks ---- */

static void mark(struct papi_text_data *data, double time, const char *rest)
{
	char line[256];

	snprintf(line, sizeof(line), "{\"type\":\"mark\",\"t\":%.3f,%s}", time, rest);
	take(data, line);
}

static void marks_are_bands(void **state)
{
	struct papi_text_data data;
	struct papi_text_bands *bands;

	(void)state;
	papi_text_data_begin(&data);
	take_thread(&data, 1, 0);
	mark(&data, 1, "\"id\":1,\"name\":\"outer\",\"color\":\"#d8403b\",\"begin\":true");
	mark(&data, 2, "\"id\":1,\"name\":\"in\\u001bner\",\"color\":null,\"begin\":true");
	mark(&data, 3, "\"id\":1,\"name\":\"outer\",\"begin\":false");
	mark(&data, 4, "\"id\":1,\"name\":\"never begun\",\"begin\":false");
	mark(&data, 5, "\"id\":null,\"name\":\"moment\",\"color\":\"#3b7dd8\",\"begin\":null");
	assert_int_equal(data.odd, 0);
	bands = &data.lanes[0].bands;
	assert_int_equal(bands->number, 2);
	assert_string_equal(bands->list[0].name, "outer");
	assert_int_equal(bands->list[0].colour, 1);
	assert_true(bands->list[0].end == 3);
	assert_null(strchr(bands->list[1].name, '\033'));
	assert_true(isinf(bands->list[1].end));
	assert_in_range(bands->list[1].colour, 1, 6);
	mark(&data, 6, "\"id\":1,\"begin\":false");
	assert_true(bands->list[1].end == 6);
	assert_int_equal(data.everywhere.number, 1);
	assert_int_equal(data.everywhere.list[0].colour, 4);
	assert_true(data.everywhere.list[0].end == 5);
	/* Of nobody, and of no time. */
	mark(&data, 7, "\"id\":99,\"name\":\"x\",\"begin\":true");
	take(&data, "{\"type\":\"mark\",\"id\":1}");
	assert_int_equal(data.odd, 2);
	papi_text_data_end(&data);
}

static void so_many_marks_lose_the_oldest(void **state)
{
	struct papi_text_data data;

	(void)state;
	papi_text_data_begin(&data);
	take_thread(&data, 1, 0);
	for (int i = 0; i < 20000; i++)
		mark(&data, i, "\"id\":1,\"name\":\"step\",\"color\":\"\",\"begin\":null");
	assert_true(data.lanes[0].bands.number < 10000);
	assert_true(data.lanes[0].bands.list[data.lanes[0].bands.number - 1].begin == 19999);
	papi_text_data_end(&data);
}

static void whole_programs_are_first_and_in_order(void **state)
{
	struct papi_text_data data;

	(void)state;
	papi_text_data_begin(&data);
	take_thread(&data, 5, 0);
	take(&data, "{\"type\":\"thread\",\"t\":0,\"id\":1,\"tid\":0,\"name\":\"rank 0\"}");
	take(&data, "{\"type\":\"thread\",\"t\":0,\"id\":2,\"tid\":0,\"name\":\"rank 1\"}");
	assert_int_equal(data.n_lanes, 3);
	assert_string_equal(data.lanes[0].name, "rank 0");
	assert_string_equal(data.lanes[1].name, "rank 1");
	assert_int_equal(data.lanes[2].id, 5);
	papi_text_data_end(&data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_are_bands),
		cmocka_unit_test(so_many_marks_lose_the_oldest),
		cmocka_unit_test(whole_programs_are_first_and_in_order),
		cmocka_unit_test(counts_are_those_of_intervals),
		cmocka_unit_test(large_totals_are_exact),
		cmocka_unit_test(what_is_not_known_stays_so),
		cmocka_unit_test(a_switch_leaves_a_gap),
		cmocka_unit_test(the_whole_program_comes_first),
		cmocka_unit_test(nonsense_is_counted_and_skipped),
		cmocka_unit_test(the_oldest_go),
		cmocka_unit_test(values_are_per_second_or_a_ratio),
		cmocka_unit_test(spans_have_the_least_and_the_most),
		cmocka_unit_test(a_line_has_no_holes_but_for_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
