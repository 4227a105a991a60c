/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions: two calls around each piece of the program that is worth a number. What is counted is chosen when it runs:
 *
 *	PAPI_REPORT=1 ./regions
 *	PAPI_EVENTS=PAPI_TOT_INS,PAPI_TOT_CYC ./regions && papi_hl_output_writer
 */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE  (1 << 20)
#define STEPS 10

static void must(int status)
{
	if (status == PAPI_OK)
		return;
	fprintf(stderr, "cannot measure: %s\n", PAPI_error_detail());
	exit(1);
}

int main(void)
{
	double *field, sum = 0;

	must(PAPI_hl_region_begin("program"));

	must(PAPI_hl_region_begin("fill"));
	field = malloc(SIZE * sizeof(*field));
	if (!field)
		abort();
	for (int i = 0; i < SIZE; i++)
		field[i] = 1;
	must(PAPI_hl_region_end("fill"));

	/* The same region ten times: what it counts is added up. */
	for (int step = 0; step < STEPS; step++) {
		must(PAPI_hl_region_begin("sum"));
		for (int i = 0; i < SIZE; i++)
			sum += field[i];
		must(PAPI_hl_region_end("sum"));
	}

	must(PAPI_hl_region_end("program"));
	printf("%.0f\n", sum);
	free(field);
}
