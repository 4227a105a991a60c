/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls without libc: they leave errno and everything else of the program's alone. */
#ifndef PAPI_VPMU_X86_64_RAW_H
#define PAPI_VPMU_X86_64_RAW_H

#include <stdint.h>
#include <sys/syscall.h>

/* Returns what the kernel returns: a negative errno when it fails. */
static inline long papi_vpmu_raw_inline(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#endif
