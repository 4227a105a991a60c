/* SPDX-License-Identifier: BSD-3-Clause */
#include "live/frame.h"

#include <string.h>

#define WORDS ((size_t)8) /* bytes of the two numbers */

static void put_number(char *to, uint32_t number)
{
	for (unsigned i = 0; i < 4; i++)
		to[i] = (char)(number >> 8 * i);
}

static uint32_t get_number(const char *from)
{
	uint32_t number = 0;

	for (unsigned i = 0; i < 4; i++)
		number |= (uint32_t)(unsigned char)from[i] << 8 * i;
	return number;
}

void papi_frame_head(char head[PAPI_FRAME_HEAD], enum papi_frame_kind kind, size_t length)
{
	head[0] = 'P';
	head[1] = 'M';
	head[2] = PAPI_FRAME_VERSION;
	head[3] = (char)kind;
	put_number(head + 4, (uint32_t)length);
}

long papi_frame_take(const void *bytes, size_t size, struct papi_frame *frame, const char **why)
{
	const char *head = bytes;
	size_t most;

	if ((size > 0 && head[0] != 'P') || (size > 1 && head[1] != 'M')) {
		*why = "it is no frame of a perfometer";
		return -1;
	}
	if (size > 2 && head[2] != PAPI_FRAME_VERSION) {
		*why = "it is a frame of another version";
		return -1;
	}
	if (size < PAPI_FRAME_HEAD)
		return 0;
	*frame = (struct papi_frame){ (unsigned char)head[3], head + PAPI_FRAME_HEAD, get_number(head + 4) };
	most = frame->kind == PAPI_FRAME_LINE_OF_JOURNAL ? PAPI_FRAME_LINE : PAPI_FRAME_SHORT;
	if (frame->length > most) {
		*why = "it is too long";
		return -1;
	}
	return size - PAPI_FRAME_HEAD < frame->length ? 0 : (long)(PAPI_FRAME_HEAD + frame->length);
}

bool papi_frame_read(const struct papi_frame *frame, struct papi_frame_words *words)
{
	size_t length = frame->length - WORDS;

	if (frame->length < WORDS || length > PAPI_FRAME_NAME)
		return false;
	words->first = (int32_t)get_number(frame->payload);
	words->second = (int32_t)get_number(frame->payload + 4);
	memcpy(words->name, frame->payload + WORDS, length);
	words->name[length] = '\0';
	return true;
}

size_t papi_frame_write(
	char bytes[PAPI_FRAME_PROGRAM], enum papi_frame_kind kind, int32_t first, int32_t second, const char *name)
{
	size_t length = strnlen(name, PAPI_FRAME_NAME);

	papi_frame_head(bytes, kind, WORDS + length);
	put_number(bytes + PAPI_FRAME_HEAD, (uint32_t)first);
	put_number(bytes + PAPI_FRAME_HEAD + 4, (uint32_t)second);
	memcpy(bytes + PAPI_FRAME_HEAD + WORDS, name, length);
	return PAPI_FRAME_HEAD + WORDS + length;
}
