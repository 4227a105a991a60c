/* SPDX-License-Identifier: BSD-3-Clause */
/* What the runtime says to x86-64: what nobody may come between, and addresses of code. */
#ifndef PAPI_PROBES_RUNTIME_X86_64_PROCESSOR_H
#define PAPI_PROBES_RUNTIME_X86_64_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One instruction: a signal handler of the thread may do the same in between. */
static inline void papi_probe_add(uint64_t *to, uint64_t number)
{
	__asm__ volatile("addq %1, %0" : "+m"(*to) : "er"(number) : "cc");
}

/* Likewise; whether it was 0, and is 1 now. Other threads have no business with it. */
static inline bool papi_probe_claim(uint32_t *used)
{
	bool was_used;

	__asm__ volatile("btsl $0, %0" : "+m"(*used), "=@ccc"(was_used));
	return !was_used;
}

/* Where the address of a frame's stub is, as long as somebody may return to it. */
static inline uint64_t *papi_probe_place(uint64_t *slot, int32_t saved)
{
	(void)saved;
	return slot;
}

/* An address of code, as it is without a signature. */
static inline uint64_t papi_probe_plain(uint64_t address)
{
	return address;
}

#endif
