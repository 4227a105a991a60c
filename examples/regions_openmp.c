/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions in OpenMP threads: each thread has its own, and papi_hl_output_writer compares them.
 *
 *	cc -fopenmp regions_openmp.c $(pkg-config --cflags --libs papi) -o regions_openmp
 *	OMP_NUM_THREADS=4 ./regions_openmp && papi_hl_output_writer
 */
#include <omp.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 1000000

static double work(int steps)
{
	double sum = 0;

	for (int i = 1; i <= steps; i++)
		sum += 1.0 / i;
	return sum;
}

int main(void)
{
	double sum = 0;
	int failed = PAPI_hl_region_begin("program");

	/* A region is inside another of the same thread, so those of the team are at the top. */
#pragma omp parallel reduction(+ : sum) reduction(| : failed)
	{
		failed |= PAPI_hl_region_begin("team");
		for (int i = 0; i < 3; i++) {
			failed |= PAPI_hl_region_begin("step");
			sum += work(STEPS * (omp_get_thread_num() + 1));
			failed |= PAPI_hl_region_end("step");
		}
		failed |= PAPI_hl_region_end("team");
	}
	failed |= PAPI_hl_region_end("program");
	printf("%.3f\n", sum);
	return failed ? 1 : 0;
}
