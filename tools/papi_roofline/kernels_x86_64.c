/* SPDX-License-Identifier: BSD-3-Clause */
/* kernels_x86_64.c - kernels for the vectors that x86-64 processors have. */
#include "papi_roofline/kernels.h"

#define PAPI_ROOFLINE_KEEP(x) __asm__ volatile("" : "+v"(x))

#define SSE
#define FMA    __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f")))

typedef double d128 __attribute__((vector_size(16)));
typedef double d256 __attribute__((vector_size(32)));
typedef double d512 __attribute__((vector_size(64)));
typedef float f128 __attribute__((vector_size(16)));
typedef float f256 __attribute__((vector_size(32)));
typedef float f512 __attribute__((vector_size(64)));

PAPI_ROOFLINE_FLOPS(double_64, double, SSE)
PAPI_ROOFLINE_FLOPS(double_128, d128, SSE)
PAPI_ROOFLINE_FLOPS(double_64_fma, double, FMA)
PAPI_ROOFLINE_FLOPS(double_128_fma, d128, FMA)
PAPI_ROOFLINE_FLOPS(double_256_fma, d256, FMA)
PAPI_ROOFLINE_FLOPS(double_512_fma, d512, AVX512)
PAPI_ROOFLINE_FLOPS(single_32, float, SSE)
PAPI_ROOFLINE_FLOPS(single_128, f128, SSE)
PAPI_ROOFLINE_FLOPS(single_32_fma, float, FMA)
PAPI_ROOFLINE_FLOPS(single_128_fma, f128, FMA)
PAPI_ROOFLINE_FLOPS(single_256_fma, f256, FMA)
PAPI_ROOFLINE_FLOPS(single_512_fma, f512, AVX512)
PAPI_ROOFLINE_READ(read_128, d128, SSE)
PAPI_ROOFLINE_READ(read_256, d256, FMA)
PAPI_ROOFLINE_READ(read_512, d512, AVX512)
PAPI_ROOFLINE_TRIAD(triad_128, d128, SSE)
PAPI_ROOFLINE_TRIAD(triad_256, d256, FMA)
PAPI_ROOFLINE_TRIAD(triad_512, d512, AVX512)

static bool always(void)
{
	return true;
}

static bool has_fma(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_none(void)
{
	return !has_fma();
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}

#define PER_ROUND(bits, element) (2 * PAPI_ROOFLINE_CHAINS * (bits) / (element))

const struct papi_roofline_kernel papi_roofline_kernels[] = {
	{ "multiply, add", PAPI_ROOFLINE_DOUBLE, 64, PER_ROUND(64, 64), has_none, double_64 },
	{ "multiply, add", PAPI_ROOFLINE_DOUBLE, 128, PER_ROUND(128, 64), has_none, double_128 },
	{ "fma", PAPI_ROOFLINE_DOUBLE, 64, PER_ROUND(64, 64), has_fma, double_64_fma },
	{ "fma", PAPI_ROOFLINE_DOUBLE, 128, PER_ROUND(128, 64), has_fma, double_128_fma },
	{ "fma", PAPI_ROOFLINE_DOUBLE, 256, PER_ROUND(256, 64), has_fma, double_256_fma },
	{ "fma", PAPI_ROOFLINE_DOUBLE, 512, PER_ROUND(512, 64), has_avx512, double_512_fma },
	{ "multiply, add", PAPI_ROOFLINE_SINGLE, 32, PER_ROUND(32, 32), has_none, single_32 },
	{ "multiply, add", PAPI_ROOFLINE_SINGLE, 128, PER_ROUND(128, 32), has_none, single_128 },
	{ "fma", PAPI_ROOFLINE_SINGLE, 32, PER_ROUND(32, 32), has_fma, single_32_fma },
	{ "fma", PAPI_ROOFLINE_SINGLE, 128, PER_ROUND(128, 32), has_fma, single_128_fma },
	{ "fma", PAPI_ROOFLINE_SINGLE, 256, PER_ROUND(256, 32), has_fma, single_256_fma },
	{ "fma", PAPI_ROOFLINE_SINGLE, 512, PER_ROUND(512, 32), has_avx512, single_512_fma },
	{ "read", PAPI_ROOFLINE_MEMORY, 128, 0, always, read_128 },
	{ "read", PAPI_ROOFLINE_MEMORY, 256, 0, has_fma, read_256 },
	{ "read", PAPI_ROOFLINE_MEMORY, 512, 0, has_avx512, read_512 },
	{ "triad", PAPI_ROOFLINE_MEMORY, 128, 0, always, triad_128 },
	{ "triad", PAPI_ROOFLINE_MEMORY, 256, 0, has_fma, triad_256 },
	{ "triad", PAPI_ROOFLINE_MEMORY, 512, 0, has_avx512, triad_512 },
	{ NULL, PAPI_ROOFLINE_MEMORY, 0, 0, NULL, NULL },
};
