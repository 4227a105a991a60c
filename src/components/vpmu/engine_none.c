/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of the engine where there is none: on other architectures, without Zydis, and in tests of parts of the
 * library. */
#include <stdio.h>

#include "base/error.h"
#include "components/vpmu/engine.h"

/* Why there is none: meson.build knows, where the library has none. */
#ifndef PAPI_VPMU_MISSING
#define PAPI_VPMU_MISSING "this is a part of the library"
#endif

static const char reason[] = PAPI_VPMU_MISSING;

bool papi_vpmu_engine_probe(char *text, size_t size)
{
	snprintf(text, size, "%s", reason);
	return false;
}

unsigned papi_vpmu_engine_parts(void)
{
	return PAPI_VPMU_PARTS;
}

papi_vpmu_sigaction *papi_vpmu_engine_sigaction(void)
{
	return NULL;
}

int papi_vpmu_engine_start(const struct papi_vpmu_wants *wants, void *frame)
{
	(void)wants;
	(void)frame;
	return papi_error(PAPI_ECMP, "the virtual PMU is not here: %s", reason);
}

void papi_vpmu_engine_stop(const struct papi_vpmu_wants *wants)
{
	(void)wants;
}

int papi_vpmu_engine_overflow(const struct papi_vpmu_overflow *overflow)
{
	(void)overflow;
	return papi_error(PAPI_ECMP, "the virtual PMU is not here: %s", reason);
}

void papi_vpmu_engine_forget_overflow(const void *argument)
{
	(void)argument;
}

void papi_vpmu_engine_abandon(uint32_t number)
{
	(void)number;
}

const uint64_t *papi_vpmu_engine_counters(const char **lost)
{
	*lost = reason;
	return NULL;
}

int papi_vpmu_engine_exclude(uint64_t start, uint64_t end)
{
	(void)start;
	(void)end;
	return papi_error(PAPI_ECMP, "the virtual PMU is not here: %s", reason);
}

void papi_vpmu_engine_region(const char *name)
{
	(void)name;
}

uint64_t papi_vpmu_engine_interruptions(void)
{
	return 0;
}

void papi_vpmu_engine_forked(void)
{
}

void papi_vpmu_engine_lend(const struct papi_agent *agent)
{
	(void)agent;
}

int papi_vpmu_engine_profile(const char *directory, uint64_t counters, uint32_t contexts, uint64_t modelled)
{
	(void)modelled;
	(void)contexts;
	(void)directory;
	(void)counters;
	return PAPI_ECMP;
}

bool papi_vpmu_engine_is_lent(void)
{
	return false;
}

void papi_vpmu_engine_borrow(void)
{
}

void papi_vpmu_engine_settle(void)
{
}

int papi_vpmu_engine_prepare(void)
{
	return papi_error(PAPI_ECMP, "the virtual PMU is not here: %s", reason);
}

int papi_vpmu_engine_enter_at(const struct papi_vpmu_wants *wants, struct papi_agent_moved *moved)
{
	(void)wants;
	(void)moved;
	return papi_error(PAPI_ECMP, "the virtual PMU is not here: %s", reason);
}

int papi_vpmu_engine_leave_at(struct papi_agent_moved *moved)
{
	(void)moved;
	return PAPI_ENOTRUN;
}

void papi_vpmu_engine_retreat(void)
{
}

unsigned papi_vpmu_engine_inside(void)
{
	return 0;
}

void papi_vpmu_engine_give_back(void)
{
}
