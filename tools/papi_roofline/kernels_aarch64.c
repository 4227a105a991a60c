/* SPDX-License-Identifier: BSD-3-Clause */
/* kernels_aarch64.c - kernels for the vectors that every arm64 processor has; those of SVE are not used. */
#include "papi_roofline/kernels.h"

#define PAPI_ROOFLINE_KEEP(x) __asm__ volatile("" : "+w"(x))

#define NEON

typedef double d128 __attribute__((vector_size(16)));
typedef float f128 __attribute__((vector_size(16)));

PAPI_ROOFLINE_FLOPS(double_64, double, NEON)
PAPI_ROOFLINE_FLOPS(double_128, d128, NEON)
PAPI_ROOFLINE_FLOPS(single_32, float, NEON)
PAPI_ROOFLINE_FLOPS(single_128, f128, NEON)
PAPI_ROOFLINE_READ(read_128, d128, NEON)
PAPI_ROOFLINE_TRIAD(triad_128, d128, NEON)

static bool always(void)
{
	return true;
}

#define PER_ROUND(bits, element) (2 * PAPI_ROOFLINE_CHAINS * (bits) / (element))

const struct papi_roofline_kernel papi_roofline_kernels[] = {
	{ "fma", PAPI_ROOFLINE_DOUBLE, 64, PER_ROUND(64, 64), always, double_64 },
	{ "fma", PAPI_ROOFLINE_DOUBLE, 128, PER_ROUND(128, 64), always, double_128 },
	{ "fma", PAPI_ROOFLINE_SINGLE, 32, PER_ROUND(32, 32), always, single_32 },
	{ "fma", PAPI_ROOFLINE_SINGLE, 128, PER_ROUND(128, 32), always, single_128 },
	{ "read", PAPI_ROOFLINE_MEMORY, 128, 0, always, read_128 },
	{ "triad", PAPI_ROOFLINE_MEMORY, 128, 0, always, triad_128 },
	{ NULL, PAPI_ROOFLINE_MEMORY, 0, 0, NULL, NULL },
};
