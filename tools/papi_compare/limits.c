/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * limits.c - how much more of an event there may be: "PAPI_TOT_INS=1%", "perf::PAGE-FAULTS=+100". In a file each line
 * has one; # begins a comment.
 */
#include <stdlib.h>
#include <string.h>

#include "papi_compare.h"

static const char syntax[] = "EVENT=1% or EVENT=+1000";

/* Digits, and one point where allowed: nothing else that strtold() would take. */
static bool is_number(const char *text, size_t length, bool fraction)
{
	size_t digits = 0, points = 0;

	for (size_t i = 0; i < length; i++) {
		digits += text[i] >= '0' && text[i] <= '9';
		points += text[i] == '.';
	}
	return digits > 0 && digits <= 18 && digits + points == length && points <= (fraction ? 1 : 0);
}

/* The place of the mistake in the text, or -1 when it is a limit. Names of events may have equals signs. */
static long parse(const char *text, size_t length, struct compare_limit *limit)
{
	const char *sign = memrchr(text, '=', length), *value = sign ? sign + 1 : text;
	size_t rest = length - (size_t)(value - text);

	if (!sign || sign == text)
		return 0;
	*limit = (struct compare_limit){
		.event = papi_compare_format("%.*s", (int)(sign - text), text),
		.text = papi_compare_format("%.*s", (int)rest, value),
		.is_percent = rest > 1 && value[rest - 1] == '%' && is_number(value, rest - 1, true),
	};
	if (!limit->is_percent && !(rest > 1 && value[0] == '+' && is_number(value + 1, rest - 1, false)))
		return value - text;
	limit->number = strtold(limit->text, NULL);
	return -1;
}

static void append(struct compare_limits *limits, const struct compare_limit *limit)
{
	limits->limits = papi_compare_grow(limits->limits, limits->number + 1, sizeof(*limit));
	limits->limits[limits->number++] = *limit;
}

void papi_compare_limits_add(struct compare_limits *limits, const char *text)
{
	struct compare_limit limit;

	if (parse(text, strlen(text), &limit) >= 0)
		papi_tool_usage_error(&papi_compare_tool, "--limit takes %s, not '%s'", syntax, text);
	append(limits, &limit);
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r';
}

static size_t trim(const char **text, size_t length)
{
	while (length && is_blank((*text)[length - 1]))
		length--;
	while (length && is_blank(**text)) {
		(*text)++;
		length--;
	}
	return length;
}

/* The end of what is no comment: a # at the beginning of a line or behind a blank. */
static size_t without_comment(const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (line[i] == '#' && (i == 0 || is_blank(line[i - 1])))
			return i;
	return length;
}

void papi_compare_limits_read(struct compare_limits *limits, const char *path)
{
	size_t size, number = 0;
	char *text = papi_compare_load(path, &size);
	bool good = text != NULL;

	for (const char *line = text; text && line < text + size;) {
		const char *end = memchr(line, '\n', size - (size_t)(line - text)), *start = line;
		size_t length = end ? (size_t)(end - line) : size - (size_t)(line - text);
		struct compare_limit limit;
		size_t rest = trim(&start, without_comment(line, length));
		long mistake = rest ? parse(start, rest, &limit) : -1;

		number++;
		if (mistake >= 0) {
			papi_compare_complain("%s:%zu:%ld: a line should be %s, not '%.*s'", path, number,
				start - line + mistake + 1, syntax, (int)rest, start);
			good = false;
		} else if (rest) {
			append(limits, &limit);
		}
		line += length + 1;
	}
	free(text);
	if (!good)
		exit(COMPARE_TROUBLE);
}
