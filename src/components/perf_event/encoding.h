/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an event name becomes: the attr of perf_event_open(2) and what is known about the event beyond it.
 *
 * Made by papi_perf_resolve(), immutable but for `any_mode`, which the first opening may find out.
 */
#ifndef PAPI_PERF_ENCODING_H
#define PAPI_PERF_ENCODING_H

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "papi.h"

enum papi_perf_form {
	PAPI_PERF_PFM,        /* perf::PAGE-FAULTS, skl::INST_RETIRED:ANY_P: libpfm4's names */
	PAPI_PERF_SYSFS,      /* cpu/instructions/u, msr/tsc/: the kernel's event and format files */
	PAPI_PERF_RAW,        /* r01c0 */
	PAPI_PERF_BREAKPOINT, /* mem:0x601040/8:w */
	PAPI_PERF_TRACEPOINT, /* sched:sched_switch */
};

struct papi_perf_encoding {
	struct perf_event_attr attr;
	enum papi_perf_form form;
	bool core;             /* counted by the PMU of the CPU cores */
	bool some_cores;       /* and of some kinds of cores only: a hybrid CPU */
	bool own_modes;        /* the name says in which modes to count (":u", "/k"); the domain does not change that */
	_Atomic bool any_mode; /* counts in all modes: happens in the kernel by nature, or the PMU cannot tell */
	unsigned n_core_pmus;  /* > 0: a generic event of a hybrid CPU, opened on the PMU of each kind of cores */
	unsigned core_pmus[4]; /* their types */
	char unit[32];         /* of one count; "" for plain events */
	char summary[128];     /* for the description, where the form has no other source */
	unsigned n_cpus;       /* > 0: a PMU of the package, opened on these CPUs instead of on a thread */
	int cpus[];
};

/* Allocates one with room for CPUs. NULL with PAPI_ENOMEM in the detail. */
struct papi_perf_encoding *papi_perf_encoding_make(enum papi_perf_form form, unsigned n_cpus);

/* Fills in what is known of the kernel's software events: modes and unit. Other events stay as they are. */
void papi_perf_encoding_software(struct papi_perf_encoding *encoding);
/* What a software event counts; NULL for others. */
const char *papi_perf_software_description(const struct papi_perf_encoding *encoding);

/* The operations of the component on names (base/component.h). */
int papi_perf_resolve(const char *name, void **encoding);
void papi_perf_release(void *encoding);
int papi_perf_event_name(unsigned position, char *name, size_t size);
int papi_perf_mask_name(const char *event, unsigned position, char *name, size_t size);
int papi_perf_describe(const char *name, const void *encoding, PAPI_event_info_t *info);
void papi_perf_names_survey(PAPI_component_info_t *info);
void papi_perf_names_shutdown(void);

/*
 * The forms. Each resolver answers PAPI_OK; PAPI_ECMP when the name does not have its form, so the next one is asked;
 * or another error when it has the form and something is wrong with it.
 */
void papi_perf_pfm_prepare(void);
/* Why libpfm4 knows no names; NULL: it knows them. */
const char *papi_perf_pfm_absence(void);
int papi_perf_pfm_resolve(const char *name, struct papi_perf_encoding **encoding);
int papi_perf_sysfs_resolve(const char *name, struct papi_perf_encoding **encoding);
int papi_perf_generic_resolve(const char *name, struct papi_perf_encoding **encoding);
int papi_perf_bare_resolve(const char *name, struct papi_perf_encoding **encoding);
int papi_perf_raw_resolve(const char *name, struct papi_perf_encoding **encoding);
int papi_perf_breakpoint_resolve(const char *name, struct papi_perf_encoding **encoding);
int papi_perf_tracepoint_resolve(const char *name, struct papi_perf_encoding **encoding);

/* Listings: the event at a position of those the form can list and this machine can count; PAPI_ENOEVNT at the end. */
int papi_perf_pfm_event(unsigned position, char *name, size_t size);
int papi_perf_pfm_mask(const char *event, unsigned position, char *name, size_t size);
int papi_perf_generic_event(unsigned position, char *name, size_t size);
int papi_perf_sysfs_event(unsigned position, char *name, size_t size);

/* Descriptions of libpfm4; PAPI_ENOEVNT when it does not know the name. */
int papi_perf_pfm_describe(const char *name, PAPI_event_info_t *info);
/* The PMUs that libpfm4 sees here, but for its generic ones. */
int papi_perf_pfm_pmu(unsigned position, char *name, size_t size);
void papi_perf_pfm_survey(PAPI_component_info_t *info);
void papi_perf_pfm_shutdown(void);
void papi_perf_sysfs_shutdown(void);

#endif
