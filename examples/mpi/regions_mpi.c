/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions in the ranks of an MPI program. Every rank writes a file, and the files of a run come together in one
 * directory; nothing is sent between ranks for that.
 *
 *	mpicc regions_mpi.c $(pkg-config --cflags --libs papi) -o regions_mpi
 *	mpirun -np 4 ./regions_mpi && papi_hl_output_writer
 */
#include <mpi.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 200000
#define TURNS 10

/* The part of rank of size in the series of pi. */
static double part(int rank, int size)
{
	double sum = 0;

	for (long i = rank; i < STEPS; i += size)
		sum += (i % 2 ? -4.0 : 4.0) / (double)(2 * i + 1);
	return sum;
}

static void must(int status)
{
	if (status == PAPI_OK)
		return;
	fprintf(stderr, "cannot measure: %s\n", PAPI_error_detail());
	MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
	double mine, pi = 0;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);

	must(PAPI_hl_region_begin("program"));
	for (int turn = 0; turn < TURNS; turn++) {
		must(PAPI_hl_region_begin("compute"));
		mine = part(rank, size);
		must(PAPI_hl_region_end("compute"));

		must(PAPI_hl_region_begin("exchange"));
		MPI_Allreduce(&mine, &pi, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		must(PAPI_hl_region_end("exchange"));
	}
	must(PAPI_hl_region_end("program"));

	if (rank == 0)
		printf("%.3f\n", pi);
	MPI_Finalize();
	return 0;
}
