/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flops SCALAR VECTOR - floating-point work of known counts: SCALAR times a multiplication and an addition of a double,
 * VECTOR times an addition of two doubles in a vector of 128 bits, which is read from memory and written there; and for
 * each time a decrement and a conditional branch.
 */
#include <stdlib.h>

static void scalar(unsigned long times)
{
	double value = 1, factor = 0.5;

	if (!times)
		return;
#if defined(__x86_64__)
	__asm__ volatile("1: mulsd %2, %0\n\taddsd %2, %0\n\tdec %1\n\tjnz 1b"
			 : "+x"(value), "+r"(times)
			 : "x"(factor)
			 : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: fmul %d0, %d0, %d2\n\tfadd %d0, %d0, %d2\n\tsubs %1, %1, 1\n\tb.ne 1b"
			 : "+w"(value), "+r"(times)
			 : "w"(factor)
			 : "cc");
#else
	(void)value;
	(void)factor;
#endif
}

static void vector(unsigned long times)
{
	static _Alignas(16) double pair[2] = { 1, 2 };

	if (!times)
		return;
#if defined(__x86_64__)
	__asm__ volatile("1: movapd (%1), %%xmm0\n\taddpd %%xmm0, %%xmm0\n\tmovapd %%xmm0, (%1)\n\tdec %0\n\tjnz 1b"
			 : "+r"(times)
			 : "r"(pair)
			 : "xmm0", "cc", "memory");
#elif defined(__aarch64__)
	__asm__ volatile("1: ldr q0, [%1]\n\tfadd v0.2d, v0.2d, v0.2d\n\tstr q0, [%1]\n\tsubs %0, %0, 1\n\tb.ne 1b"
			 : "+r"(times)
			 : "r"(pair)
			 : "v0", "cc", "memory");
#else
	(void)pair;
#endif
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return EXIT_FAILURE;
	scalar(strtoul(argv[1], NULL, 10));
	vector(strtoul(argv[2], NULL, 10));
	return EXIT_SUCCESS;
}
