/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of any bytes inside JSON, XML and lines for a terminal. See escape.h. */
#include "escape.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

void papi_escape_json(FILE *out, const char *string)
{
	const unsigned char *text = (const unsigned char *)string;

	fputc('"', out);
	while (*text) {
		size_t length = papi_utf8_length((const char *)text);

		if (length == 0)
			fputs("\\ufffd", out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if (*text < 0x20 || *text == 0x7f)
			fprintf(out, "\\u%04x", *text);
		else if (text[0] == 0xc2 && text[1] < 0xa0) /* terminals may obey these, too */
			fprintf(out, "\\u%04x", text[1]);
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
		size_t length = papi_utf8_length((const char *)text);
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
		size_t length = papi_utf8_length((const char *)from);

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
