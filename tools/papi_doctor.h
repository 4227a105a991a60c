/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_doctor inside: a list of checks, each with what was found, what it means and what changes it.
 *
 *	papi_doctor.c              the command line, what the library knows, and the verdict
 *	papi_doctor_kernel.c       what the kernel offers: PMUs, counters really opened, the watchdog
 *	papi_doctor_environment.c  what it permits: settings, capabilities, containers, limits
 *	papi_doctor_report.c       the report, for people and as JSON
 *
 * Files of /proc and /sys are read below papi_linux_root(). If that is a recorded machine nothing is opened, since the
 * kernel here is not the one of the record: what could be counted is then concluded from the files.
 */
#ifndef PAPI_TOOLS_DOCTOR_H
#define PAPI_TOOLS_DOCTOR_H

#include <stdbool.h>
#include <stdio.h>

#define DOCTOR_TEXT   512
#define DOCTOR_CHECKS 32

enum doctor_status {
	DOCTOR_OK,
	DOCTOR_NOTE,    /* limits what can be counted, or how */
	DOCTOR_PROBLEM, /* hardware events cannot be counted because of it */
};

/* The one fact behind a check, for programs: its type never changes, but any may be unknown. */
enum doctor_type { DOCTOR_UNKNOWN, DOCTOR_BOOLEAN, DOCTOR_NUMBER, DOCTOR_STRING };

struct doctor_value {
	enum doctor_type type;
	long long number;
	char text[DOCTOR_TEXT];
};

struct doctor_check {
	const char *name;  /* for programs: never changes */
	const char *label; /* for people */
	enum doctor_status status;
	struct doctor_value value;
	char finding[DOCTOR_TEXT];
	char remedy[DOCTOR_TEXT]; /* "": nothing to change */
};

struct doctor {
	bool live;  /* this machine, not a record of one */
	bool tried; /* counters were opened to see */
	struct doctor_check checks[DOCTOR_CHECKS];
	int n_checks;

	/* What later checks and the verdict build on. */
	bool perf_events; /* the kernel was built with them */
	bool virtual_machine;
	char hypervisor[64];
	int core_pmus;
	int paranoid;
	bool capable, first_namespace, privileged, filtered;

	/* What can be counted: 0, or the errno of the attempt. */
	int software, hardware, kernel_mode, whole_cpus;
	int presets_available, presets; /* -1: not known */
	bool virtual_pmu;               /* there is one, and it counts */
};

/* Appends a check, of status DOCTOR_OK and without a value; the caller fills it in. */
struct doctor_check *papi_doctor_check(struct doctor *doctor, const char *name, const char *label);

void papi_doctor_finding(struct doctor_check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));
void papi_doctor_remedy(struct doctor_check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));
void papi_doctor_number(struct doctor_check *check, long long number);
void papi_doctor_boolean(struct doctor_check *check, bool boolean);
void papi_doctor_string(struct doctor_check *check, const char *text);

/* The checks, in this order: each may use what those before have found. */
void papi_doctor_hypervisor(struct doctor *doctor);
void papi_doctor_kernel(struct doctor *doctor);
void papi_doctor_pmus(struct doctor *doctor);
void papi_doctor_processor(struct doctor *doctor);
void papi_doctor_paranoid(struct doctor *doctor);
void papi_doctor_capabilities(struct doctor *doctor);
void papi_doctor_seccomp(struct doctor *doctor);
void papi_doctor_container(struct doctor *doctor);
void papi_doctor_lockdown(struct doctor *doctor);
void papi_doctor_attempts(struct doctor *doctor);
void papi_doctor_watchdog(struct doctor *doctor);
void papi_doctor_user_reads(struct doctor *doctor);
void papi_doctor_buffers(struct doctor *doctor);
void papi_doctor_files(struct doctor *doctor);
void papi_doctor_virtual_pmu(struct doctor *doctor);
void papi_doctor_presets(struct doctor *doctor);

/* In a sentence or two. */
void papi_doctor_verdict(const struct doctor *doctor, char *verdict, size_t size);

void papi_doctor_print_text(const struct doctor *doctor);
void papi_doctor_print_json(const struct doctor *doctor);

#endif
