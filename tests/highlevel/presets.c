/* SPDX-License-Identifier: BSD-3-Clause */
#include "presets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sanitizers.h"
#include "check.h"
#include "work.h"

static char usual[2048];
/* The file of presets is in memory: no test that breaks off leaves it behind. */
static int file = -1;

static void define_usual(void)
{
	static const char *const ones[] = { "TOT_INS", "FP_INS", "FP_OPS", "VEC_SP", "SP_OPS", "DP_OPS" };
	const char *event = work_event(WORK_A);
	size_t used = 0;

	for (size_t i = 0; i < COUNT_OF(ones); i++)
		used += (size_t)snprintf(
			usual + used, sizeof(usual) - used, "PRESET,PAPI_%s,NOT_DERIVED,%s\n", ones[i], event);
	used += (size_t)snprintf(usual + used, sizeof(usual) - used,
		"PRESET,PAPI_TOT_CYC,DERIVED_POSTFIX,N0|%d|*|,%s\n", PRESETS_CORE, event);
	used += (size_t)snprintf(usual + used, sizeof(usual) - used,
		"PRESET,PAPI_REF_CYC,DERIVED_POSTFIX,N0|%d|*|,%s\n", PRESETS_REFERENCE, event);
	REQUIRE(used < sizeof(usual));
}

void presets_define(const char *lines)
{
	size_t length;

	if (!lines)
		lines = usual;
	length = strlen(lines);
	REQUIRE(ftruncate(file, 0) == 0);
	REQUIRE(pwrite(file, lines, length, 0) == (ssize_t)length);
}

void presets_begin(void)
{
	char path[64];

	file = memfd_create("presets", MFD_CLOEXEC);
	REQUIRE(file >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	REQUIRE(setenv("PAPI_CSV_EVENT_FILE", path, 1) == 0);
	define_usual();
	presets_define(NULL);
	work_begin();
	if (!work_exact_faults())
		work_need_breakpoints();
	presets_work(PRESETS_MOST);
	presets_warm_up();
	PAPI_shutdown();
}

int presets_end(int status)
{
	return work_end(status);
}

void presets_work(size_t n)
{
	work_events(n);
}

void presets_worker_begin(struct presets_worker *worker)
{
	worker->pages = work_pages(PRESETS_MOST);
}

void presets_worker_do(struct presets_worker *worker, size_t n)
{
	REQUIRE(n <= PRESETS_MOST);
	if (!work_exact_faults()) {
		work_events(n);
		return;
	}
	work_touch(worker->pages, n);
	REQUIRE(n == 0 || madvise(worker->pages, work_bytes(n), MADV_DONTNEED) == 0);
}

void presets_worker_end(struct presets_worker *worker)
{
	work_unmap(worker->pages, PRESETS_MOST);
}

bool presets_can_fork(void)
{
	return !THREAD_SANITIZER;
}

void presets_warm_up(void)
{
	int events[] = { PAPI_FP_OPS, PAPI_TOT_CYC };
	long long values[2] = { 0, 0 }, counts[3];
	float times[2], rate;

	EXPECT_OK(PAPI_start_counters(events, 2));
	EXPECT_OK(PAPI_read_counters(values, 2));
	EXPECT_OK(PAPI_accum_counters(values, 2));
	EXPECT_STATUS(PAPI_EISRUN, PAPI_start_counters(events, 2));
	EXPECT_OK(PAPI_stop_counters(values, 2));
	EXPECT_STATUS(PAPI_ENOTRUN, PAPI_stop_counters(values, 2));
	for (int i = 0; i < 3; i++)
		EXPECT_OK(PAPI_epc(0, &times[0], &times[1], &counts[0], &counts[1], &counts[2], &rate));
	EXPECT_STATUS(PAPI_EINVAL, PAPI_ipc(&times[0], &times[1], &counts[0], &rate));
	EXPECT_OK(PAPI_rate_stop());
	for (int i = 0; i < 3; i++)
		EXPECT_OK(PAPI_flops(&times[0], &times[1], &counts[0], &rate));
	EXPECT_OK(PAPI_stop_counters(NULL, 0));
}
