/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of any bytes inside JSON, XML and lines for a terminal. See escape.h. */
#include "escape.h"

#include <stdbool.h>
#include <string.h>

/*
 * Length of the UTF-8 character at the start of text, or 0 when these bytes are none: cut short, overlong, a surrogate
 * or beyond U+10FFFF.
 */
static size_t utf8_length(const unsigned char *text)
{
	unsigned int code;
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

void papi_escape_json(FILE *out, const char *string)
{
	const unsigned char *text = (const unsigned char *)string;

	fputc('"', out);
	while (*text) {
		size_t length = utf8_length(text);

		if (length == 0)
			fputs("\\ufffd", out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if (*text < 0x20 || *text == 0x7f)
			fprintf(out, "\\u%04x", *text);
		else
			fwrite(text, 1, length, out);
		text += length ? length : 1;
	}
	fputc('"', out);
}

static const char *xml_entity(unsigned char character)
{
	switch (character) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&apos;";
	case '\t':
		return "&#9;";
	case '\n':
		return "&#10;";
	case '\r':
		return "&#13;";
	default:
		return NULL;
	}
}

/* Control characters, and U+FFFE and U+FFFF, are in no XML 1.0 document, escaped or not. */
static bool is_xml(const unsigned char *text, size_t length)
{
	if (length == 3 && text[0] == 0xef && text[1] == 0xbf && text[2] >= 0xbe)
		return false;
	return length != 0 && *text >= 0x20;
}

void papi_escape_xml(FILE *out, const char *string)
{
	const unsigned char *text = (const unsigned char *)string;

	while (*text) {
		size_t length = utf8_length(text);
		const char *entity = xml_entity(*text);

		if (entity)
			fputs(entity, out);
		else if (!is_xml(text, length))
			fputs("\xef\xbf\xbd", out);
		else
			fwrite(text, 1, length, out);
		text += length ? length : 1;
	}
}

void papi_escape_terminal(char *string)
{
	unsigned char *to = (unsigned char *)string;
	const unsigned char *from = to;

	while (*from) {
		size_t length = utf8_length(from);

		/* The control characters of ISO 8859, too: some terminals obey them. */
		if (length == 0 || *from < 0x20 || *from == 0x7f || (from[0] == 0xc2 && from[1] < 0xa0)) {
			from += length ? length : 1;
			*to++ = '?';
			continue;
		}
		for (; length > 0; length--)
			*to++ = *from++;
	}
	*to = '\0';
}
