/* SPDX-License-Identifier: BSD-3-Clause */
/* shorten.c - names of functions in little room: what a C++ compiler writes out is left out from the end. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "symbols/memory.h"
#include "views.h"

/* The columns that a clean text takes: one for each character. */
static size_t width(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

/* How many characters from here on are the name of an operator, which may look like brackets. */
static size_t operator_at(const char *text)
{
	const char *end = text + 8;

	if (strncmp(text, "operator", 8) != 0)
		return 0;
	if (strncmp(end, "()", 2) == 0)
		return 10;
	while (*end && strchr("<>=-!&|^*/%+~[],", *end))
		end++;
	return (size_t)(end - text);
}

/* Leaves out what is inside of angle brackets. */
static void drop_arguments(char *name)
{
	size_t depth = 0;
	char *to = name;

	for (const char *from = name; *from; from++) {
		size_t operator_length = operator_at(from);

		if (operator_length) {
			memmove(to, from, depth ? 0 : operator_length);
			to += depth ? 0 : operator_length;
			from += operator_length - 1;
			continue;
		}
		if (*from == '>' && depth > 0)
			depth--;
		if (depth == 0)
			*to++ = *from;
		if (*from == '<')
			depth++;
	}
	*to = '\0';
}

/* Leaves out the parameters, and what may follow them. */
static void drop_parameters(char *name)
{
	size_t depth = 0;

	for (char *at = name; *at; at++) {
		size_t operator_length = operator_at(at);

		if (operator_length)
			at += operator_length;
		if (!*at)
			return;
		if (*at == '(' && depth == 0 && at > name && at[-1] != ':' && at[-1] != ' ') {
			*at = '\0';
			return;
		}
		depth += *at == '(' || *at == '{';
		depth -= (*at == ')' || *at == '}') && depth > 0;
	}
}

/* Leaves out the type of what is returned: the words before the name. */
static void drop_type(char *name)
{
	char *last = NULL;
	size_t depth = 0;

	for (char *at = name; *at; at++) {
		if (operator_at(at))
			break;
		depth += *at == '(' || *at == '{' || *at == '<';
		depth -= (*at == ')' || *at == '}' || *at == '>') && depth > 0;
		if (*at == ' ' && depth == 0)
			last = at;
	}
	if (last && last[1])
		memmove(name, last + 1, strlen(last + 1) + 1);
}

void view_cut(char *text, size_t columns)
{
	char *at = text;

	if (columns < 3)
		columns = 3;
	if (width(text) <= columns)
		return;
	for (size_t i = 0; i + 3 < columns; i++)
		at += papi_utf8_length(at) ? papi_utf8_length(at) : 1;
	memcpy(at, "...", 4);
}

static void (*const steps[])(char *) = { drop_parameters, drop_type, drop_arguments };

char *view_shorten(const char *name, size_t columns)
{
	char *shorter = view_clean(name);

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && width(shorter) > columns; i++)
		steps[i](shorter);
	view_cut(shorter, columns);
	return shorter;
}

char *view_plain(const char *name)
{
	char *plain = papi_memory_copy(name);

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		steps[i](plain);
	for (char *at = plain; (at = strstr(at, "<>")) != NULL;) {
		if (at - plain >= 8 && strncmp(at - 8, "operator", 8) == 0)
			at += 2;
		else
			memmove(at, at + 2, strlen(at + 2) + 1);
	}
	return plain;
}
