/* SPDX-License-Identifier: BSD-3-Clause */
/* What this process is permitted to count: settings of the kernel, its own standing, the container, limits. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "linux/proc/permissions.h"
#include "papi_doctor.h"

/* Below these, measuring meets the limit soon: an event is an open file, and a sampled one a locked buffer. */
#define FEW_FILES     256
#define FEW_KILOBYTES 64

static const char paranoid_file[] = "/proc/sys/kernel/perf_event_paranoid";

void papi_doctor_paranoid(struct doctor *doctor)
{
	struct doctor_check *check = papi_doctor_check(doctor, "perf_event_paranoid", "Permission");
	int level = papi_permissions_paranoid();

	doctor->paranoid = level;
	doctor->capable = papi_permissions_capable();
	doctor->first_namespace = papi_permissions_first_namespace();
	doctor->privileged = papi_permissions_privileged();
	if (papi_linux_exists(paranoid_file))
		papi_doctor_number(check, level);
	if (doctor->privileged) {
		papi_doctor_finding(check, "perf_event_paranoid is %d, which does not bind this process", level);
		return;
	}
	if (level >= 3) {
		check->status = DOCTOR_PROBLEM;
		papi_doctor_finding(
			check, "perf_event_paranoid is %d: nobody without privileges may count anything", level);
		papi_doctor_remedy(check, "sudo sysctl kernel.perf_event_paranoid=2");
	} else if (level == 2) {
		check->status = DOCTOR_NOTE;
		papi_doctor_finding(check,
			"perf_event_paranoid is 2: own programs in user mode, but not what they do in the "
			"kernel, and no whole CPUs");
		papi_doctor_remedy(check, "sudo sysctl kernel.perf_event_paranoid=1");
	} else if (level >= 0) {
		check->status = level ? DOCTOR_NOTE : DOCTOR_OK;
		papi_doctor_finding(check, "perf_event_paranoid is %d: own programs in all modes%s", level,
			level ? ", but no whole CPUs" : ", and whole CPUs; not tracepoints");
		papi_doctor_remedy(check, "sudo sysctl kernel.perf_event_paranoid=%d", level - 1);
	} else {
		papi_doctor_finding(check, "perf_event_paranoid is %d: everybody may count everything", level);
	}
}

void papi_doctor_capabilities(struct doctor *doctor)
{
	struct doctor_check *check = papi_doctor_check(doctor, "capabilities", "Capabilities");

	papi_doctor_boolean(check, doctor->privileged);
	if (doctor->privileged) {
		papi_doctor_finding(check, "CAP_PERFMON or CAP_SYS_ADMIN: all that the kernel can count is permitted");
	} else if (doctor->capable) {
		check->status = DOCTOR_NOTE;
		papi_doctor_finding(check,
			"CAP_PERFMON or CAP_SYS_ADMIN, but only in a user namespace of its own, as in a "
			"rootless container: to the kernel's counters this is an ordinary user");
		papi_doctor_remedy(check, "run the container as the real root (sudo podman run --cap-add PERFMON ...)");
	} else {
		papi_doctor_finding(check, "neither CAP_PERFMON nor CAP_SYS_ADMIN: an ordinary user");
		if (doctor->paranoid >= 0)
			papi_doctor_remedy(check, "sudo setcap cap_perfmon+ep PROGRAM, or run it as root");
	}
}

void papi_doctor_seccomp(struct doctor *doctor)
{
	struct doctor_check *check = papi_doctor_check(doctor, "seccomp", "System calls");

	doctor->filtered = papi_permissions_filtered();
	papi_doctor_boolean(check, doctor->filtered);
	papi_doctor_finding(check,
		doctor->filtered ? "a seccomp filter decides which system calls are let through, as in containers"
				 : "no seccomp filter");
}

