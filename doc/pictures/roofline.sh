#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: roofline.sh SOURCE_ROOT BUILD_ROOT [DIRECTORY]
#
# Makes roofline.svg, the picture of doc/metrics.md, in doc/pictures if no directory is named: three regions of a
# program under the roofs of this machine. Best made while the machine has nothing else to do.
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
to=$(cd "${3:-$source/doc/pictures}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >regions.c <<'END'
#include <papi.h>
#include <stdio.h>

enum { N = 320, LONG = 1 << 23, TIMES = 8 };
static double a[N][N], b[N][N], c[N][N], x[LONG], y[LONG], z[LONG];

/* As it stands: the compiler would exchange the loops. */
__attribute__((optimize("O1"))) static void by_columns(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;

			for (int k = 0; k < N; k++)
				sum += a[i][k] * b[k][j];
			c[i][j] += sum;
		}
}

static void by_rows(void)
{
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			for (int j = 0; j < N; j++)
				c[i][j] += a[i][k] * b[k][j];
}

static void add_vectors(void)
{
	for (int i = 0; i < LONG; i++)
		x[i] = y[i] + 3 * z[i];
}

static void measure(const char *name, void (*work)(void))
{
	for (int i = 0; i < TIMES; i++) {
		PAPI_hl_region_begin(name);
		work();
		PAPI_hl_region_end(name);
	}
}

int main(void)
{
	for (int i = 0; i < N * N; i++)
		a[i / N][i % N] = b[i / N][i % N] = i % 7;
	for (int i = 0; i < LONG; i++)
		x[i] = y[i] = z[i] = i % 5;
	measure("a = b + 3 c", add_vectors);
	measure("multiply, by columns", by_columns);
	measure("multiply, by rows", by_rows);
	printf("%g %g\n", c[1][1], x[7]);
}
END
PATH=$build/tools:$PATH
LD_LIBRARY_PATH=$build/src
export LD_LIBRARY_PATH
cc -O3 -march=native -I"$source/include" regions.c -L"$build/src" -lpapi -o regions
PAPI_OUTPUT_DIRECTORY=counted PAPI_VPMU=always PAPI_METRICS=roofline ./regions
PAPI_OUTPUT_DIRECTORY=timed PAPI_EVENTS=perf::TASK-CLOCK ./regions
papi_hl_output_writer -s counted/papi_hl_output --times timed/papi_hl_output --roofline "$to/roofline.svg"
