/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/reasons.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/files.h"
#include "components/perf_event/kernel.h"
#include "linux/proc/permissions.h"

static bool in_hypervisor(void)
{
	char *text = papi_linux_read_whole("/proc/cpuinfo", NULL);
	bool found = text && strstr(text, " hypervisor");

	free(text);
	return found;
}

/* Least perf_event_paranoid level that forbids the attempt to an ordinary user. */
static int forbidden_from(const struct papi_perf_attempt *attempt)
{
	if (attempt->attr->type == PERF_TYPE_TRACEPOINT)
		return 0;
	if (attempt->pid == -1)
		return 1;
	return attempt->attr->exclude_kernel ? 3 : 2;
}

static int refused(const struct papi_perf_attempt *attempt, int error)
{
	int paranoid = papi_permissions_paranoid(), limit = forbidden_from(attempt);

	if (paranoid >= limit && !papi_permissions_privileged()) {
		const char *what = limit == 0 ? "tracepoints"
			: limit == 1          ? "counting a whole CPU"
			: limit == 2          ? "counting in the kernel"
					      : "any counting";
		const char *instead = limit != 2 ? ""
			: attempt->any_mode      ? ", for this event happens in the kernel or cannot be told apart"
						 : ", or count user mode only (PAPI_DOM_USER)";

		return papi_error(PAPI_EPERM,
			"perf_event_paranoid is %d and forbids %s: sysctl kernel.perf_event_paranoid=%d, or run "
			"with CAP_PERFMON%s",
			paranoid, what, limit - 1, instead);
	}
	if (papi_permissions_filtered())
		return papi_error(PAPI_EPERM,
			"a seccomp filter refuses perf_event_open (%s), as containers do by default: allow it in the "
			"container's seccomp profile or give it CAP_PERFMON",
			strerror(error));
	if (attempt->pid > 0)
		return papi_error(PAPI_EPERM,
			"process %d belongs to somebody else or may not be traced: run as its user, or "
			"with CAP_PERFMON and CAP_SYS_PTRACE",
			(int)attempt->pid);
	return papi_error(PAPI_EPERM,
		"the kernel refuses perf_event_open (%s); a security module or lockdown may forbid it",
		strerror(error));
}

static int too_many_files(int error)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	if (error == ENFILE)
		return papi_error(PAPI_ESYS, "the system has too many open files: raise fs.file-max");
	return papi_error(PAPI_ESYS,
		"the process has %llu files open, as many as it may, and every event needs one: ulimit -n "
		"(the hard limit is %llu)",
		(unsigned long long)limit.rlim_cur, (unsigned long long)limit.rlim_max);
}

static int no_core_pmu(void)
{
	if (in_hypervisor())
		return papi_error(PAPI_ENOEVNT,
			"this machine has no hardware counters: it is virtual and its hypervisor "
			"provides no PMU; ask for a type with one, or count software events (perf::*)");
	return papi_error(PAPI_ENOEVNT,
		"this machine has no hardware counters that Linux knows: the kernel has no driver for "
		"the PMU of this CPU, or the firmware has disabled it; count software events (perf::*)");
}

int papi_perf_open_failed(const struct papi_perf_attempt *attempt, int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return refused(attempt, error);
	case ENOENT:
	case ENXIO:
		if (attempt->core && !papi_perf_core_pmu())
			return papi_error_code();
		return papi_error(PAPI_ENOEVNT, "this kernel or CPU does not have the event");
	case ENOSYS:
		if (papi_permissions_filtered())
			return papi_error(PAPI_EPERM,
				"a seccomp filter hides perf_event_open: allow it in the container's "
				"seccomp profile");
		return papi_error(PAPI_ECMP, "this kernel was built without perf events (CONFIG_PERF_EVENTS)");
	case EMFILE:
	case ENFILE:
		return too_many_files(error);
	case ENOSPC:
		return papi_error(PAPI_ECNFLCT,
			"all hardware breakpoints are in use: remove one of the mem: events, or detach "
			"the debugger that holds them");
	case EBUSY:
		return papi_error(PAPI_ECNFLCT, "another user has the PMU for itself");
	case ESRCH:
		return papi_error(PAPI_EINVAL, "there is no process or thread %d: it has ended", (int)attempt->pid);
	case ENODEV:
		if (attempt->pid > 0)
			return papi_error(PAPI_EINVAL,
				"process or thread %d has ended, or its events cannot be counted here",
				(int)attempt->pid);
		if (attempt->cpu < 0)
			return papi_error(PAPI_EINVAL, "the PMU of this event is not there, or does not count threads");
		return papi_error(PAPI_EINVAL, "CPU %d is offline or does not have this PMU", attempt->cpu);
	case EOPNOTSUPP:
		return papi_error(PAPI_ENOSUPP, "the PMU does not support this way of counting the event");
	case E2BIG:
		return papi_error(PAPI_ENOSUPP, "the event needs a newer kernel");
	case ENOMEM:
		return papi_error(PAPI_ENOMEM, "the kernel has no memory for the event");
	case EINVAL:
		return papi_error(PAPI_EINVAL,
			"the kernel refuses the event as invalid in this combination of CPU, modes and "
			"options");
	default:
		return papi_error(PAPI_ESYS, "perf_event_open failed: %s", strerror(error));
	}
}

int papi_perf_call_failed(const char *call, int error)
{
	return papi_error(PAPI_ESYS, "%s on a perf event failed: %s", call, strerror(error));
}

int papi_perf_never_ran(bool multiplexed)
{
	if (multiplexed)
		return papi_error(PAPI_ECNFLCT,
			"an event of the multiplexed EventSet never got its turn on the counters: count "
			"for longer, or fewer events");
	return papi_error(PAPI_ECNFLCT,
		"the counters never ran: they need more hardware counters at once than are free%s",
		papi_permissions_watchdog() ? "; the NMI watchdog holds one (sysctl kernel.nmi_watchdog=0)"
					    : "; another program may hold some, or the events exclude each other");
}

/* 0: not asked yet, 1: yes, otherwise errno of the attempt. */
static _Atomic int core_pmu;

/* 1, or the negative errno of an attempt. */
static int ask_for_core_pmu(void)
{
	int answer = atomic_load(&core_pmu);

	if (!answer) {
		struct perf_event_attr attr = { .size = sizeof(attr),
			.type = PERF_TYPE_HARDWARE,
			.disabled = 1,
			.config = PERF_COUNT_HW_INSTRUCTIONS,
			.exclude_kernel = 1,
			.exclude_hv = 1 };
		int fd = papi_perf_kernel->open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

		answer = fd >= 0 ? 1 : -errno;
		if (fd >= 0)
			papi_perf_kernel->close(fd);
		/* Only that there is one or none is a fact for good; a refusal may be lifted while the program runs. */
		if (answer == 1 || answer == -ENOENT)
			atomic_store(&core_pmu, answer);
	}
	return answer;
}

bool papi_perf_core_pmu_refused(void)
{
	int answer = ask_for_core_pmu();

	return answer == -EACCES || answer == -EPERM || answer == -ENOSYS;
}

bool papi_perf_core_pmu(void)
{
	int answer = ask_for_core_pmu();

	if (answer == -ENOENT || answer == -EOPNOTSUPP || answer == -ENODEV || answer == -ENXIO) {
		no_core_pmu();
		return false;
	}
	return true;
}

void papi_perf_core_pmu_forget(void)
{
	atomic_store(&core_pmu, 0);
}
