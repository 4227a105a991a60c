/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/ranges.h"

#include <linux/hw_breakpoint.h>
#include <stdint.h>

#include "base/error.h"
#include "components/perf_event/control.h"

static bool is_breakpoint(const struct perf_event_attr *attr, bool on_data)
{
	return attr->type == PERF_TYPE_BREAKPOINT && (attr->bp_type != HW_BREAKPOINT_X) == on_data;
}

/* The bytes of a watch that are in a range; empty where start is not below end. */
static struct papi_range common(const struct papi_range *range, const struct perf_event_attr *attr)
{
	uint64_t start = attr->bp_addr, end = start + attr->bp_len;

	return (struct papi_range){ .start = range->start > start ? range->start : (uintptr_t)start,
		.end = range->end < end ? range->end : (uintptr_t)end };
}

static int check_data(const struct papi_range *range, const struct perf_event_attr *attr)
{
	struct papi_range both;

	if (!is_breakpoint(attr, true))
		return papi_error(PAPI_ECMP,
			"of perf events only breakpoints on data (mem:ADDRESS/LENGTH:rw) can be restricted to a "
			"range of data addresses");
	both = common(range, attr);
	if (both.start >= both.end)
		return papi_error(PAPI_ECNFLCT,
			"the %llu bytes at 0x%llx are outside the range of data addresses of the EventSet, "
			"0x%llx to 0x%llx: the event could never count",
			(unsigned long long)attr->bp_len, (unsigned long long)attr->bp_addr,
			(unsigned long long)range->start, (unsigned long long)range->end);
	return PAPI_OK;
}

static int check_instructions(const struct papi_range *range, const struct perf_event_attr *attr)
{
	if (!is_breakpoint(attr, false))
		return papi_error(PAPI_ECMP,
			"of perf events only breakpoints on instructions (mem:ADDRESS:x) can be restricted to a "
			"range of instruction addresses");
	if (attr->bp_addr < range->start || attr->bp_addr >= range->end)
		return papi_error(PAPI_ECNFLCT,
			"the instruction at 0x%llx is outside the range of the EventSet, 0x%llx to 0x%llx: "
			"the event could never count",
			(unsigned long long)attr->bp_addr, (unsigned long long)range->start,
			(unsigned long long)range->end);
	return PAPI_OK;
}

int papi_perf_range_check(const struct papi_options *options, const struct perf_event_attr *attr)
{
	int status = PAPI_OK;

	if (papi_range_is_set(&options->data))
		status = check_data(&options->data, attr);
	if (status == PAPI_OK && papi_range_is_set(&options->instructions))
		status = check_instructions(&options->instructions, attr);
	return status;
}

void papi_perf_range_apply(const struct papi_options *options, struct perf_event_attr *attr)
{
	struct papi_range both;
	uint64_t length = 1;

	if (!papi_range_is_set(&options->data) || !is_breakpoint(attr, true))
		return;
	both = common(&options->data, attr);
	/* The bytes of the event are such a block themselves, so the search ends there at the latest. */
	while (length < attr->bp_len && (both.start & ~(length - 1)) + length < both.end)
		length *= 2;
	attr->bp_addr = both.start & ~(length - 1);
	attr->bp_len = length;
}

void papi_perf_range_offsets(const void *pointer, bool data, int *start, int *end)
{
	const struct papi_perf_control *control = pointer;
	const struct papi_range *range = &control->options.data;

	*start = *end = 0;
	/* An instruction is inside or outside: there is nothing between. */
	for (unsigned i = 0; data && papi_range_is_set(range) && i < control->n_natives; i++) {
		struct perf_event_attr attr = control->natives[i]->attr;
		struct papi_range watched;

		papi_perf_range_apply(&control->options, &attr);
		watched = (struct papi_range){ .start = (uintptr_t)attr.bp_addr,
			.end = (uintptr_t)(attr.bp_addr + attr.bp_len) };
		if (watched.start < range->start && (int)(range->start - watched.start) > *start)
			*start = (int)(range->start - watched.start);
		if (watched.end > range->end && (int)(watched.end - range->end) > *end)
			*end = (int)(watched.end - range->end);
	}
}
