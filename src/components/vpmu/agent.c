/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/agent.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "base/error.h"
#include "components/vpmu/engine.h"
#include "components/vpmu/models/estimates.h"
#include "components/vpmu/models/geometry.h"
#include "components/vpmu/vpmu.h"
#include "core/handles.h"

_Static_assert(PAPI_AGENT_COUNTERS == PAPI_VPMU_COUNTERS && PAPI_AGENT_EXACT == PAPI_VPMU_FIRST_MODELLED &&
		PAPI_AGENT_LANES == PAPI_VPMU_GROUPS_MAX,
	"an agent's pages have all counters");

/* Enters an EventSet whose only part are virtual events and which does not count: what is in its slot, or the error. */
static int enter(int eventset, struct papi_slot **slot, const struct papi_part **part)
{
	int status = papi_handle_enter(eventset, slot);

	if (status != PAPI_OK)
		return status;
	*part = (*slot)->set->parts;
	if (!(*slot)->set->running && (*slot)->set->n_parts == 1 && (*part)->component == &papi_vpmu_component)
		return PAPI_OK;
	papi_handle_leave(*slot);
	return papi_error(PAPI_ECMP, "papi_run's agent counts EventSets of virtual events, and none that is running");
}

static void copy_text(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text ? text : "");
}

int papi_agent_plan(int eventset, struct papi_agent_plan *plan)
{
	const struct papi_part *part;
	struct papi_slot *slot;
	int status = enter(eventset, &slot, &part);

	if (status != PAPI_OK)
		return status;
	papi_vpmu_control_plan(part->control, plan);
	copy_text(plan->caches, sizeof(plan->caches), secure_getenv("PAPI_VPMU_CACHE"));
	copy_text(plan->model, sizeof(plan->model), secure_getenv("PAPI_VPMU_MODEL"));
	papi_handle_leave(slot);
	return PAPI_OK;
}

bool papi_agent_geometry(char *text, size_t size, bool *sampled)
{
	char reason[PAPI_HUGE_STR_LEN];
	const struct papi_vpmu_geometry *geometry = papi_vpmu_geometry_current(reason, sizeof(reason));

	if (!geometry)
		return false;
	papi_vpmu_geometry_write(geometry, text, size);
	*sampled = geometry->choice.groups > 0;
	return true;
}

static void evaluate(
	struct papi_eventset *set, const struct papi_part *part, const uint64_t counters[], long long values[])
{
	papi_vpmu_control_values(part->control, counters, set->counts + part->first);
	for (unsigned i = 0; i < set->n_events; i++)
		values[i] = papi_count_value(set, i);
}

/* Without each of the groups of lines in turn. */
static int find_intervals(struct papi_eventset *set, const struct papi_part *part,
	const struct papi_vpmu_choice *choice, uint64_t counters[][PAPI_AGENT_COUNTERS], long long intervals[])
{
	long long *values = calloc((size_t)PAPI_VPMU_GROUPS_MAX * set->n_events + 1, sizeof(*values));
	long long without[PAPI_VPMU_GROUPS_MAX] = { 0 };
	uint64_t left[PAPI_AGENT_COUNTERS];

	if (!values)
		return papi_error(PAPI_ENOMEM, "no memory for the intervals of estimates");
	for (unsigned group = 0; group < choice->groups; group++) {
		papi_vpmu_estimates_without(choice, group, counters, left);
		evaluate(set, part, left, values + group * set->n_events);
	}
	for (unsigned i = 0; i < set->n_events; i++) {
		for (unsigned group = 0; group < choice->groups; group++)
			without[group] = values[group * set->n_events + i];
		intervals[i] = papi_vpmu_estimates_interval(choice, without);
	}
	free(values);
	return PAPI_OK;
}

int papi_agent_values(int eventset, uint64_t counters[PAPI_AGENT_LANES][PAPI_AGENT_COUNTERS], long long values[],
	long long intervals[])
{
	const struct papi_vpmu_geometry *geometry = papi_vpmu_geometry_current(NULL, 0);
	const struct papi_part *part;
	struct papi_slot *slot;
	int status = enter(eventset, &slot, &part);

	if (status != PAPI_OK)
		return status;
	for (unsigned i = 0; intervals && i < slot->set->n_events; i++)
		intervals[i] = 0;
	if (intervals && geometry && geometry->choice.groups)
		status = find_intervals(slot->set, part, &geometry->choice, counters, intervals);
	evaluate(slot->set, part, counters[0], values);
	papi_handle_leave(slot);
	return status;
}

