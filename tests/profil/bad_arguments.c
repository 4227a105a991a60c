/* SPDX-License-Identifier: BSD-3-Clause */
/* What histograms cannot be: codes, reasons, and nothing changed. */
#include <string.h>

#include "check.h"
#include "record.h"

#define FAULTS "perf::PAGE-FAULTS"

static unsigned long long buffer[8];
static int set, code;

static int profile(void *buf, unsigned bytes, unsigned scale, int threshold, int flags)
{
	return PAPI_profil(buf, bytes, NULL, scale, set, code, threshold, flags);
}

static void buffers(void)
{
	EXPECT_ERROR(PAPI_EINVAL, "null pointer", profile(NULL, 64, 65536, 10, 0));
	EXPECT_ERROR(PAPI_EINVAL, "no room", profile(buffer, 0, 65536, 10, 0));
	EXPECT_ERROR(PAPI_EINVAL, "no room", profile(buffer, 1, 65536, 10, 0));
	EXPECT_ERROR(PAPI_EINVAL, "no room", profile(buffer, 3, 65536, 10, PAPI_PROFIL_BUCKET_32));
	EXPECT_ERROR(PAPI_EINVAL, "no room", profile(buffer, 7, 65536, 10, PAPI_PROFIL_BUCKET_64));
	EXPECT_ERROR(PAPI_EINVAL, "aligned", profile((char *)buffer + 1, 8, 65536, 10, 0));
	EXPECT_ERROR(PAPI_EINVAL, "aligned", profile((char *)buffer + 2, 8, 65536, 10, PAPI_PROFIL_BUCKET_32));
	EXPECT_ERROR(PAPI_EINVAL, "aligned", profile((char *)buffer + 4, 8, 65536, 10, PAPI_PROFIL_BUCKET_64));
}

static void scales(void)
{
	EXPECT_ERROR(PAPI_EINVAL, "scale 0", profile(buffer, 64, 0, 10, 0));
	EXPECT_ERROR(PAPI_EINVAL, "scale 1 ", profile(buffer, 64, 1, 10, 0));
	EXPECT_ERROR(PAPI_EINVAL, "131073", profile(buffer, 64, 131073, 10, 0));
	EXPECT_ERROR(PAPI_EINVAL, "131072", profile(buffer, 64, ~0u, 10, 0));
}

static void flags(void)
{
	EXPECT_ERROR(PAPI_EINVAL, "0x200", profile(buffer, 64, 65536, 10, 0x200));
	EXPECT_ERROR(PAPI_EINVAL, "16, 32 or 64",
		profile(buffer, 64, 65536, 10, PAPI_PROFIL_BUCKET_16 | PAPI_PROFIL_BUCKET_64));
	EXPECT_ERROR(PAPI_EINVAL, "16, 32 or 64", profile(buffer, 64, 65536, 10, PAPI_PROFIL_BUCKETS));
	EXPECT_ERROR(PAPI_ENOSUPP, "event address registers", profile(buffer, 64, 65536, 10, PAPI_PROFIL_DATA_EAR));
	EXPECT_ERROR(PAPI_ENOSUPP, "event address registers", profile(buffer, 64, 65536, 10, PAPI_PROFIL_INST_EAR));
}

static void files(void)
{
	EXPECT_ERROR(PAPI_EINVAL, "path is a null pointer", PAPI_profil_write(set, NULL));
	EXPECT_ERROR(PAPI_EINVAL, "no event of the EventSet has a histogram", PAPI_profil_write(set, "unused"));
	EXPECT_ERROR(PAPI_ENOEVST, "PAPI_NULL", PAPI_profil_write(PAPI_NULL, "unused"));
	EXPECT_OK(profile(buffer, 64, 65536, 10, 0));
	EXPECT_ERROR(PAPI_EINVAL, "no name", PAPI_profil_write(set, ""));
	EXPECT_ERROR(PAPI_ESYS, "cannot make", PAPI_profil_write(set, "/proc/none/file"));
	EXPECT_OK(profile(NULL, 0, 0, 0, 0));
	EXPECT_ERROR(PAPI_EINVAL, "no event of the EventSet has a histogram", PAPI_profil_write(set, "unused"));
}

static void thresholds_and_sets(void)
{
	EXPECT_ERROR(PAPI_EINVAL, "-5", profile(buffer, 64, 65536, -5, 0));
	EXPECT_ERROR(PAPI_ENOEVST, "PAPI_NULL", PAPI_profil(buffer, 64, NULL, 65536, PAPI_NULL, code, 10, 0));
	EXPECT_ERROR(
		PAPI_ENOEVNT, "not in the EventSet", PAPI_profil(buffer, 64, NULL, 65536, set, PAPI_TOT_CYC, 10, 0));
	EXPECT_ERROR(
		PAPI_ENOEVNT, "not in the EventSet", PAPI_profil(buffer, 64, NULL, 65536, set, PAPI_TOT_CYC, 0, 0));
	EXPECT_OK(PAPI_start(set));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", profile(buffer, 64, 65536, 10, 0));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", profile(NULL, 0, 0, 0, 0));
	EXPECT_OK(PAPI_stop(set, NULL));
}

static void regions(void)
{
	PAPI_sprofil_t prof[2] = { { buffer, 32, NULL, 65536 }, { NULL, 32, NULL, 65536 } };

	EXPECT_ERROR(PAPI_EINVAL, "at least one", PAPI_sprofil(NULL, 1, set, code, 10, 0));
	EXPECT_ERROR(PAPI_EINVAL, "at least one", PAPI_sprofil(prof, 0, set, code, 10, 0));
	EXPECT_ERROR(PAPI_EINVAL, "at least one", PAPI_sprofil(prof, -1, set, code, 10, 0));
	/* The second is as wrong as a first would be. */
	EXPECT_ERROR(PAPI_EINVAL, "null pointer", PAPI_sprofil(prof, 2, set, code, 10, 0));
}

/* After all that: nothing is profiled, and nothing was written. */
static void unchanged(void)
{
	int state;

	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_STOPPED, state);
	EXPECT_OK(PAPI_start(set));
	record_faults(100);
	EXPECT_OK(PAPI_stop(set, NULL));
	for (size_t i = 0; i < COUNT_OF(buffer); i++)
		EXPECT_EQUAL(0, (long long)buffer[i]);
}

int main(void)
{
	static const struct test tests[] = {
		{ "buffers", buffers },
		{ "scales", scales },
		{ "flags", flags },
		{ "files", files },
		{ "thresholds and sets", thresholds_and_sets },
		{ "regions", regions },
		{ "unchanged", unchanged },
	};

	work_begin();
	set = work_set(FAULTS, NULL, NULL);
	code = record_code(set, 0);
	return work_end(check_run(tests, COUNT_OF(tests)));
}
