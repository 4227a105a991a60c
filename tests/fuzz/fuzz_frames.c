/* SPDX-License-Identifier: BSD-3-Clause */
/* What comes by a connection to perfometer: any bytes are frames, or malformed, and nothing beyond them is read. */
#include <string.h>

#include "fuzz.h"
#include "live/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t at = 0;

	for (;;) {
		/* A copy of its own, so that a byte behind it is noticed. */
		size_t left = size - at;
		char *bytes = malloc(left ? left : 1);
		struct papi_frame_words words;
		struct papi_frame frame;
		const char *why = NULL;
		long taken;

		CHECK(bytes);
		memcpy(bytes, data + at, left);
		taken = papi_frame_take(bytes, left, &frame, &why);
		CHECK(taken >= 0 || (why && *why));
		CHECK(taken <= (long)left);
		if (taken > 0) {
			CHECK(frame.length + PAPI_FRAME_HEAD == (size_t)taken);
			if (papi_frame_read(&frame, &words))
				CHECK(strlen(words.name) <= PAPI_FRAME_NAME);
		}
		free(bytes);
		if (taken <= 0)
			return 0;
		at += (size_t)taken;
	}
}