/* Containers say so in files of their own making, or in the name of the control group. */
static const char *container_name(void)
{
	static const struct {
		const char *path, *name;
	} marks[] = { { "/.dockerenv", "docker" }, { "/run/.containerenv", "podman" },
		{ "/run/systemd/container", "systemd" } };
	static const char *const words[] = { "kubepods", "docker", "libpod", "containerd", "lxc", "garden" };
	char groups[4096];

	if (papi_linux_exists("/var/run/secrets/kubernetes.io"))
		return "kubernetes";
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (papi_linux_exists(marks[i].path))
			return marks[i].name;
	if (papi_linux_read_file("/proc/self/cgroup", groups, sizeof(groups)) > 0)
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (strstr(groups, words[i]))
				return words[i];
	return NULL;
}

void papi_doctor_container(struct doctor *doctor)
{
	struct doctor_check *check = papi_doctor_check(doctor, "container", "Container");
	const char *name = container_name();
	bool own_namespace = !doctor->first_namespace && papi_linux_exists("/proc/self/uid_map");

	if (name == NULL && !own_namespace) {
		papi_doctor_string(check, "none");
		papi_doctor_finding(check, "none that shows itself");
		return;
	}
	papi_doctor_string(check, name != NULL ? name : "user namespace");
	papi_doctor_finding(check, "%s%s: settings of the kernel can be changed outside only",
		name != NULL ? name : "a user namespace of its own",
		name != NULL && own_namespace ? ", with a user namespace of its own" : "");
}

void papi_doctor_lockdown(struct doctor *doctor)
{
	struct doctor_check *check = papi_doctor_check(doctor, "lockdown", "Lockdown");
	char line[128], *begin, *end;

	/* "none [integrity] confidentiality": the one in brackets is in force. */
	if (papi_linux_read_line("/sys/kernel/security/lockdown", line, sizeof(line)) < 0 ||
		(begin = strchr(line, '[')) == NULL || (end = strchr(begin, ']')) == NULL) {
		papi_doctor_finding(check, "the kernel does not tell of any");
		return;
	}
	*end = '\0';
	papi_doctor_string(check, begin + 1);
	papi_doctor_finding(check, "%s", begin + 1);
	if (!strcmp(begin + 1, "confidentiality")) {
		check->status = DOCTOR_NOTE;
		papi_doctor_finding(check, "confidentiality: no tracepoints, and no samples of registers");
		papi_doctor_remedy(check, "boot without lockdown=confidentiality on the kernel's command line");
	}
}

void papi_doctor_buffers(struct doctor *doctor)
{
	struct doctor_check *check = papi_doctor_check(doctor, "perf_event_mlock_kb", "Locked memory");
	long long kilobytes;

	if (papi_linux_read_int("/proc/sys/kernel/perf_event_mlock_kb", &kilobytes) < 0) {
		papi_doctor_finding(check, "the kernel does not tell how much its buffers may use");
		return;
	}
	papi_doctor_number(check, kilobytes);
	papi_doctor_finding(check, "%lld kB for buffers of samples on each CPU", kilobytes);
	if (kilobytes < FEW_KILOBYTES && !doctor->privileged) {
		check->status = DOCTOR_NOTE;
		papi_doctor_remedy(check, "sudo sysctl kernel.perf_event_mlock_kb=516");
	}
}

/* "Max open files            1024                 524288               files" */
void papi_doctor_files(struct doctor *doctor)
{
	struct doctor_check *check = papi_doctor_check(doctor, "open_files", "Open files");
	static const char title[] = "\nMax open files";
	char limits[4096];
	const char *line = NULL;
	long long number;

	if (papi_linux_read_file("/proc/self/limits", limits, sizeof(limits)) > 0)
		line = strstr(limits, title);
	if (line == NULL) {
		papi_doctor_finding(check, "the kernel does not tell how many");
		return;
	}
	line += strlen(title);
	line += strspn(line, " ");
	if (*line < '0' || *line > '9') {
		papi_doctor_finding(check, "a process may have any number");
		return;
	}
	number = strtoll(line, NULL, 10);
	papi_doctor_number(check, number);
	papi_doctor_finding(check, "a process may have %lld, and each event that is counted is one", number);
	if (number < FEW_FILES) {
		check->status = DOCTOR_NOTE;
		papi_doctor_remedy(check, "ulimit -n 4096");
	}
}
