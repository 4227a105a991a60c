/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/perf_event.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/error.h"
#include "base/files.h"
#include "components/perf_event/breakpoints.h"
#include "components/perf_event/control.h"
#include "components/perf_event/direct.h"
#include "components/perf_event/encoding.h"
#include "components/perf_event/hardware_counter.h"
#include "components/perf_event/kernel.h"
#include "components/perf_event/multiplex.h"
#include "components/perf_event/ranges.h"
#include "components/perf_event/reasons.h"
#include "components/perf_event/sampling.h"
#include "core/overflow.h"

/* How many events a multiplexed EventSet may hold; the kernel sets no limit but that of open files. */
#define MULTIPLEX_COUNTERS 384

static PAPI_component_info_t info = {
	.name = "perf_event",
	.short_name = "perf",
	.description = "Linux perf_event: the counters of the CPU, software events, breakpoints, tracepoints",
	.version = "7.0",
	.num_mpx_cntrs = MULTIPLEX_COUNTERS,
	.default_domain = PAPI_DOM_USER,
	.available_domains = PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_SUPERVISOR,
	.default_granularity = PAPI_GRN_THR,
	.available_granularities = PAPI_GRN_THR | PAPI_GRN_SYS | PAPI_GRN_SYS_CPU,
	.hardware_intr = 1,
	.posix1b_timers = 1,
	.kernel_profile = 1,
	.kernel_multiplex = 1,
	.fast_real_timer = 1,
	.attach = 1,
	.cpu = 1,
	.inherit = 1,
	.cntr_umasks = 1,
};

/* One software event on the calling thread, user mode: the least that can be asked for. */
static int probe(PAPI_component_info_t *facts)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.disabled = 1,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.exclude_kernel = 1,
		.exclude_hv = 1 };
	int fd = papi_perf_kernel->open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC), status;

	facts->hardware_intr_sig = papi_overflow_signal();

	/* Not in the initializer: they are in another struct of the union, which would put the bits above out. */
	facts->data_address_range = facts->instr_address_range = 1;
	if (fd >= 0) {
		papi_perf_kernel->close(fd);
		return PAPI_OK;
	}
	status = papi_perf_open_failed(&(struct papi_perf_attempt){ .attr = &attr, .cpu = -1 }, errno);
	snprintf(facts->disabled_reason, sizeof(facts->disabled_reason), "%s", papi_error_sentence());
	return status == PAPI_EPERM ? PAPI_EPERM : PAPI_ECMP_DISABLED;
}

static bool user_reads_allowed(void)
{
	long long mode;

	if (!PAPI_USER_READ || !papi_perf_core_pmu())
		return false;
	if (!papi_linux_read_int("/sys/bus/event_source/devices/cpu/rdpmc", &mode))
		return mode > 0;
	return !papi_linux_read_int("/proc/sys/kernel/perf_user_access", &mode) && mode > 0;
}

static int resolve(const char *name, void **encoding)
{
	int status = strncmp(name, "mem:", 4) ? PAPI_OK : papi_perf_breakpoints_guard();

	return status == PAPI_OK ? papi_perf_resolve(name, encoding) : status;
}

static int add(void *control, const void *encoding)
{
	const struct perf_event_attr *attr = &((const struct papi_perf_encoding *)encoding)->attr;
	int status = attr->type == PERF_TYPE_BREAKPOINT ? papi_perf_breakpoints_guard() : PAPI_OK;

	return status == PAPI_OK ? papi_perf_add(control, encoding) : status;
}

static enum papi_cpu_counters cpu_counters(void)
{
	if (papi_perf_core_pmu_refused())
		return PAPI_CPU_COUNTERS_REFUSED;
	return papi_perf_core_pmu() ? PAPI_CPU_COUNTERS_USABLE : PAPI_CPU_COUNTERS_NONE;
}

static void survey(PAPI_component_info_t *facts)
{
	struct utsname name;

	if (!uname(&name))
		snprintf(facts->kernel_version, sizeof(facts->kernel_version), "%.63s", name.release);
	facts->fast_counter_read = user_reads_allowed();
	papi_perf_names_survey(facts);
}

static void forget(void)
{
	papi_perf_names_shutdown();
	memset(info.pmu_names, 0, sizeof(info.pmu_names));
	info.num_cntrs = info.num_native_events = 0;
}

static const struct papi_component_direct direct = {
	.describe = papi_perf_direct,
	.let_go = papi_perf_let_go,
};

static const struct papi_component_turns turns = {
	.needed = papi_perf_takes_turns,
	.next = papi_perf_next_turn,
	.rebase = papi_perf_rebase,
};

static const struct papi_component_overflow overflow = {
	.arm = papi_perf_arm,
	.fetch = papi_perf_overflows,
	.polled = papi_perf_overflows_polled,
};

const struct papi_component papi_perf_event_component = {
	.info = &info,
	.control_size = sizeof(struct papi_perf_control),
	.probe = probe,
	.survey = survey,
	.shutdown = forget,
	.prepare = papi_perf_pfm_prepare,
	.cpu_counters = cpu_counters,
	.pmu_name = papi_perf_pfm_pmu,
	.event_name = papi_perf_event_name,
	.mask_name = papi_perf_mask_name,
	.resolve = resolve,
	.release = papi_perf_release,
	.describe = papi_perf_describe,
	.add = add,
	.remove = papi_perf_remove,
	.configure = papi_perf_configure,
	.start = papi_perf_start,
	.stop = papi_perf_stop,
	.read = papi_perf_read,
	.times = papi_perf_times,
	.range_offsets = papi_perf_range_offsets,
	.close = papi_perf_close,
	.forked = papi_perf_forked,
	.direct = &direct,
	.turns = &turns,
	.overflow = &overflow,
};
