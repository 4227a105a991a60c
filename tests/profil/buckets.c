/* SPDX-License-Identifier: BSD-3-Clause */
/* From an address to its bucket, and what each flag does to the count: no events, no signals. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "core/profil.h"

#define START 0x401000ul

static void *address(uintptr_t number)
{
	return (void *)number;
}

static struct papi_profil *make(const PAPI_sprofil_t regions[], int n, int flags)
{
	struct papi_profil *profil = NULL;

	REQUIRE_OK(papi_profil_make(regions, n, flags, &profil));
	return profil;
}

/* Which bucket a sample went to, -1: none, and that it went to no other. */
static int count_once(const PAPI_sprofil_t *region, uintptr_t pc)
{
	unsigned short *buckets = region->pr_base;
	struct papi_profil *profil = make(region, 1, PAPI_PROFIL_POSIX);
	int found = -1;

	memset(buckets, 0, region->pr_size);
	papi_profil_count(profil, address(pc), 1);
	for (int i = 0; (unsigned)i < region->pr_size / 2; i++) {
		if (!buckets[i])
			continue;
		EXPECT_EQUAL(1, buckets[i]);
		EXPECT_EQUAL(-1, found);
		found = i;
	}
	free(profil);
	return found;
}

/* The table of the reference's page PAPI_profil: how many addresses share a bucket. */
static void scales(void)
{
	static const struct {
		unsigned scale, addresses;
	} table[] = { { 0x20000, 1 }, { 0x10000, 2 }, { 0x8000, 4 }, { 0x4000, 8 }, { 0x1000, 32 }, { 4, 32768 } };
	static unsigned short buckets[64];

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		PAPI_sprofil_t region = { buckets, sizeof(buckets), address(START), table[i].scale };
		uintptr_t end = START + table[i].addresses * COUNT_OF(buckets);

		for (uintptr_t bucket = 0; bucket < COUNT_OF(buckets); bucket++) {
			uintptr_t first = START + bucket * table[i].addresses;

			EXPECT_EQUAL((long long)bucket, count_once(&region, first));
			EXPECT_EQUAL((long long)bucket, count_once(&region, first + table[i].addresses - 1));
		}
		EXPECT_EQUAL(-1, count_once(&region, START - 1));
		EXPECT_EQUAL(-1, count_once(&region, end));
		EXPECT_EQUAL(-1, count_once(&region, 0));
		EXPECT_EQUAL(-1, count_once(&region, UINTPTR_MAX));
	}
}

/* 0xFFFF is a little less than half a bucket for each address: bucket k begins at the first one past 2k x
 * 65536/65535. */
static void approximate_scale(void)
{
	static unsigned short buckets[0x9000];
	PAPI_sprofil_t region = { buckets, sizeof(buckets), address(START), 0xffff };

	EXPECT_EQUAL(0, count_once(&region, START));
	EXPECT_EQUAL(0, count_once(&region, START + 2));
	EXPECT_EQUAL(1, count_once(&region, START + 3));
	EXPECT_EQUAL(1, count_once(&region, START + 4));
	EXPECT_EQUAL(2, count_once(&region, START + 5));
	EXPECT_EQUAL(0x7ffe, count_once(&region, START + 0xfffe));
	EXPECT_EQUAL(0x7fff, count_once(&region, START + 0x10000));
	EXPECT_EQUAL(0x7fff, count_once(&region, START + 0x10001));
}

/* The end of the address space: the product does not fit into 64 bits. */
static void far_away(void)
{
	static unsigned short buckets[4];
	PAPI_sprofil_t region = { buckets, sizeof(buckets), address(16), 0x20000 };

	EXPECT_EQUAL(-1, count_once(&region, 16 + (1ul << 47)));
	EXPECT_EQUAL(-1, count_once(&region, 16 + (1ul << 63)));
	region.pr_off = address(UINTPTR_MAX - 3);
	EXPECT_EQUAL(3, count_once(&region, UINTPTR_MAX));
}

static void one_bucket_for_all(void)
{
	static unsigned short bucket;
	PAPI_sprofil_t region = { &bucket, 1, NULL, 2 };

	/* A byte is enough to say that there is a bucket. */
	free(make(&region, 1, 0));
	region.pr_size = 2;
	EXPECT_EQUAL(0, count_once(&region, 0));
	EXPECT_EQUAL(0, count_once(&region, START));
	EXPECT_EQUAL(0, count_once(&region, UINTPTR_MAX));
	region.pr_off = address(START);
	EXPECT_EQUAL(0, count_once(&region, UINTPTR_MAX));
	EXPECT_EQUAL(-1, count_once(&region, START - 1));
}

