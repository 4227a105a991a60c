/* SPDX-License-Identifier: BSD-3-Clause */
/* The program whose counts are kept: heat in a plate, step by step. */
#include <stdio.h>
#include <stdlib.h>

#define SIZE  32
#define STEPS 1000

static void step(const double *from, double *to)
{
	for (int y = 1; y < SIZE - 1; y++)
		for (int x = 1; x < SIZE - 1; x++) {
			const double *here = from + y * SIZE + x;

			to[y * SIZE + x] = 0.25 * (here[-1] + here[1] + here[-SIZE] + here[SIZE]);
		}
}

int main(void)
{
	double *plate = calloc(SIZE * SIZE, sizeof(*plate)), *next = calloc(SIZE * SIZE, sizeof(*next)), *swap;

	if (!plate || !next)
		return 1;
	for (int x = 0; x < SIZE; x++)
		plate[x] = next[x] = 100;
	for (int i = 0; i < STEPS; i++) {
		step(plate, next);
		swap = plate;
		plate = next;
		next = swap;
	}
	printf("%.6f\n", plate[SIZE / 2 * SIZE + SIZE / 2]);
	free(plate);
	free(next);
	return 0;
}
