/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with histograms of its own, which it writes: histogram EVENT THRESHOLD FILE. Of the loops in once() and
 * thrice() the second goes round three times as often. What is not in the program's own code is counted in one bucket
 * for all.
 */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 2000000

static __attribute__((noinline)) void once(void)
{
	for (volatile int i = 0; i < ROUNDS; i++)
		;
}

static __attribute__((noinline)) void thrice(void)
{
	for (volatile int i = 0; i < 3 * ROUNDS; i++)
		;
}

static void check(int status)
{
	if (status == PAPI_OK)
		return;
	fprintf(stderr, "histogram: %s\n", PAPI_error_detail());
	exit(status == PAPI_ENOEVNT || status == PAPI_ENOSUPP ? 77 : 1);
}

int main(int argc, char **argv)
{
	static unsigned rest;
	const PAPI_exe_info_t *program;
	PAPI_sprofil_t regions[2];
	int set = PAPI_NULL, event;
	size_t text;

	if (argc != 4 || PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 2;
	program = PAPI_get_executable_info();
	text = (size_t)(program->address_info.text_end - program->address_info.text_start);
	/* A bucket of 4 bytes for 4 addresses. */
	regions[0] = (PAPI_sprofil_t){ .pr_base = calloc(text / 4 + 1, 4),
		.pr_size = (unsigned)(text / 4 + 1) * 4,
		.pr_off = program->address_info.text_start,
		.pr_scale = 32768 };
	regions[1] = (PAPI_sprofil_t){ .pr_base = &rest, .pr_size = sizeof(rest), .pr_off = NULL, .pr_scale = 2 };
	check(PAPI_event_name_to_code(argv[1], &event));
	check(PAPI_create_eventset(&set));
	check(PAPI_add_event(set, event));
	check(PAPI_sprofil(regions, 2, set, event, atoi(argv[2]), PAPI_PROFIL_BUCKET_32));
	check(PAPI_start(set));
	once();
	thrice();
	check(PAPI_stop(set, NULL));
	check(PAPI_profil_write(set, argv[3]));
	return 0;
}
