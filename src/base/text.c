/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"

void papi_text_squeeze(char *target, size_t size, const char *source)
{
	size_t used = 0;

	source += strspn(source, BLANKS);
	while (*source && used + 1 < size) {
		size_t word = strcspn(source, BLANKS);
		size_t blanks = strspn(source + word, BLANKS);

		if (word > size - 1 - used)
			word = size - 1 - used;
		memcpy(target + used, source, word);
		used += word;
		source += word + blanks;
		/* A blank goes only before something that fits too. */
		if (*source == '\0' || used + 2 >= size)
			break;
		target[used++] = ' ';
	}
	target[used] = '\0';
}

bool papi_text_to_number(const char *text, long long *number)
{
	char *end;
	bool is_hex;
	long long value;

	text += strspn(text, BLANKS);
	/* Not base 0: the kernel pads some decimal numbers with zeros, which are not octal. */
	is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	errno = 0;
	value = is_hex ? (long long)strtoull(text, &end, 16) : strtoll(text, &end, 10);
	if (errno != 0)
		return false;
	if (end == text || end[strspn(end, BLANKS)] != '\0') {
		errno = EINVAL;
		return false;
	}
	*number = value;
	return true;
}

bool papi_text_has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	text += strspn(text, BLANKS);
	while (*text) {
		size_t here = strcspn(text, BLANKS);

		if (here == length && memcmp(text, word, length) == 0)
			return true;
		text += here;
		text += strspn(text, BLANKS);
	}
	return false;
}

bool papi_text_starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static char *trim(char *text)
{
	char *end;

	text += strspn(text, " \t");
	end = text + strlen(text);
	while (end > text && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	*end = '\0';
	return text;
}

bool papi_text_next_pair(char **text, char **key, char **value)
{
	char *line = *text;
	char *colon;
	size_t length = strcspn(line, "\n");

	if (*line == '\0')
		return false;
	*text = line + length + (line[length] == '\n');
	line[length] = '\0';
	colon = strchr(line, ':');
	if (colon)
		*colon = '\0';
	*key = trim(line);
	*value = colon ? trim(colon + 1) : line + length;
	return true;
}
