/* SPDX-License-Identifier: BSD-3-Clause */
#include "loop.h"

#include <fcntl.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

__asm__(".text\n"
	".balign 64\n"
	".globl loop\n"
	".type loop, %function\n"
	"loop:\n"
	"	subs x0, x0, #1\n"
	"	b.ne loop\n"
	"	ret\n"
	".size loop, . - loop\n"
	".globl loop_end\n"
	"loop_end:\n");

int loop_user_access(void)
{
	int file = open("/proc/sys/kernel/perf_user_access", O_RDONLY | O_CLOEXEC);
	char digit = '0';

	if (file < 0 || read(file, &digit, 1) != 1)
		digit = '0';
	close(file);
	return digit == '1';
}

/* The same instructions around every loop. */
__attribute__((noinline, noclone)) long long loop_counted(int set, uint64_t n)
{
	REQUIRE_OK(PAPI_start(set));
	loop(n);
	return work_stop(set);
}

void loop_warm_up(int set)
{
	for (int i = 0; i < 4; i++)
		loop_counted(set, 1);
}

/* A tick of the guest's clock may come between, and has the counter read once more. */
static bool counts_exactly(int set)
{
	bool exact = false;

	for (int i = 0; i < 10 && !exact; i++)
		exact = loop_counted(set, 2000) - loop_counted(set, 1000) == 1000 * LOOP_INSTRUCTIONS;
	return exact;
}

void loop_begin(void)
{
	int set;

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	set = work_set("perf::INSTRUCTIONS", NULL, NULL);
	loop_warm_up(set);
	if (!counts_exactly(set)) {
		printf("skipped: instructions are not counted exactly here\n");
		exit(77);
	}
	work_discard(set);
}
