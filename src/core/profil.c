/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/profil.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define KNOWN_FLAGS                                                                               \
	(PAPI_PROFIL_RANDOM | PAPI_PROFIL_WEIGHTED | PAPI_PROFIL_COMPRESS | PAPI_PROFIL_BUCKETS | \
		PAPI_PROFIL_FORCE_SW | PAPI_PROFIL_DATA_EAR | PAPI_PROFIL_INST_EAR)

/* With PAPI_PROFIL_COMPRESS: up to here a bucket counts every sample. */
#define COMPRESS_FROM 256

static int bucket_bytes(int flags)
{
	switch (flags & PAPI_PROFIL_BUCKETS) {
	case 0:
	case PAPI_PROFIL_BUCKET_16:
		return 2;
	case PAPI_PROFIL_BUCKET_32:
		return 4;
	case PAPI_PROFIL_BUCKET_64:
		return 8;
	default:
		return papi_error(PAPI_EINVAL,
			"buckets have 16, 32 or 64 bits: give one of PAPI_PROFIL_BUCKET_16, "
			"PAPI_PROFIL_BUCKET_32 and PAPI_PROFIL_BUCKET_64");
	}
}

static int check_flags(int flags)
{
	if (flags & ~KNOWN_FLAGS)
		return papi_error(PAPI_EINVAL, "0x%x is not a combination of PAPI_PROFIL_* flags", (unsigned)flags);
	if (flags & (PAPI_PROFIL_DATA_EAR | PAPI_PROFIL_INST_EAR))
		return papi_error(PAPI_ENOSUPP,
			"no component here has event address registers, which PAPI_PROFIL_DATA_EAR and "
			"PAPI_PROFIL_INST_EAR stand for; without them the program's address is counted");
	return bucket_bytes(flags);
}

static bool takes_all(const PAPI_sprofil_t *region)
{
	return !region->pr_off && region->pr_scale == PAPI_PROFIL_SCALE_WHOLE;
}

static int check_region(const PAPI_sprofil_t *region, unsigned bucket)
{
	if (!region->pr_base)
		return papi_error(PAPI_EINVAL, "a histogram has no buffer: its address is a null pointer");
	if ((uintptr_t)region->pr_base % bucket)
		return papi_error(
			PAPI_EINVAL, "the buffer %p is not aligned for buckets of %u bytes", region->pr_base, bucket);
	if (region->pr_scale < PAPI_PROFIL_SCALE_WHOLE || region->pr_scale > PAPI_PROFIL_SCALE_ONE)
		return papi_error(PAPI_EINVAL,
			"scale %u is not between 2 (one bucket for all) and 131072 (one for each address)",
			region->pr_scale);
	/* The catch-all of the reference's example says 1 and means its one bucket. */
	if (region->pr_size < (takes_all(region) ? 1 : bucket))
		return papi_error(
			PAPI_EINVAL, "a buffer of %u bytes has no room for a bucket of %u", region->pr_size, bucket);
	return PAPI_OK;
}

int papi_profil_make(const PAPI_sprofil_t regions[], int n, int flags, struct papi_profil **profil)
{
	int bucket = check_flags(flags);
	struct papi_profil *made;

	if (bucket < 0)
		return bucket;
	if (!regions || n < 1)
		return papi_error(PAPI_EINVAL, "an array of at least one PAPI_sprofil_t is needed");
	for (int i = 0; i < n; i++) {
		int status = check_region(&regions[i], (unsigned)bucket);

		if (status != PAPI_OK)
			return status;
	}
	made = malloc(sizeof(*made) + (size_t)n * sizeof(regions[0]));
	if (!made)
		return papi_error(PAPI_ENOMEM, "no memory for the %d regions of a histogram", n);
	made->flags = flags;
	made->bucket = (unsigned)bucket;
	made->n = (unsigned)n;
	made->random = 0x9e3779b97f4a7c15u ^ (uintptr_t)made;
	memcpy(made->regions, regions, (size_t)n * sizeof(regions[0]));
	*profil = made;
	return PAPI_OK;
}

/* Marsaglia's generator of 64 bits with shifts 13, 7, 17: good enough to decide by, and nothing to lock. */
static uint64_t next_random(struct papi_profil *profil)
{
	uint64_t x = profil->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return profil->random = x;
}

/* The bucket of an address in a region; NULL when it has none. */
static void *bucket_of(const struct papi_profil *profil, const PAPI_sprofil_t *region, uintptr_t address)
{
	uintptr_t start = (uintptr_t)region->pr_off;
	uint64_t position;

	if (region->pr_scale == PAPI_PROFIL_SCALE_WHOLE)
		return address >= start ? region->pr_base : NULL;
	if (address < start)
		return NULL;
	position = (uint64_t)((unsigned __int128)(address - start) * region->pr_scale / PAPI_PROFIL_SCALE_ONE);
	if (position >= region->pr_size / profil->bucket)
		return NULL;
	return (char *)region->pr_base + position * profil->bucket;
}

static void *find_bucket(const struct papi_profil *profil, uintptr_t address)
{
	void *rest = NULL;

	for (unsigned i = 0; i < profil->n; i++) {
		void *bucket = bucket_of(profil, &profil->regions[i], address);

		if (bucket && !takes_all(&profil->regions[i]))
			return bucket;
		if (bucket && !rest)
			rest = bucket;
	}
	return rest;
}

/* A bucket of twice the count takes half as many of the samples. */
static bool compressed_away(struct papi_profil *profil, uint64_t value)
{
	unsigned doublings = 0;

	for (value /= COMPRESS_FROM; value; value /= 2)
		doublings++;
	return doublings && next_random(profil) >> (64 - doublings);
}

static uint64_t most_of(unsigned bytes)
{
	return UINT64_MAX >> (64 - 8 * bytes);
}

static uint64_t load(const void *bucket, unsigned bytes)
{
	switch (bytes) {
	case 2:
		return __atomic_load_n((const uint16_t *)bucket, __ATOMIC_RELAXED);
	case 4:
		return __atomic_load_n((const uint32_t *)bucket, __ATOMIC_RELAXED);
	default:
		return __atomic_load_n((const uint64_t *)bucket, __ATOMIC_RELAXED);
	}
}

/* False if the bucket was not as expected: another thread has counted in it. */
static bool replace(void *bucket, unsigned bytes, uint64_t expected, uint64_t value)
{
	uint16_t expected_16 = (uint16_t)expected;
	uint32_t expected_32 = (uint32_t)expected;

	switch (bytes) {
	case 2:
		return __atomic_compare_exchange_n(
			(uint16_t *)bucket, &expected_16, (uint16_t)value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	case 4:
		return __atomic_compare_exchange_n(
			(uint32_t *)bucket, &expected_32, (uint32_t)value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	default:
		return __atomic_compare_exchange_n(
			(uint64_t *)bucket, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}

void papi_profil_count(struct papi_profil *profil, const void *address, uint64_t thresholds)
{
	void *bucket = find_bucket(profil, (uintptr_t)address);
	uint64_t weight = profil->flags & PAPI_PROFIL_WEIGHTED ? thresholds : 1;
	uint64_t value, room;

	if (!bucket || (profil->flags & PAPI_PROFIL_RANDOM && !(next_random(profil) >> 62)))
		return;
	if (profil->flags & PAPI_PROFIL_COMPRESS && compressed_away(profil, load(bucket, profil->bucket)))
		return;
	do {
		value = load(bucket, profil->bucket);
		room = most_of(profil->bucket) - value;
	} while (!replace(bucket, profil->bucket, value, value + (weight < room ? weight : room)));
}
