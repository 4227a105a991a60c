/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of the kernel that leave errno alone, for code that may run anywhere in a program. */
#ifndef PAPI_PROBES_SYSTEM_H
#define PAPI_PROBES_SYSTEM_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "components/vpmu/raw.h"
#ifdef __aarch64__
#include "probes/runtime/arm64/processor.h"
#else
#include "probes/runtime/x86_64/processor.h"
#endif

/* NULL: none is to be had. */
static inline void *papi_probe_memory(uint64_t size)
{
	long got = papi_vpmu_raw_inline(
		SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return got < 0 && got > -4096 ? NULL : (void *)got;
}

/* Whether eight bytes can be read: a call that has to read them, and then finds that it does not know what to do. */
static inline bool papi_probe_is_readable(const uint64_t *place)
{
	return papi_vpmu_raw_inline(SYS_rt_sigprocmask, 77, (long)(intptr_t)place, 0, sizeof(*place), 0, 0) == -22;
}

static inline bool papi_probe_has_ended(int32_t pid, int32_t tid)
{
	return papi_vpmu_raw_inline(SYS_tgkill, pid, tid, 0, 0, 0, 0) == -3;
}

#endif
