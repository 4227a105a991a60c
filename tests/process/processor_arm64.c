/* SPDX-License-Identifier: BSD-3-Clause */
#include "processor.h"

#include <stdint.h>
#include <sys/auxv.h>

#define SVE (1ul << 22) /* of AT_HWCAP */

const unsigned call_number = 8;

bool vectors_are_scalable(void)
{
	return getauxval(AT_HWCAP) & SVE;
}

static bool scalable_ones_hold(_Atomic int *over)
{
	uint64_t wrong, word, half;

	__asm__ volatile(".arch_extension sve\n\t"
			 "ptrue p0.b\n\t"
			 "ptrue p7.h\n\t"
			 "index z5.b, #3, #7\n\t"
			 "index z31.b, #11, #5\n"
			 "1:\n\t"
			 "index z0.b, #3, #7\n\t"
			 "index z1.b, #11, #5\n\t"
			 "eor z0.d, z0.d, z5.d\n\t"
			 "eor z1.d, z1.d, z31.d\n\t"
			 "orr z0.d, z0.d, z1.d\n\t"
			 "orv b0, p0, z0.b\n\t"
			 "fmov %w[wrong], s0\n\t"
			 "cntp %[word], p0, p7.b\n\t"
			 "cnth %[half]\n\t"
			 "eor %[half], %[half], %[word]\n\t"
			 "orr %[wrong], %[wrong], %[half]\n\t"
			 "cbnz %[wrong], 2f\n\t"
			 "ldr %w[word], [%[over]]\n\t"
			 "cbz %w[word], 1b\n"
			 "2:"
			 : [wrong] "=&r"(wrong), [word] "=&r"(word), [half] "=&r"(half)
			 : [over] "r"(over)
			 : "v0", "v1", "v5", "v31", "memory");
	return !wrong;
}

bool vectors_hold(_Atomic int *over)
{
	static const unsigned char pattern[16] = { 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 121, 98, 219, 61 };
	uint32_t same, word;

	if (vectors_are_scalable())
		return scalable_ones_hold(over);
	__asm__ volatile("ldr q5, [%[pattern]]\n\t"
			 "mov v31.16b, v5.16b\n"
			 "1:\n\t"
			 "ldr q0, [%[pattern]]\n\t"
			 "cmeq v1.16b, v0.16b, v31.16b\n\t"
			 "cmeq v0.16b, v0.16b, v5.16b\n\t"
			 "and v0.16b, v0.16b, v1.16b\n\t"
			 "uminv b0, v0.16b\n\t"
			 "umov %w[same], v0.b[0]\n\t"
			 "cbz %w[same], 2f\n\t"
			 "ldr %w[word], [%[over]]\n\t"
			 "cbz %w[word], 1b\n"
			 "2:"
			 : [same] "=&r"(same), [word] "=&r"(word)
			 : [pattern] "r"(pattern), [over] "r"(over)
			 : "v0", "v1", "v5", "v31", "memory");
	return same != 0;
}
