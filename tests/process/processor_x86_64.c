/* SPDX-License-Identifier: BSD-3-Clause */
#include "processor.h"

const unsigned call_number = 0;

bool vectors_are_scalable(void)
{
	return false;
}

bool vectors_hold(_Atomic int *over)
{
	static const unsigned char pattern[16] = { 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 121, 98, 219, 61 };
	unsigned same = 0;

	__asm__ volatile("movdqu %[pattern], %%xmm5\n\t"
			 "movdqa %%xmm5, %%xmm15\n"
			 "1:\n\t"
			 "movdqu %[pattern], %%xmm0\n\t"
			 "pcmpeqb %%xmm5, %%xmm0\n\t"
			 "movdqu %[pattern], %%xmm1\n\t"
			 "pcmpeqb %%xmm15, %%xmm1\n\t"
			 "pand %%xmm1, %%xmm0\n\t"
			 "pmovmskb %%xmm0, %[same]\n\t"
			 "cmp $0xffff, %[same]\n\t"
			 "jne 2f\n\t"
			 "cmpl $0, %[over]\n\t"
			 "je 1b\n"
			 "2:"
			 : [same] "=&r"(same)
			 : [pattern] "m"(pattern), [over] "m"(*over)
			 : "xmm0", "xmm1", "xmm5", "xmm15", "cc", "memory");
	return same == 0xffff;
}
