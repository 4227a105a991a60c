/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel offers: its PMUs, and what comes of opening counters. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/files.h"
#include "linux/proc/permissions.h"
#include "papi.h"
#include "papi_doctor.h"

#define DEVICES "/sys/bus/event_source/devices"

void papi_doctor_hypervisor(struct doctor *doctor)
{
	struct doctor_check *check = papi_doctor_check(doctor, "hypervisor", "Machine");
	const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();

	doctor->virtual_machine = hardware != NULL && hardware->virtualized;
	if (!doctor->virtual_machine) {
		papi_doctor_string(check, "none");
		papi_doctor_finding(check, "no hypervisor shows itself");
		return;
	}
	snprintf(doctor->hypervisor, sizeof(doctor->hypervisor), "%.60s", hardware->virtual_vendor_string);
	papi_doctor_string(check, *doctor->hypervisor ? doctor->hypervisor : "unknown");
	papi_doctor_finding(
		check, "virtual, of %s", *doctor->hypervisor ? doctor->hypervisor : "an unknown hypervisor");
}

void papi_doctor_kernel(struct doctor *doctor)
{
	struct doctor_check *check = papi_doctor_check(doctor, "kernel", "Kernel");
	char release[128];
	bool here = papi_linux_exists("/proc/sys/kernel/perf_event_paranoid");

	doctor->perf_events = here;
	if (papi_linux_read_line("/proc/sys/kernel/osrelease", release, sizeof(release)) <= 0)
		snprintf(release, sizeof(release), "of unknown version");
	else
		papi_doctor_string(check, release);
	papi_doctor_finding(check, "Linux %s, with%s perf events", release, here ? "" : "out");
	if (!here) {
		check->status = DOCTOR_PROBLEM;
		papi_doctor_remedy(check, "boot a kernel that was built with CONFIG_PERF_EVENTS=y");
	}
}

/* A PMU of cores lists its CPUs in a file "cpus", or is called "cpu". */
static bool is_core_pmu(const char *name)
{
	char path[384];

	if (!strcmp(name, "cpu"))
		return true;
	snprintf(path, sizeof(path), DEVICES "/%s/cpus", name);
	return papi_linux_exists(path);
}

