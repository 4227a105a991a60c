/* SPDX-License-Identifier: BSD-3-Clause */
#include "twins.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

#define EACH "vpmu:::INSTRUCTIONS"

static struct twin_outcome *current;

static void begin(const char *geometry)
{
	setenv("PAPI_VPMU", "auto", 1);
	if (geometry)
		setenv("PAPI_VPMU_CACHE", geometry, 1);
	else
		unsetenv("PAPI_VPMU_CACHE");
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
}

static void look(void)
{
	int code, status;

	begin(NULL);
	status = PAPI_event_name_to_code(EACH, &code);
	if (status != PAPI_OK)
		printf("skipped: the virtual PMU counts nothing here: %s\n", PAPI_error_detail());
	fflush(stdout);
	_exit(status == PAPI_OK ? 0 : 77);
}

void twins_need(void)
{
	if (work_in_process(look) != 0)
		exit(77);
}

struct twin_outcome *twins_outcome(void)
{
	void *memory = mmap(
		NULL, sizeof(struct twin_outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	REQUIRE(memory != MAP_FAILED);
	return memory;
}

static const char *next_of(const void *context)
{
	const ucontext_t *program = context;
#ifdef __x86_64__
	uintptr_t next = (uintptr_t)program->uc_mcontext.gregs[REG_RIP];
#else
	uintptr_t next = program->uc_mcontext.pc;
#endif

	return (const char *)next; /* NOLINT(performance-no-int-to-ptr) */
}

static void keep(int set, void *address, long long vector, void *context)
{
	long long values[2];

	(void)vector;
	if (current->calls < TWIN_POINTS && PAPI_read(set, values) == PAPI_OK)
		current->points[current->calls] = (struct twin_point){ values[0], address, next_of(context) };
	current->calls++;
}

static int code_of(const char *event)
{
	int code;

	REQUIRE_OK(PAPI_event_name_to_code(event, &code));
	return code;
}

/* A copy, which is at the same address each time. */
static struct twin_run current_run;

static void run_here(void)
{
	const struct twin_run *run = &current_run;
	int set = PAPI_NULL, code;
	long long values[2];

	begin(run->geometry);
	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_add_named_event(set, run->event));
	if (run->each && strcmp(run->event, EACH))
		REQUIRE_OK(PAPI_add_named_event(set, EACH));
	code = code_of(run->each ? EACH : run->event);
	if (run->each || run->threshold)
		REQUIRE_OK(PAPI_overflow(set, code, run->each ? 1 : run->threshold, PAPI_OVERFLOW_HARDWARE, keep));
	current->total = current->delivered = current->lost = current->calls = 0;
	REQUIRE_OK(PAPI_start(set));
	run->work();
	REQUIRE_OK(PAPI_stop(set, values));
	current->total = values[0];
	if (run->each || run->threshold)
		EXPECT_OK(PAPI_get_overflow_counts(set, code, &current->delivered, &current->lost));
}

void twins_count(const struct twin_run *run, struct twin_outcome *outcome)
{
	current = outcome;
	current_run = *run;
	if (!EXPECT_EQUAL(0, work_in_process(run_here)))
		printf("  %s, threshold %d\n", run->event, run->threshold);
}

bool twins_same(const struct twin_outcome *expected, const struct twin_outcome *got)
{
	bool same = true;

	for (long i = 0; same && i < expected->calls && i < got->calls && i < TWIN_POINTS; i++) {
		same = EXPECT_EQUAL(expected->points[i].count, got->points[i].count);
		same = EXPECT(expected->points[i].address == got->points[i].address) && same;
		same = EXPECT(expected->points[i].next == got->points[i].next) && same;
		if (!same)
			printf("  at call %ld of %ld: %lld at %p, not %lld at %p\n", i + 1, got->calls,
				got->points[i].count, (const void *)got->points[i].address, expected->points[i].count,
				(const void *)expected->points[i].address);
	}
	return EXPECT_EQUAL(expected->calls, got->calls) && same;
}