int papi_agent_lend(const struct papi_agent *agent, uint64_t start, uint64_t end)
{
	char reason[PAPI_HUGE_STR_LEN];
	int status;

	if (!papi_vpmu_engine_probe(reason, sizeof(reason)))
		return papi_error(PAPI_ECMP, "%s", reason);
	status = papi_vpmu_engine_exclude(start, end);
	if (status == PAPI_OK)
		papi_vpmu_engine_lend(agent);
	return status;
}

/* The kernel maps its code, the vDSO, as one piece of an ELF file. */
static int exclude_clock(void)
{
	static bool excluded; /* also in the children of forks */
	uint64_t base = getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *header = (const void *)(uintptr_t)base;
	int status = PAPI_OK;

	for (unsigned i = 0; base && !excluded && i < header->e_phnum && status == PAPI_OK; i++) {
		const ElfW(Phdr) *segment = (const void *)(uintptr_t)(base + header->e_phoff + i * header->e_phentsize);

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X)
			status = papi_vpmu_engine_exclude(
				base + segment->p_offset, base + segment->p_offset + segment->p_memsz);
	}
	excluded = true;
	return status;
}

static struct papi_vpmu_wants wants_of(const struct papi_agent_plan *plan)
{
	unsigned parts = plan->parts;

	/* The predictor alone would not tell which branch it is; nor without code in which call, for then there are
	 * blocks that tell nothing. */
	if (plan->profile &&
		(plan->parts == PAPI_VPMU_PART_BRANCHES || (plan->calls && plan->parts & PAPI_VPMU_PART_BRANCHES)))
		parts |= PAPI_VPMU_PART_CODE;
	return (struct papi_vpmu_wants){ .counters = plan->counters | (plan->calls ? plan->profile : 0),
		.calls = plan->calls,
		.contexts = plan->calls && plan->contexts,
		.parts = parts,
		.modelled = plan->profile ? plan->modelled : 0,
		.profile = plan->profile };
}

static int take_plan(const struct papi_agent_plan *plan, struct papi_vpmu_wants *wants)
{
	int status = plan->clock_unseen ? exclude_clock() : PAPI_OK;

	*wants = wants_of(plan);
	if (status != PAPI_OK)
		return status;
	if (plan->parts && !papi_vpmu_geometry_take(plan->caches, plan->model))
		return papi_error(PAPI_EBUG, "papi_run's geometry of caches makes no sense here");
	return wants->profile ? papi_vpmu_engine_profile(plan->directory, wants->profile,
					wants->contexts ? plan->contexts : 0, wants->modelled)
			      : PAPI_OK;
}

int papi_agent_start(const struct papi_agent_plan *plan)
{
	struct papi_vpmu_wants wants;
	int status = take_plan(plan, &wants);

	return status == PAPI_OK ? papi_vpmu_engine_start(&wants, __builtin_frame_address(0)) : status;
}

void papi_agent_forked(void)
{
	papi_vpmu_engine_forked();
	papi_vpmu_engine_borrow();
}

void papi_agent_settle(void)
{
	papi_vpmu_engine_settle();
}

/* ---- threads that run already ---- */

int papi_agent_begin(const struct papi_agent *agent, const struct papi_agent_plan *plan, uint64_t start, uint64_t end)
{
	static bool excluded;
	struct papi_vpmu_wants wants;
	char reason[PAPI_HUGE_STR_LEN];
	int status = PAPI_OK;

	if (!papi_vpmu_engine_probe(reason, sizeof(reason)))
		return papi_error(PAPI_ECMP, "%s", reason);
	if (!excluded)
		status = papi_vpmu_engine_exclude(start, end);
	excluded = excluded || status == PAPI_OK;
	if (status == PAPI_OK)
		status = take_plan(plan, &wants);
	if (status == PAPI_OK)
		status = papi_vpmu_engine_prepare();
	if (status != PAPI_OK)
		return status;
	papi_vpmu_engine_lend(agent);
	/* The first error of a thread takes memory, which a stopped thread may be about to give or take. */
	papi_error(PAPI_ENOTRUN, "nothing is counted yet");
	return PAPI_OK;
}

int papi_agent_enter(const struct papi_agent_plan *plan, struct papi_agent_moved *moved)
{
	const struct papi_vpmu_wants wants = wants_of(plan);

	return papi_vpmu_engine_enter_at(&wants, moved);
}

int papi_agent_leave(struct papi_agent_moved *moved)
{
	return papi_vpmu_engine_leave_at(moved);
}

void papi_agent_retreat(void)
{
	papi_vpmu_engine_retreat();
}

unsigned papi_agent_inside(void)
{
	return papi_vpmu_engine_inside();
}

void papi_agent_end(void)
{
	papi_vpmu_engine_give_back();
}