/* Where regions overlap, the first; what nobody has goes to the catch-all, wherever that stands. */
static void several_regions(void)
{
	static unsigned short first[8], second[8], rest;
	PAPI_sprofil_t regions[] = {
		{ &rest, 1, NULL, 2 },
		{ first, sizeof(first), address(START), 0x10000 },
		{ second, sizeof(second), address(START + 8), 0x10000 },
	};
	struct papi_profil *profil = make(regions, 3, 0);

	papi_profil_count(profil, address(START), 1);
	papi_profil_count(profil, address(START + 8), 1);
	papi_profil_count(profil, address(START + 15), 1);
	papi_profil_count(profil, address(START + 16), 1);
	papi_profil_count(profil, address(START + 23), 1);
	papi_profil_count(profil, address(START + 24), 1);
	papi_profil_count(profil, address(START - 1), 1);
	papi_profil_count(profil, NULL, 1);
	EXPECT_EQUAL(1, first[0]);
	EXPECT_EQUAL(1, first[4]);
	EXPECT_EQUAL(1, first[7]);
	EXPECT_EQUAL(1, second[4]);
	EXPECT_EQUAL(1, second[7]);
	EXPECT_EQUAL(3, rest);
	free(profil);
}

/* Full is full: no bucket begins again from 0, and none spills into its neighbour. */
static void saturation(void)
{
	static union {
		uint16_t of_16[3];
		uint32_t of_32[3];
		uint64_t of_64[3];
	} buckets;
	static const struct {
		int flag, bytes;
	} widths[] = { { 0, 2 }, { PAPI_PROFIL_BUCKET_16, 2 }, { PAPI_PROFIL_BUCKET_32, 4 },
		{ PAPI_PROFIL_BUCKET_64, 8 } };

	for (size_t i = 0; i < COUNT_OF(widths); i++) {
		unsigned bytes = (unsigned)widths[i].bytes;
		PAPI_sprofil_t region = { &buckets, 3 * bytes, address(START), 0x20000 };
		struct papi_profil *profil = make(&region, 1, widths[i].flag | PAPI_PROFIL_WEIGHTED);
		unsigned char expected[24] = { 0 };

		memset(&buckets, 0, sizeof(buckets));
		memset((char *)&buckets + bytes, 0xff, bytes);
		((unsigned char *)&buckets)[bytes] = 0xfd;
		papi_profil_count(profil, address(START + 1), 1);
		memset(expected + bytes, 0xff, bytes);
		expected[bytes] = 0xfe;
		EXPECT(memcmp(expected, &buckets, 3 * bytes) == 0);
		papi_profil_count(profil, address(START + 1), 5);
		expected[bytes] = 0xff;
		EXPECT(memcmp(expected, &buckets, 3 * bytes) == 0);
		papi_profil_count(profil, address(START + 1), 1);
		papi_profil_count(profil, address(START + 1), UINT64_MAX);
		EXPECT(memcmp(expected, &buckets, 3 * bytes) == 0);
		free(profil);
	}
}

static unsigned count_many(int flags, unsigned n, uint64_t thresholds)
{
	static uint32_t bucket;
	PAPI_sprofil_t region = { &bucket, sizeof(bucket), NULL, 2 };
	struct papi_profil *profil = make(&region, 1, flags | PAPI_PROFIL_BUCKET_32);

	bucket = 0;
	while (n--)
		papi_profil_count(profil, address(START), thresholds);
	free(profil);
	return bucket;
}

static void weights(void)
{
	EXPECT_EQUAL(100, count_many(PAPI_PROFIL_POSIX, 100, 7));
	EXPECT_EQUAL(700, count_many(PAPI_PROFIL_WEIGHTED, 100, 7));
	EXPECT_EQUAL(100, count_many(PAPI_PROFIL_WEIGHTED, 100, 1));
}

/* A quarter of 100000 is dropped: the standard deviation is 137; the bounds are ten of them away. */
static void random_drop(void)
{
	EXPECT_BETWEEN(75000 - 1370, count_many(PAPI_PROFIL_RANDOM, 100000, 1), 75000 + 1370);
	EXPECT_BETWEEN(3 * (75000 - 1370), count_many(PAPI_PROFIL_RANDOM | PAPI_PROFIL_WEIGHTED, 100000, 3),
		3 * (75000 + 1370));
}

/* Small counts are exact; then each doubling takes samples as many again: 256 + 2 x 256 + 4 x 512 + 8 x 1024 for
 * 2048. */
static void compression(void)
{
	EXPECT_EQUAL(256, count_many(PAPI_PROFIL_COMPRESS, 256, 1));
	EXPECT_BETWEEN(1600, count_many(PAPI_PROFIL_COMPRESS, 256 + 512 + 2048 + 8192, 1), 2500);
	EXPECT_BETWEEN(
		4 * 1600, count_many(PAPI_PROFIL_COMPRESS, 256 + 512 + 2048 + 8192 + 32768 + 131072, 1), 4 * 2600);
}

int main(void)
{
	static const struct test tests[] = {
		{ "scales", scales },
		{ "an approximate scale", approximate_scale },
		{ "far addresses", far_away },
		{ "one bucket for all", one_bucket_for_all },
		{ "several regions", several_regions },
		{ "saturation", saturation },
		{ "weights", weights },
		{ "random", random_drop },
		{ "compression", compression },
	};

	return check_run(tests, COUNT_OF(tests));
}
