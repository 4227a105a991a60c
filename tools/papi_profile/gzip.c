/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi_profile/gzip.h"

#include <stdint.h>

static uint32_t checksum(const unsigned char *bytes, size_t n)
{
	uint32_t table[256], sum = UINT32_MAX;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = (table[i] >> 1) ^ (table[i] & 1 ? UINT32_C(0xedb88320) : 0);
	}
	for (size_t i = 0; i < n; i++)
		sum = (sum >> 8) ^ table[(sum ^ bytes[i]) & 0xff];
	return ~sum;
}

/* The lowest byte first. */
static void put(FILE *out, uint32_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		fputc((int)(value >> 8 * i & 0xff), out);
}

void papi_gzip_write(FILE *out, const unsigned char *bytes, size_t n)
{
	static const unsigned char head[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255 };
	size_t at = 0;

	fwrite(head, 1, sizeof(head), out);
	do {
		size_t size = n - at < UINT16_MAX ? n - at : UINT16_MAX;

		put(out, at + size == n, 1);
		put(out, (uint32_t)size, 2);
		put(out, (uint32_t)~size, 2);
		fwrite(bytes + at, 1, size, out);
		at += size;
	} while (at < n);
	put(out, checksum(bytes, n), 4);
	put(out, (uint32_t)n, 4);
}
