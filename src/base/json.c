/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json.h"

#include "base/utf8.h"

void papi_json_string(FILE *stream, const char *string)
{
	const char *text = string ? string : "";

	putc('"', stream);
	while (*text) {
		size_t n = papi_utf8_length(text);
		unsigned char byte = (unsigned char)*text;

		if (byte == '"' || byte == '\\')
			fprintf(stream, "\\%c", byte);
		else if (byte < 0x20 || byte == 0x7f || n == 0)
			fprintf(stream, "\\u%04x", byte);
		else
			fwrite(text, 1, n, stream);
		text += n ? n : 1;
	}
	putc('"', stream);
}
