/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/masks.h"

#include <signal.h>

#include "components/vpmu/translator/processor.h"

#define BIT(number) ((uint64_t)1 << ((number)-1))

const uint64_t papi_vpmu_all_signals = ~(BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGSEGV));

uint64_t papi_vpmu_mask_set(uint64_t new)
{
	uint64_t old = 0;

	papi_vpmu_raw(SYS_rt_sigprocmask, SIG_SETMASK, (long)&new, (long)&old, sizeof(new), 0, 0);
	return old;
}

void papi_vpmu_mask_change(int how, uint64_t signals)
{
	papi_vpmu_raw(SYS_rt_sigprocmask, how, (long)&signals, 0, sizeof(signals), 0, 0);
}

uint64_t papi_vpmu_signals_block(void)
{
	return papi_vpmu_mask_set(papi_vpmu_all_signals);
}

void papi_vpmu_signals_unblock(uint64_t mask)
{
	papi_vpmu_mask_set(mask);
}
