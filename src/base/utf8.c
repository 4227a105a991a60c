/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

size_t papi_utf8_length(const char *string)
{
	const unsigned char *text = (const unsigned char *)string;
	unsigned code;
	size_t length;

	if (text[0] < 0x80)
		return 1;
	if (text[0] >= 0xc2 && text[0] <= 0xdf)
		length = 2;
	else if (text[0] >= 0xe0 && text[0] <= 0xef)
		length = 3;
	else if (text[0] >= 0xf0 && text[0] <= 0xf4)
		length = 4;
	else
		return 0;
	code = text[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3fu);
	}
	if (length == 3 && (code < 0x800 || (code >= 0xd800 && code <= 0xdfff)))
		return 0;
	if (length == 4 && (code < 0x10000 || code > 0x10ffff))
		return 0;
	return length;
}

/* Those of ASCII and, in two bytes, those of ISO 8859, which some terminals obey, too. */
static bool is_control(const unsigned char *text)
{
	return text[0] < 0x20 || text[0] == 0x7f || (text[0] == 0xc2 && text[1] < 0xa0);
}

void papi_utf8_clean(char *text, size_t length, const char *kept)
{
	for (size_t i = 0; i < length;) {
		size_t n = papi_utf8_length(text + i);
		bool bad = n == 0 || is_control((const unsigned char *)text + i);

		n = n ? n : 1;
		if (bad && !(n == 1 && strchr(kept, text[i])))
			memset(text + i, '?', n);
		i += n;
	}
}