/* Names behind one another; what does not fit is left out. */
static void append(char *list, size_t size, const char *word)
{
	size_t length = strlen(list);

	if (length + strlen(", ") + strlen(word) < size)
		snprintf(list + length, size - length, "%s%s", length ? ", " : "", word);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void no_pmu(const struct doctor *doctor, struct doctor_check *check)
{
	check->status = DOCTOR_PROBLEM;
	if (doctor->virtual_machine) {
		papi_doctor_finding(
			check, "none of the cores: the hypervisor gives this virtual machine no hardware counters");
		papi_doctor_remedy(check,
			"choose a type of machine with a PMU (a whole socket, or \"metal\"); with QEMU: "
			"-cpu host,pmu=on");
	} else {
		papi_doctor_finding(check,
			"none of the cores: the kernel has no driver for the counters of this CPU, or the "
			"firmware has disabled them");
		papi_doctor_remedy(check, "boot a newer kernel; on Arm the device tree must name the PMU");
	}
}

void papi_doctor_pmus(struct doctor *doctor)
{
	struct doctor_check *check = papi_doctor_check(doctor, "pmus", "PMUs");
	char cores[DOCTOR_TEXT / 4] = "", others[DOCTOR_TEXT / 2] = "", path[PATH_MAX];
	struct dirent **entries = NULL;
	int n = papi_linux_path(DEVICES, path, sizeof(path)) < 0 ? 0 : scandir(path, &entries, is_visible, alphasort);

	for (int i = 0; i < n; i++) {
		bool core = is_core_pmu(entries[i]->d_name);

		doctor->core_pmus += core;
		append(core ? cores : others, core ? sizeof(cores) : sizeof(others), entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	papi_doctor_string(check, cores);
	if (doctor->core_pmus == 0) {
		no_pmu(doctor, check);
		return;
	}
	papi_doctor_finding(check, "%s of the cores%s%s%s", cores,
		doctor->core_pmus > 1 ? ", which are of several kinds" : "", *others ? "; others: " : "", others);
}

static int open_event(uint32_t type, uint64_t config, bool user_mode, int cpu)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = type,
		.config = config,
		.disabled = 1,
		.exclude_kernel = user_mode,
		.exclude_hv = user_mode };

	return (int)syscall(SYS_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int attempt(uint32_t type, uint64_t config, bool user_mode, int cpu)
{
	int fd = open_event(type, config, user_mode, cpu), error = errno;

	if (fd < 0)
		return error;
	close(fd);
	return 0;
}

/* Of a recorded machine: what its settings say. Filters of containers let nobody but CAP_PERFMON through. */
static void conclude(struct doctor *doctor)
{
	bool refused = !doctor->perf_events || (doctor->filtered && !doctor->capable);

	doctor->software = refused || (doctor->paranoid >= 3 && !doctor->privileged) ? EPERM : 0;
	doctor->hardware = doctor->software ? doctor->software : doctor->core_pmus ? 0 : ENOENT;
	doctor->kernel_mode = refused || (doctor->paranoid >= 2 && !doctor->privileged) ? EPERM : 0;
	doctor->whole_cpus = refused || (doctor->paranoid >= 1 && !doctor->privileged) ? EPERM : 0;
}

/* What stands in the way, when the settings would permit it. */
static void explain_refusal(const struct doctor *doctor, struct doctor_check *check)
{
	check->status = DOCTOR_PROBLEM;
	if (!doctor->perf_events) {
		papi_doctor_finding(check, "none: this kernel has no perf_event_open");
	} else if (doctor->paranoid >= 3 && !doctor->privileged) {
		papi_doctor_finding(
			check, "%s, as perf_event_paranoid says", doctor->tried ? "refused" : "would be refused");
	} else if (doctor->filtered) {
		papi_doctor_finding(check, "perf_event_open %s by the container's seccomp filter%s%s",
			doctor->tried ? "is refused" : "is refused, by all likelihood,", doctor->tried ? ": " : "",
			doctor->tried ? strerror(doctor->software) : "");
		papi_doctor_remedy(check,
			"docker run --cap-add PERFMON ..., or --security-opt seccomp=PROFILE with one that "
			"allows perf_event_open");
	} else {
		papi_doctor_finding(check,
			"perf_event_open is refused (%s), and no setting says why: a security module",
			strerror(doctor->software));
		papi_doctor_remedy(check, "look for a denial: sudo dmesg | grep -i -e denied -e lockdown");
	}
}

void papi_doctor_attempts(struct doctor *doctor)
{
	struct doctor_check *check = papi_doctor_check(doctor, "perf_event_open", "Counters");

	doctor->tried = doctor->live;
	if (doctor->live) {
		doctor->software = attempt(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true, -1);
		doctor->hardware = attempt(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true, -1);
		doctor->kernel_mode = attempt(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false, -1);
		doctor->whole_cpus = attempt(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false, 0);
	} else {
		conclude(doctor);
	}
	papi_doctor_boolean(check, doctor->software == 0);
	if (doctor->software != 0) {
		explain_refusal(doctor, check);
		return;
	}
	papi_doctor_finding(check, "%s: software events%s%s%s%s", doctor->tried ? "opened" : "by the settings",
		doctor->hardware == 0 ? ", hardware events" : "",
		doctor->kernel_mode == 0 ? ", what programs do in the kernel" : "",
		doctor->whole_cpus == 0 ? ", whole CPUs" : "", doctor->hardware != 0 ? "; no hardware events" : "");
	/* The kernel shows a PMU and still refuses: the one case in which the files do not tell the reason. */
	if (doctor->hardware != 0 && doctor->core_pmus > 0) {
		check->status = DOCTOR_PROBLEM;
		papi_doctor_finding(check, "software events; hardware events are refused although there is a PMU: %s",
			strerror(doctor->hardware));
		papi_doctor_remedy(check, "see who else has the PMU: sudo dmesg | grep -i -e perf -e pmu");
	}
}

void papi_doctor_watchdog(struct doctor *doctor)
{
	struct doctor_check *check = papi_doctor_check(doctor, "nmi_watchdog", "NMI watchdog");
	bool on = papi_permissions_watchdog() && doctor->core_pmus > 0;

	if (papi_linux_exists("/proc/sys/kernel/nmi_watchdog"))
		papi_doctor_boolean(check, on);
	papi_doctor_finding(
		check, "%s", on ? "on: it holds one of the counters of each CPU" : "off: it holds no counter");
	if (on) {
		check->status = DOCTOR_NOTE;
		papi_doctor_remedy(check, "sudo sysctl kernel.nmi_watchdog=0");
	}
}

/* Whether the page of an open event offers the counter to user space; only a real one can say. */
static bool page_offers_reads(void)
{
	int fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true, -1);
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *page;
	bool offered;

	if (fd < 0)
		return false;
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (page == MAP_FAILED)
		return false;
	offered = page->cap_user_rdpmc;
	munmap(page, size);
	return offered;
}

void papi_doctor_user_reads(struct doctor *doctor)
{
	static const char arm[] = "/proc/sys/kernel/perf_user_access";
	struct doctor_check *check = papi_doctor_check(doctor, "user_reads", "Fast reads");
	const char *file = DEVICES "/cpu/rdpmc";
	long long mode;
	bool on;

	if (doctor->core_pmus == 0) {
		papi_doctor_finding(check, "there are no counters to read");
		return;
	}
	if (papi_linux_read_int(file, &mode) < 0) {
		file = DEVICES "/cpu_core/rdpmc";
		if (papi_linux_read_int(file, &mode) < 0 && papi_linux_read_int(file = arm, &mode) < 0) {
			papi_doctor_finding(check, "this kernel lets no program read counters without a system call");
			return;
		}
	}
	on = mode > 0 && doctor->hardware == 0 && (!doctor->live || page_offers_reads());
	papi_doctor_boolean(check, on);
	papi_doctor_finding(check, "%s",
		on ? "counters are read without a system call" : "every read of counters is a system call");
	if (!on && mode == 0) {
		check->status = DOCTOR_NOTE;
		if (file == arm)
			papi_doctor_remedy(check, "sudo sysctl kernel.perf_user_access=1");
		else
			papi_doctor_remedy(check, "echo 1 | sudo tee %s", file);
	}
}
