/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames: what was written is read, in pieces too, and what is malformed is refused. */
#include "unit.h"

#include "live/frame.h"

static void what_was_written_is_read(void **state)
{
	char bytes[PAPI_FRAME_PROGRAM];
	size_t length = papi_frame_write(bytes, PAPI_FRAME_MARK, -5, 0x1ff8000, "name");
	struct papi_frame_words words;
	struct papi_frame frame;
	const char *why;

	(void)state;
	for (size_t size = 0; size < length; size++)
		assert_int_equal(papi_frame_take(bytes, size, &frame, &why), 0);
	assert_int_equal(papi_frame_take(bytes, length, &frame, &why), (long)length);
	assert_int_equal(frame.kind, PAPI_FRAME_MARK);
	assert_true(papi_frame_read(&frame, &words));
	assert_int_equal(words.first, -5);
	assert_int_equal(words.second, 0x1ff8000);
	assert_string_equal(words.name, "name");
}

static void a_long_name_is_cut(void **state)
{
	char bytes[PAPI_FRAME_PROGRAM], name[2 * PAPI_FRAME_NAME];
	struct papi_frame_words words;
	struct papi_frame frame;
	const char *why;
	size_t length;

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	length = papi_frame_write(bytes, PAPI_FRAME_BEGIN, 1, 2, name);
	assert_int_equal(length, sizeof(bytes));
	assert_int_equal(papi_frame_take(bytes, length, &frame, &why), (long)length);
	assert_true(papi_frame_read(&frame, &words));
	assert_int_equal(strlen(words.name), PAPI_FRAME_NAME);
}

static void what_is_malformed_is_refused(void **state)
{
	char head[PAPI_FRAME_HEAD];
	struct papi_frame_words words;
	struct papi_frame frame;
	const char *why = NULL;

	(void)state;
	assert_int_equal(papi_frame_take("GET /", 5, &frame, &why), -1);
	assert_non_null(strstr(why, "no frame"));
	papi_frame_head(head, PAPI_FRAME_MARK, 8);
	head[2] = 2;
	assert_int_equal(papi_frame_take(head, sizeof(head), &frame, &why), -1);
	assert_non_null(strstr(why, "version"));
	papi_frame_head(head, PAPI_FRAME_MARK, PAPI_FRAME_SHORT + 1);
	assert_int_equal(papi_frame_take(head, sizeof(head), &frame, &why), -1);
	assert_non_null(strstr(why, "too long"));
	papi_frame_head(head, PAPI_FRAME_LINE_OF_JOURNAL, PAPI_FRAME_SHORT + 1);
	assert_int_equal(papi_frame_take(head, sizeof(head), &frame, &why), 0);
	/* Too short for its words, or with a name that is too long. */
	frame = (struct papi_frame){ PAPI_FRAME_MARK, head, 7 };
	assert_false(papi_frame_read(&frame, &words));
	frame.length = 8 + PAPI_FRAME_NAME + 1;
	assert_false(papi_frame_read(&frame, &words));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(a_long_name_is_cut),
		cmocka_unit_test(what_is_malformed_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
